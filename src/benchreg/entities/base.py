"""The strict base of every entity, and the scalar types that its fields are made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

from pydantic import (
    MISSING,
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    Strict,
    StringConstraints,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema


class Entity(BaseModel):
    """Anything that a document may say: frozen, strict, without additional properties."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        hide_input_in_errors=True,
        protected_namespaces=(),
    )


def required(description: str, *examples: object) -> Any:
    """Declare a field that must be there, with its description and examples."""
    return Field(description=description, examples=list(examples))


def optional(description: str, *examples: object) -> Any:
    """Declare a field that may be left out; it is `MISSING` then, never null."""
    return Field(default=MISSING, description=description, examples=list(examples))


def block(kind: type[Entity], description: str, *examples: object) -> Any:
    """Declare a block that may be left out; one empty `kind` stands in, so that fields read."""
    return _with_stand_in(kind(), description, examples)


def several(description: str, *examples: object) -> Any:
    """Declare a list that may be left out; an empty one stands in."""
    return _with_stand_in((), description, examples)


def named(description: str, *examples: object) -> Any:
    """Declare a mapping that may be left out; an empty one stands in."""
    return _with_stand_in(MappingProxyType({}), description, examples)


def _with_stand_in(stand_in: object, description: str, examples: tuple[object, ...]) -> Any:
    return Field(default_factory=lambda: stand_in, description=description, examples=list(examples))


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern that means the same to Rust (pydantic) and to Python and JavaScript (the schema).

    `$` of Python also matches before a last newline; the schema's form refuses that.
    """

    body: str

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Constrain the string by the pattern in the form that Rust reads."""
        schema = cast("core_schema.StringSchema", handler(source))
        schema["pattern"] = f"^(?:{self.body})$"
        return schema

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Write the pattern in the form that refuses a newline at the end."""
        return handler(schema) | {"pattern": f"^(?:{self.body})$(?!\\n)"}


@dataclass(frozen=True, slots=True)
class Range:
    """A number between two bounds, kept as the exact decimal that was written."""

    least: float
    most: float
    above: bool = False

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Accept an int or a Decimal within the bounds."""
        del source, handler
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Write the bounds as JSON Schema has them."""
        del schema, handler
        low = "exclusiveMinimum" if self.above else "minimum"
        return {"type": "number", low: self.least, "maximum": self.most}

    def check(self, value: object) -> Decimal:
        """Return the decimal, or raise what pydantic reports as an error of this place."""
        if type(value) is int:
            value = Decimal(value)
        elif type(value) is not Decimal:
            raise PydanticCustomError("number_type", "Input should be a valid number")
        if value < self.least or value > self.most or (self.above and value == self.least):
            raise PydanticCustomError(
                "number_range",
                "Input should be {low} {least} and at most {most}",
                {
                    "low": "greater than" if self.above else "at least",
                    "least": f"{self.least:g}",
                    "most": f"{self.most:g}",
                },
            )
        return Decimal(int(value)) if value.as_tuple().exponent > 0 else value  # type: ignore[operator]


class Unique:
    """A list that names nothing twice, in both judges."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Check after the items were checked."""
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Say `uniqueItems`."""
        return handler(schema["schema"]) | {"uniqueItems": True}

    @staticmethod
    def check(items: tuple[object, ...]) -> tuple[object, ...]:
        """Return the items, or raise what pydantic reports as an error of this place."""
        if len(items) != len(set(items)):
            raise PydanticCustomError("unique_items", "Items should be different")
        return items


ID_PATTERN = r"[a-z0-9]+(?:[.-][a-z0-9]+)*"
WORD_PATTERN = r"[a-z][a-z0-9_]*"
DATE_PATTERN = r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"

Id = Annotated[str, Pattern(ID_PATTERN), StringConstraints(min_length=1, max_length=120)]
Word = Annotated[str, Pattern(WORD_PATTERN), StringConstraints(min_length=1, max_length=80)]
ResultRef = Annotated[
    str,
    Pattern(rf"(?:{ID_PATTERN}#)?{WORD_PATTERN}"),
    StringConstraints(min_length=1, max_length=200),
]
InputRef = Annotated[
    str,
    Pattern(rf"(?:{ID_PATTERN}#)?{WORD_PATTERN}(?:\.[a-z0-9_]+)*"),
    StringConstraints(min_length=1, max_length=200),
]
Line = Annotated[str, Pattern(r"[^\n\r\t]+"), StringConstraints(min_length=1, max_length=200)]
Prose = Annotated[str, StringConstraints(min_length=1, max_length=600)]
Formula = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Digits = Annotated[
    str,
    Pattern(r"-?[0-9]{1,30}(?:\.[0-9]{1,30})?"),
    StringConstraints(min_length=1, max_length=62),
]
Date = Annotated[str, Pattern(DATE_PATTERN)]
DateOrRange = Annotated[str, Pattern(rf"{DATE_PATTERN}(?:/{DATE_PATTERN})?")]
YearOrDate = Annotated[str, Pattern(rf"[0-9]{{4}}(?:-(?:0[1-9]|1[0-2]))?|{DATE_PATTERN}")]
Url = Annotated[str, Pattern(r"[a-z][a-z0-9+.-]*://[!-~]+"), StringConstraints(max_length=400)]
Sha256 = Annotated[str, Pattern(r"[0-9a-f]{64}")]
Commit = Annotated[str, Pattern(r"[0-9a-f]{7,64}")]

MOST = 1e15
Amount = Annotated[Decimal, Range(0, MOST)]
Positive = Annotated[Decimal, Range(0, MOST, above=True)]
Share = Annotated[Decimal, Range(0, 1)]
Count = Annotated[int, Field(ge=0, le=10**12)]
PositiveCount = Annotated[int, Field(ge=1, le=10**12)]

Item = TypeVar("Item")
Key = TypeVar("Key")
Value = TypeVar("Value")


def _once(value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
    """Validate a part that many documents share once, where a memory of parts is given.

    A part is known by its identity; the memory keeps it alive, so that no other can have it.
    """
    if info.context is None or type(value) is not dict:
        return handler(value)
    key = (id(value), info.field_name)
    known = info.context.get(key)
    if known is None:
        known = info.context[key] = (value, handler(value))
    return known[1]


Once = Annotated[Item, WrapValidator(_once)]
Several = Annotated[tuple[Item, ...], Strict(strict=False)]
Distinct = Annotated[tuple[Item, ...], Strict(strict=False), Unique()]
if TYPE_CHECKING:
    Named = Annotated[Mapping[Key, Value], "read-only"]
else:
    Named = Annotated[dict[Key, Value], AfterValidator(MappingProxyType)]
