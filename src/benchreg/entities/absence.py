"""Why a condition is not there, and the closed sets of conditions that may be declared so."""

from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, get_args

from pydantic import (
    MISSING,
    AfterValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    model_validator,
    with_config,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from typing_extensions import TypedDict

from benchreg.entities.base import Entity, Named, Prose, optional, required
from benchreg.entities.vocabulary import (
    AbsenceReason,
    Condition,
    FigureAbsence,
    FigureInference,
    InferredOnly,
)


class Absence(Entity):
    """Why a condition is not there; the short form is the reason alone."""

    because: AbsenceReason = required(
        "Why it is absent: `not_stated` (the source is silent), `unrecoverable` (only raw logs "
        "could tell), `withheld`, `conflicting`, `not_applicable`, `not_checked` (nobody looked).",
        "not_stated",
    )
    would_need: Prose | MISSING = optional(
        "What would have to be found to fill it in.", "a build, commit or container digest"
    )
    note: Prose | MISSING = optional("What else a reader should know.", "a single device")

    @model_validator(mode="before")
    @classmethod
    def spell_out(cls, written: Any) -> Any:
        """Read the short form as the long one."""
        return {"because": written} if isinstance(written, str) else written

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Write both forms; the short one first, as editors offer it."""
        long = handler.resolve_ref_schema(handler(schema))
        reasons = long["properties"]["because"]["enum"]
        short = {"type": "string", "enum": reasons, "title": "Reason alone"}
        return {
            "title": "Absence",
            "description": "Why a condition is absent: the reason alone, or a mapping.",
            "anyOf": [short, long],
        }


def closed(name: str, keys: tuple[str, ...], values: Any, says: str, example: str) -> Any:
    """Return a type of mapping that allows these keys and no other."""
    fields = {
        key: Annotated[values, Field(description=says.format(key), examples=[example])]
        for key in keys
    }
    mapping = TypedDict(name, fields, total=False)  # type: ignore[misc]
    strict = with_config(ConfigDict(extra="forbid", strict=True))(mapping)
    return Annotated[strict, AfterValidator(MappingProxyType)]


WHY_ABSENT = "Why {} is absent."
WHY_INFERRED = "Why {} was concluded, where the source does not state it."


CONDITIONS: tuple[str, ...] = get_args(Condition)
INFERABLE: tuple[str, ...] = CONDITIONS + get_args(InferredOnly)

if TYPE_CHECKING:
    Absences = Named[str, Absence]
    Inferences = Named[str, str]
    FigureAbsences = Named[str, Absence]
    FigureInferences = Named[str, str]
else:
    Absences = closed("Absences", CONDITIONS, Absence, WHY_ABSENT, "not_stated")
    Inferences = closed("Inferences", INFERABLE, Prose, WHY_INFERRED, "the log's folder says so")
    FigureAbsences = closed(
        "FigureAbsences", get_args(FigureAbsence), Absence, WHY_ABSENT, "not_stated"
    )
    FigureInferences = closed(
        "FigureInferences", get_args(FigureInference), Prose, WHY_INFERRED, "the axis says ms"
    )
