"""What is absent is never equal, and an unknown is shared only where it is one and the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.analysis.comparison import (
    LENGTHS,
    NOTED,
    REFUSES,
    Facet,
    Side,
    State,
    compared,
    group_key,
    varied,
)
from benchreg.values.errors import BenchregError

INPUT = LENGTHS[0]
KEYS = st.sampled_from(["engine", "precision.weights", "load.window", INPUT])
WHY = st.sampled_from(["", "why"])
FACETS = st.one_of(
    st.builds(Facet, KEYS, st.just("stated"), st.sampled_from(["5", "6"]), st.just("")),
    st.builds(Facet, KEYS, st.just("inferred"), st.sampled_from(["5", "6"]), WHY),
    st.builds(
        Facet,
        KEYS,
        st.just("absent"),
        st.sampled_from(["not_stated", "not_applicable", "not_checked"]),
        st.just(""),
    ),
    st.builds(Facet, KEYS, st.just("silent"), st.just(""), st.just("")),
)


@st.composite
def sides(draw: st.DrawFn) -> Side:
    """A side with some facets, of one of two records of one of two sweeps."""
    sweep = draw(st.sampled_from("xy"))
    record = draw(st.sampled_from("ab"))
    facets = draw(st.lists(FACETS, max_size=4))
    return Side({one.key: one for one in facets}, (f"record {sweep}{record}", f"sweep {sweep}"))


def word(one: Facet | None, other: Facet | None, *, shared: bool = False, across: str = "") -> str:
    """Return what is said of one condition of two records, or of two points of one sweep."""
    wide = ("sweep x",) if shared else ()
    pair = [
        Side({facet.key: facet} if facet else {}, (f"record {place}", *wide))
        for place, facet in enumerate((one, other))
    ]
    [condition] = compared(pair, varied([across]) if across else frozenset()).conditions
    return condition.word


def engine(state: State, value: str = "vllm", why: str = "") -> Facet:
    return Facet("engine", state, value, why)


@pytest.mark.parametrize(
    ("name", "one", "other", "apart", "within"),
    [
        ("stated alike", engine("stated"), engine("stated"), "equal", "equal"),
        ("stated otherwise", engine("stated"), engine("stated", "sglang"), "differs", "differs"),
        ("absent in both", engine("absent", "not_stated"), engine("absent", "not_stated"),
         "absent", "same unknown"),
        ("not checked in both", engine("absent", "not_checked"), engine("absent", "not_checked"),
         "absent", "absent"),
        ("conflicting in both", engine("absent", "conflicting"), engine("absent", "conflicting"),
         "absent", "absent"),
        ("absent for two reasons", engine("absent", "not_stated"), engine("absent", "withheld"),
         "absent", "absent"),
        ("absent in one", engine("stated"), engine("absent", "not_stated"), "absent", "absent"),
        ("inferred in both", engine("inferred", why="w"), engine("inferred", why="w"),
         "inferred", "same inference"),
        ("inferred for two reasons", engine("inferred", why="w"), engine("inferred", why="v"),
         "inferred", "inferred"),
        ("inferred in one", engine("stated"), engine("inferred", why="w"), "inferred", "inferred"),
        ("inferred otherwise", engine("stated"), engine("inferred", "sglang", "w"),
         "differs", "differs"),
        ("not applicable", engine("absent", "not_applicable"), engine("absent", "not_applicable"),
         "equal", "equal"),
        ("nobody is asked", engine("silent", ""), engine("silent", ""),
         "neither says", "neither says"),
        ("one says it", engine("silent", ""), engine("stated"), "absent", "absent"),
        ("of one alone", None, engine("stated"), "absent", "absent"),
    ],
)  # fmt: skip
def test_each_pair_of_facets_has_its_word(
    name: str, one: Facet | None, other: Facet, apart: str, within: str
) -> None:
    assert word(one, other) == apart, name
    assert word(one, other, shared=True) == within, name
    assert word(other, one) == apart, name


@pytest.mark.parametrize("reason", ["not_stated", "not_checked", "conflicting"])
def test_two_figures_of_one_record_share_each_unknown_of_it(reason: str) -> None:
    side = Side({"engine": engine("absent", reason)}, ("record a",))
    assert compared([side, side]).conditions[0].word == "same unknown"


@pytest.mark.parametrize(
    ("reason", "expected"), [("not_stated", True), ("not_checked", False), ("conflicting", False)]
)
def test_two_records_of_a_sweep_are_of_one_group_if_their_unknown_is_one(
    reason: str, expected: bool
) -> None:
    facets = {"engine": engine("absent", reason)}
    keys = {group_key(Side(facets, (f"record {n}", "sweep x")), frozenset()) for n in "ab"}
    assert (len(keys) == 1) is expected


def test_what_the_question_varies_may_differ_and_be_absent() -> None:
    assert word(engine("stated"), engine("stated", "sglang"), across="engine") == "varied"
    assert word(engine("stated"), engine("absent", "not_stated"), across="engine") == "varied"
    assert word(engine("stated"), engine("stated"), across="engine") == "equal"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("1000", "1050", "alike"), ("1000", "1051", "differs"), ("1050", "1000", "alike"),
     ("0", "0", "equal"), ("0", "1", "differs")],
)  # fmt: skip
def test_lengths_within_5_percent_are_alike(one: str, other: str, expected: str) -> None:
    assert word(Facet(INPUT, "stated", one), Facet(INPUT, "stated", other)) == expected


@pytest.mark.parametrize("key", NOTED)
def test_what_is_only_noted_never_refuses(key: str) -> None:
    assert word(Facet(key, "stated", "1"), Facet(key, "absent", "not_stated")) == "noted"


def test_of_three_figures_one_that_differs_is_enough() -> None:
    three = [Side({"engine": engine("stated", name)}, (name,)) for name in ("a", "a", "b")]
    assert not compared(three).comparable
    assert compared(three[:2]).comparable


def test_a_condition_that_is_none_is_answered_with_the_nearest() -> None:
    with pytest.raises(BenchregError, match="did you mean 'accelerator'"):
        varied(["acelerator"])
    assert varied(["load.window"]) == {"load.window"}


@given(sides(), sides())
def test_a_comparison_is_the_same_from_either_side(one: Side, other: Side) -> None:
    here = {found.key: found.word for found in compared([one, other]).conditions}
    there = {found.key: found.word for found in compared([other, one]).conditions}
    assert here == there


@given(sides(), sides())
def test_a_comparison_says_why_it_refuses(one: Side, other: Side) -> None:
    found = compared([one, other])
    assert found.comparable == (not found.refused_by)
    assert all(condition.word in REFUSES for condition in found.refused_by)


@given(sides(), sides())
def test_figures_of_one_group_can_be_compared_but_for_their_lengths(one: Side, other: Side) -> None:
    if group_key(one, frozenset()) == group_key(other, frozenset()):
        refused = {found.key for found in compared([one, other]).refused_by}
        assert refused <= set(LENGTHS)
