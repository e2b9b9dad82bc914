"""The collector rests while something large is built, and is as it was afterwards."""

import gc

import pytest

from benchreg.values.garbage import collector_at_rest


@pytest.mark.parametrize("was_on", [True, False])
def test_the_collector_is_as_it_was_whatever_happens(was_on: bool) -> None:
    before = gc.isenabled()
    (gc.enable if was_on else gc.disable)()
    try:
        with pytest.raises(KeyError, match="False"), collector_at_rest():
            raise KeyError(gc.isenabled())
        assert gc.isenabled() is was_on
    finally:
        (gc.enable if before else gc.disable)()
        gc.unfreeze()
