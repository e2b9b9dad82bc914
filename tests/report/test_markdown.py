"""The audit as a page: tables by severity, links to the lines, and a size that GitHub takes."""

from collections.abc import Callable

import pytest

from benchreg.audit.engine import Report
from benchreg.audit.finding import Crash, Finding, Severity, Unevaluated
from benchreg.report.markdown import MOST_CHARACTERS, code, markdown

Make = Callable[..., Finding]
MakeReport = Callable[..., Report]
ERRORS = frozenset({Severity.ERROR})
ALL = frozenset(Severity)


def test_what_is_listed_comes_one_by_one_and_the_rest_by_rule(
    finding: Make, report: MakeReport
) -> None:
    notes = [finding(Severity.NOTE, line=line) for line in (7, 8)]
    note = Unevaluated("CON014", "records/a.yaml", "/", "no length")
    text = markdown(report(*notes, finding(), unevaluated=(note,)), ERRORS)
    assert (
        text
        == """<!-- benchreg audit -->
## benchreg audit: 1 error, 0 warnings, 2 notes

2 records with 8 figures, 3 catalogue entries, 0 files refused.

### 1 error

| where | rule | what is wrong |
|---|---|---|
| [<code>records/a.yaml&#58;3</code>](records/a.yaml#L3) | MET004 rate-without-scope | \
<code>no scope; say whose</code> |

### 2 notes by rule

| rule | number | the first |
|---|---|---|
| MET004 rate-without-scope | 2 | [<code>records/a.yaml&#58;7</code>](records/a.yaml#L7) \
<code>no scope; say whose</code> |

### Not evaluated

| rule | times | why |
|---|---|---|
| CON014 | 1 | <code>no length (1)</code> |"""
    )


def test_a_link_leads_to_where_the_files_are(finding: Make, report: MakeReport) -> None:
    text = markdown(report(finding()), ERRORS, "https://example.org/a/blob/1/")
    assert "](https://example.org/a/blob/1/records/a.yaml#L3)" in text


def test_a_crash_comes_before_all_findings(finding: Make, report: MakeReport) -> None:
    crash = Crash("MET005", "records/b.yaml", "KeyError: 'a'", "")
    text = markdown(report(finding(), crashes=(crash,)), ERRORS)
    row = "| MET005 | <code>records/b.yaml</code> | <code>KeyError&#58; 'a'</code> |"
    assert (
        text.index("### 1 crash: the run is incomplete")
        < text.index(row)
        < text.index("### 1 error")
    )


def test_a_page_that_would_be_too_large_says_what_it_leaves_out(
    finding: Make, report: MakeReport
) -> None:
    errors = [finding(line=line, message="a" * 500) for line in range(200)]
    warnings = [finding(Severity.WARNING, line=line) for line in range(3)]
    text = markdown(report(*errors, *warnings), ALL)
    shown = text.count("| MET004 ")
    assert 60 < shown < 200
    assert len(text) <= MOST_CHARACTERS
    assert text.endswith(
        f"Left out, since a comment holds no more: {200 - shown} errors, 3 warnings."
    )


def test_letters_that_count_twice_are_counted_twice(finding: Make, report: MakeReport) -> None:
    text = markdown(report(*[finding(message="\U0001d49c" * 500)] * 200), ALL)
    assert len(text.encode("utf-16-le")) <= 2 * MOST_CHARACTERS


@pytest.mark.parametrize(
    ("name", "text", "written"),
    [
        ("a cell", "a | b", "a &#124; b"),
        ("code", "a `b`", "a &#96;b&#96;"),
        ("html", "<b>&", "&#60;b&#62;&#38;"),
        ("a name to call", "@all", "&#64;all"),
        ("an issue", "a/b#1", "a/b&#35;1"),
        ("a link", "[a](b)", "&#91;a&#93;(b)"),
        ("an address", "https://a.b, www.a.b", "https&#58;//a.b, www&#46;a.b"),
        ("a line", "a\nb", "a&#92;nb"),
    ],
)
def test_no_mark_means_anything(name: str, text: str, written: str) -> None:
    assert code(text) == f"<code>{written}</code>", name


def test_what_a_configuration_sets_aside_is_said() -> None:
    told = "configuration benchreg.toml: ignores CON004 (<b>so it is</b>)"
    page = markdown(Report((), (), (), {}, 1, 1, 1, 0, remarks=(told,)), frozenset())
    assert "ignores CON004" in page
    assert "<b>" not in page
