"""Addresses of pages: which are safe to follow, and what is said of the others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchreg.values.hosts import faults, leads_to


def said(url: str) -> list[str]:
    return [fault.what for fault in faults(url)]


@pytest.mark.parametrize(
    "url",
    [
        "https://mlcommons.org/",
        "https://github.com/vllm-project/vllm/tree/v0.11.0?tab=readme#install",
        "https://web.archive.org/web/2026/http://10.0.0.1/@here",
        "https://EXAMPLE.org:8443/a:b@c",
        "https://example.org.",
        "https://1.example.org/",
        "https://example.org?to=http://localhost",
    ],
)
def test_a_plain_address_has_no_fault(url: str) -> None:
    assert said(url) == []


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://example.org/", ["is not encrypted"]),
        ("ftp://example.org/", ["is no https address"]),
        ("file:///etc/passwd", ["is no https address", "names no host"]),
        ("javascript://example.org/%0aalert(1)", ["is no https address"]),
        ("https://me:q7Rf@example.org/", ["holds credentials before the @"]),
        ("https://me@example.org/", ["holds a user's name before the @"]),
        ("https://@example.org/", ["holds a user's name before the @"]),
        ("https://example.org@10.0.0.1/",
         ["holds a user's name before the @", "leads to a private network"]),
        ("https://localhost/", ["leads to this machine itself"]),
        ("https://LOCALHOST.:8000/", ["leads to this machine itself"]),
        ("https://a.localhost/", ["leads to this machine itself"]),
        ("https://127.0.0.1:8000/", ["leads to this machine itself"]),
        ("https://0.0.0.0/", ["leads to this machine itself"]),
        ("https://[::1]/", ["leads to this machine itself"]),
        ("https://[::ffff:127.0.0.1]/", ["leads to this machine itself"]),
        ("https://10.0.0.1/", ["leads to a private network"]),
        ("https://172.16.3.4/", ["leads to a private network"]),
        ("https://192.168.0.1:8080/x", ["leads to a private network"]),
        ("https://[fd00::1]/", ["leads to a private network"]),
        ("https://169.254.169.254/latest", ["leads to the network at hand"]),
        ("https://[fe80::1]/", ["leads to the network at hand"]),
        ("https://wiki/", ["leads to a private network"]),
        ("https://gpu01.corp/", ["leads to a private network"]),
        ("https://node.internal/", ["leads to a private network"]),
        ("https://printer.local/", ["leads to a private network"]),
        ("https://box.home.arpa/", ["leads to a private network"]),
        ("https://8.8.8.8/", ["names a machine by a number"]),
        ("https://[2606:4700::1111]/", ["names a machine by a number"]),
        ("https://2130706433/", ["names a machine by a number"]),
        ("https://0x7f.1/", ["names a machine by a number"]),
        ("https://127.1/", ["names a machine by a number"]),
        ("https://0177.0.0.1/", ["names a machine by a number"]),
        ("https:///path", ["names no host"]),
        ("https://", ["names no host"]),
        ("https://%31%30.example.org/", ["names no host"]),
        ("https://[::1/", ["leads to this machine itself"]),
        ("https://[nothing]/", ["leads to a private network"]),
        ("https://a..org/", ["names no host"]),
        ("https://evil.example\\@example.org/",
         ["holds a backslash, which programs read in two ways"]),
        ("http://me:q7Rf@192.168.0.7/",
         ["is not encrypted", "holds credentials before the @", "leads to a private network"]),
    ],
)  # fmt: skip
def test_a_fault_of_an_address_is_told(url: str, expected: list[str]) -> None:
    assert said(url) == expected
    assert all(fault.plain and fault.hint for fault in faults(url))


def test_a_host_in_punycode_is_spelled_out_without_its_letters() -> None:
    [fault] = faults("https://www.xn--80ak6aa92e.com/")
    assert fault.what == (
        r"has xn--80ak6aa92e for \u0430\u0440\u0440\u04cf\u0435, which may look like another site"
    )
    assert not fault.plain


def test_punycode_that_is_none_is_told_as_well() -> None:
    [fault] = faults("https://xn--a-\u0081.org/".encode("ascii", "ignore").decode())
    assert fault.what.startswith("has xn--a- for ")


def test_the_password_is_not_told() -> None:
    assert not any("q7Rf" in one.what + one.hint for one in faults("http://me:q7Rf@10.0.0.1/"))


HOSTS = st.sampled_from(
    ["", "a.org", "localhost", "10.0.0.1", "[::1]", "[", "]", "xn--", "xn--a-b.org", "1.", "%", "a"]
)


@given(st.lists(HOSTS | st.text("a1.:@[]/\\?#%-_", max_size=4), max_size=6).map("".join))
def test_every_address_that_the_schema_lets_pass_is_judged(rest: str) -> None:
    for fault in faults(f"https://{rest}"):
        assert fault.what.isascii()
        assert fault.what.isprintable()


@pytest.mark.parametrize("host", ["example.org", "8.8.8.8", "internal", "corp.com", "2606:4700::1"])
def test_a_public_host_leads_nowhere_in_particular(host: str) -> None:
    assert leads_to(host) == ""
