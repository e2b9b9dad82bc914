"""What day it is, and what the process took; nothing but the commands asks."""

import time
from datetime import date, datetime, timedelta, timezone

FIRST_TO_SEE_A_DAY = timezone(timedelta(hours=14))


def today() -> date:
    """Return the latest date that a clock shows anywhere: nobody's today is the future."""
    return datetime.now(FIRST_TO_SEE_A_DAY).date()


def here() -> date:
    """Return the date where the program runs: the day on which somebody reads or writes."""
    return datetime.now().astimezone().date()


def elapsed() -> float:
    """Return the seconds of a clock that only goes on, to tell how long something takes."""
    return time.monotonic()


def seconds() -> float:
    """Return the seconds of processor time that the process has taken."""
    return time.process_time()
