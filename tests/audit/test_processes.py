"""Work that several processes share comes back in order, or not at all."""

import os
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.audit.processes import spread
from benchreg.values.errors import IncompleteError


@given(st.lists(st.integers(), max_size=40), st.integers(1, 5))
def test_the_shares_come_back_in_their_order(many: list[int], processes: int) -> None:
    shares = spread(list, many, processes)
    assert [one for share in shares for one in share] == many
    assert len(shares) <= processes


def test_each_share_but_the_last_has_a_process_of_its_own() -> None:
    found = spread(lambda _: os.getpid(), range(9), 3)
    assert len(set(found)) == 3
    assert found[-1] == os.getpid()


def test_one_share_needs_no_process() -> None:
    assert spread(lambda _: os.getpid(), range(9), 1) == [os.getpid()]


def test_where_the_system_cannot_fork_one_process_does_it_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("multiprocessing.get_all_start_methods", lambda: ["spawn"])
    assert spread(lambda _: os.getpid(), range(9), 3) == [os.getpid()]


def test_a_process_that_is_killed_is_no_empty_answer() -> None:
    here = os.getpid()

    def work(share: Sequence[int]) -> list[int]:
        if os.getpid() != here and 0 in share:
            os._exit(9)
        return list(share)

    with pytest.raises(IncompleteError, match=r"ended without an answer \(code 9\)"):
        spread(work, range(9), 3)


def test_what_fails_here_ends_the_others() -> None:
    here = os.getpid()

    def work(share: Sequence[int]) -> list[int]:
        if os.getpid() == here:
            raise KeyboardInterrupt
        return list(share)

    with pytest.raises(KeyboardInterrupt):
        spread(work, range(9), 3)
