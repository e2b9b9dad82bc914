"""The error of bad use: one line for the person who typed the command."""


class BenchregError(Exception):
    """Bad use: a folder that is not there, an unknown rule or id; ends with exit code 2."""


class IncompleteError(Exception):
    """The run could not be finished, by no fault of what it read; ends with exit code 3."""


class NotFoundError(BenchregError):
    """A name that nothing in the registry answers to."""
