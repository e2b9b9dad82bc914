"""The generated pages are those that are committed."""

from pathlib import Path

import pytest

from benchreg.audit.catalogue import all_rules
from benchreg.cli.handbook import pages
from benchreg.publish.handbook import FAMILIES

DOCS = Path(__file__).parents[2] / "docs"
PAGES = pages()


@pytest.mark.parametrize("name", PAGES)
def test_a_committed_page_is_the_generated_one(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name], "run `make docs`"


def test_no_page_of_a_rule_is_left_over() -> None:
    committed = {f"rules/{path.name}" for path in (DOCS / "rules").glob("*.md")}
    assert committed == {name for name in PAGES if name.startswith("rules/")}


def test_every_rule_is_in_a_family_of_the_index() -> None:
    assert {rule.code[:3] for rule in all_rules()} <= FAMILIES.keys()
