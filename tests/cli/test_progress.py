"""A person at a terminal sees that a long command is at work; a log never does."""

import io
import sys
import time

import pytest

from benchreg.cli import progress as module
from benchreg.cli.progress import progress


class Terminal(io.StringIO):
    """Standard error of somebody who looks."""

    def isatty(self) -> bool:
        """Tell that it is a terminal."""
        return True


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show progress at once."""
    monkeypatch.setattr(module, "FIRST_S", 0.01)
    monkeypatch.setattr(module, "NEXT_S", 0.01)


@pytest.mark.usefixtures("quick")
def test_a_terminal_shows_what_is_told_and_is_clean_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with progress(lambda: "3 runs read"):
        time.sleep(0.2)
    assert "\r\x1b[K3 runs read, 0 s" in screen.getvalue()
    assert screen.getvalue().endswith("\r\x1b[K")


@pytest.mark.usefixtures("quick")
def test_what_is_no_terminal_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in (io.StringIO(), None):
        monkeypatch.setattr(sys, "stderr", stream)
        with progress(lambda: "3 runs read"):
            time.sleep(0.05)
        assert stream is None or stream.getvalue() == ""


def test_what_is_quick_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with progress(lambda: "3 runs read"):
        pass
    assert screen.getvalue() == ""


@pytest.mark.usefixtures("quick")
def test_an_error_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with pytest.raises(KeyboardInterrupt), progress(lambda: "3 runs read"):
        raise KeyboardInterrupt
    size = len(screen.getvalue())
    time.sleep(0.05)
    assert len(screen.getvalue()) == size
