"""The page of what the records show together, each answer beside the command that gives it."""

from collections.abc import Callable, Iterable

from benchreg.analysis.finding import Finding
from benchreg.publish.handbook import GENERATED

ABOUT = """# What the records show

Each section is the answer to a question that no single record answers, as the command beside it
prints it; `make docs` writes this page by the same code, and a test holds it against the records.
Only records that stand are asked. A difference between two systems has many reasons, and those
that a source does not state cannot be told apart here: look at the records before you conclude.
"""


def what_records_show(found: Iterable[Finding], told: Callable[[Finding], str]) -> str:
    """Return the page; `told` gives a finding as the command prints it."""
    lines = [GENERATED, ABOUT]
    for one in found:
        head, _, rest = told(one).partition("\n")
        lines += [f"## {head}", "", "```sh", f"benchreg findings {one.name}", "```", rest, ""]
    return "\n".join(lines)
