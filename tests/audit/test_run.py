"""A rule that is not called on a record would have had nothing to say of it."""

from dataclasses import replace

import pytest

from benchreg.audit.catalogue import all_rules
from benchreg.audit.rule import Rule, features
from benchreg.audit.run import Run
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry

CHOOSY = [rule for rule in all_rules() if rule.having]
WORDS = {"derivation", "printed", "static_batch", "per_accelerator", "per_replica"}


def told(run: Run) -> list[tuple[str, str, str, str]]:
    found = [(one.code, one.path, one.pointer, one.message) for one in run.findings]
    return [*found, *((one.code, one.path, one.pointer, one.reason) for one in run.unevaluated)]


def test_some_rules_choose_their_records() -> None:
    assert len(CHOOSY) > 10


@pytest.mark.parametrize("rule", CHOOSY, ids=lambda rule: rule.code)
def test_a_rule_has_nothing_to_say_of_the_records_that_it_passes_over(
    rule: Rule, shipped: Registry
) -> None:
    every = replace(rule, having=frozenset())
    choosy, all_of_them = Run(shipped), Run(shipped)
    for entry in shipped.entries:
        if entry.kind == "record":
            choosy.entry(entry, (rule,))
            all_of_them.entry(entry, (every,))
    assert told(choosy) == told(all_of_them)


@pytest.mark.parametrize("rule", CHOOSY, ids=lambda rule: rule.code)
def test_what_a_rule_asks_for_is_something_that_a_record_can_have(
    rule: Rule, shipped: Registry
) -> None:
    assert rule.having <= Record.model_fields.keys() | shipped.metrics.keys() | WORDS


def test_the_features_of_a_record_are_its_fields_its_pattern_and_its_figures(
    shipped: Registry,
) -> None:
    record = shipped.records["mpt-7b-a100-static-b64"]
    found = features(record)
    assert {"sweep", "claims", "static_batch", "output_throughput", "derivation"} <= found
    assert found.isdisjoint({"waivers", "goodput", "closed_loop"})
