"""Verdicts of the roofline in words."""

import math
from collections.abc import Iterator

from benchreg.analysis.crosscheck import Verdict
from benchreg.values.text import amount, percent, spoken


def told(verdict: Verdict, unit: str) -> str:
    """Say a verdict in full: its share of the bound, what that takes for granted, MBU and MFU."""
    if not math.isfinite(verdict.share):
        return f"{spoken(verdict.kind)}: {verdict.reason}"
    return f"{spoken(verdict.kind)}: {'; '.join(_parts(verdict, unit))}"


def _parts(verdict: Verdict, unit: str) -> Iterator[str]:
    if verdict.kind == "impossible":
        yield verdict.reason
    elif percent(verdict.share) == percent(verdict.nominal_share):
        yield f"{percent(verdict.share)} of its bound, {amount(verdict.bound)} {unit}"
    else:
        nominal, taken = f"{amount(verdict.nominal)} {unit}", " and ".join(verdict.taken)
        yield f"{percent(verdict.nominal_share)} of its bound, {nominal}, with {taken}"
        yield (
            f"{percent(verdict.share)} of the {amount(verdict.bound)} {unit} that the absent "
            "conditions leave possible"
        )
    used = [("MBU", verdict.mbu), ("MFU", verdict.mfu)]
    if known := [f"{name} {percent(share)}" for name, share in used if math.isfinite(share)]:
        yield ", ".join(known)
