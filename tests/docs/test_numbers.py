"""What the documentation works out by hand, tabulates or quotes is what the program says."""

import ast
import inspect
import re
import shlex
from collections.abc import Iterator
from decimal import Decimal
from types import ModuleType

import pytest

from benchreg.analysis import completions, crosscheck, limits
from benchreg.cli.main import run
from benchreg.registry.registry import Registry
from benchreg.registry.roots import own_root
from benchreg.roofline.formats import FORMATS
from benchreg.roofline.model import terms
from benchreg.roofline.step import IDEAL, REFERENCE
from benchreg.values.expression import parse
from benchreg.values.interval import rounded_from

HERE = own_root()
PAGES = [HERE / "README.md", *sorted((HERE / "docs").glob("*.md"))]
ROOFLINE = (HERE / "docs/roofline.md").read_text(encoding="utf-8")
VERDICTS = (HERE / "docs/verdicts.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(sum|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CUT = "..."


def samples(kind: str) -> list[tuple[str, str]]:
    """Return page and text of every sample of a kind."""
    return [
        (page.name, found[2])
        for page in PAGES
        for found in FENCE.finditer(page.read_text(encoding="utf-8"))
        if found[1] == kind
    ]


def rows(page: str, heading: str) -> list[list[str]]:
    """Return the cells of the table under a heading row."""
    lines = page[page.index(heading) :].splitlines()[2:]
    table = lines[: next(n for n, line in enumerate(lines) if not line.startswith("|"))]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def named(cell: str) -> list[str]:
    """Return what stands in a cell between backquotes."""
    return re.findall(r"`([^`]+)`", cell)


SUMS = [(page, line) for page, text in samples("sum") for line in text.splitlines()]
QUOTED = samples("console")


def test_there_are_sums_and_quotations() -> None:
    assert len(SUMS) > 20
    assert len(QUOTED) > 3


@pytest.mark.parametrize(("page", "line"), SUMS)
def test_a_sum_comes_to_what_stands_behind_it(page: str, line: str) -> None:
    formula, _, result = line.replace(",", "").partition(" = ")
    assert parse(formula).at({}) in rounded_from(Decimal(result.split()[0])), page


@pytest.mark.parametrize(("page", "text"), QUOTED)
def test_a_quotation_is_what_the_command_prints(
    page: str, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(HERE)
    monkeypatch.setenv("COLUMNS", "100")
    command, *quoted = text.splitlines()
    assert run(shlex.split(command.removeprefix("$ "))[1:]) in (0, 1), page
    printed = iter(capsys.readouterr().out.splitlines())
    assert [line for line in quoted if line != CUT and line not in printed] == []


def test_the_formats_are_those_of_the_table() -> None:
    told = {
        name: (float(bits), float(least), set(peaks.split(", ")))
        for names, bits, least, peaks in rows(ROOFLINE, "| format | usual bits |")
        for name in named(names)
    }
    assert told == {name: (one.bits, one.least, set(one.computes)) for name, one in FORMATS.items()}


def test_the_coefficients_are_those_of_the_table() -> None:
    table = rows(ROOFLINE, "| coefficient | `reference` |")
    for column, chosen in ((1, REFERENCE), (2, IDEAL)):
        told = {named(row[0])[0]: row[column] for row in table}
        assert told.keys() == set(chosen.__dataclass_fields__)
        assert [
            name
            for name, value in told.items()
            if float({"false": "0", "true": "1"}.get(value, value)) != getattr(chosen, name)
        ] == []


def test_the_cache_of_a_token_is_that_of_the_table(shipped: Registry) -> None:
    for model, _, told in rows(ROOFLINE, "| model | kind | bytes a token |"):
        sizes = terms(shipped.models[named(model)[0]])
        assert 2 * (sizes.cache + sizes.cache_window) == int(told.replace(",", "")), model


def test_the_experts_that_are_read_are_those_of_the_table(shipped: Registry) -> None:
    sizes = terms(shipped.models["deepseek-r1"])
    for tokens, told in rows(ROOFLINE, "| tokens of the step |"):
        share = sizes.touched(float(tokens), fewest=False) / sizes.experts
        assert float(told) == pytest.approx(256 * share, abs=0.05)


def reasons(module: ModuleType) -> Iterator[str]:
    """Yield the fixed words of every reason that a module gives for no verdict."""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Name) and called.id in {"OutOfReachError", "_unchecked"}:
            yield from (
                str(part.value).strip()
                for part in ast.walk(node)
                if isinstance(part, ast.Constant) and " " in str(part.value).strip()
            )


@pytest.mark.parametrize("module", [completions, crosscheck, limits])
def test_every_reason_for_no_verdict_is_explained(module: ModuleType) -> None:
    found = list(reasons(module))
    assert found
    assert [reason for reason in found if reason not in VERDICTS] == []
