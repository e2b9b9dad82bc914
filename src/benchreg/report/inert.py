"""Text that a service which reads the log of a job does not take for a command.

Runners of workflows act on what a job prints: GitHub's on a line that begins with `::`, and on
`##[` anywhere in a line; Azure's on `##vso[`, TeamCity's on `##teamcity[`. Messages quote files
of strangers, so neither is ever printed unless it is ours.
"""

import json
import re

_ANYWHERE = re.compile(r"##(?=\w*\[)")
_AT_START = re.compile(r"^([^\S\n]*)::", re.MULTILINE)


def inert(text: str) -> str:
    """Write the first character of what begins a command as an escape, wherever it stands."""
    if "##" in text:
        text = _ANYWHERE.sub(r"\\x23#", text)
    return _AT_START.sub(r"\1\\x3a:", text) if "::" in text else text


def inert_json(document: object) -> str:
    """Return a JSON document in printable ASCII that holds no command, and reads back the same.

    Raises ValueError for a number that JSON has not.
    """
    text = json.dumps(document, indent=2, allow_nan=False).replace("\x7f", "\\u007f")
    return _ANYWHERE.sub(r"\\u0023#", text)
