"""Frozen values whose fields are numbers or arrays, taken apart and put together as one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Numbers = Any  # a float, or an Array of shape (n,): every operation broadcasts


@dataclass(frozen=True, slots=True)
class Struct:
    """A dataclass of numbers; a field is a number for all, or an array of shape (n,)."""

    def _values(self) -> Iterator[Any]:
        return (getattr(self, field.name) for field in fields(self))

    def take(self, index: Any) -> Self:
        """Return the same with every array indexed; numbers stay."""
        return type(self)(
            *(
                value[index] if isinstance(value, np.ndarray) and value.ndim else value
                for value in self._values()
            )
        )

    def sizes(self) -> set[int]:
        """Return the lengths of the arrays among the fields."""
        return {
            len(value) for value in self._values() if isinstance(value, np.ndarray) and value.ndim
        }

    @classmethod
    def stack(cls, many: Sequence[Self]) -> Self:
        """Return one of arrays from many of numbers, in the order given; what is None stays so."""
        columns = ([getattr(one, field.name) for one in many] for field in fields(cls))
        return cls(*(None if column[0] is None else np.array(column) for column in columns))

    @classmethod
    def join(cls, many: Sequence[Self], sizes: Sequence[int]) -> Self:
        """Return one of arrays from many of arrays, one after the other."""
        return cls(
            *(
                np.concatenate(
                    [
                        np.broadcast_to(getattr(one, field.name), size)
                        for one, size in zip(many, sizes, strict=True)
                    ]
                )
                for field in fields(cls)
            )
        )
