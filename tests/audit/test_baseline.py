"""What is known is taken away once for each time that it was found, and nothing else is."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.audit.baseline import (
    Known,
    known,
    new,
    of_base,
    read,
    refused_among,
    stale,
    without,
    written,
)
from benchreg.audit.catalogue import all_rules, chosen
from benchreg.audit.engine import Report, audit
from benchreg.audit.finding import Crash, Finding, Problem, Severity, Unevaluated
from benchreg.registry.load import load
from benchreg.registry.read import Reader
from benchreg.values.errors import BenchregError

Change = Callable[..., Path]
Judge = Callable[..., Report]

RECORD = "records/benchmarks/example-source/base-record.yaml"
HEAD = b'{"format": "benchreg-baseline", "version": 1}\n'
NOTE, WARNING, ERROR = Severity.NOTE, Severity.WARNING, Severity.ERROR
EMPTY = Report((), (), (), {}, 0, 0, 0, 0)


def finding(
    message: str, path: str = "records/a.yaml", line: int = 1, severity: Severity = ERROR
) -> Finding:
    """Return a finding that is told from others by its message."""
    problem = Problem((), message, also=(message,))
    about = (None, problem)
    return Finding(severity, path, line, 1, "TST001", "a-rule", "/", message, "", about)


def report(*findings: Finding) -> Report:
    return replace(EMPTY, findings=findings)


def messages(of: Report) -> list[str]:
    return [one.message for one in of.findings]


def test_only_what_the_base_did_not_have_is_new() -> None:
    found = new(report(finding("a"), finding("b"), finding("c")), report(finding("b")))
    assert messages(found) == ["a", "c"]
    assert found.known == 1


def test_what_moved_is_known() -> None:
    assert new(report(finding("a", line=7)), report(finding("a"))).findings == ()


@pytest.mark.parametrize(
    ("name", "before", "now", "left"),
    [
        ("as often as before", 2, 2, 0),
        ("once more", 2, 3, 1),
        ("less often", 3, 1, 0),
        ("never before", 0, 2, 2),
        ("no more", 2, 0, 0),
    ],
)
def test_the_same_finding_is_known_as_often_as_it_was(
    name: str, before: int, now: int, left: int
) -> None:
    found = new(report(*[finding("a")] * now), report(*[finding("a")] * before))
    assert (len(found.findings), found.known) == (left, now - left), name


@pytest.mark.parametrize(
    ("name", "before", "now", "new_ones"),
    [
        ("as heavy", [WARNING], [WARNING], []),
        ("heavier", [WARNING], [ERROR], [ERROR]),
        ("lighter", [ERROR], [NOTE], []),
        ("one of two is heavier", [NOTE, WARNING], [WARNING, ERROR], [ERROR]),
        ("the lighter one is new", [ERROR], [NOTE, ERROR], [NOTE]),
        ("each has its own", [NOTE, ERROR], [NOTE, ERROR], []),
    ],
)
def test_what_weighs_more_than_it_did_is_new(
    name: str, before: list[Severity], now: list[Severity], new_ones: list[Severity]
) -> None:
    found = new(
        report(*(finding("a", severity=one) for one in now)),
        report(*(finding("a", severity=one) for one in before)),
    )
    assert [one.severity for one in found.findings] == new_ones, name


def named(path: str) -> Finding:
    """Return a finding about a record that lies in some file."""
    document = Reader().read(path, b"id: one\n")
    return finding("a", path)._replace(about=(document, Problem((), "a")))


def test_of_two_files_with_one_id_the_one_that_came_is_new() -> None:
    before = report(named("records/x/b.yaml"))
    found = new(report(named("records/x/a.yaml"), named("records/x/b.yaml")), before)
    assert [one.path for one in found.findings] == ["records/x/a.yaml"]


def test_a_record_that_moved_takes_what_is_known_with_it() -> None:
    before = report(named("records/x/b.yaml"))
    assert new(report(named("records/x/a.yaml")), before).findings == ()


def test_what_could_not_be_judged_and_crashes_are_never_known() -> None:
    crash = Crash("TST001", "records/a.yaml", "KeyError", "trace")
    note = Unevaluated("TST001", "records/a.yaml", "/", "no link")
    now = replace(report(finding("a")), crashes=(crash,), unevaluated=(note,))
    for found in (new(now, now), new(now, replace(now))):
        assert (found.crashes, found.unevaluated, found.findings) == ((crash,), (note,), ())


def test_what_was_waived_in_the_base_was_no_finding_there(changed: Change, judged: Judge) -> None:
    short = """\
