"""The shape of a foreign file: only what we read of it, strictly typed."""

import re
from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, PlainValidator
from pydantic_core import PydanticCustomError

from benchreg.importers.statement import RunError
from benchreg.values.text import PLACEHOLDERS

MOST = Decimal(10) ** 15
MOST_TEXT = 4096
_GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]{1,40})?")
_PLAIN = re.compile(r"[-+]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][-+]?[0-9]{1,3})?")
WORDS = MappingProxyType({
    **dict.fromkeys(("mean", "avg", "average"), "mean"),
    **dict.fromkeys(("p50", "median"), "p50"),
    **{f"p{at}": f"p{at}" for at in ("1", "5", "10", "25", "75", "90", "95", "99", "99.9")},
    **dict.fromkeys(("min", "minimum"), "min"),
    **dict.fromkeys(("max", "maximum"), "max"),
})  # fmt: skip
SPREADS = ("std", "stdev", "stddev", "std_dev")
_ENDLESS = ("inf", "infinity", "+inf", "+infinity")


class Foreign(BaseModel):
    """What one importer reads of a file; fields without default are what it is recognised by.

    `without` are keys that tell another kind of file, which would fit this shape as well.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="allow",  # only `statistics` looks there, by names of its own list
        hide_input_in_errors=True,
        protected_namespaces=(),
        populate_by_name=True,
        arbitrary_types_allowed=True,
    )
    without: ClassVar[frozenset[str]] = frozenset()

    def statistics(
        self, pattern: str = "{}", at: str = "", words: Mapping[str, str] = WORDS
    ) -> dict[str, tuple[Decimal | None, str]]:
        """Return the statistics that stand under keys of a pattern, such as `{}_ttft_ms`.

        Each has its value and its place, for `Statement.statistics`; `at` is the place of this
        object, and `words` are what the harness calls them. Raises RunError for one that is no
        number.
        """
        found: dict[str, tuple[Decimal | None, str]] = {}
        for word, statistic in words.items():
            key = pattern.format(word)
            value = self._under(key)
            if value is not None and statistic not in found:
                found[statistic] = (_checked(value, f"{at}/{key}"), f"{at}/{key}")
        return found

    def spread(self, pattern: str = "{}", words: tuple[str, ...] = SPREADS) -> Decimal | None:
        """Return the standard deviation that stands under a key of a pattern; None without one."""
        found = (self._under(pattern.format(word)) for word in words)
        value = next((one for one in found if one is not None), None)
        return None if value is None else _checked(value, "/" + pattern.format(words[0]))

    def _under(self, key: str) -> Any:
        extra = self.model_extra or {}
        return extra[key] if key in extra else self.__dict__.get(key)


def _checked(value: Any, at: str) -> Decimal | None:
    try:
        return _measured(value)
    except PydanticCustomError as error:
        raise RunError(f"{at} {error.message()}") from None


def _error(told: str) -> PydanticCustomError:
    return PydanticCustomError("foreign_number", told)


def _bounded(value: Decimal) -> Decimal:
    if not value.is_finite():
        raise _error("is no finite number")
    if abs(value) > MOST or len(value.as_tuple().digits) > 60:
        raise _error("is larger than any figure, or longer")
    if value and value.adjusted() < -30:
        raise _error("is smaller than any figure")
    return value


def _number(value: Any) -> Decimal:
    """Take a number as JSON has it; its digits are kept."""
    if type(value) is int:
        if value.bit_length() > 64:
            raise _error("is larger than any figure")
        return Decimal(value)
    if type(value) is Decimal:
        return _bounded(value)
    raise _error("is no number")


def _spelled(value: Any) -> Decimal:
    """Take a number, or the text of one; its thousands may be grouped with commas."""
    if not isinstance(value, str):
        return _number(value)
    text = value.strip()
    if _GROUPED.fullmatch(text):
        text = text.replace(",", "")
    if not _PLAIN.fullmatch(text):
        raise _error("is no number")
    return _bounded(Decimal(text))


def _amount(value: Any) -> Decimal:
    found = _spelled(value)
    if found < 0:
        raise _error("is negative")
    return found


def _whole(value: Any) -> int:
    found = _amount(value)
    if found != found.to_integral_value():
        raise _error("is no whole number")
    return int(found)


def _measured(value: Any) -> Decimal | None:
    """Take a number that was measured; null, NaN and a dash say that it was not."""
    if value is None or (isinstance(value, str) and value.strip().casefold() in ("", "-", "nan")):
        return None
    if isinstance(value, Decimal) and value.is_nan():
        return None
    return _spelled(value)


def _rate(value: Any) -> Decimal:
    """Take a rate of requests; `inf` in any spelling is infinite: all come at once."""
    if isinstance(value, str) and value.strip().casefold() in _ENDLESS:
        return Decimal("Infinity")
    if isinstance(value, Decimal) and value.is_infinite() and not value.is_signed():
        return value
    return _amount(value)


def _paced(value: Any) -> Decimal | None:
    """Take a rate of requests, or the word that says that a trace gave their times."""
    return None if value == "trace" else _rate(value)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > MOST_TEXT:
        raise PydanticCustomError("foreign_text", "is no text")
    return value.strip()


def _said(value: Any) -> str | None:
    """Take a text; None where it is empty, says that nothing is known, or is none."""
    if not isinstance(value, str) or value.strip().casefold() in ("", *PLACEHOLDERS):
        return None
    return _text(value)


def _flag(value: Any) -> bool:
    """Take a truth in any of the spellings that harnesses use."""
    said = {"true": True, "1": True, "false": False, "0": False}
    found = said.get(str(value).strip().casefold())
    if found is None:
        raise PydanticCustomError("foreign_flag", "is neither true nor false")
    return found


Amount = Annotated[Decimal, PlainValidator(_amount)]
"""A number from 0 on, as a number or as text (tables know only text)."""
Number = Annotated[Decimal, PlainValidator(_spelled)]
"""Any finite number, below 0 as well: some tools write -1 for what they did not measure."""
Measured = Annotated[Decimal | None, PlainValidator(_measured)]
"""A figure; None where the file says that there is none."""
Whole = Annotated[int, PlainValidator(_whole)]
"""A count."""
Rate = Annotated[Decimal, PlainValidator(_rate)]
"""Requests per second; infinite where all come at once."""
Paced = Annotated[Decimal | None, PlainValidator(_paced)]
"""As Rate; None where a trace was replayed."""
Text = Annotated[str, PlainValidator(_text)]
Said = Annotated[str | None, PlainValidator(_said)]
"""A text; None where there is none."""
Flag = Annotated[bool, PlainValidator(_flag)]
