"""Every finding is a table that holds over the shipped records."""

from benchreg.analysis.crosscheck import verdicts
from benchreg.analysis.findings import findings
from benchreg.registry.registry import Registry


def test_every_finding_of_the_shipped_records_has_rows_as_long_as_its_header(
    shipped: Registry,
) -> None:
    for one in findings(shipped, verdicts(shipped)):
        assert one.rows
        assert {len(row) for row in one.rows} == {len(one.header)}
        assert one.question.endswith("?")


def test_no_rate_that_stands_is_above_its_widest_bound(shipped: Registry) -> None:
    found = findings(shipped, verdicts(shipped))[-1]
    assert found.name == "share-of-bound"
    for *_, low, middle, high in found.rows:
        assert all(share.endswith(" %") for share in (low, middle, high))
