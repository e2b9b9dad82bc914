"""What the words for a model say of it: how large it is, of which family, and in which version.

Names are loose: a 7B has 6.7 or 8.5 billion parameters, the 17B of a mixture are what one token
uses, and 8x7B is less than 56. So a size counts as said of a model where it is near to any that
the catalogue or the model's own name has.
"""

import re
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from pydantic import MISSING

from benchreg.entities.catalogue import Model
from benchreg.registry.registry import Registry

NEAR = Decimal("0.2")
SHARED = Decimal("0.5")  # of experts x size: attention is there once, 46.7 of 8 x 7 = 56
SHORTEST_BRAND = 3

_SIZED = re.compile(r"([0-9][0-9.x]*+) ?b(?:illion|n)?(?![a-z0-9])")
_SIZE = re.compile(r"(?:([1-9][0-9]{0,2})x)?([0-9]{1,4}(?:\.[0-9]{1,3})?)")
_LETTERS = re.compile(r"[a-z]+")
_VERSION = r"[ -]?v?([0-9]{1,2}(?:\.[0-9])?)(?![\w.])"


class Size(NamedTuple):
    """A number of parameters that words give, in 1e9; of a mixture, experts x size."""

    words: str
    billion: Decimal
    experts: int


def sizes(words: str) -> tuple[Size, ...]:
    """Return the numbers of parameters that words give: 70B, A22B, 7 billion, 8x7B.

    Where a name runs into the digits (`Qwen27B`), some of them may be its version.
    """
    said = words.casefold()
    found = []
    for match in _SIZED.finditer(said):
        size = _size(match[1])
        if size and _stands_alone(said, match.start()):
            found.append(size)
    return tuple(found)


def _stands_alone(said: str, start: int) -> bool:
    before = said[max(0, start - 2) : start]
    return not (before.endswith(".") or (len(before) == 2 and before.isalpha()))


@lru_cache(maxsize=1024)
def _size(number: str) -> Size | None:
    found = _SIZE.fullmatch(number)
    if found is None or not Decimal(found[2]):
        return None
    experts = int(found[1] or 1)
    return Size(f"{number}B", Decimal(found[2]) * experts, experts)


def sizes_of(model: Model) -> tuple[Decimal, ...]:
    """Return how large a model is, and is called, in 1e9 parameters; empty where nobody says."""
    counted = (model.parameters_billion, model.active_parameters_billion)
    stated = tuple(one for one in counted if one is not MISSING)
    return stated + _called((model.id, model.name, *model.aliases))


@lru_cache(maxsize=1024)
def _called(names: tuple[str, ...]) -> tuple[Decimal, ...]:
    return tuple(size.billion for name in names for size in sizes(name))


def fits(size: Size, model: Model) -> bool:
    """Tell whether a model is, or is called, about as large as words say."""
    if any(_near(size.billion, one) for one in sizes_of(model)):
        return True
    total = model.parameters_billion
    mixed = size.experts > 1 and total is not MISSING
    return mixed and SHARED * size.billion <= total <= size.billion  # type: ignore[operator]


def _near(one: Decimal, other: Decimal) -> bool:
    return abs(one - other) <= NEAR * max(one, other)


def another_family(words: str, model: Model, registry: Registry) -> str:
    """Return the family that words name, where it is in the catalogue and not the model's."""
    brands, own, said = _brands(registry), _brand(model.family), words.casefold()
    if own not in brands:
        return ""
    letters = set(_LETTERS.findall(said))
    if own not in letters and _bare(model.family) not in _bare(said):
        return min(letters & brands.keys(), default="")
    versions = _versions(said, own)
    if any(_is_of(version, model, brands[own]) for version in versions):
        return ""
    return f"{own} {versions[0]}" if versions else ""


@lru_cache(maxsize=2)
def _brands(registry: Registry) -> dict[str, frozenset[str]]:
    """Return the versions of each brand of the catalogue: llama has 2, 3, 3.1 and so on."""
    families = {model.family for model in registry.models.values()}
    brands = {_brand(family) for family in families}
    return {
        brand: frozenset(one for family in families for one in _versions(family, brand))
        for brand in brands
        if len(brand) >= SHORTEST_BRAND
    }


def _brand(family: str) -> str:
    found = _LETTERS.match(family)
    return found[0] if found else ""


def _bare(name: str) -> str:
    return re.sub("[^a-z0-9]", "", name)


def _versions(words: str, brand: str) -> list[str]:
    """Return the versions that follow a brand: 2 in `llama-2-70b`, none in `llama 70b`."""
    return re.findall(rf"(?<![a-z]){brand}{_VERSION}", words)


def _is_of(version: str, model: Model, known: frozenset[str]) -> bool:
    """Tell whether a version is a model's; of one without any, whether it is no other family's."""
    own = _versions(model.family, _brand(model.family))
    return any(_same(version, one) for one in own) if own else version not in known


def _same(one: str, other: str) -> bool:
    """Tell whether two versions agree as far as both are precise: 3 could be 3.1."""
    precise = "." in one and "." in other
    return one == other or (not precise and one.partition(".")[0] == other.partition(".")[0])
