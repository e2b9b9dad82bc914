"""How a role is shown: a function that dresses a text, and the one that does not."""

from collections.abc import Callable

Paint = Callable[[str, str], str]


def plain(text: str, role: str) -> str:
    """Paint nothing."""
    del role
    return text
