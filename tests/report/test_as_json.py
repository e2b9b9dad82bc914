"""The audit as a document: the roofline's verdicts stand beside the findings."""

import json

from benchreg.audit.engine import Report
from benchreg.report.as_json import as_json


def test_the_verdicts_of_the_roofline_are_counted_by_kind_and_reason() -> None:
    verdicts, unchecked = {"impossible": 0, "plausible": 7, "unchecked": 1}, {"no linked model": 1}
    found = json.loads(as_json(Report((), (), (), {}, 2, 8, 3, 0, verdicts, unchecked), []))
    assert found["roofline"] == {"verdicts": verdicts, "unchecked": unchecked}


def test_where_no_rule_asked_the_roofline_there_is_no_verdict() -> None:
    found = json.loads(as_json(Report((), (), (), {}, 2, 8, 3, 0), []))
    assert found["roofline"] == {"verdicts": {}, "unchecked": {}}
