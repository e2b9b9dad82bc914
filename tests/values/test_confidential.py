"""What should not be in a text: which keys, hosts and addresses are found, and what looks like one.

The keys are put together here, so that no scanner of this repository takes them for real ones.
"""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.values.confidential import has_leak, leaks, might_leak

MIXED = "aB3" * 15
UPPER = "QX7ZK2M4" * 2
JWT = f"eyJ{MIXED}.eyJ{MIXED}.{MIXED}"

KEYS = {
    "AWS": (f"AKIA{UPPER}", "an access key of AWS"),
    "AWS, temporary": (f"ASIA{UPPER}", "an access key of AWS"),
    "GitHub": (f"ghp_{MIXED}", "a token of GitHub"),
    "GitHub, of an app": (f"gho_{MIXED}", "a token of GitHub"),
    "GitHub, fine-grained": (f"github_pat_{MIXED}", "a token of GitHub"),
    "GitLab": (f"glpat-{MIXED}", "a token of GitLab"),
    "Hugging Face": (f"hf_{MIXED}", "a token of Hugging Face"),
    "OpenAI": (f"sk-{MIXED}", "a key of OpenAI or Anthropic"),
    "OpenAI, of a project": (f"sk-proj-{MIXED}", "a key of OpenAI or Anthropic"),
    "Anthropic": (f"sk-ant-api03-{MIXED}", "a key of OpenAI or Anthropic"),
    "NVIDIA": (f"nvapi-{MIXED}", "a key of NVIDIA"),
    "Groq": (f"gsk_{MIXED}", "a key of Groq"),
    "Replicate": (f"r8_{MIXED}", "a token of Replicate"),
    "Slack": (f"xoxb-{MIXED}", "a token of Slack"),
    "Google": (f"AIza{MIXED}", "a key of Google"),
    "a JWT": (JWT, "a signed token (JWT)"),
}
PEM = {
    "RSA": ("-----BEGIN RSA PRIVATE KEY-----", "a private key"),
    "any private key": ("-----BEGIN PRIVATE KEY-----", "a private key"),
}

NAMED = {
    "a header": (f"Authorization: Bearer {MIXED}", "a bearer token"),
    "an option": ("--api-key q7Rf0ZxU", "a secret"),
    "an option that is given a value by =": ("--api-key=letters", "a secret"),
    "a longer option": ("--hf-token q7Rf0ZxU2mLw", "a secret"),
    "a variable": ("HF_TOKEN=q7Rf0ZxU2mLw vllm serve", "a secret"),
    "a variable with a quote": ("export OPENAI_API_KEY='q7Rf0ZxU'", "a secret"),
    "a parameter of an address": ("https://example.org/?access_token=q7Rf0ZxU2m", "a secret"),
    "JSON": ('{"client_secret": "q7Rf0ZxU"}', "a secret"),
    "a password": ("password=correcthorse", "a secret"),
    "a password in an address": ("http://me:q7Rf@example.org/", "a password in an address"),
}

PLACES = {
    "192.168": ("read at 192.168.1.20", "a private host"),
    "172.16": ("172.16.0.3:8000", "a private host"),
    "172.31": ("on 172.31.255.1.", "a private host"),
    "link-local": ("169.254.10.1", "a private host"),
    "10 as an option": ("--host 10.0.0.4 --port 80", "a private host"),
    "10 as an address": ("tcp://10.0.0.1", "a private host"),
    "10 with a port": ("10.1.0.4:8000", "a private host"),
    "10 as a network": ("10.1.0.0/16", "a private host"),
    "IPv6, local": ("[fe80::1]:8000", "a private host"),
    "IPv6, unique": ("fd12:3456::1", "a private host"),
    "a name of an office": ("ran on gpu01.corp", "a private host"),
    "a name of a cluster": ("vllm.default.svc.cluster.local", "a private host"),
    "a name of a cloud": ("http://node-3.internal:8000/v1", "a private host"),
    "mail": ("ask jane.doe+llm@nvidia.com.", "a mail address"),
    "mail, as a link": ("mailto:jane@163.com", "a mail address"),
    "a login": ("ssh jane@gpu01.corp", "a mail address"),
}

NOTHING = {
    "versions": "TensorRT 10.2.0.19, CUDA 12.4.1.0, driver 550.54.15",
    "a build of a version": "10.1.0.4-1, 10.1.0.4+cu124, v10.1.0.4, TensorRT server 10.2.0.19",
    "a public number": "8.8.8.8 and 172.32.0.1",
    "everybody's hosts": "--host 0.0.0.0, 127.0.0.1:8000, http://localhost:8000, [::1]:80",
    "each machine's own": "host.docker.internal:11434",
    "a public name": "https://www.internal-audit.org/local.html",
    "a file that says local": "settings.local.json, .env.local, ~/.local/bin",
    "an image": "vllm/vllm-openai:v0.11.0@sha256:" + "0123456789abcdef" * 4,
    "a commit": "5.1.0 @ 3cebd5ee48, vllm@v0.6.3.post1, vllm@0.11.0.dev",
    "a remote": "git@github.com:vllm-project/vllm.git",
    "mail of nobody": "noreply@github.com, jane@example.org, jane@users.noreply.github.com",
    "a hash": "0123456789abcdef" * 4,
    "ids": "meta-llama/Llama-3.1-8B-Instruct, disk-based-sk-hynix-hbm3e-memory-module-3",
    "rates": "12 tok/s per token = 80 ms; the first token 95 ms",
    "options about tokens": "--max-num-batched-tokens 8192 --max-tokens=512 --return-token-ids",
    "tokens by number or word": "eos_token=151645 stop-token=im_end_of_turn pad_token=<pad1234>",
    "stand-ins": "--api-key EMPTY --api-key=dummy-1 --hf-token $HF_TOKEN API_KEY=<key> key=1",
    "more stand-ins": "token=your-token-0 password=xxxx Bearer $TOKEN --api-key token-abc123",
    "stand-ins in an address": "http://user:password@example.org, https://me:$PASS@example.org",
    "prose": "the secret of its speed; password options; a bearer of long prompts",
    "names too short": "hf_config, sk-1234, ghp_test, AKIA",
    "comparisons": "token==abcdefg1",
}


