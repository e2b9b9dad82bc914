"""Runs that lie in a submission under several labels -> one statement each."""

from collections.abc import Iterable, Iterator

from benchreg.importers.statement import RunError, Statement, Tree

# What differs between two labels of one run, and says nothing against it.
LABELS = ("source", "mlperf", "accuracy")


def joined(found: Iterable[Statement | RunError]) -> Iterator[Statement | RunError]:
    """Yield statements, those of one run (an equal `same`) as the first of them.

    It has the benchmarks and the accuracies of all of them, and their remarks. Where they differ in
    what a run has but once, the first stands, with a remark. Statements of runs with one label
    come at once and in order, the others at the end: those alone are kept, at some 20 KB each.
    """
    held: dict[str, Statement] = {}
    for one in found:
        if isinstance(one, RunError) or not one.same:
            yield one
        elif first := held.get(one.same):
            _join(first, one)
        else:
            held[one.same] = one
    yield from held.values()


def _join(first: Statement, other: Statement) -> None:
    for block, key in (("mlperf", "benchmark"), ("", "accuracy")):
        _extend(first.tree, other.tree, block, key)
    for text in other.remarks:
        first.remark(text)
    blocks = first.tree.keys() | other.tree.keys()
    for name in sorted(blocks.difference(LABELS)):
        if first.tree.get(name) != other.tree.get(name):
            first.remark(f"the labels of this run differ in {name}; what the first says is kept")


def _extend(first: Tree, other: Tree, block: str, key: str) -> None:
    """Add to a list what the other has and the first does not."""
    there = other.get(block, {}) if block else other
    here = first.setdefault(block, {}) if block else first
    missing = [item for item in there.get(key, ()) if item not in here.get(key, ())]
    if missing:
        here[key] = [*here.get(key, ()), *missing]
