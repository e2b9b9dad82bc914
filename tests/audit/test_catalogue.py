"""The inventory of the rules, and the choice among them."""

from pathlib import Path

import pytest

from benchreg.audit.catalogue import all_rules, chosen, usual_rules
from benchreg.values.errors import BenchregError

INVENTORY = """
CAT001 sparse-peak error waivable
CAT002 parameters-disagree error waivable
CAT003 number-unsourced note waivable
CAT004 impossible-part error waivable
CAT005 sizes-contradictory error waivable
CAT006 active-parameters-disagree error waivable
CAT007 source-of-nothing error waivable
CON001 condition-undeclared error fixed
CON002 condition-contradicted error fixed
CON003 scenario-absent warning waivable
CON004 engine-version-absent warning waivable
CON005 warmup-absent warning waivable
CON006 length-absent warning waivable
CON007 load-absent warning waivable
CON008 load-incomplete error fixed
CON009 batch-for-concurrency error waivable
CON010 precision-absent note waivable
CON011 output-length-uncontrolled warning waivable
CON012 prefix-cache-unknown note waivable
CON013 speculation-undisclosed error waivable
CON014 short-run warning waivable
CON015 parallelism-mismatch error waivable
CON016 context-exceeded note waivable
CON017 inference-unexplained error waivable
CON018 extended-condition-undeclared note waivable
CON019 outcome-without-results error waivable
CON020 total-disagrees error waivable
CON021 parameter-of-another-pattern error waivable
CON022 scenario-contradicted error waivable
CON023 nodes-miscounted error waivable
CON024 request-of-nothing error waivable
CON025 off-and-used error waivable
CON026 acceptance-impossible error waivable
CON027 format-misplaced error waivable
CON028 version-of-nothing error waivable
DER001 value-not-reproduced error fixed
DER002 formula-refused error waivable
DER003 derivation-cycle error waivable
DER004 false-precision note waivable
DER005 aggregate-identity error waivable
DER006 totals-identity error waivable
DER007 littles-law warning waivable
DER008 latency-identity warning waivable
DER009 per-accelerator-identity error waivable
DER010 claim-not-reproduced warning waivable
DER011 offered-rate-identity warning waivable
DER012 whole-shorter-than-part error waivable
DER013 longer-than-the-run error waivable
IDN001 id-not-file-name error fixed
IDN002 id-taken error fixed
IDN003 dangling-reference error fixed
IDN004 aggregate-unlinked error fixed
IDN005 link-one-sided error fixed
IDN006 counterpart-elsewhere error waivable
IDN007 part-mismatch error waivable
IDN008 per-request-undisclosed warning waivable
IDN009 duplicate-figure error waivable
IDN010 withdrawn-used warning waivable
IDN011 standing-unexplained error waivable
IDN012 estimate-unexplained error waivable
IDN013 model-mismatch error waivable
MET001 metric-unknown error waivable
MET002 unit-wrong error waivable
MET003 scope-wrong error waivable
MET004 rate-without-scope error waivable
MET005 decode-rate-with-prefill error waivable
MET006 latency-without-statistic error waivable
MET007 percentile-of-few warning waivable
MET008 percentiles-out-of-order error waivable
MET009 percentile-flipped error waivable
MET010 pool-unnamed error waivable
MET011 failures-uncounted error waivable
MET012 goodput-without-limits error waivable
MET013 better-reversed error waivable
MET014 limit-exceeded error waivable
MET015 accuracy-missed error waivable
MET016 statistic-of-a-total warning waivable
MET017 figure-of-nothing error waivable
MET018 window-of-a-phase error waivable
MET019 token-unseen error waivable
MET020 limit-untold warning waivable
PLA001 faster-than-physics error fixed
PLA002 does-not-fit error fixed
PLA004 scaling-reversed note waivable
PLA005 utilisation-odd warning waivable
PLA006 cross-check-impossible note waivable
PLA007 latency-falls-with-load note waivable
PRO001 locator-missing error waivable
PRO002 dates-out-of-order error waivable
PRO003 figure-in-notes warning waivable
PRO004 quote-too-long warning waivable
PRO005 attribution-missing error waivable
PRO006 single-run note waivable
PRO007 url-unsafe error waivable
PRO008 mlperf-unresolvable error waivable
SCH001 schema-violation error fixed
SCH002 yaml-outside-dialect error fixed
SCH003 unquoted-version error waivable
SCH004 placeholder-value error waivable
SCH005 not-canonical note waivable
SCH006 unsafe-text error waivable
SCH007 secret-in-text error waivable
SCH008 judges-differ error fixed
WAV001 waiver-without-reason error fixed
WAV002 waiver-unused warning fixed
WAV003 waiver-expired error fixed
WAV004 waiver-refused error fixed
"""


