"""Foreign YAML -> trees: what other tools wrote, with its digits; nothing in it is run."""

from collections.abc import Hashable
from decimal import Decimal, InvalidOperation
from typing import Any

import yaml

MOST_DEPTH = 64
_FLOAT = "tag:yaml.org,2002:float"
_DATE = "tag:yaml.org,2002:timestamp"


class LooseError(ValueError):
    """A text that is no YAML that we read; the message says why, and where."""


def loose(text: str) -> Any:
    """Return the tree of a text in YAML, its numbers as they are written.

    Anchors, aliases and tags of one's own are refused, as is nesting over 64 levels. Raises
    LooseError.
    """
    try:
        _check(text)
        return yaml.load(text, _Loader)  # noqa: S506  (a safe loader, with decimals)
    except LooseError:
        raise
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise LooseError(f"line {line}: {error.problem or 'no YAML'}") from None
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise LooseError(f"no YAML that is read here: {str(error).partition(chr(10))[0]}") from None


def _check(text: str) -> None:
    """Raise what is wrong with the events of a text, before anything is made of them."""
    depth = 0
    for event in yaml.parse(text, _SAFE):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise LooseError(f"line {line}: an anchor or alias is not read")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MOST_DEPTH:
            raise LooseError(f"line {line}: nested over {MOST_DEPTH} levels")


_SAFE = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_SAFE):  # type: ignore[misc, valid-type]
    """The safe loader, without binary floating point."""

    def construct_mapping(self, node: Any, *args: Any, **more: Any) -> dict[Hashable, Any]:
        """Construct a mapping in which no key stands twice."""
        found: dict[Hashable, Any] = super().construct_mapping(node, *args, **more)
        if len(found) != len(node.value):
            raise LooseError(f"line {node.start_mark.line + 1}: a key stands twice")
        return found


def _decimal(loader: Any, node: Any) -> Decimal | str:
    text = str(loader.construct_scalar(node)).replace("_", "")
    try:
        return Decimal(text.replace(".inf", "inf").replace(".nan", "nan"))
    except InvalidOperation:
        return text


_Loader.add_constructor(_FLOAT, _decimal)
_Loader.add_constructor(_DATE, lambda loader, node: loader.construct_scalar(node))
