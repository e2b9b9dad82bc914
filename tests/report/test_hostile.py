"""Whatever strangers write into names and messages, every format stays what it is."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchreg.audit.catalogue import all_rules
from benchreg.audit.engine import Report
from benchreg.audit.finding import Crash, Finding, Problem, Severity, Unevaluated
from benchreg.audit.waivers import Waived
from benchreg.entities.record import Waiver
from benchreg.report.as_json import as_json
from benchreg.report.concise import concise
from benchreg.report.full import full
from benchreg.report.github import github
from benchreg.report.gitlab import gitlab
from benchreg.report.inert import inert
from benchreg.report.junit import junit
from benchreg.report.markdown import markdown
from benchreg.report.sarif import sarif
from benchreg.report.statistics import statistics
from benchreg.report.summary import safe_path, sentence
from benchreg.values.unseen import UNSEEN

ALL = frozenset(Severity)
RULES = [rule for rule in all_rules() if rule.code in {"MET004", "MET005"}]


def on_line_3(path: str) -> str:
    """Return the text of a file that has on its third line whatever its name is."""
    return f"\n\n{path}"


FORMATS: dict[str, Callable[[Report], str]] = {
    "full": lambda report: full(report, ALL, on_line_3, waived=True),
    "concise": lambda report: concise(report, ALL, waived=True),
    "by rule": lambda report: concise(report, frozenset()),
    "statistics": lambda report: statistics(report, RULES),
    "json": lambda report: as_json(report, RULES),
    "github": github,
    "sarif": lambda report: sarif(report, RULES, waived=True),
    "gitlab": gitlab,
    "junit": lambda report: junit(report, RULES, frozenset({Severity.ERROR})),
    "markdown": lambda report: markdown(report, frozenset({Severity.ERROR})),
}
NASTY = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.sampled_from(
            [
                *(
                    "\n",
                    "\r\n",
                    "\n::set-env name=A::b",
                    "::add-mask::a",
                    "%0A::error::",
                    "%",
                    "::",
                ),
                *("##[add-mask]a", "##vso[task.complete]", "\x1b[31m", "\x00", "\x7f", "\x85"),
                *(
                    "\u2028",
                    "\u2029",
                    "\u202e",
                    "\u200b",
                    "\ufeff",
                    "\ufffe",
                    "\ud800",
                    "\U000e0041",
                ),
                *("]]>", "<!--", "-->", "<script>", "</testcase>", "&#10;", "&", '"', "'"),
                *("|", "\\|", "\\", "`", "```", "@all", "#1", "a/b#1", "![a](b)", "[a](http://b)"),
                *("www.example.org", "https://example.org", "{0}", "{", "}", ",", ":", "=", "$a$"),
            ]
        ),
    ),
    max_size=6,
).map("".join)


@dataclass(frozen=True)
class Words:
    """What strangers can write."""

    path: str
    message: str
    hint: str
    pointer: str
    reason: str
    error: str
    accepted: str
    remark: str


WORDS = st.builds(Words, *[NASTY] * 8)
TAME = Words("records/a.yaml", "no scope", "say whose", "/a", "no length", "KeyError", "so", "as")


def report_of(words: Words) -> Report:
    """Return a report in which every text of theirs has its place."""

    def finding(severity: Severity) -> Finding:
        problem = Problem((words.pointer,), words.message, words.hint)
        return Finding(
            severity, words.path, 3, 5, "MET004", "rate-without-scope", words.pointer,
            words.message, words.hint, (None, problem),
        )  # fmt: skip

    waiver = Waiver.model_construct(
        rule="MET004", reason=words.accepted, by=words.accepted, since="2026-11-01"
    )
    return Report(
        tuple(finding(severity) for severity in Severity),
        (Unevaluated("MET005", words.path, words.pointer, words.reason),),
        (Crash("MET005", words.path, words.error, "Traceback\n  ValueError: a"),),
        {"MET004": 9, "MET005": 0},
        *(2, 8, 3, 0),
        waived=(Waived(finding(Severity.NOTE), waiver),),
        remarks=(words.remark,),
    )


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Return the commands of a log, as GitHub's runner reads them: name, properties, message."""
    found = []
    for line in re.split("\r\n|\r|\n", text):
        if line.strip().startswith("::"):
            about, _, message = line.strip()[2:].partition("::")
            name, _, told = about.partition(" ")
            pairs = dict(pair.split("=", 1) for pair in told.split(","))
            found.append(
                (name, {key: undone(pair) for key, pair in pairs.items()}, undone(message))
            )
    return found


