"""The closing lines of an audit: the roofline's verdicts, by their share and their reason."""

from dataclasses import replace

import pytest

from benchreg.analysis.crosscheck import KINDS
from benchreg.audit.engine import Report, Share
from benchreg.audit.finding import Finding, Problem, Severity
from benchreg.report.summary import summary


def report(verdicts: dict[str, int], unchecked: dict[str, int] | None = None) -> Report:
    return Report((), (), (), {}, 2, 8, 3, 0, verdicts, unchecked or {})


def lines(verdicts: dict[str, int], unchecked: dict[str, int] | None = None) -> list[str]:
    return summary(report(verdicts, unchecked), []).splitlines()


@pytest.mark.parametrize(
    ("name", "counts", "parts"),
    [
        (
            "all possible",
            (0, 0, 8, 0),
            ["0 impossible (0.0 %)", "0 does not fit (0.0 %)", "8 plausible (100.0 %)"],
        ),
        (
            "all kinds",
            (1, 1, 1996, 2),
            [
                "1 impossible (0.1 %)",
                "1 does not fit (0.1 %)",
                "1,996 plausible (99.8 %)",
                "2 unchecked (0.1 %)",
            ],
        ),
        ("none possible", (8, 0, 0, 0), ["8 impossible (100.0 %)", "0 does not fit (0.0 %)"]),
    ],
)
def test_every_verdict_has_its_share_and_a_fault_is_told_where_it_is_none(
    name: str, counts: tuple[int, ...], parts: list[str]
) -> None:
    went_over, roofline, found = lines(dict(zip(KINDS, counts, strict=True)))
    assert roofline == f"roofline: {', '.join(parts)}", name
    assert went_over.startswith("2 records with 8 figures")
    assert found == "0 errors, 0 warnings, 0 notes"


def test_every_reason_why_figures_have_no_verdict_is_counted() -> None:
    found = lines({"unchecked": 1240}, {"no linked model": 1200, "mean_power is not modelled": 40})
    assert found[-3:-1] == [
        "    unchecked, no linked model: 1,200",
        "    unchecked, mean_power is not modelled: 40",
    ]


def test_where_no_rule_asked_the_roofline_nothing_is_said_of_it() -> None:
    assert "roofline" not in "\n".join(lines({}))
    assert "roofline" not in "\n".join(lines({"impossible": 0, "plausible": 0}))


def test_only_faults_that_were_found_are_painted() -> None:
    verdicts = {"impossible": 2, "does_not_fit": 0, "plausible": 6}
    text = summary(
        report(verdicts), [], paint=lambda text, role: f"<{role}>{text}" if role else text
    )
    assert "roofline: <error>2 impossible (25.0 %), 0 does not fit (0.0 %), 6 plausible" in text


def test_hostile_text_of_a_reason_reaches_no_terminal() -> None:
    found = "\n".join(lines({"unchecked": 1}, {"\x1b[31mred\u202e is not modelled": 1}))
    assert "\x1b" not in found
    assert "\u202e" not in found


@pytest.mark.parametrize(
    ("known", "stale", "told"),
    [
        (0, 0, "0 errors, 0 warnings, 0 notes"),
        (1200, 0, "0 errors, 0 warnings, 0 notes; 1,200 known"),
        (12, 3, "0 errors, 0 warnings, 0 notes; 12 known; 3 of the baseline found no more"),
    ],
)
def test_what_is_known_and_what_is_found_no_more_is_counted(
    known: int, stale: int, told: str
) -> None:
    text = summary(replace(report({}), known=known, stale=stale), [])
    assert text.splitlines()[-1] == told


def finding(severity: Severity, path: str) -> Finding:
    return Finding(severity, path, 1, 1, "ABC001", "a-rule", "/", "", "", (None, Problem((), "")))


def test_each_source_has_its_records_figures_and_findings_where_there_are_several() -> None:
    found = tuple(
        finding(severity, f"records/benchmarks/{path}")
        for severity, path in (
            (Severity.ERROR, "one/a.yaml"),
            (Severity.NOTE, "one/more/b.yaml"),
            (Severity.WARNING, "another/c.yaml"),
        )
    )
    shares = {"another": Share(1, 2), "one": Share(1234, 5)}
    told = summary(replace(report({}), sources=shares, findings=found), list(Severity))
    assert told.splitlines()[:3] == [
        "by source  records  figures  errors  warnings  notes",
        "another          1        2       0         1      0",
        "one          1,234        5       1         0      1",
    ]
    assert "by source" not in summary(replace(report({}), sources={"one": Share(1, 2)}), [])
