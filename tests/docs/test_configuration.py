"""The configuration that the documentation shows is one."""

import re
import tomllib

import pytest

from benchreg.audit.configuration import Settings, configuration
from benchreg.registry.roots import own_root

PAGE = (own_root() / "docs/audit.md").read_text(encoding="utf-8")
SAMPLES = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_there_are_samples() -> None:
    assert SAMPLES


@pytest.mark.parametrize("text", SAMPLES)
def test_a_sample_is_a_configuration(text: str) -> None:
    assert configuration("benchreg.toml", tomllib.loads(text)).path == "benchreg.toml"


def test_the_sample_shows_every_key() -> None:
    shown = {key.replace("-", "_") for text in SAMPLES for key in tomllib.loads(text)}
    assert shown == set(Settings.model_fields)
