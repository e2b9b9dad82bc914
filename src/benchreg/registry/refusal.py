"""What kept a document from becoming an entity, as data."""

from dataclasses import dataclass
from typing import Literal

from benchreg.registry.document import Edit, Place, Pointer

RefusalKind = Literal["dialect", "schema", "unquoted", "placeholder", "unsafe", "judges"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason why a file is no entity; each kind has a rule of its own.

    `place` is set where there is no tree to find the pointer in, `edit` where it is plain what
    should stand there instead.
    """

    path: str
    kind: RefusalKind
    message: str
    hint: str = ""
    at: Pointer = ()
    place: Place | None = None
    on_value: bool = False
    edit: Edit | None = None
