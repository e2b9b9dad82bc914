"""What should not be in a public text: keys and tokens, private hosts, mail addresses."""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from benchreg.values.hosts import PRIVATE_SUFFIXES, leads_to

MOST_SHOWN: Final = 4


class Leak(NamedTuple):
    """What was found in a text, by its kind, how it begins, and whether it opens something."""

    what: str
    begins: str
    opens: bool


def might_leak(text: str) -> bool:
    """Tell quickly whether a text is worth looking into; where it is not, it holds nothing."""
    for hint in _HINTS:
        if hint in text:
            return True
    return _NUMBERS_HINT.search(text) is not None


def has_leak(text: str) -> bool:
    """Tell whether anything is found in a text."""
    return might_leak(text) and next(leaks(text), None) is not None


def leaks(text: str, *, is_address: bool = False) -> Iterator[Leak]:
    """Yield what should not be in a text, each part of it once, by kind.

    Where a text `is_address`, its host and what stands before it are left to whoever judges
    addresses.
    """
    covered: set[int] = set()
    for kind in _KINDS:
        if is_address and kind.of_address:
            continue
        for found in kind.pattern.finditer(text):
            start, end = found.span("told")
            if start not in covered and kind.is_one(found):
                covered.update(range(start, end))
                yield Leak(kind.what, _beginning(found["told"]), kind.opens)


def _beginning(told: str) -> str:
    """Return how something begins: at most four signs, and never more than a third of it."""
    return f"{told[: min(MOST_SHOWN, len(told) // 3)]}..."


def _stands_in(value: str) -> bool:
    """Tell whether a value only shows where a secret would stand."""
    plain = value.rstrip(".,;)").casefold()
    return (
        plain[:1] in ("", *"$<{*%[")
        or plain in _STAND_INS
        or len(set(plain)) < 3
        or _STAND_IN.search(plain) is not None
    )


_STAND_INS: Final = frozenset(
    (
        *("empty", "none", "null", "any", "test", "key", "token", "secret", "pass", "password"),
        *("hidden", "true", "false"),
    )
)
_STAND_IN = re.compile("your|my[-_]|example|dummy|redacted|placeholder|change|abc123|fake")


def _is_secret(found: re.Match[str]) -> bool:
    """Tell whether a value is one.

    That of a `token` may be a word or the number of a token, and a word behind a mere space may be
    the next one of a sentence.
    """
    value = found["told"]
    has_digit, has_letter = any(map(str.isdigit, value)), any(map(str.isalpha, value))
    if _stands_in(value) or (found["by"] == " " and not has_digit):
        return False
    return found["name"].casefold() != "token" or (len(value) >= 8 and has_digit and has_letter)


def _has_digit(found: re.Match[str]) -> bool:
    return any(map(str.isdigit, found["told"]))


def _is_password(found: re.Match[str]) -> bool:
    return not _stands_in(found["told"])


def _is_private_six(found: re.Match[str]) -> bool:
    return bool(leads_to(found["told"]))


def _is_host(found: re.Match[str]) -> bool:
    return found["told"] != "host.docker.internal"  # each machine's own, whatever the machine


def _is_mail(found: re.Match[str]) -> bool:
    """Tell whether an `@` is one of mail: not of a remote, a version, or a name of RFC 2606."""
    user, _, site = found["told"].lower().partition("@")
    is_version = sum(map(str.isdigit, site.split("."))) > 1
    public = user in ("git", "noreply", "no-reply") or "noreply" in site
    return not is_version and not public and _RESERVED.search(f".{site}") is None


_RESERVED = re.compile(r"\.(?:example(?:\.(?:com|net|org))?|invalid|test)\Z")


class _Kind(NamedTuple):
    """A kind of leak: its pattern, whose group `told` is the leak, and a closer look at it."""

    what: str
    pattern: re.Pattern[str]
    is_one: Callable[[re.Match[str]], bool] = lambda _: True
    of_address: bool = False
    opens: bool = True


def _issued(what: str, form: str) -> _Kind:
    """Return a kind that is known by its form alone."""
    return _Kind(what, re.compile(rf"(?<![A-Za-z0-9_-])(?P<told>{form})"))