def test_the_inventory_of_rules_is_known() -> None:
    found = [
        f"{rule.code} {rule.name} {rule.severity.word} {'waivable' if rule.waivable else 'fixed'}"
        for rule in all_rules()
    ]
    assert found == INVENTORY.split("\n")[1:-1]


def test_every_rule_is_tested_beside_its_page() -> None:
    here = Path(__file__).parent
    tests = [*sorted(here.glob("rules/*.py")), here / "test_waivers.py"]
    said = "".join(test.read_text(encoding="utf-8") for test in tests)
    untold = {rule.code for rule in all_rules() if rule.code not in said}
    assert {code[:3] for code in untold} == {"SCH"}  # tests/registry has the edges of documents


@pytest.mark.parametrize(
    ("select", "ignore", "expected"),
    [
        pytest.param(["MET004"], [], ["MET004"], id="a code"),
        pytest.param(["rate-without-scope"], [], ["MET004"], id="a name"),
        pytest.param(
            ["met"],
            ["MET00,MET010", "MET011,MET012", "MET02"],
            [f"MET01{last}" for last in range(3, 10)],
            id="a family",
        ),
    ],
)
def test_rules_are_chosen_by_code_beginning_or_name(
    select: list[str], ignore: list[str], expected: list[str]
) -> None:
    assert [rule.code for rule in chosen(select, ignore)] == expected


@pytest.mark.parametrize("name", ["SCH005", "sch005", "not-canonical"])
def test_a_rule_that_runs_only_where_it_is_selected_is_selected_by_itself(name: str) -> None:
    assert [rule.code for rule in chosen([name], [])] == ["SCH005"]
    assert [rule.code for rule in chosen([f"MET004,{name}"], [])] == ["MET004", "SCH005"]


@pytest.mark.parametrize("name", ["SCH", "SCH00", "s"])
def test_no_beginning_selects_a_rule_that_runs_only_where_it_is_selected(name: str) -> None:
    found = {rule.code for rule in chosen([name], [])}
    assert "SCH001" in found
    assert "SCH005" not in found


def test_an_audit_runs_every_other_rule() -> None:
    assert chosen([], []) == usual_rules()
    assert [rule.code for rule in all_rules() if rule not in usual_rules()] == ["SCH005"]


def test_a_beginning_ignores_a_rule_that_was_selected() -> None:
    assert [rule.code for rule in chosen(["MET004", "SCH005"], ["SCH"])] == ["MET004"]


@pytest.mark.parametrize("name", ["MET099", "rate-without-skope", "", " ", "X"])
def test_a_rule_that_is_not_there_is_bad_use(name: str) -> None:
    with pytest.raises(BenchregError, match="no rule is called"):
        chosen([name], [])


def test_a_choice_that_leaves_no_rule_is_bad_use() -> None:
    with pytest.raises(BenchregError, match="nothing would run"):
        chosen(["MET"], ["MET"])


def test_the_nearest_rule_is_offered() -> None:
    with pytest.raises(BenchregError, match="did you mean 'rate-without-scope'"):
        chosen([], ["rate-without-skope"])
