# Two commands do it all: `make audit` judges the records, `make test` runs the tests.
# Each sets up what it needs in .venv, from the ranges in pyproject.toml and constraints.txt.

VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.for-run
TEST := $(VENV)/.for-test
CHECK := $(VENV)/.for-check
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: audit test check judges lint types schema fmt docs bench editor-check clean help

audit: $(RUN)  ## judge every record and catalogue entry
	$(BIN)/benchreg audit

test: $(TEST)  ## run the tests
	$(BIN)/python -m pytest -q --numprocesses auto --maxprocesses 4 --dist worksteal

check: lint types judges test  ## all that must pass before a change lands

judges: $(RUN)  ## audit the records with both judges of a document, and their form
	$(BIN)/benchreg audit --cross-validate --format concise
	$(BIN)/benchreg fmt --check

lint: $(CHECK)  ## judge the code's form
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(CHECK)  ## judge the code's types
	$(BIN)/mypy

schema: $(RUN)  ## write schema/ from the entities
	$(BIN)/benchreg schema --into schema

fmt: $(CHECK)  ## bring the code and the records into their form
	$(BIN)/ruff check --fix-only --quiet
	$(BIN)/ruff format
	$(BIN)/benchreg fmt

docs: $(RUN)  ## write the generated pages of docs/
	$(BIN)/benchreg handbook --into docs

bench: $(CHECK)  ## measure the audit of 10,000 records beside its peer
	$(BIN)/python benchmarks/audit.py

editor-check: $(CHECK)  ## try the schema in yaml-language-server (needs node and npm)
	$(BIN)/python tests/editor/check_yaml_language_server.py

clean:  ## take away what the other targets made
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*##/\1\t/p' $(MAKEFILE_LIST)

$(BIN)/python:
	@sh .ci/venv $(VENV) $(PYTHON)

$(RUN): $(BIN)/python pyproject.toml constraints.txt
	@$(INSTALL) --editable .
	@touch $@

$(TEST): $(RUN)
	@$(INSTALL) --editable '.[test]'
	@touch $@

$(CHECK): $(TEST)
	@$(INSTALL) --editable '.[lint]'
	@touch $@
