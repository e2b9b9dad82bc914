"""Marks by which a receiving side knows a finding again; no two findings share one."""

from collections import Counter
from collections.abc import Iterable, Iterator

from benchreg.audit.finding import Finding


def marks(findings: Iterable[Finding]) -> Iterator[str]:
    """Yield the fingerprint of each finding, made unlike those before it."""
    return unlike(finding.fingerprint for finding in findings)


def unlike(texts: Iterable[str]) -> Iterator[str]:
    """Yield each text; the second that is equal to another ends in `-2`, and so on."""
    seen: Counter[str] = Counter()
    for text in texts:
        seen[text] += 1
        yield text if seen[text] == 1 else f"{text}-{seen[text]}"
