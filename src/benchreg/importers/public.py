"""What an import tells and writes is public: keys, tokens, private hosts and mail stay behind."""

from benchreg.importers.statement import RunError, Tree
from benchreg.registry.document import leaves
from benchreg.values.confidential import has_leak, leaks


def public(text: str) -> str:
    """Return a text that is told of a file, unless it repeats what should not be told."""
    if not has_leak(text):
        return text
    what = next(leaks(text)).what
    return f"a value of it looks like {what}, so that it is not shown; take it out of the file"


def check_public(tree: Tree) -> None:
    """Raise RunError where a text of a record looks like what should not be in public."""
    for at, text in leaves(tree):
        if isinstance(text, str) and has_leak(text):
            where = ".".join(str(key) for key in at)
            what = next(leaks(text)).what
            raise RunError(f"its {where} looks like {what}; take it out of the file")
