"""A finding stays the same finding when lines move."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchreg.audit.catalogue import usual_rules
from benchreg.audit.engine import Report
from benchreg.audit.rule import Example, examples

Change = Callable[..., Path]
Judge = Callable[..., Report]

RECORD = "records/benchmarks/example-source/base-record.yaml"
CASES = [
    pytest.param(case, id=f"{rule.code}-{number}")
    for rule in usual_rules()  # where lines stand is what SCH005 is about
    for number, case in enumerate(examples(rule.page))
    if not case.good
]

HARDWARE = """hardware:
  pools:
    - accelerator: example-gpu-80gb
      described_as: Example GPU {}GB
      count: 1
      parallelism: {{tensor: 1}}
"""
OTHER = """    - accelerator: example-gpu-40gb
      count: 1
      parallelism: {tensor: 1}
"""


def fingerprints(report: Report) -> list[str]:
    return sorted(finding.fingerprint for finding in report.findings)


def test_a_fingerprint_stays_when_lines_move(changed: Change, judged: Judge) -> None:
    before = judged(changed(HARDWARE.format(40)))
    after = judged(changed("title: >-\n  a title\n  of two lines\n" + HARDWARE.format(40)))
    assert fingerprints(before) == fingerprints(after) != []
    assert before.findings[0].line != after.findings[0].line


def test_a_fingerprint_stays_when_a_list_grows_in_front(changed: Change, judged: Judge) -> None:
    pools = HARDWARE.format(40)
    before = judged(changed(pools))
    after = judged(changed(pools.replace("  pools:\n", f"  pools:\n{OTHER}")))
    assert fingerprints(before) == fingerprints(after) != []
    assert before.findings[0].pointer != after.findings[0].pointer


def test_a_fingerprint_changes_with_the_offending_value(changed: Change, judged: Judge) -> None:
    before = judged(changed("model:\n  id: example-modell\n"))
    after = judged(changed("model:\n  id: example-modela\n"))
    assert fingerprints(before) != fingerprints(after)


def with_moved_lines(root: Path) -> Path:
    for path in root.rglob("*.yaml"):
        text = path.read_text(encoding="utf-8")
        path.write_text(f"# one\n\n# two\n{text}", encoding="utf-8")
    return root


@pytest.mark.parametrize("case", CASES)
def test_no_finding_of_any_rule_changes_when_lines_move(
    case: Example, changed: Change, judged: Judge
) -> None:
    others = {name: part for name, part in case.fragments.items() if name}
    root = changed(case.fragments.get("", ""), **others)
    before = judged(root)
    after = judged(with_moved_lines(root))
    assert [one.line for one in before.findings] != [one.line for one in after.findings]
    assert fingerprints(before) == fingerprints(after)


def of_each(changed: Change, judged: Judge, *fragments: str) -> Iterator[list[str]]:
    """Yield the fingerprints of the base record with each of some fragments."""
    record = changed() / RECORD
    text = record.read_text(encoding="utf-8")
    for fragment in fragments:
        record.write_text(text, encoding="utf-8")
        yield fingerprints(judged(changed(fragment)))


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a value elsewhere in a block", "engine: {id: example-engine}\n",
         "engine: {id: example-engine, stack: CUDA 12.4}\n"),
        ("a missing key", "source: {id: example-source}\n",
         "source: {id: example-source, locator: page 3}\n"),
        ("the order of keys", "load: {batch_size: 3, x: 1}\n", "load: {x: 1, batch_size: 3}\n"),
        ("what else is refused", "load: {x: 1}\nenginee: 3\n", "load: {x: 1}\nenginee: 3\n# c\n"),
    ],
)  # fmt: skip
def test_a_fingerprint_stays_when_what_is_beside_it_changes(
    name: str, before: str, after: str, changed: Change, judged: Judge
) -> None:
    one, other = of_each(changed, judged, before, after)
    assert one == other != [], name


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("the name of an unknown key", "enginee: {}\n", "enginne: {}\n"),
        ("the value of an unknown key", "enginee: 1\n", "enginee: 2\n"),
        ("another missing key", "source: {id: example-source}\n",
         'source: {retrieved: "2026-11-01"}\n'),
        ("another fault of the text", "notes: &x text\n", "notes: !x text\n"),
        ("no text at all", "notes: &x text\n", "notes: [\n"),
        ("a value in a list", "workload: {output_policy: a}\n", "workload: {output_policy: b}\n"),
    ],
)  # fmt: skip
def test_another_fault_of_a_refused_file_is_another_finding(
    name: str, before: str, after: str, changed: Change, judged: Judge
) -> None:
    one, other = map(set, of_each(changed, judged, before, after))
    assert one - other, name
    assert other - one, name


def test_a_fingerprint_goes_with_its_record_to_another_folder(
    changed: Change, judged: Judge
) -> None:
    root = changed("engine: {id: example-engine}\n")
    before = fingerprints(judged(root))
    (root / RECORD).parent.joinpath("deeper").mkdir()
    (root / RECORD).rename((root / RECORD).parent / "deeper/base-record.yaml")
    assert fingerprints(judged(root)) == before != []


def test_entities_of_two_kinds_with_one_id_share_no_fingerprint(base: Path, judged: Judge) -> None:
    for folder in ("models", "engines"):
        (base / f"records/{folder}/same.yaml").write_text("id: same\nx: 1\n", encoding="utf-8")
    found = [one for one in judged(base).findings if one.pointer == "/x"]
    assert len({one.fingerprint for one in found}) == len(found) == 2
