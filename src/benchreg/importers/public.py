"""What an import tells and writes is public: keys, tokens, private hosts and mail stay behind.

So does what could deceive who reads it: control characters, invisible ones and markup.
"""

from benchreg.importers.statement import RunError, Tree
from benchreg.registry.document import leaves
from benchreg.values.confidential import has_leak, leaks
from benchreg.values.text import unsafe_part


def public(text: str) -> str:
    """Return a text that is told of a file, unless it repeats what should not be told."""
    if not has_leak(text):
        return text
    what = next(leaks(text)).what
    return f"a value of it looks like {what}, so that it is not shown; take it out of the file"


def check_public(tree: Tree) -> None:
    """Raise RunError where a text of a record is none that should be in public."""
    for at, text in leaves(tree):
        if not isinstance(text, str):
            continue
        where = ".".join(str(key) for key in at)
        if has_leak(text):
            what = next(leaks(text)).what
            raise RunError(f"its {where} looks like {what}; take it out of the file")
        if unsafe := unsafe_part(text):
            raise RunError(f"its {where} holds {unsafe}; take it out of the file")