def undone(text: str) -> str:
    for code, mark in {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}.items():
        text = text.replace(code, mark)
    return text


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=60, deadline=None)
@given(words=WORDS)
def test_no_format_holds_what_is_unseen_or_begins_a_command(name: str, words: Words) -> None:
    text = FORMATS[name](report_of(words))
    assert UNSEEN.search(text.replace("\n", "")) is None
    assert not re.search(r"##\w*\[", text)
    starts = [line for line in text.split("\n") if line.lstrip().startswith("::")]
    expected = ["::error", "::error", "::warning", "::notice"] if name == "github" else []
    assert [line.split(" ")[0] for line in starts] == expected


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=60, deadline=None)
@given(words=WORDS)
def test_no_text_makes_a_line_of_its_own(name: str, words: Words) -> None:
    lines, tame = (FORMATS[name](report_of(one)).split("\n") for one in (words, TAME))
    has_help = bool(words.hint) or name != "full"
    assert len(lines) == len(tame) - (0 if has_help else len(Severity))


@settings(max_examples=60, deadline=None)
@given(words=WORDS)
def test_github_reads_the_commands_that_were_meant(words: Words) -> None:
    report = report_of(words)
    found = commands(github(report))
    assert [name for name, _, _ in found] == ["error", "error", "warning", "notice"]
    for _, properties, message in found[1:]:
        place = {"file": inert(safe_path(words.path)), "line": "3", "col": "5"}
        assert properties == {**place, "title": "MET004 rate-without-scope"}
        assert message.rstrip() == inert(sentence(report.findings[0])).rstrip()


@settings(max_examples=60, deadline=None)
@given(words=WORDS)
def test_json_documents_read_back_as_they_were_meant(words: Words) -> None:
    report = report_of(words)
    found = json.loads(as_json(report, RULES))["findings"]
    assert [one["message"] for one in found] == [words.message] * 3
    [run] = json.loads(sarif(report, RULES, waived=True))["runs"]
    assert [one["level"] for one in run["results"]] == ["error", "warning", "note", "note"]
    assert len({one["fingerprint"] for one in json.loads(gitlab(report))}) == 4


def strings(document: object) -> Iterator[str]:
    """Yield every text that a document holds."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict | list):
        for part in document.values() if isinstance(document, dict) else document:
            yield from strings(part)


@pytest.mark.parametrize("name", ["sarif", "gitlab"])
@settings(max_examples=60, deadline=None)
@given(words=WORDS)
def test_what_is_read_from_a_document_can_be_shown(name: str, words: Words) -> None:
    found = list(strings(json.loads(FORMATS[name](report_of(words)))))
    assert len(found) > 10
    assert [text for text in found if UNSEEN.search(text.replace("\n", ""))] == []


@settings(max_examples=60, deadline=None)
@given(words=WORDS)
def test_what_is_read_from_xml_can_be_shown(words: Words) -> None:
    parts = list(ET.fromstring(FORMATS["junit"](report_of(words))).iter())  # noqa: S314  (our own)
    texts = [text for part in parts for text in (*part.attrib.values(), part.text or "")]
    assert [text for text in texts if UNSEEN.search(text.replace("\n", ""))] == []


@settings(max_examples=60, deadline=None)
@given(words=WORDS)
def test_a_message_of_sarif_holds_no_link_tag_or_placeholder(words: Words) -> None:
    [run] = json.loads(sarif(report_of(words), RULES, waived=True))["runs"]
    [invocation] = run["invocations"]
    notifications = [*invocation["toolExecutionNotifications"]]
    notifications += invocation["toolConfigurationNotifications"]
    for told in (*run["results"], *notifications):
        text = told["message"]["text"]
        assert "](" not in text
        assert not re.search("<[A-Za-z/!?]", text)
        assert not re.search("[{}]", text.replace("{{", "").replace("}}", ""))


@settings(max_examples=60, deadline=None)
@given(words=WORDS)
def test_xml_has_the_cases_that_were_meant(words: Words) -> None:
    top = ET.fromstring(junit(report_of(words), RULES, ALL))  # noqa: S314  (it is our own)
    assert [suite.get("tests") for suite in top] == ["1", "1", "2"]
    assert [part.tag for case in top.iter("testcase") for part in case] == [
        "system-out",
        "failure",
        "error",
        "skipped",
    ]


@settings(max_examples=60, deadline=None)
@given(words=WORDS)
def test_a_page_has_only_cells_links_and_tags_of_its_own(words: Words) -> None:
    text = markdown(report_of(words), frozenset({Severity.ERROR}))
    for row in (line for line in text.split("\n") if line.startswith("| ")):
        assert row.count("|") == 4
    bare = re.sub(r"<code>[^<>`|\[\]*_~@:$]*</code>", "", text)
    bare = re.sub(r"\[\]\([\w./%~-]*#L3\)", "", bare)
    assert re.findall(r"[<>`@\[\]]", bare.replace("<!-- benchreg audit -->", "")) == []
