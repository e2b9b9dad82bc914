"""A value of numbers and arrays is taken apart, put together and measured as one."""

from dataclasses import dataclass

import numpy as np

from benchreg.roofline.arrays import Numbers, Struct


@dataclass(frozen=True, slots=True)
class Pair(Struct):
    left: Numbers
    right: Numbers


def shown(pair: Pair) -> tuple[object, object]:
    return np.asarray(pair.left).tolist(), np.asarray(pair.right).tolist()


def test_arrays_are_indexed_and_numbers_stay() -> None:
    pair = Pair(np.array([1.0, 2.0, 3.0]), 7.0)
    assert shown(pair.take(slice(1, 3))) == ([2.0, 3.0], 7.0)
    assert shown(pair.take(np.array([2, 0]))) == ([3.0, 1.0], 7.0)


def test_an_array_without_a_length_is_a_number() -> None:
    pair = Pair(np.array(1.0), np.array([1.0, 2.0]))
    assert shown(pair.take(slice(0, 1))) == (1.0, [1.0])
    assert pair.sizes() == {2}


def test_the_sizes_are_those_of_arrays() -> None:
    assert Pair(1.0, 2.0).sizes() == set()
    assert Pair(np.zeros(3), np.zeros(4)).sizes() == {3, 4}


def test_many_become_one_in_their_order() -> None:
    assert shown(Pair.stack([Pair(1.0, 2.0), Pair(3.0, 4.0)])) == ([1.0, 3.0], [2.0, 4.0])


def test_what_was_taken_apart_is_joined_again() -> None:
    pair = Pair(np.arange(5.0), 7.0)
    parts = [pair.take(slice(0, 2)), pair.take(slice(2, 5))]
    assert shown(Pair.join(parts, [2, 3])) == ([0.0, 1.0, 2.0, 3.0, 4.0], [7.0] * 5)
