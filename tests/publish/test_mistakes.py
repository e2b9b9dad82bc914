"""The page of mistakes: each is found, is printed as the command prints it, and can be mended."""

import shutil
from pathlib import Path

import pytest

from benchreg.audit.engine import Report
from benchreg.audit.finding import Severity
from benchreg.cli.main import run
from benchreg.publish.mistakes import Mistake, judged, merged, mistakes
from benchreg.registry.read import Reader
from benchreg.registry.registry import Registry
from benchreg.registry.roots import own_root
from benchreg.registry.write import write

RECORD, MISTAKES = mistakes()
PAGE = (Path(__file__).parents[2] / "docs/mistakes.md").read_text(encoding="utf-8")
FOUND = [
    ["SCH002"],
    ["SCH002"],
    ["SCH002"],
    ["SCH002"],
    ["SCH003"],
    ["SCH004"],
    ["SCH004"],
    ["SCH001"],
    ["SCH001"],
    ["CON001"],
    ["CON008", "CON009"],
    ["IDN007"],
    ["MET001"],
    ["MET002"],
    ["IDN004"],
    ["MET006"],
    ["MET007"],
    ["PRO003"],
    ["PRO007"],
    ["IDN001"],
    ["IDN001"],
]
WITH_CODES = [
    pytest.param(one, codes, id=one.title) for one, codes in zip(MISTAKES, FOUND, strict=True)
]


def of(catalogue: Registry, path: str, text: str) -> Report:
    report, _ = judged(catalogue, path, text)
    assert report.crashes == ()
    return report


def test_the_record_is_judged_without_any_finding(shipped: Registry) -> None:
    report = of(shipped, MISTAKES[0].mended, RECORD)
    assert report.findings == ()
    assert report.records == 1


def test_the_record_is_in_its_form() -> None:
    tree = Reader().read("x.yaml", RECORD.encode()).tree
    assert write("record", tree, MISTAKES[0].mended) == RECORD


def test_there_are_twenty_one() -> None:
    assert len({one.title for one in MISTAKES}) == 21


@pytest.mark.parametrize(("mistake", "codes"), WITH_CODES)
def test_a_mistake_is_found(mistake: Mistake, codes: list[str], shipped: Registry) -> None:
    report = of(shipped, mistake.path, merged(RECORD, mistake.wrong))
    assert [finding.code for finding in report.findings] == codes
    assert all(finding.hint or ";" in finding.message for finding in report.findings)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one.title)
def test_what_is_mended_has_no_error(mistake: Mistake, shipped: Registry) -> None:
    report = of(shipped, mistake.mended, merged(RECORD, mistake.right))
    assert Severity.ERROR not in {finding.severity for finding in report.findings}
    assert report.records == 1


@pytest.mark.parametrize("mistake", MISTAKES[::4], ids=lambda one: one.title)
def test_the_page_shows_what_the_command_prints(
    mistake: Mistake, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = shutil.ignore_patterns("benchmarks")
    shutil.copytree(own_root() / "records", tmp_path / "records", ignore=folders)
    file = tmp_path / mistake.path
    file.parent.mkdir(parents=True)
    file.write_text(merged(RECORD, mistake.wrong), encoding="utf-8")
    run(["audit", str(file), "--format", "full"])
    printed, _, _ = capsys.readouterr().out.partition("\n\n")
    assert f"```text\n{printed}\n" in PAGE
