"""CAT, second part: the sizes of a model agree with each other."""

from collections.abc import Iterator
from fractions import Fraction

from pydantic import MISSING

from benchreg.analysis import sizes
from benchreg.audit.finding import NotEvaluated, Problem, Severity
from benchreg.audit.rule import rule
from benchreg.entities.catalogue import Model
from benchreg.registry.registry import Registry
from benchreg.roofline.parameters import UncountedError, parameters
from benchreg.values.interval import half_unit, short

TOLERANCE = Fraction(5, 100)


@rule("CAT005", Severity.ERROR, over=Model)
def sizes_contradictory(model: Model, registry: Registry) -> Iterator[Problem]:
    """Two sizes of a model cannot both be true.

    KV heads divide the heads: in multi-head attention they are as many, in multi-query attention
    there is one. Ranks are of latent attention. A token uses no more experts than there are, and
    no more layers have a window, or none, than the model has. The KV cache of a request follows
    from these, and with it how many requests fit; the number of parameters hardly does, so that
    CAT002 does not find them.

    Bad:

    ```yaml models/example-model
    attention: {kind: gqa, heads: 32, kv_heads: 32, head_dim: 128}
    ```

    Good:

    ```yaml models/example-model
    attention: {kind: mha, heads: 32, kv_heads: 32, head_dim: 128}
    ```
    """
    del registry
    for found in sizes.contradictions(model):
        yield Problem(
            found.at,
            found.why,
            "correct the size that was misread, as the configuration of the model has it",
            on_value=True,
        )


@rule("CAT006", Severity.ERROR, over=Model)
def active_parameters_disagree(
    model: Model, registry: Registry
) -> Iterator[Problem | NotEvaluated]:
    """The parameters that a token uses are not what the sizes come to.

    A mixture of experts is as fast as what one token uses of it, and bounds rest on that. What is
    stated is held against attention, dense layers, shared and active experts. Some count the
    embedding and its output and some do not; either is taken, and 5 % and the rounding of the
    stated number are left. Outside, an expert or a size was misread.

    Bad (also CAT003):

    ```yaml models/example-model
    active_parameters_billion: 3.3
    ```

    Good:

    ```yaml models/example-model
    active_parameters_billion: 6.65
    ```
    """
    del registry
    at, said = ("active_parameters_billion",), model.active_parameters_billion
    if said is MISSING:
        return
    try:
        counted = sizes.active(model, parameters(model))
    except UncountedError as error:
        yield NotEvaluated(at, f"{error} is not stated")
        return
    billion, room = Fraction(10**9), half_unit(said) * 10**9
    low, high = counted.least * (1 - TOLERANCE) - room, counted.most * (1 + TOLERANCE) + room
    if not low <= Fraction(said) * billion <= high:
        least, most = (short(end / billion) for end in counted)
        yield Problem(
            at,
            f"{said} billion active parameters are stated, and the sizes come to {least} without "
            f"the embedding and {most} with it",
            "correct the size or the number that was misread",
            on_value=True,
            also=(least, most),
        )
