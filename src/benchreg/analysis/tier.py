"""How much a record tells of its figures: a tier from A to D, and X for one that does not stand."""

from pydantic import MISSING

from benchreg.entities.completeness import CORE, EXTENDED, absent_of
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry

TIERS = {
    "A": "nothing is absent, three runs or more with their variation, failures counted, raw logs",
    "B": "no core condition is absent, and two others at most",
    "C": "lengths and load are known",
    "D": "more than that is absent",
    "X": "it does not stand",
}
MIN_RUNS, MOST_ABSENT = 3, 2
RAW = ("own_run", "result_repository")
NEEDED = ("load", "workload.input_tokens", "workload.output_tokens")


def tier(registry: Registry, record: Record) -> str:
    """Return the tier of a record, one of `TIERS`; it is worked out and never written by hand."""
    if record.status in ("disputed", "withdrawn"):
        return "X"
    core = absent_of(record, CORE)
    others = absent_of(record, EXTENDED)
    if not core and len(others) <= MOST_ABSENT:
        whole = not others and _nothing_absent(record)
        return "A" if whole and _repeated(record) and _raw(registry, record) else "B"
    return "C" if {one.key for one in core}.isdisjoint(NEEDED) else "D"


def _nothing_absent(record: Record) -> bool:
    """Tell whether nothing at all is declared absent that would apply, of the figures neither."""
    declared = [*record.absent.values()]
    declared += [one for figure in record.results.values() for one in figure.absent.values()]
    return all(one.because == "not_applicable" for one in declared)


def _repeated(record: Record) -> bool:
    """Tell whether there are three runs with what varies between them, and failures are counted."""
    runs = record.measurement.runs
    return (
        runs is not MISSING
        and runs >= MIN_RUNS
        and record.load.failed is not MISSING
        and all(
            one.derivation is not MISSING or one.variation.model_fields_set
            for one in record.results.values()
        )
    )


def _raw(registry: Registry, record: Record) -> bool:
    source = registry.sources.get(record.source.id)
    return source is not None and source.kind in RAW
