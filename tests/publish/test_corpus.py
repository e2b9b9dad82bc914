"""The page of the corpus counts what is there, and shows what does not stand with its reason."""

from collections.abc import Callable
from pathlib import Path

from benchreg.analysis.crosscheck import verdicts
from benchreg.publish.corpus import corpus
from benchreg.registry.load import load

Change = Callable[..., Path]


def page(root: Path) -> str:
    registry = load(root)
    return corpus(registry, verdicts(registry))


def test_the_page_has_every_table(base: Path) -> None:
    text = page(base)
    assert "**2 records with 2 figures.**" in text
    for title in ("source", "part", "model", "engine", "load", "year"):
        assert f"\n## By {title}\n" in text
    assert "| engine version | 0 % |" in text
    assert "- example-source: 2 of 2 records name a build of the engine" in text
    assert text.endswith("Every record stands.\n")


def test_what_does_not_stand_is_shown_by_its_reason(changed: Change) -> None:
    fallen = 'status: disputed\nstatus_reason: "PLA001: twice its bound | `x` *y*"\n'
    text = page(changed(other_record=f"id: other-record\n{fallen}"))
    assert (
        "| example-source | disputed | PLA001: twice its bound \\| \\`x\\` \\*y\\* | 1 "
        "| `other-record` |"
    ) in text
