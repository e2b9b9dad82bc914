"""SCH: the document itself, before anything in it is believed."""

from collections.abc import Iterator

from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import rule
from benchreg.registry.refusal import Refusal, RefusalKind
from benchreg.registry.registry import Entry, Registry


def _of_kind(refusal: Refusal, kind: RefusalKind) -> Iterator[Problem]:
    if refusal.kind == kind:
        yield Problem(
            refusal.at,
            refusal.message,
            refusal.hint,
            on_value=refusal.on_value,
            place=refusal.place,
            edit=refusal.edit,
        )


@rule("SCH001", Severity.ERROR, over=Refusal, waivable=False)
def schema_violation(refusal: Refusal, registry: Registry) -> Iterator[Problem]:
    """A file is not what the schema allows.

    A key that nobody knows is a fact that nobody reads: a typo in `engine` would leave a record
    without an engine, and nobody would notice. So every key, type and word is checked.

    Bad:

    ```yaml
    enginee:
      id: example-engine
    ```

    Good:

    ```yaml
    engine:
      id: example-engine
      version: "1.2.0"
    ```
    """
    del registry
    yield from _of_kind(refusal, "schema")


@rule("SCH002", Severity.ERROR, over=Refusal, waivable=False)
def yaml_outside_dialect(refusal: Refusal, registry: Registry) -> Iterator[Problem]:
    """A file uses YAML that a record may not use.

    Anchors, aliases, merge keys, tags, directives, several documents and duplicate keys let two
    readers of one file see two different things, or make a small file a large one. What is not
    a finite number, not UTF-8, too large or too deep is refused as well.

    Bad:

    ```yaml
    engine: &engine
      id: example-engine
      version: "1.2.0"
    ```

    Good:

    ```yaml
    engine:
      id: example-engine
      version: "1.2.0"
    ```
    """
    del registry
    yield from _of_kind(refusal, "dialect")


@rule("SCH003", Severity.ERROR, over=Refusal)
def unquoted_version(refusal: Refusal, registry: Registry) -> Iterator[Problem]:
    """A version, or other text, is written so that YAML reads a number.

    Version 0.10 comes after 0.9; the number 0.10 is 0.1 and comes before it. Quotes keep the
    digits as they are.

    Bad:

    ```yaml
    engine:
      id: example-engine
      version: 0.10
    ```

    Good:

    ```yaml
    engine:
      id: example-engine
      version: "0.10"
    ```
    """
    del registry
    yield from _of_kind(refusal, "unquoted")


@rule("SCH004", Severity.ERROR, over=Refusal)
def placeholder_value(refusal: Refusal, registry: Registry) -> Iterator[Problem]:
    """A value only stands where a fact should be.

    `null`, an empty value, "unknown" or "TODO" reads like an answer to a program and says
    nothing. What is not known is left out and declared under `absent`, with the reason.

    Bad:

    ```yaml
    engine:
      id: example-engine
      version: unknown
    ```

    Good:

    ```yaml
    engine:
      id: example-engine
    absent:
      engine.version:
        because: not_stated
        would_need: a build, commit or container digest
      load.scenario: not_applicable
    ```
    """
    del registry
    yield from _of_kind(refusal, "placeholder")


@rule("SCH006", Severity.ERROR, over=Refusal)
def unsafe_text(refusal: Refusal, registry: Registry) -> Iterator[Problem]:
    r"""A text holds what could deceive a reader, a terminal or a page.

    Control characters, characters that turn the direction of text, characters that nobody sees
    and HTML have no place in a record: what a reviewer sees is what is stored.

    Bad:

    ```yaml
    notes: "measured on \u202e004A"
    ```

    Good:

    ```yaml
    notes: "measured on A400"
    ```
    """
    del registry
    yield from _of_kind(refusal, "unsafe")


@rule("SCH008", Severity.ERROR, over=(Refusal, Entry), waivable=False)
def judges_differ(subject: Refusal | Entry, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """The two judges of a document disagree.

    The models of the program and the published schema must give the same verdict on every file;
    where they do not, one of them is wrong, and the verdict on the file is worth nothing. It is
    a fault of benchreg and not of the file: please report it. Documents that the models accept
    are only shown to the second judge under `--cross-validate`.
    """
    if isinstance(subject, Refusal):
        yield from _of_kind(subject, "judges")
    elif not registry.cross_validated:
        yield NotEvaluated((), "the second judge is asked with --cross-validate only")
