"""A figure as a row: what a reader of it must see, each field as it is shown."""

from decimal import Decimal
from typing import NamedTuple


class Row(NamedTuple):
    """One figure with the conditions that give it meaning; every field is shown as it is.

    What the record does not state stands as the word of its reason. `seen_by_request` is what
    one request sees of an aggregate, with its unit; `value` is None for a record without figures,
    and has the digits that are written, in `unit`. `verdict` is the roofline's; `of_bound` is how
    far the figure goes to its nominal bound, and `of_widest` to that of every completion of what is
    absent; with `mbu` and `mfu` they are shares, empty where there is none.
    """

    key: str
    metric: str
    scope: str
    statistic: str
    value: Decimal | None
    unit: str
    seen_by_request: str
    verdict: str
    of_bound: str
    of_widest: str
    mbu: str
    mfu: str
    window: str
    model: str
    hardware: str
    engine: str
    engine_version: str
    precision: str
    scenario: str
    pattern: str
    load: str
    input_tokens: str
    output_tokens: str
    status: str
    tier: str
    measured: str
    source: str
    locator: str
