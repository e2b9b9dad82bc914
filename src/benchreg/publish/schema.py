"""The JSON Schemas, generated from the entities, and from what a configuration may say."""

import json
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from benchreg.audit.configuration import Settings
from benchreg.entities.base import Entity
from benchreg.registry.judge import ENTITIES

MODELS: dict[str, type[Entity]] = {**ENTITIES, "config": Settings}
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, str]:
    """Return the text of every schema by its file name; the same entities give the same bytes."""
    return {f"{kind}.schema.json": _text(kind) for kind in sorted(MODELS)}


def _text(kind: str) -> str:
    generated = MODELS[kind].model_json_schema(mode="validation", schema_generator=Closed)
    title = f"benchreg {kind}"
    schema = {"$schema": DIALECT, "title": title} | {
        key: value for key, value in generated.items() if key != "title"
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


class Closed(GenerateJsonSchema):
    """Pydantic's generator, with every mapping closed and no default written."""

    def dict_schema(self, schema: Any) -> dict[str, Any]:
        """Close a mapping whose names follow a pattern; a part of a record is open."""
        written = super().dict_schema(schema)
        names = self.generate_inner(schema["keys_schema"])
        if "pattern" not in names:
            return written
        length = {key: names[key] for key in ("minLength", "maxLength") if key in names}
        return written | {"additionalProperties": False, "propertyNames": length}

    def default_schema(self, schema: Any) -> dict[str, Any]:
        """Leave the default out: what is not written is not said."""
        return self.generate_inner(schema["schema"])