load:
  pattern: closed_loop
  concurrency: 64
  requests: 320
  failed: 0
  duration_s: 25.6
  window: full_drain
  warmup: {requests: 0}
"""
    waiver = 'waivers: [{rule: CON014, reason: r, by: b, since: "2026-11-01"}]\n'
    before = judged(changed(short + waiver))
    text = (changed() / RECORD).read_text(encoding="utf-8")
    (changed() / RECORD).write_text(text.replace(waiver, ""), encoding="utf-8")
    assert [one.code for one in new(judged(changed()), before).findings] == ["CON014"]


def test_what_was_refused_before_had_no_other_findings(changed: Change, judged: Judge) -> None:
    before = judged(changed("engine: {id: example-engine, x: 1}\n"))
    now = judged(changed("engine: {id: example-engine}\n"))
    assert [one.code for one in new(now, before).findings] == ["CON001"]


FAULTS = """\
title: short
engine: {id: example-engine}
model: {id: nobodys-model}
waivers: [{rule: IDN001, reason: r, by: b, since: "2026-11-01"}]
"""


@pytest.mark.parametrize("codes", ["", "CON", "CON001,WAV", "WAV", "IDN,PLA,SCH"])
def test_what_is_looked_for_in_a_base_is_all_that_can_be_known(codes: str, changed: Change) -> None:
    rules = chosen([codes] if codes else [], [])
    base = load(changed(FAULTS))
    assert audit(base, rules).findings
    text = (changed() / RECORD).read_text(encoding="utf-8")
    (changed() / RECORD).write_text(f"{text}colour: red\n", encoding="utf-8")
    refused = audit(load(changed()), rules)
    (changed() / RECORD).write_text(f"# moved\n{text}", encoding="utf-8")
    (changed() / "records/models/other.yaml").write_text("id: other\n", encoding="utf-8")
    registry = load(changed())
    now = audit(registry, rules)
    for before in (now, refused):
        whole = new(before, audit(base, rules))
        assert new(before, of_base(base, registry, before, rules)) == whole


def test_an_untouched_registry_is_its_own_base(changed: Change) -> None:
    registry = load(changed(FAULTS))
    now = audit(registry, all_rules())
    assert of_base(registry, registry, now, all_rules()) is now
    assert new(now, now).findings == ()
    assert new(now, now).known == len(now.findings)


TEXT = st.text(max_size=20) | st.text('\udfff\n\r\t\x85\u2028"\\ {}', max_size=9)
FINDINGS = st.lists(
    st.builds(
        lambda message, path, code, pointer, severity: finding(
            message, path, severity=severity
        )._replace(code=code, pointer=pointer),
        *(TEXT, TEXT, TEXT, TEXT),
        st.sampled_from(Severity),
    ),
    max_size=6,
)


@given(FINDINGS)
def test_what_is_written_reads_back_as_it_was(findings: list[Finding]) -> None:
    data = written(report(*findings)).encode("ascii")
    assert read(data, "baseline") == sorted(map(known, findings))
    assert data.count(b"\n") == len(findings) + 1


@given(FINDINGS)
def test_the_order_of_findings_changes_nothing(findings: list[Finding]) -> None:
    assert written(report(*findings)) == written(report(*findings[::-1]))


@given(FINDINGS)
def test_what_is_written_takes_all_away_and_nothing_is_left(findings: list[Finding]) -> None:
    now = report(*findings)
    found, rest = without(now, read(written(now).encode(), "baseline"))
    assert (found.findings, found.known, rest) == ((), len(findings), [])


def test_a_file_holds_a_line_for_each_finding_and_no_lines_of_files() -> None:
    one = finding("a\tfault", line=12)
    line = {
        "path": "records/a.yaml",
        "code": "TST001",
        "pointer": "/",
        "message": "a\tfault",
        "fingerprint": one.fingerprint,
        "severity": "error",
    }
    assert written(report(one)).encode() == HEAD + json.dumps(line).encode() + b"\n"


GOOD = json.dumps({**known(finding("a"))._asdict(), "severity": "error"}).encode()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("in another order", HEAD + GOOD + b"\n" + GOOD + b"\n"),
        ("with the line ends of Windows", (HEAD + GOOD + b"\n").replace(b"\n", b"\r\n")),
        ("without an end of the last line", HEAD + GOOD),
        ("without findings", HEAD),
        ("without anything but the head", HEAD[:-1]),
    ],
)
def test_a_file_may_be_written_otherwise(name: str, data: bytes) -> None:
    assert all(one == known(finding("a")) for one in read(data, "baseline")), name


@pytest.mark.parametrize(
    ("name", "data", "line"),
    [
        ("nothing", b"", 1),
        ("no head", GOOD + b"\n", 1),
        ("another version", HEAD.replace(b"1", b"2"), 1),
        ("another file", b"id: a\n", 1),
        ("bytes", b"\xff\xfe", 1),
        ("a conflict", HEAD + GOOD + b"\n<<<<<<< ours\n", 3),
        ("an empty line", HEAD + b"\n" + GOOD + b"\n", 2),
        ("half a line", HEAD + GOOD[:40], 2),
        ("a list", HEAD + b"[]\n", 2),
        ("very deep", HEAD + b"[" * 100_000 + b"\n", 2),
        ("a long number", HEAD + b"9" * 10_000 + b"\n", 2),
        ("a key too few", HEAD + b'{"code": "TST001"}\n', 2),
        ("a key too many", HEAD + GOOD[:-1] + b', "line": 1}\n', 2),
        ("a number", HEAD + GOOD.replace(b'"TST001"', b"1"), 2),
        ("no fingerprint", HEAD + GOOD.replace(known(finding("a")).fingerprint.encode(), b"a"), 2),
        ("no severity", HEAD + GOOD.replace(b'"error"', b'"grave"'), 2),
        ("a bad byte", HEAD + GOOD.replace(b"TST001", b"\xff"), 2),
    ],
)
def test_a_file_that_is_none_is_told_with_its_line(name: str, data: bytes, line: int) -> None:
    with pytest.raises(BenchregError) as raised:
        read(data, "known.jsonl")
    message = str(raised.value)
    assert message.startswith(f"known.jsonl:{line}: "), name
    assert message.endswith("; write it anew: --write-baseline known.jsonl")
    assert len(message) < 250
    assert message.isprintable()


def test_a_file_is_known_to_be_refused_by_what_is_found_in_refused_files_only() -> None:
    ones = [known_at("a", "SCH001"), known_at("b", "SCH006"), known_at("c"), known_at("d", "X")]
    assert refused_among(ones) == {"a", "b"}
    assert refused_among([]) == set()


def known_at(path: str, code: str = "CON001") -> Known:
    return Known(path, code, "/", "m", "0" * 32, ERROR)


@pytest.mark.parametrize(
    ("name", "one", "codes", "count"),
    [
        ("found no more", known_at(RECORD), "", 1),
        ("of a file that is gone", known_at("records/models/gone.yaml"), "", 1),
        ("of a rule that is gone", known_at(RECORD, "TST999"), "CON", 1),
        ("of a rule that did not run", known_at(RECORD), "IDN", 0),
        ("of a rule that could not judge", known_at(RECORD, "CON016"), "", 0),
        ("of a file that was not asked for", known_at("records/models/example-model.yaml"), "", 0),
        ("of a file that is refused", known_at("records/engines/bad.yaml"), "", 0),
        ("of that file, and of its text", known_at("records/engines/bad.yaml", "SCH002"), "", 1),
    ],
)
def test_what_is_known_is_stale_where_it_was_looked_for(
    name: str, one: Known, codes: str, count: int, changed: Change
) -> None:
    root = changed("model: {id: nobodys-model}\n")
    (root / "records/engines/bad.yaml").write_text("id: bad\n", encoding="utf-8")
    registry, rules = load(root), chosen([codes] if codes else [], [])
    model = "records/models/example-model.yaml"
    now = audit(registry, rules, lambda path: path != model)
    assert stale([one], now, registry, rules, lambda path: path != model) == count, name


def test_of_a_rule_that_crashed_nothing_is_stale(base: Path) -> None:
    registry, rules = load(base), chosen(["CON001"], [])
    crash = Crash("CON001", RECORD, "KeyError", "trace")
    now = replace(audit(registry, rules), crashes=(crash,))
    assert stale([known_at(RECORD)], now, registry, rules) == 0
