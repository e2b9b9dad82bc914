"""A fix is made where it is plain and makes the registry better; else it is left, and why."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchreg.audit.catalogue import all_rules, chosen
from benchreg.audit.engine import audit
from benchreg.audit.fixes import Fixes, fixable, fixes
from benchreg.registry.amend import with_value
from benchreg.registry.load import load

Change = Callable[..., Path]
BASE = Path(__file__).parents[1] / "data/base/records"
RECORD = "records/benchmarks/example-source/base-record.yaml"
PARTNER = "records/benchmarks/example-source/example-partner.yaml"
VERSION = "engine:\n  id: example-engine\n  version: 0.10  # as printed\n"
ALIAS = """\
results:
  whole: {metric: e2el, scope: per_request, statistic: mean, value: 725, unit: ms}
"""


def fixed(root: Path, codes: str = "") -> Fixes:
    return fixes(load(root), chosen([codes], []) if codes else all_rules())


def told(done: Fixes) -> list[tuple[str, str]]:
    return [(fix.finding.code, fix.finding.pointer) for fix in done.made]


def why(done: Fixes) -> list[tuple[str, str]]:
    return [(fix.finding.code, reason) for fix, reason in done.left]


def changes(root: Path, done: Fixes) -> list[tuple[str, str]]:
    return [
        (before, after)
        for path, text in done.texts.items()
        for before, after in zip(
            (root / path).read_text(encoding="utf-8").splitlines(), text.splitlines(), strict=True
        )
        if before != after
    ]


@pytest.mark.parametrize(
    ("fragment", "code", "change"),
    [
        pytest.param(
            VERSION,
            ("SCH003", "/engine/version"),
            ("  version: 0.10  # as printed", '  version: "0.10"  # as printed'),
            id="a version read as a number",
        ),
        pytest.param(
            ALIAS,
            ("MET001", "/results/whole/metric"),
            (ALIAS.splitlines()[1], ALIAS.splitlines()[1].replace("e2el", "e2e_latency")),
            id="what a tool calls a metric",
        ),
        pytest.param(
            'model: {"id": "model-of-old"}\n',
            ("IDN003", "/model/id"),
            ('model: {"id": "model-of-old"}', 'model: {"id": "example-model"}'),
            id="an alias where an id should be",
        ),
    ],
)
def test_what_is_plain_is_fixed_and_nothing_else_changes(
    fragment: str, code: tuple[str, str], change: tuple[str, str], changed: Change
) -> None:
    root = changed(fragment, **{"models/example-model": "aliases: [model-of-old]\n"})
    done = fixed(root)
    assert told(done) == [code]
    assert not done.left
    assert changes(root, done) == [change]
    assert done.registry.documents[RECORD].text == done.texts[RECORD]


@pytest.mark.parametrize(
    "fragment",
    [
        pytest.param("enginee:\n  id: example-engine\n", id="a key misspelt"),
        pytest.param("model: {id: example-modell}\n", id="an id misspelt"),
        pytest.param(ALIAS.replace("e2el", "e2e_latencyy"), id="a metric misspelt"),
        pytest.param("engine: {id: example-engine, version: true}\n", id="a version that is none"),
        pytest.param("load: {concurrency: '64'}\n", id="a number in quotes"),
        pytest.param(
            "measurement: {harness: trtllm-bench, point: server, runs: 3}\n" + ALIAS,
            id="what another tool calls a metric",
        ),
    ],
)
def test_what_is_near_or_likely_is_not_fixed(fragment: str, changed: Change) -> None:
    done = fixed(changed(fragment))
    assert (done.made, done.left, done.texts) == ((), (), {})


def test_a_finding_that_would_stay_is_left(changed: Change) -> None:
    done = fixed(changed("source: {id: example-source, locator: x, retrieved: 2026}\n"))
    assert not done.made
    assert [(code, reason[:34]) for code, reason in why(done)] == [
        ("SCH003", f"it would bring SCH001 at {RECORD}"[:34])
    ]


def test_a_fix_that_brings_an_error_is_left(changed: Change) -> None:
    done = fixed(changed(ALIAS.replace("unit: ms", "unit: tok/s")))
    assert not done.made
    [(code, reason)] = why(done)
    assert (code, reason.partition(" at ")[0]) == ("MET001", "it would bring MET002")
    assert reason.endswith("'tok/s' is no unit of e2e_latency")


def test_what_cannot_be_edited_is_left(changed: Change) -> None:
    folded = "results:\n  whole:\n    metric: >-\n      e2el\n    scope: per_request\n"
    done = fixed(changed(f"{folded}    statistic: mean\n    value: 725\n    unit: ms\n"))
    assert why(done) == [("MET001", "the value is written in a way that is not edited here")]


def test_a_good_fix_is_made_beside_one_that_is_not(changed: Change) -> None:
    wrong = "  first: {metric: e2el, scope: system, statistic: mean, value: 725, unit: ms}\n"
    third = ALIAS.splitlines(keepends=True)[1].replace("whole", "third")
    partner = "id: example-partner\n" + VERSION
    root = changed(ALIAS + wrong + third, example_partner=partner)
    done = fixed(root)
    assert [(fix.finding.path, fix.finding.pointer) for fix in done.made] == [
        (RECORD, "/results/whole/metric"),
        (RECORD, "/results/third/metric"),
        (PARTNER, "/engine/version"),
    ]
    assert "MET003" in why(done)[0][1]


def test_each_bad_fix_is_left_whatever_file_it_is_of(changed: Change) -> None:
    wrong = ALIAS.replace("unit: ms", "unit: tok/s")
    root = changed(wrong, example_partner="id: example-partner\n" + wrong)
    (root / "records/engines/good.yaml").write_text("id: good\nname: 5\n", encoding="utf-8")
    done = fixed(root)
    assert [fix.finding.path for fix in done.made] == ["records/engines/good.yaml"]
    assert [fix.finding.path for fix, _ in done.left] == [RECORD, PARTNER]


def test_a_fix_that_would_bring_a_fault_elsewhere_is_left(changed: Change) -> None:
    twin = "id: example-partner\ntitle: A twin\n" + ALIAS.replace("e2el", "e2e_latency")
    engine = {"engines/example-engine": "name: 5\n"}
    done = fixed(changed(ALIAS, example_partner=twin, **engine))
    assert told(done) == [("SCH003", "/name")]
    assert [reason.partition(":")[0] for _, reason in why(done)] == [
        f"it would bring IDN009 at {PARTNER}"
    ]


def test_what_a_refused_entry_kept_from_being_judged_is_no_reason_either(
    changed: Change,
) -> None:
    root = changed(
        "measurement: {harness: example bench, point: server, runs: 1}\n",
        **{"accelerators/example-gpu-80gb": "name: 80\n"},
    )
    done = fixed(root)
    assert told(done) == [("SCH003", "/name")]
    assert not done.left


def test_what_could_not_be_seen_before_is_no_reason_to_leave_a_fix(changed: Change) -> None:
    root = changed("load: {pattern: closed_loop}\n" + VERSION)
    done = fixed(root)
    assert told(done) == [("SCH003", "/engine/version")]
    assert "CON001" in {one.code for one in audit(done.registry, all_rules()).findings}


def test_what_a_fix_lets_be_seen_is_fixed_as_well(changed: Change) -> None:
    done = fixed(changed(VERSION + ALIAS))
    assert told(done) == [("SCH003", "/engine/version"), ("MET001", "/results/whole/metric")]


def test_a_second_run_finds_nothing_to_do(changed: Change) -> None:
    wrong = "  first: {metric: e2el, scope: system, statistic: mean, value: 725, unit: ms}\n"
    root = changed(VERSION + ALIAS + wrong, example_partner="id: example-partner\n" + VERSION)
    first = fixed(root)
    again = fixes(first.registry, all_rules())
    assert first.made
    assert (again.made, again.texts) == ((), {})
    assert why(again) == why(first)


def test_only_what_is_asked_for_is_fixed(changed: Change) -> None:
    root = changed(VERSION, example_partner="id: example-partner\n" + ALIAS)
    assert told(fixed(root, "MET001")) == [("MET001", "/results/whole/metric")]
    there = fixes(load(root), all_rules(), lambda path: path == RECORD)
    assert told(there) == [("SCH003", "/engine/version")]


def test_what_is_waived_is_left_alone(changed: Change) -> None:
    waiver = 'rule: MET001, reason: so it is called, by: a maintainer, since: "2026-11-01"'
    done = fixed(changed(f"{ALIAS}waivers:\n  - {{{waiver}}}\n"))
    assert (done.made, done.left) == ((), ())


def test_more_faults_than_are_listed_are_all_fixed(changed: Change) -> None:
    root = changed("aliases:\n" + "".join(f"  - {number}.10\n" for number in range(250)))
    done = fixed(root)
    assert len(done.made) == 250
    assert '  - "249.10"\n' in done.texts[RECORD]


def test_fixable_findings_are_counted(changed: Change) -> None:
    root = changed(VERSION + "title: 1\nenginee: {}\n")
    assert fixable(audit(load(root), all_rules())) == 2


def test_a_misread_registry_is_fixed_as_a_whole(records: Path) -> None:
    before = fixed(records)
    assert before.made == ()
    path = next((records / "records/benchmarks").rglob("mpt-7b-a100-static-b64.yaml"))
    text = path.read_text(encoding="utf-8")
    retitled = text.replace("\ntitle: ", "\ntitle: 7  # ", 1)
    path.write_text(retitled, encoding="utf-8")
    done = fixed(records)
    assert told(done) == [("SCH003", "/title")]
    assert list(done.texts.values()) == [retitled.replace("title: 7", 'title: "7"', 1)]


FAULTS = {
    "engine": (VERSION, "engine: {id: example-engine, version: 1.10}\n"),
    "results": (ALIAS, ALIAS.replace("unit: ms", "unit: tok/s"), ALIAS.replace("e2el", "itll")),
    "model": ("model: {id: model-of-old}\n", 'model:\n  id: "model-of-old"  # of old\n'),
    "title": ("title: 5\n", "title: '5'\n"),
    "source": ("source: {id: example-source, locator: 7, retrieved: 2026}\n",),
    "enginee": ("enginee: {version: 1}\n",),
}
BROKEN = st.fixed_dictionaries({}, optional={k: st.sampled_from(v) for k, v in FAULTS.items()})


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(one=BROKEN, other=BROKEN)
def test_whatever_is_wrong_nothing_gets_worse_and_a_second_run_is_idle(
    one: dict[str, str], other: dict[str, str], base: Path, changed: Change
) -> None:
    shutil.copytree(BASE, base / "records", dirs_exist_ok=True)
    changed(
        "".join(one.values()),
        example_partner="id: example-partner\n" + "".join(other.values()),
        **{"models/example-model": "aliases: [model-of-old]\n"},
    )
    before = load(base)
    done = fixes(before, all_rules())
    assert told(fixes(done.registry, all_rules())) == []
    for path, document in done.registry.documents.items():
        expected = before.documents[path].tree
        for fix in (fix for fix in done.made if fix.finding.path == path):
            expected = with_value(expected, fix.edit.at, fix.edit.text)
        assert repr(document.tree) == repr(expected)
    still = {(it.code, it.path, it.pointer) for it in audit(done.registry, all_rules()).findings}
    assert still.isdisjoint((it.code, it.path, it.pointer) for it, _ in done.made)
