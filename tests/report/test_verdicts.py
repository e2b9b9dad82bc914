"""A verdict in words: how far a figure goes to its bound, and what that takes for granted."""

from typing import Any

import pytest

from benchreg.analysis.crosscheck import Verdict
from benchreg.report.verdicts import told

WHOLE: dict[str, Any] = {"bound": 1548.0, "nominal": 1548.0, "share": 0.517, "nominal_share": 0.517}
OPEN: dict[str, Any] = {
    "bound": 12743.0,
    "nominal": 1548.0,
    "share": 0.0628,
    "nominal_share": 0.517,
    "taken": ("16-bit weights", "no prompt found in a prefix cache"),
}
TAKEN = "16-bit weights and no prompt found in a prefix cache"
LEFT = "the 12,743 tok/s that the absent conditions leave possible"
USED: dict[str, Any] = {"mbu": 0.25, "mfu": 0.3}


@pytest.mark.parametrize(
    ("name", "kind", "more", "words"),
    [
        ("all is known", "plausible", WHOLE, "plausible: 52 % of its bound, 1,548 tok/s"),
        (
            "what the hardware did",
            "plausible",
            WHOLE | USED,
            "plausible: 52 % of its bound, 1,548 tok/s; MBU 25 %, MFU 30 %",
        ),
        (
            "one of them is not known",
            "plausible",
            WHOLE | {"mfu": 0.0042},
            "plausible: 52 % of its bound, 1,548 tok/s; MFU 0.42 %",
        ),
        (
            "conditions are absent",
            "plausible",
            OPEN,
            f"plausible: 52 % of its bound, 1,548 tok/s, with {TAKEN}; 6.3 % of {LEFT}",
        ),
        (
            "faster than what is usual, and possible",
            "plausible",
            OPEN | {"share": 0.5, "nominal_share": 1.25},
            f"plausible: 125 % of its bound, 1,548 tok/s, with {TAKEN}; 50 % of {LEFT}",
        ),
        (
            "nearly all",
            "plausible",
            WHOLE | {"share": 0.998, "nominal_share": 0.998},
            "plausible: 100 % of its bound, 1,548 tok/s",
        ),
        (
            "hardly anything",
            "plausible",
            WHOLE | {"share": 1.2e-6, "nominal_share": 1.2e-6},
            "plausible: 0.00012 % of its bound, 1,548 tok/s",
        ),
        (
            "beyond every completion",
            "impossible",
            WHOLE | {"share": 2.0, "nominal_share": 2.0, "reason": "3,096 tok/s, and the most"},
            "impossible: 3,096 tok/s, and the most",
        ),
        (
            "beyond it, with what that would use",
            "impossible",
            WHOLE | USED | {"share": 2.0, "reason": "too fast"},
            "impossible: too fast; MBU 25 %, MFU 30 %",
        ),
        ("too large", "does_not_fit", {"reason": "140 GB"}, "does not fit: 140 GB"),
        ("no answer", "unchecked", {"reason": "no linked model"}, "unchecked: no linked model"),
    ],
)
def test_a_verdict_is_told_in_full(name: str, kind: Any, more: dict[str, Any], words: str) -> None:
    assert told(Verdict(kind, **more), "tok/s") == words, name
