"""What a run file states of one operating point, value by value, each with its place in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from benchreg.importers.cells import RowError

Tree = dict[str, Any]
_LENGTH_DIGITS = Decimal("0.0001")
TOO_FAST = 10_000  # tokens a second for one request
_MIDDLE = ("mean", "p50")
_A_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000}
POOLED = ("itl", "chunk_latency")


class RunError(RowError):
    """A run that cannot become a record; the message says why, and what to do instead."""


class RepeatedError(RunError):
    """A file that another file of the same run says better: the message says which to import."""


@dataclass(slots=True)
class Statement:
    """One operating point as a file states it; what the file does not say is not here.

    `at` is its place in the file (a JSON pointer, or `row 3`), `remarks` are what a contributor
    has to look at, `name` is a short hint for ids and titles, never a fact. Statements with an
    equal `same` are of one run that lies there under several labels; empty is a run of its own.
    """

    at: str = ""
    tree: Tree = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    same: str = ""

    def state(self, path: str, value: Any) -> None:
        """State a field by its dotted path (list items by number); None states nothing."""
        if value is None:
            return
        *way, last = path.split(".")
        node: Any = self.tree
        for key in way:
            node = _item(node, key)
        node[last] = value

    def block(self, path: str, **values: Any) -> None:
        """State several fields of one block; None states nothing."""
        for name, value in values.items():
            self.state(f"{path}.{name}", value)

    def absent(self, condition: str, because: str, note: str = "") -> None:
        """Say why a condition is absent, where the reason is not that the file is silent."""
        told: Any = {"because": because, "note": note} if note else because
        self.tree.setdefault("absent", {})[condition] = told

    def inferred(self, condition: str, reason: str) -> None:
        """Say why a stated condition is known, where it follows by a written rule."""
        self.tree.setdefault("inferred", {})[condition] = reason

    def remark(self, text: str) -> None:
        """Note what a contributor has to look at."""
        if text not in self.remarks:
            self.remarks.append(text)

    def lengths(self, prompts: int | None, outputs: int | None, completed: int | None) -> None:
        """State the totals, and the mean lengths that follow from them (tokens a request)."""
        totals = (("input_tokens", prompts), ("output_tokens", outputs))
        for name, total in totals:
            if total is None:
                continue
            self.state(f"workload.total_{name}", total)
            if completed:
                mean = (Decimal(total) / completed).quantize(_LENGTH_DIGITS, ROUND_HALF_EVEN)
                self.state(f"workload.{name}", plain(Decimal(f"{mean.normalize():f}")))
                self.state("workload.length_basis", "measured")

    def figure(  # noqa: PLR0913  (a figure is named by what makes it one)
        self,
        name: str,
        metric: str,
        value: Decimal | int | None,
        unit: str,
        *,
        scope: str = "system",
        at: str = "",
        **more: Any,
    ) -> None:
        """State a figure, whose place in the file is `at`; a value of None states nothing.

        `more` are other fields of a figure (statistic, n, over, window, source_name). A latency
        or rate of 0, or below, is no measurement: it is left out, with a remark.
        """
        if value is None:
            return
        if value <= 0:
            self.remark(f"{at or name} is {value}: nothing was measured there, so it is left out")
            return
        if more.get("statistic") in _MIDDLE and "derivation" not in more:
            self._believable(metric, Decimal(value), unit, at or name)
        figure: Tree = {"metric": metric, "scope": scope, "value": plain(Decimal(value))}
        figure |= {"unit": unit, "locator": at} if at else {"unit": unit}
        figure |= {key: one for key, one in more.items() if one is not None}
        self.tree.setdefault("results", {})[name] = figure

    def _believable(self, metric: str, value: Decimal, unit: str, at: str) -> None:
        """Remark a speed of one request that no stream has whose tokens come one by one."""
        if metric == "tpot" and unit in _A_SECOND:
            speed = _A_SECOND[unit] / value
        elif metric in ("output_rate_per_request", "decode_rate_per_request"):
            speed = value
        else:
            return
        if speed > TOO_FAST:
            self.remark(f"{at} is {speed:,.0f} tokens a second for one request: they may have come "
                        "many at once, in few chunks of a stream")  # fmt: skip

    def statistics(  # noqa: PLR0913  (a latency is one thing, and this is what it takes to name it)
        self,
        name: str,
        metric: str,
        unit: str,
        values: Mapping[str, tuple[Decimal | None, str]],
        *,
        stdev: Decimal | None = None,
        n: int | None = None,
        **more: Any,
    ) -> None:
        """State the statistics of what one request sees: statistic -> value and place.

        Statistics are those of records (mean, p50, p99.9, min, max); `n` requests stand behind
        them, and `stdev` is over those: that of gaps, which are pooled, states nothing.
        """
        stdev = None if metric in POOLED else stdev
        for statistic, (value, at) in values.items():
            label = f"{name}_{statistic.replace('.', '_')}"
            spread = {"stdev": plain(stdev)} if statistic == "mean" and stdev else None
            self.figure(
                label, metric, value, unit, scope="per_request", at=at,
                statistic=statistic, n=n or None, spread=spread, **more,
            )  # fmt: skip


def plain(value: Decimal) -> Decimal | int:
    """Return a number as a record writes it: no exponent, no zeros that say nothing."""
    if value == value.to_integral_value():
        return int(value)
    return Decimal(f"{value:f}".rstrip("0")) if "E" in str(value) or value.is_zero() else value


def _item(node: Any, key: str) -> Any:
    """Return what stands below a key, or make a mapping there; a list grows by one at a time."""
    if isinstance(node, list):
        if int(key) == len(node):
            node.append({})
        return node[int(key)]
    if key == "pools":
        return node.setdefault(key, [])
    return node.setdefault(key, {})
