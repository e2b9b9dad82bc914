"""Commands are tested as they run on a desk, whatever service runs the tests."""

import pytest

OF_SERVICES = (
    *("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_SERVER_URL", "GITHUB_REPOSITORY"),
    *("GITHUB_SHA", "CI_PROJECT_URL", "CI_COMMIT_SHA"),
)


@pytest.fixture(autouse=True)
def at_a_desk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what services say of themselves."""
    for name in OF_SERVICES:
        monkeypatch.delenv(name, raising=False)
