"""Hosts and the addresses of pages: what they lead to, and what makes one unsafe to follow."""

import re
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final, NamedTuple

# Names that no public resolver answers: RFC 6762, RFC 6761, RFC 8375, ICANN's `.internal`, and
# what offices use instead.
PRIVATE_SUFFIXES: Final = (
    *("local", "localdomain", "internal", "intranet", "corp", "lan", "home.arpa"),
)
_NAME = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,30}")
_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]{1,63}|0x[0-9a-f]{0,63})")
_AUTHORITY_END = re.compile(r"[/?#\\]")


class Fault(NamedTuple):
    """Why an address is unsafe: what it is, what to write instead; `plain` where no doubt is."""

    what: str
    hint: str
    plain: bool = True


def leads_to(host: str) -> str:
    """Say where a host leads that is not on the public net; empty where it may be there.

    The host is a name or an IP address, in lower case.
    """
    if host == "localhost" or host.endswith(".localhost"):
        return "this machine itself"
    if address := _address(host):
        return _of_address(address)
    if host.endswith(tuple(f".{suffix}" for suffix in PRIVATE_SUFFIXES)):
        return "a private network"
    return ""


def _address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _of_address(address: IPv4Address | IPv6Address) -> str:
    inner = getattr(address, "ipv4_mapped", None) or address
    if inner.is_loopback or inner.is_unspecified:
        return "this machine itself"
    if inner.is_link_local:
        return "the network at hand"
    return "a private network" if inner.is_private else ""


def faults(url: str) -> Iterator[Fault]:
    """Yield why the address of a page is unsafe; nothing where it is a plain one.

    The authority ends where a browser ends it, at a backslash as well: what follows is no host.
    """
    scheme, _, rest = url.partition("://")
    authority = _AUTHORITY_END.split(rest, maxsplit=1)[0]
    user, has_user, place = authority.rpartition("@")
    if scheme.lower() == "http":
        yield Fault("is not encrypted", "write the https address of the same page")
    elif scheme.lower() != "https":
        yield Fault("is no https address", "write the address of a page, with https://")
    if "\\" in url:
        yield Fault("holds a backslash, which programs read in two ways", "write it with /")
    if has_user:
        what = "credentials" if ":" in user else "a user's name"
        yield Fault(f"holds {what} before the @", "take out what stands between :// and @")
    yield from _of_host(_host(place))


def _host(place: str) -> str:
    """Return the host of an authority without its port, as it is compared."""
    if place.startswith("["):
        return place[1:].partition("]")[0].lower()
    return place.partition(":")[0].lower().removesuffix(".")


def _of_host(host: str) -> Iterator[Fault]:
    if where := leads_to(host):
        yield Fault(f"leads to {where}", "write where everybody finds the page")
    elif _address(host) or _NUMBER.fullmatch(host):
        yield Fault("names a machine by a number", "write the name of the site")
    elif not _NAME.fullmatch(host):
        yield Fault("names no host", "write the address of a page, with https://")
    elif "." not in host:
        yield Fault("leads to a private network", "write where everybody finds the page")
    elif label := next((one for one in host.split(".") if one.startswith("xn--")), ""):
        what = f"has {label} for {_spelled(label)}, which may look like another site"
        yield Fault(what, "make sure that the site is the one that is meant", plain=False)


def _spelled(label: str) -> str:
    """Return the letters of a label in punycode, each that is not plain by its code."""
    try:
        text = label.removeprefix("xn--").encode("ascii").decode("punycode")
    except UnicodeError:
        return "no letters"
    return text.encode("ascii", "backslashreplace").decode("ascii")
