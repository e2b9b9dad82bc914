"""The parts that a run file names -> pools of a record."""

from collections import Counter
from collections.abc import Iterable

from benchreg.importers.statement import Statement


def pools(found: Statement, names: Iterable[str]) -> None:
    """State a pool for each kind of part among names, of which one stands for each part."""
    counted = Counter(names)
    if counted:
        found.state(
            "hardware.pools",
            [{"described_as": name, "count": count} for name, count in counted.items()],
        )


def one_cpu(found: Statement, name: str | None) -> None:
    """State the CPU that a file names without a count of sockets."""
    if name is not None:
        pools(found, [name])
        found.inferred("hardware", "the file names a CPU and counts no sockets: taken as one")
