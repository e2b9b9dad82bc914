"""The sizes of a model held against each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.analysis.sizes import active, contradictions
from benchreg.entities.catalogue import Experts, Model
from benchreg.registry.registry import Registry
from benchreg.roofline.parameters import parameters


def model(**sizes: object) -> Model:
    return Model.model_validate({"id": "a", "name": "A", "family": "a", **sizes})


def test_no_model_of_the_catalogue_contradicts_itself(shipped: Registry) -> None:
    assert len(shipped.models) > 100
    found = {one.id: list(contradictions(one)) for one in shipped.models.values()}
    assert {name for name, wrong in found.items() if wrong} == set()


@given(st.integers(1, 64), st.integers(1, 64))
def test_groups_of_any_size_are_gqa_or_one_of_its_ends(groups: int, in_each: int) -> None:
    kind = "mha" if in_each == 1 else "mqa" if groups == 1 else "gqa"
    sizes = {"kind": kind, "heads": groups * in_each, "kv_heads": groups}
    assert list(contradictions(model(attention=sizes))) == []


@given(st.integers(2, 64), st.integers(2, 64))
def test_heads_are_shared_evenly_or_it_is_told(heads: int, shared: int) -> None:
    sizes = {"kind": "gqa", "heads": heads, "kv_heads": shared}
    found = {one.at for one in contradictions(model(attention=sizes))}
    assert (("attention", "kv_heads") in found) is bool(heads % shared)


@pytest.mark.parametrize("used", [1, 2, 8])
def test_what_is_active_lies_between_the_rest_and_all(used: int, shipped: Registry) -> None:
    mixture = shipped.models["mixtral-8x7b-v0.1"]
    experts = Experts(total=8, active=used, intermediate_size=14336)
    one = mixture.model_copy(update={"experts": experts})
    counted, parts = active(one, parameters(one)), parameters(one)
    assert counted.most == parts.total - parts.experts * (8 - used) / 8
    assert counted.most - counted.least == parts.tables * parts.table


def test_without_experts_all_are_active(shipped: Registry) -> None:
    dense = shipped.models["mpt-7b"]
    assert active(dense, parameters(dense)).most == parameters(dense).total
