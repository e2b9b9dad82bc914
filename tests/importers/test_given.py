"""What a contributor knows is checked before any file is read, and never set against the file."""

import pytest

from benchreg.importers.given import contribute, given
from benchreg.importers.statement import RunError, Statement
from benchreg.values.errors import BenchregError


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("hardware.pools.00.count=1", "is no condition"),
        ("hardware.pools.\u0660.count=1", "is no condition"),
        ("hardware.pools.0.could_be.0=h100", "is no condition"),
        ("count=0", "it is at least 1"),
        ("load.request_rate=0", "it is above 0"),
        ("load.concurrency=99999999999999999999", "it is at most"),
        ("engine.version=unknown", "it says nothing"),
        ("engine.version=0.1\x1b[31m", "the invisible character U+001B"),
        (f"engine.version={'1' * 300}", "longer than 200 characters"),
        ("model=No Id", "write it like"),
    ],
)
def test_a_value_that_no_record_could_hold_is_bad_use(word: str, told: str) -> None:
    with pytest.raises(BenchregError, match=told.replace("+", r"\+")) as error:
        given([word])
    assert "\x1b" not in str(error.value)


def test_items_are_stated_in_their_order_whatever_the_order_of_the_words() -> None:
    found = Statement()
    words = [f"hardware.pools.{count}.count={count + 1}" for count in range(11)]
    contribute(found, given(reversed(words)))
    assert [pool["count"] for pool in found.tree["hardware"]["pools"]] == list(range(1, 12))


def test_an_item_that_is_not_there_is_refused() -> None:
    with pytest.raises(RunError, match="numbered from 0"):
        contribute(Statement(), given(["hardware.pools.5.count=1"]))


def test_a_split_of_any_pool_is_contributed_as_such() -> None:
    found = Statement()
    contribute(found, given(["count=1", "hardware.pools.1.parallelism.tensor=2"]))
    assert found.tree["contributed"] == ["hardware", "parallelism"]


def test_words_that_an_id_replaces_are_told() -> None:
    found = Statement(tree={"model": {"described_as": "/data/secret-place/words"}})
    contribute(found, given(["model=llama-2-70b"]))
    assert found.tree["model"] == {"id": "llama-2-70b"}
    assert found.remarks == ["--set says what the file calls 'words'"]
