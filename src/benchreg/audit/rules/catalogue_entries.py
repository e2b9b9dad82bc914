"""CAT: what the catalogue says of a model or a part agrees with itself."""

from collections.abc import Iterator
from fractions import Fraction

from pydantic import MISSING

from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.catalogue import Model
from benchreg.registry.registry import Registry
from benchreg.roofline.parameters import UncountedError, parameters
from benchreg.values.interval import short

TOLERANCE = Fraction(3, 100)


@rule("CAT002", Severity.ERROR, over=Model)
def parameters_disagree(model: Model, registry: Registry) -> Iterator[Problem | NotEvaluated]:
    """The parameters of a model are not what its sizes come to.

    The sizes of a model decide what its weights weigh and how long a step takes at least. They
    are held against the stated number: embedding, attention of its kind, MLP or experts, router
    and norms. Biases and learned positions have no field and are left out; they are less than
    1 %. More than 3 % apart, a size or the number was misread.

    Bad:

    ```yaml models/example-model
    layers: 64
    ```

    Good:

    ```yaml models/example-model
    layers: 32
    ```
    """
    del registry
    at = ("parameters_billion",)
    if model.parameters_billion is MISSING:
        yield NotEvaluated(at, "the number of parameters is not stated")
        return
    try:
        counted = Fraction(parameters(model).total, 10**9)
    except UncountedError as error:
        yield NotEvaluated(at, f"{error} is not stated")
        return
    stated = Fraction(model.parameters_billion)
    if abs(counted - stated) > TOLERANCE * stated:
        apart = short(100 * (counted - stated) / stated, 3)
        yield Problem(
            at,
            f"{model.parameters_billion} billion parameters are stated, and the sizes come to "
            f"{short(counted)} ({apart} %)",
            "correct the size or the number that was misread",
            on_value=True,
            also=(short(counted),),
        )
