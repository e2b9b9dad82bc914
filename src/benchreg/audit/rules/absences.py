"""CON, second part: what is declared absent, and what a reader loses by it."""

import re
from collections.abc import Iterator

from pydantic import MISSING

from benchreg.audit.finding import Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.completeness import BY_KEY, absence
from benchreg.entities.record import Record
from benchreg.registry.registry import Registry


def _absent(record: Record, *keys: str) -> Iterator[Problem]:
    """Yield a problem for each condition that is declared absent, unless it does not apply."""
    for key in keys:
        declared = absence(record, key)
        if declared is None or declared.because == "not_applicable" or BY_KEY[key].stated(record):
            continue
        written = key if key in record.absent else key.partition(".")[0]
        reason = declared.because.replace("_", " ")
        yield Problem(
            ("absent", written),
            f"the {BY_KEY[key].title} is absent: {reason}",
            "look for it in the source's logs, or leave it so: it is shown with the figures",
        )


@rule("CON003", Severity.WARNING, over=Record)
def scenario_absent(record: Record, registry: Registry) -> Iterator[Problem]:
    """The scenario is absent.

    A rate of MLPerf Offline and one of Server are different measurements of one system. A figure
    without its scenario cannot be placed beside either. It does not apply only to a run of our
    own whose harness knows no scenarios.

    Bad:

    ```yaml
    absent:
      load.scenario: not_stated
    ```

    Good:

    ```yaml
    absent:
      load.scenario: not_applicable
    ```
    """
    del registry
    yield from _absent(record, "load.scenario")


@rule("CON004", Severity.WARNING, over=Record)
def engine_version_absent(record: Record, registry: Registry) -> Iterator[Problem]:
    """The version of the engine is absent.

    Engines double their speed within a year. Without a version, commit or image nobody can
    repeat the run, and nobody can tell an old figure from a new one.

    Bad:

    ```yaml
    engine:
      id: example-engine
    absent:
      load.scenario: not_applicable
      engine.version: not_stated
    ```

    Good:

    ```yaml
    engine:
      id: example-engine
      commit: 1a2b3c4
    ```
    """
    del registry
    yield from _absent(record, "engine.version")


@rule("CON005", Severity.WARNING, over=Record)
def warmup_absent(record: Record, registry: Registry) -> Iterator[Problem]:
    """The warm-up is absent.

    The first requests meet cold caches, graphs that are still compiled, and memory that is not
    yet taken. Whether they count moves every mean and most of all the tail.

    Bad:

    ```yaml
    load:
      pattern: closed_loop
      concurrency: 64
      requests: 6400
      completed: 6400
      failed: 0
      duration_s: 512
      window: full_drain
    absent:
      load.scenario: not_applicable
      load.warmup: not_stated
    ```

    Good:

    ```yaml
    load:
      pattern: closed_loop
      concurrency: 64
      requests: 6400
      completed: 6400
      failed: 0
      duration_s: 512
      window: full_drain
      warmup: {requests: 0}
    ```
    """
    del registry
    yield from _absent(record, "load.warmup")


@rule("CON006", Severity.WARNING, over=Record)
def length_absent(record: Record, registry: Registry) -> Iterator[Problem]:
    """An input or output length is absent.

    A rate of requests says nothing without the tokens of a request, and a token rate depends on
    the context that every step reads.

    Bad:

    ```yaml
    workload:
      output_tokens: 64
      length_basis: measured
      output_policy: forced
      prefix_cache: {enabled: false}
      speculative: {method: none}
    absent:
      load.scenario: not_applicable
      workload.input_tokens: not_stated
    ```

    Good:

    ```yaml
    workload:
      input_tokens: 512
      output_tokens: 64
      length_basis: measured
      output_policy: forced
      prefix_cache: {enabled: false}
      speculative: {method: none}
    ```
    """
    del registry
    yield from _absent(record, "workload.input_tokens", "workload.output_tokens")


@rule("CON007", Severity.WARNING, over=Record)
def load_absent(record: Record, registry: Registry) -> Iterator[Problem]:
    """The load is absent: neither batch nor concurrency nor rate is known.

    Every figure of a serving system is a point on a curve over its load. Without the load it is
    a point somewhere on the curve.

    Bad:

    ```yaml
    load:
      requests: 6400
      completed: 6400
      failed: 0
      duration_s: 512
      window: full_drain
      warmup: {requests: 0}
    absent:
      load.scenario: not_applicable
      load: not_stated
    ```

    Good:

    ```yaml
    load:
      pattern: closed_loop
      concurrency: 64
      requests: 6400
      completed: 6400
      failed: 0
      duration_s: 512
      window: full_drain
      warmup: {requests: 0}
    ```
    """
    del registry
    yield from _absent(record, "load")


@rule("CON010", Severity.NOTE, over=Record)
def precision_absent(record: Record, registry: Registry) -> Iterator[Problem]:
    """The precision of the weights or of the KV cache is absent.

    Half the bytes are nearly twice the decode rate. A comparison, and a bound, must then allow
    for the smallest format that is plausible.

    Bad:

    ```yaml
    precision:
      weights: bf16
      activations: bf16
    absent:
      load.scenario: not_applicable
      precision.kv_cache: not_stated
    ```

    Good:

    ```yaml
    precision:
      weights: bf16
      activations: bf16
      kv_cache: fp8
    ```
    """
    del registry
    yield from _absent(record, "precision.weights", "precision.kv_cache")


@rule("CON028", Severity.ERROR, over=Record)
def version_of_nothing(record: Record, registry: Registry) -> Iterator[Problem]:
    """A version says that there is none, or names what changes every day.

    "None" in quotes is what a program writes where it had no version; it reads like an answer and
    is a hole that nobody declared. A version without any digit is a name: `latest`, `main` and
    `nightly` are another build tomorrow, which is a warning. So is an image that alone stands for
    the version, and has no tag, or one of these.

    Bad:

    ```yaml
    engine:
      id: example-engine
      version: "None"
    ```

    Bad:

    ```yaml
    engine:
      id: example-engine
      image: example/engine:latest
    ```

    Good:

    ```yaml
    engine:
      id: example-engine
      image: example/engine:1.2.0
    ```
    """
    del registry
    engine, measurement = record.engine, record.measurement
    for at, said, key in (
        (("engine", "version"), engine.version, "engine.version"),
        (("measurement", "harness_version"), measurement.harness_version, ""),
        (("hardware", "driver"), record.hardware.driver, ""),
    ):
        if said is not MISSING and not _HAS_DIGIT.search(said):
            none = said.casefold() in NO_VERSION
            yield Problem(
                at,
                f"{said!r} is no version",
                f"leave it out{f', and write `{key}: not_stated` under `absent`' if key else ''}",
                severity=None if none else Severity.WARNING,
                on_value=True,
            )
    if engine.image is not MISSING and (engine.version, engine.commit) == (MISSING, MISSING):
        yield from _floating(engine.image)


_HAS_DIGIT = re.compile("[0-9]")
NO_VERSION = frozenset(("none", "no", "false", "undefined", "missing"))


def _floating(image: str) -> Iterator[Problem]:
    """Yield an image that is another one tomorrow: neither a digest nor a digit in its tag."""
    _, _, tag = image.rpartition("/")[2].partition(":")
    if "@" not in image and not _HAS_DIGIT.search(tag):
        yield Problem(
            ("engine", "image"),
            f"the image {image!r} is another build tomorrow",
            "write its digest or a tag with the version, or the engine's version or commit",
            severity=Severity.WARNING,
            on_value=True,
        )