# Where a pattern may begin, and how far it may go, is bound, so that none takes longer than a text
# is long.
_QUOTE = r"[\x22\x27]"
_NAME = r"(?P<name>(?:api|secret|access|auth|private)[_-]?key|token|secret|passw(?:or)?d)"
_VALUE = r"(?P<told>[^\s\x22\x27,;|]{4,200})"
_BEFORE = r"(?:[a-z0-9]{1,20}[_-]){0,4}"
_OPTION = rf"(?ai)(?<![A-Za-z0-9_-])--{_BEFORE}{_NAME}(?P<by>[ =]){_QUOTE}?{_VALUE}"
_IS = rf"(?P<by>=(?!=){_QUOTE}?|{_QUOTE}: ?{_QUOTE})"
_EQUALS = rf"(?ai)(?<![A-Za-z0-9]){_BEFORE}{_NAME}{_IS}{_VALUE}"
_LABEL = "[A-Za-z0-9-]{1,63}"
_OCTET = "(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})"
_END = r"(?![\w+-]|\.[0-9])"
# `10.2.0.19` is as often a version as it is a host, so that one counts only where a host is meant.
_TEN = rf"10(?:\.{_OCTET}){{3}}"
_TOLD_HOST = r"(?:://|@|(?<![A-Za-z])(?i:host|addr|address|ip|ssh|ping|url|endpoint)[ =]{1,2})"
_KINDS: Final = (
    _issued("an access key of AWS", "(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _issued("a token of GitHub", "(?:gh[oprsu]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{40})"),
    _issued("a token of GitLab", "glpat-[A-Za-z0-9_-]{20}"),
    _issued("a token of Hugging Face", "hf_[A-Za-z0-9]{30,64}(?![A-Za-z0-9])"),
    _issued(
        "a key of OpenAI or Anthropic",
        "sk-(?=[A-Za-z_-]{0,40}[0-9])(?=[a-z0-9_-]{0,40}[A-Z])[A-Za-z0-9_-]{20,200}",
    ),
    _issued("a key of NVIDIA", "nvapi-[A-Za-z0-9_-]{40}"),
    _issued("a key of Groq", "gsk_[A-Za-z0-9]{40}"),
    _issued("a token of Replicate", "r8_[A-Za-z0-9]{37}"),
    _issued("a token of Slack", "xox[abeoprs]-[A-Za-z0-9-]{10,200}"),
    _issued("a key of Google", "AIza[A-Za-z0-9_-]{35}"),
    _issued("a signed token (JWT)", r"eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,2000}"),
    _Kind(
        "a private key",
        re.compile("(?P<told>-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY)"),
    ),
    _Kind(
        "a bearer token",
        re.compile(r"\b[Bb]earer\s{1,4}(?P<told>[A-Za-z0-9._~+/=-]{16,500})"),
        _has_digit,
    ),
    _Kind("a secret", re.compile(_OPTION), _is_secret),
    _Kind("a secret", re.compile(_EQUALS), _is_secret),
    _Kind(
        "a password in an address",
        re.compile(r"://[^\s/@:?#]{0,100}:(?P<told>[^\s/@?#]{1,200})@"),
        _is_password,
        of_address=True,
    ),
    _Kind(
        "a private host",
        re.compile(
            rf"(?<![\w.])(?P<told>(?:172\.(?:1[6-9]|2[0-9]|3[01])|192\.168|169\.254)"
            rf"(?:\.{_OCTET}){{2}}){_END}"
        ),
        of_address=True,
        opens=False,
    ),
    _Kind(
        "a private host",
        re.compile(rf"{_TOLD_HOST}(?P<told>{_TEN}){_END}"),
        of_address=True,
        opens=False,
    ),
    _Kind(
        "a private host",
        re.compile(rf"(?<![\w.])(?P<told>{_TEN})(?::[0-9]{{2,5}}|/[0-9]{{1,2}})(?![\w.])"),
        of_address=True,
        opens=False,
    ),
    _Kind(
        "a private host",
        re.compile(
            r"(?<![\w:])(?P<told>f(?:[cd][0-9a-f]{2}|e[89ab][0-9a-f])[0-9a-f:]{0,35}"
            r"::[0-9a-f:]{0,35})(?![\w:])"
        ),
        _is_private_six,
        of_address=True,
        opens=False,
    ),
    _Kind(
        "a private host",
        re.compile(
            rf"(?<![\w.@-])(?P<told>(?:{_LABEL}\.){{1,8}}(?:{'|'.join(PRIVATE_SUFFIXES)}))"
            r"(?![\w-]|\.[A-Za-z0-9])"
        ),
        _is_host,
        of_address=True,
        opens=False,
    ),
    _Kind(
        "a mail address",
        re.compile(
            rf"(?<![\w.+%/-])(?P<told>[\w.+%-]{{1,64}}@(?:{_LABEL}\.){{1,8}}[A-Za-z]{{2,24}})"
            r"(?![\w-])"
        ),
        _is_mail,
        opens=False,
    ),
)  # fmt: skip

# One of these is in every text in which anything is found; looking for each is faster than one
# pattern of them all.
_HINTS: Final = (
    *("@", "=", "--", '":', "':", "earer", "AKIA", "ASIA", "AIza", "eyJ", "PRIVATE KEY"),
    *("ghp_", "gho_", "ghr_", "ghs_", "ghu_", "github_pat_", "glpat-", "hf_", "sk-", "nvapi-"),
    *("gsk_", "r8_", "xox", "192.168.", "169.254.", "::"),
    *(f".{suffix}" for suffix in PRIVATE_SUFFIXES),
)
_NUMBERS_HINT = re.compile(r"1(?:0|72)\.[0-9]{1,3}\.[0-9]")
