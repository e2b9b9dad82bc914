"""Waivers: findings that a record accepts, with the reason, by whom and since when."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic import MISSING

from benchreg.audit.finding import Finding
from benchreg.audit.rule import Rule
from benchreg.entities.record import Record, Waiver


@dataclass(frozen=True, slots=True)
class Waived:
    """A finding that is accepted, and the waiver that accepts it."""

    finding: Finding
    waiver: Waiver


@dataclass(frozen=True, slots=True)
class Accepted:
    """How many findings each waiver of a record accepts, in the order that they are written.

    Where one could accept nothing for another reason than that nothing was found, `open_ones` says
    why: its rule did not run, or could not judge the record; it is empty where the waiver has a
    fault of its own.
    """

    record: Record
    counts: tuple[int, ...]
    open_ones: Mapping[int, str]


def complete(waiver: Waiver) -> bool:
    """Tell whether a waiver says why, by whom and since when; no other one accepts anything."""
    return MISSING not in (waiver.reason, waiver.by, waiver.since)


def expired(waiver: Waiver, today: str) -> bool:
    """Tell whether a waiver's date has passed; it holds on that day."""
    return waiver.expires is not MISSING and bool(today) and waiver.expires < today


def covers(waiver: Waiver, finding: Finding) -> bool:
    """Tell whether a finding is of a waiver's rule, at its place or within it."""
    if finding.code != waiver.rule:
        return False
    at = "" if waiver.at is MISSING else waiver.at.rstrip("/")
    return not at or finding.pointer == at or finding.pointer.startswith(f"{at}/")


class Waiving:
    """The waivers of some records, against what was found in their files."""

    def __init__(self, records: Mapping[str, Record], rules: Iterable[Rule], today: str) -> None:
        """Take the records by the path of their file, and the rules that ran."""
        self._records = {path: record for path, record in records.items() if record.waivers}
        ran = tuple(rules)
        self._ran = {rule.code for rule in ran}
        self._waivable = {rule.code for rule in ran if rule.waivable}
        self._today = today

    def split(self, findings: Iterable[Finding]) -> tuple[list[Finding], list[Waived]]:
        """Return what stands and what is accepted; a finding is accepted by the first that can."""
        kept, waived = [], []
        for finding in findings:
            waiver = self._accepts(finding)
            if waiver is None:
                kept.append(finding)
            else:
                waived.append(Waived(finding, waiver))
        return kept, waived

    def _accepts(self, finding: Finding) -> Waiver | None:
        record = self._records.get(finding.path)
        if record is None or finding.code not in self._waivable:
            return None
        able = (one for one in record.waivers if covers(one, finding) and self._holds(one))
        return next(able, None)

    def _holds(self, waiver: Waiver) -> bool:
        return complete(waiver) and not expired(waiver, self._today)

    def accepted(
        self, waived: Iterable[Waived], not_judged: set[tuple[str, str]]
    ) -> dict[str, Accepted]:
        """Return what the waivers of each file accept; `not_judged` are pairs of code and path."""
        found: dict[tuple[str, int], int] = defaultdict(int)
        for one in waived:
            found[(one.finding.path, id(one.waiver))] += 1
        return {
            path: Accepted(
                record,
                tuple(found[(path, id(waiver))] for waiver in record.waivers),
                {
                    index: why
                    for index, waiver in enumerate(record.waivers)
                    if (why := self._open(waiver, path, not_judged)) is not None
                },
            )
            for path, record in self._records.items()
        }

    def _open(self, waiver: Waiver, path: str, not_judged: set[tuple[str, str]]) -> str | None:
        if not self._holds(waiver) or waiver.rule in self._ran - self._waivable:
            return ""
        if waiver.rule not in self._ran:
            return f"{waiver.rule} did not run"
        if (waiver.rule, path) in not_judged:
            return f"{waiver.rule} could not judge the record"
        return None