def cases(table: dict[str, tuple[str, str]]) -> list[object]:
    return [pytest.param(*case, id=name) for name, case in table.items()]


@pytest.mark.parametrize(("text", "what"), cases(KEYS | PEM | NAMED | PLACES))
def test_what_should_not_be_in_a_text_is_found_once(text: str, what: str) -> None:
    assert [leak.what for leak in leaks(text)] == [what]


@pytest.mark.parametrize("text", NOTHING.values(), ids=NOTHING.keys())
def test_what_only_looks_like_it_is_left_alone(text: str) -> None:
    assert list(leaks(text)) == []


@pytest.mark.parametrize(("text", "what"), cases(KEYS))
def test_a_key_is_found_wherever_it_stands(text: str, what: str) -> None:
    within = f"--model m --api-key={text} --port 8000, or ({text}); HF_TOKEN='{text}'."
    assert {leak.what for leak in leaks(within)} == {what}


@pytest.mark.parametrize(("text", "what"), cases(KEYS))
def test_a_key_that_is_part_of_a_longer_word_is_none(text: str, what: str) -> None:
    assert what not in {leak.what for leak in leaks(f"x{text}")}


def test_several_in_one_text_are_each_found() -> None:
    found = leaks(f"curl -u me@corp.com http://10.0.0.1/ -H 'Bearer {MIXED}' --api-key q7Rf0ZxU")
    assert sorted(leak.what for leak in found) == [
        "a bearer token",
        "a mail address",
        "a private host",
        "a secret",
    ]


def test_what_opens_something_is_told_from_what_names_somebody() -> None:
    found = leaks(f"sk-{MIXED} of jane@corp.com on gpu01.corp")
    assert {leak.what: leak.opens for leak in found} == {
        "a key of OpenAI or Anthropic": True,
        "a private host": False,
        "a mail address": False,
    }


@pytest.mark.parametrize(
    "text", ["https://me:q7Rf@example.org/", "http://10.0.0.1/", "https://gpu01.corp/"]
)
def test_the_host_of_an_address_is_left_to_whoever_judges_addresses(text: str) -> None:
    assert len(list(leaks(text))) == 1
    assert list(leaks(text, is_address=True)) == []


def test_a_key_in_an_address_is_found_all_the_same() -> None:
    text = f"https://10.0.0.1/?token={MIXED}"
    assert [leak.what for leak in leaks(text, is_address=True)] == ["a secret"]


SIGNS = "abcdefABCDEF0123456789._-=:/@\"' \n#K\u0131\u017f\u212a"
PIECES = st.sampled_from(
    [
        *(text for text, _ in (KEYS | PEM | NAMED | PLACES).values()),
        *("--api-key ", "token=", "://", "@", "10.0.0.1", "fe80::", ".local", "Bearer "),
    ]
)
TEXTS = st.lists(PIECES | st.text(SIGNS, max_size=12), max_size=6).map("".join)


@given(TEXTS)
def test_whatever_is_found_is_looked_for(text: str) -> None:
    assert might_leak(text) or not list(leaks(text))
    assert has_leak(text) == bool(list(leaks(text)))


@given(TEXTS)
def test_no_more_than_the_beginning_is_told(text: str) -> None:
    for leak in leaks(text):
        assert leak.begins.endswith("...")
        assert leak.begins.removesuffix("...") in text
        assert len(leak.begins) <= len("abcd...")


@pytest.mark.parametrize("secret", ["abc1", "hunter22", "q7Rf0ZxU2mLw"])
def test_no_more_than_a_third_of_a_secret_is_told(secret: str) -> None:
    [leak] = leaks(f"--api-key={secret}")
    assert len(leak.begins) - 3 == min(4, len(secret) // 3)


SLOW = (
    *("sk-a1A", "-eyJ", "eyJa.", "a_", "--a_", "--token", "api_key=", "://a:", "://:@", "a@b."),
    *("10.", "10.1.1.1:1 ", "host 10.", "fe80:", "fd00::1 ", "a.local-", "a.local ", "Bearer a"),
    *("-----BEGIN A ", "a%@", "\"': ", "a@b.cd ", "token=abcdefg1 "),
)


@pytest.mark.parametrize("piece", SLOW)
def test_a_text_that_was_made_to_be_slow_is_not(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    start = process_time()
    list(leaks(text))
    assert process_time() - start < 2  # what takes the square of its length takes minutes
