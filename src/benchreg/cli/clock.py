"""What day it is; nothing but the commands asks."""

from datetime import date, datetime, timedelta, timezone

FIRST_TO_SEE_A_DAY = timezone(timedelta(hours=14))


def today() -> date:
    """Return the latest date that a clock shows anywhere: nobody's today is the future."""
    return datetime.now(FIRST_TO_SEE_A_DAY).date()
