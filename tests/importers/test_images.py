"""The name of an image is kept, and the host of a private registry is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.importers.images import PUBLIC, image


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("vllm/vllm-openai:v0.11.0", "vllm/vllm-openai:v0.11.0"),
        ("ghcr.io/org/tgi@sha256:" + "0" * 64, "ghcr.io/org/tgi@sha256:" + "0" * 64),
        ("nvcr.io#nvidia/sglang:1", "nvcr.io#nvidia/sglang:1"),
        ("registry.example.org:5000/team/vllm:1", "team/vllm:1"),
        ("10.0.0.7/vllm:1", "vllm:1"),
        ("localhost/vllm:1", "vllm:1"),
        ("vllm:1", "vllm:1"),
        ("host.example/", None),
        ("vllm:1\n", None),
        ("two words", None),
        (None, None),
    ],
)
def test_an_image_is_named_without_a_private_host(said: str | None, kept: str | None) -> None:
    assert image(said) == kept


@given(host=st.from_regex(r"[a-z]{1,8}(\.[a-z]{1,8}){1,3}(:[0-9]{1,5})?", fullmatch=True))
def test_no_unknown_host_stays(host: str) -> None:
    kept = image(f"{host}/team/engine:1")
    assert kept == "team/engine:1" or host in PUBLIC
