"""A mapping: how the rows of a published table become records."""

from copy import deepcopy
from typing import Annotated, Any

from pydantic import MISSING, AfterValidator, Field, StringConstraints

from benchreg.entities.base import (
    Distinct,
    Entity,
    Line,
    Named,
    Pattern,
    Positive,
    Prose,
    Several,
    named,
    optional,
    required,
    several,
)
from benchreg.entities.base import Word as Name
from benchreg.entities.vocabulary import AbsenceReason, Condition

# A part of a record, open because it is judged with the record that it becomes; a mapping's own.
Tree = Annotated[dict[str, Any], AfterValidator(deepcopy)]
Path = Annotated[str, Pattern(r"[a-z0-9_.]+"), StringConstraints(min_length=1, max_length=200)]
Delimiter = Annotated[str, Pattern(r'[^\n\r"]'), StringConstraints(min_length=1, max_length=1)]


class When(Entity):
    """A condition on one cell; whatever is given must hold."""

    column: Line = required("The column.", "scenario")
    equals: Distinct[Line] = several("The cell is one of these.", ["Offline", "Server"])
    differs: Distinct[Line] = several("The cell is none of these.", ["INVALID"])
    contains: Line | MISSING = optional("The cell holds this.", "attention-DP")
    lacks: Line | MISSING = optional("The cell does not hold this.", "TensorRT-LLM")
    blank: bool | MISSING = optional("The cell is blank, or is not.", True)


class Skip(Entity):
    """Rows that are not taken; they are counted under the reason."""

    when: Several[When] = required("All of these hold.", [{"column": "round", "equals": ["v4.0"]}])
    reason: Line = required("Why they are left out.", "another round")


class Word(Entity):
    """What a cell's text becomes."""

    text: Line = required("The cell's text.", "NVIDIA H100-SXM-80GB")
    becomes: Line = required("What the record says.", "h100-sxm5-80gb")


class Blank(Entity):
    """What a blank cell means: the condition is absent, for this reason; or nothing at all."""

    absent: Condition | MISSING = optional("The condition; left out: none.", "engine.version")
    because: AbsenceReason | MISSING = optional("Why it is absent.", "not_stated")


class Cell(Entity):
    """Where one field of a record comes from: a column, or text with columns in braces.

    The field's type in the record's schema decides what the text is read as. A number may be
    multiplied by a constant and by other columns, and divided by one.
    """

    column: Line | MISSING = optional("The column.", "tokens_per_s")
    text: Prose | MISSING = optional("Text with columns in braces.", "{model} on {accelerator}")
    after: Line | MISSING = optional("What stands before the part that is meant.", "vLLM ")
    before: Line | MISSING = optional(
        "What ends the part that is meant; where it is not there, the text's end does.", ", "
    )
    words: Several[Word] = several(
        "Texts that become other words; a text that is not listed is refused.",
        [{"text": "Offline", "becomes": "offline"}],
    )
    times: Positive | MISSING = optional("A factor, as from ns to ms.", 0.000001)
    by: Distinct[Line] = several("Columns to multiply by.", ["nodes"])
    over: Line | MISSING = optional("A column to divide by.", "samples_per_s")
    digits: Annotated[int, Field(ge=1, le=17)] | MISSING = optional(
        "Significant digits of a result; needed where there is a division.", 5
    )
    places: Annotated[int, Field(ge=0, le=17)] | MISSING = optional(
        "Digits behind the point, as the source prints them; no digit is taken off.", 2
    )
    split: Line | MISSING = optional("What separates the items of a list.", ";")
    thousands: Line | MISSING = optional("What groups the digits of a number.", ",")
    blank: Blank | MISSING = optional("What a blank cell means.", {"absent": "precision"})


class Case(Entity):
    """What some of the rows have more."""

    when: Several[When] = required("All of these hold.", [{"column": "tp", "blank": False}])
    record: Tree = named("Parts of the record.", {"load": {"pattern": "all_at_once"}})
    cells: Named[Path, Cell] = named("Fields from cells.", {"load.requests": {"column": "n"}})


class Wide(Entity):
    """A long table, of one figure a row: the rows of one point become one row, in any order.

    Each text of `names` is a column of it, which holds the figure of that name, and is blank where
    the point has none. A column in which the rows of a point differ is none of its row.
    """

    by: Distinct[Line] = required("Columns in which the rows of a point agree.", ["locator"])
    name: Line = required("The column that says which figure a row holds.", "metric")
    value: Line = required("The column that holds it.", "value")
    names: Distinct[Line] = required("Every figure there is.", ["throughput", "latency"])


class Same(Entity):
    """A column of the table, and the one of the table beside it that holds the same."""

    column: Line = required("The table's.", "source_path")
    beside: Line = required("That of the table beside it.", "log_path")


class Beside(Entity):
    """A second table; what its row of the same key adds is blank where it has none."""

    by: Several[Same] = required(
        "What makes a row of each the same.", [{"column": "source_path", "beside": "log_path"}]
    )
    columns: Distinct[Line] = required("The columns that it adds.", ["duration_s"])


class Merge(Entity):
    """Rows that are labels of one run, and become one record."""

    by: Distinct[Line] = required("Columns in which they agree.", ["system", "model", "value"])
    lists: Distinct[Path] = required(
        "Fields that collect what they differ in; a text has the items behind semicolons.",
        ["mlperf.benchmark"],
    )
    fill: Distinct[Line] = several(
        "Columns that one row may leave blank and another of the run fills.", ["tp"]
    )
    id: Line | MISSING = optional(
        "The id of a record of several rows, as the first of them fills it; left out: as of one.",
        "{system}-{model}-{scenario}",
    )


class Mapping(Entity):
    """How the rows of one table become records."""

    title: Line = required("What it maps.", "MLPerf Inference v5.1, closed division")
    delimiter: Delimiter | MISSING = optional("What separates the columns; left out: a comma.", ";")
    id: Line = required("The id, with columns in braces.", "trt-llm-{version}-{model}-{isl}-{osl}")
    folder: Line | MISSING = optional("A folder below the source's.", "{submitter}-{system_dir}")
    sweep: Line | MISSING = optional("The sweep's label.", "{system_dir}-{model}")
    wide: Wide | MISSING = optional(
        "Where the table has one figure a row.",
        {"by": ["locator"], "name": "metric", "value": "value", "names": ["throughput"]},
    )
    beside: Beside | MISSING = optional(
        "A second table that adds columns.",
        {"by": [{"column": "source_path", "beside": "log_path"}], "columns": ["duration_s"]},
    )
    skip: Several[Skip] = several(
        "Rows that are not taken.",
        [{"when": [{"column": "round", "differs": ["v5.1"]}], "reason": "another round"}],
    )
    columns: Named[Name, Cell] = named(
        "Columns made of others, in this order; whatever names a column may name them.",
        {"gpus": {"column": "gpus_per_node", "by": ["nodes"]}},
    )
    record: Tree = required("What every record says.", {"kind": "measurement", "status": "active"})
    cells: Named[Path, Cell] = named("Fields from cells.", {"title": {"text": "{model}"}})
    cases: Several[Case] = several(
        "What some rows have more, in this order.",
        [
            {
                "when": [{"column": "tp", "blank": False}],
                "record": {"load": {"pattern": "all_at_once"}},
            }
        ],
    )
    merge: Merge | MISSING = optional(
        "Rows that are one run.", {"by": ["system"], "lists": ["mlperf.benchmark"]}
    )
    note: Prose | MISSING = optional("What a reader should know.", "rows of v5.1 only")
