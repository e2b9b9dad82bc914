"""Figures side by side: what can be compared and what keeps them apart, in three forms."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from benchreg.analysis.comparison import Condition, Facet
from benchreg.report.chosen import standing
from benchreg.report.inert import inert_json
from benchreg.report.paint import Paint, plain
from benchreg.report.rows import beside as counterpart
from benchreg.report.sheet import Sheet, as_markdown, as_text, wrapped
from benchreg.snapshot.picked import Beside, Figure, Ratio
from benchreg.values.text import brief, in_markdown, shown, spoken

LONGEST, LEAST, BESIDE = 60, 12, 32


class Page(NamedTuple):
    """What a comparison is shown on, and whether ratios stand even where they mean little."""

    width: int = 120
    paint: Paint = plain
    anyway: bool = False


def table(found: Sequence[Beside], page: Page) -> str:
    """Return comparisons for people."""
    return "\n\n".join("\n".join(_lines(one, page)) for one in found)


def _lines(one: Beside, page: Page) -> Iterator[str]:
    for place, figure in enumerate(one.figures):
        yield page.paint(f"{_letter(place)}  {shown(figure.answer.row.key)}", "title")
        yield f"   {_value(figure)}"
        yield from wrapped(_about(figure), page.width, "   ")
    metric = one.figures[0].answer.row.metric
    if one.definition and len({figure.answer.row.metric for figure in one.figures}) == 1:
        yield from wrapped(shown(f"{metric}: {one.definition}", 2000), page.width, "")
    yield ""
    yield from _verdict(one, page)
    yield from _others(one, page)
    yield from _ratios(one, page)


def _letter(place: int) -> str:
    return chr(ord("A") + place) if place < 26 else f"#{place + 1}"


def _value(figure: Figure) -> str:
    row = figure.answer.row
    if row.value is None:
        return shown(row.status)
    beside = f"{counterpart(row.seen_by_request)}{standing(row)}"
    return shown(f"{brief(row.value)} {row.unit}{beside}")


def _about(figure: Figure) -> str:
    row = figure.answer.row
    called = f", called {figure.source_name!r} there" if figure.source_name else ""
    parts = (
        row.scope,
        row.statistic,
        f"window {row.window}",
        f"{row.source}, {row.locator}{called}",
    )
    return shown("; ".join(part for part in parts if part), 1000)


def _verdict(one: Beside, page: Page) -> Iterator[str]:
    """Yield whether the figures can be compared, with the list of what keeps them apart."""
    refused = one.comparison.refused_by
    if not refused:
        yield page.paint("comparable", "help")
        return
    yield page.paint(f"NOT COMPARABLE: {len(refused)} conditions differ or are not known", "error")
    yield as_text(_sheet(one, refused, page.width), page.width, "  ")
    if hint := _hint(one):
        yield from wrapped(hint, page.width, "")


def _hint(one: Beside) -> str:
    """Return what to compare instead where tokens are not the same tokens."""
    if not one.comparison.counts_other_tokens:
        return ""
    return (
        "Tokens of different tokenizers are not the same amount of text: compare "
        "request_throughput instead, in requests a second."
    )


def _sheet(one: Beside, conditions: Iterable[Condition], width: int = 400) -> Sheet:
    letters = tuple(_letter(place) for place in range(len(one.figures)))
    room = max(LEAST, (width - BESIDE) // len(letters) - 2)
    rows = [
        (condition.title, condition.word, *(_said(facet, room) for facet in condition.facets))
        for condition in conditions
    ]
    return Sheet(("condition", "", *letters), list(rows))


def _said(facet: Facet | None, room: int = LONGEST) -> str:
    if facet is None:
        return "does not apply"
    if facet.state == "silent":
        return "not said"
    mark = " (inferred)" if facet.state == "inferred" else ""
    text = spoken(facet.value) if facet.value.isidentifier() else facet.value
    return f"{shown(text, min(room - len(mark) - 1, LONGEST))}{mark}"


def _others(one: Beside, page: Page) -> Iterator[str]:
    """Yield what is shared without being known, what the question varies, and what is equal."""
    groups = {
        "not known, and the same unknown": ("same unknown",),
        "inferred, and the same inference": ("same inference",),
        "said by none": ("neither says",),
        "varied by the question": ("varied",),
        "beside the comparison": ("noted",),
        "equal": ("equal", "alike"),
    }
    for told, words in groups.items():
        some = [condition for condition in one.comparison.conditions if condition.word in words]
        if some:
            listed = "; ".join(_short(condition) for condition in some)
            yield from wrapped(f"{told}: {listed}", page.width, "")


def _short(condition: Condition) -> str:
    values = list(dict.fromkeys(_said(facet) for facet in condition.facets))
    if condition.word == "neither says":
        return condition.title
    return f"{condition.title} {' / '.join(values)}"


def _ratios(one: Beside, page: Page) -> Iterator[str]:
    if not (one.comparison.comparable or page.anyway):
        return
    mark = "" if one.comparison.comparable else " (NOT COMPARABLE)"
    for place, ratio in enumerate(one.ratios, 1):
        yield f"{_letter(place)} / A: {_ratio(ratio)}{mark}"


def _ratio(ratio: Ratio) -> str:
    if ratio.value is None:
        return "none, A is 0"
    ends = (
        "" if ratio.low is None else f", {ratio.low:.4g} to {ratio.high:.4g} by the printed digits"
    )
    return f"{ratio.value:.4g}{ends}"


def as_json(found: Sequence[Beside], page: Page) -> str:
    """Return comparisons as objects."""
    return inert_json([_object(one, page) for one in found])


def _object(one: Beside, page: Page) -> dict[str, object]:
    ratios = one.comparison.comparable or page.anyway
    return {
        "comparable": one.comparison.comparable,
        "figures": [_figure(figure) for figure in one.figures],
        "definition": one.definition,
        "conditions": [
            {
                "condition": condition.key,
                "verdict": condition.word,
                "values": [facet and facet._asdict() for facet in condition.facets],
            }
            for condition in one.comparison.conditions
        ],
        "ratios": [
            {"of": ratio.key, "to": one.figures[0].answer.row.key, "ratio": ratio.value,
             "low": ratio.low, "high": ratio.high}
            for ratio in one.ratios
        ] if ratios else None,
        "advice": _hint(one) or None,
    }  # fmt: skip


def _figure(figure: Figure) -> dict[str, object]:
    row = figure.answer.row
    value = None if row.value is None else float(row.value)
    return {
        "key": row.key, "value": value, "unit": row.unit, "seen_by_request": row.seen_by_request,
        "metric": row.metric, "scope": row.scope, "statistic": row.statistic, "window": row.window,
        "status": row.status, "verdict": row.verdict,
        "source": row.source, "locator": row.locator, "source_name": figure.source_name,
    }  # fmt: skip


def markdown(found: Sequence[Beside], page: Page) -> str:
    """Return comparisons as lists and tables of GitHub's markdown."""
    return "\n\n".join("\n".join(_marked(one, page)) for one in found)


def _marked(one: Beside, page: Page) -> Iterator[str]:
    for place, figure in enumerate(one.figures):
        key, about = in_markdown(shown(figure.answer.row.key)), in_markdown(_about(figure))
        yield f"- {_letter(place)}: {key}: {in_markdown(_value(figure))}; {about}"
    yield ""
    refused = one.comparison.refused_by
    told = f"**Not comparable**: {len(refused)} conditions differ or are not known."
    yield told if refused else "**Comparable.**"
    if refused:
        yield from ("", as_markdown(_sheet(one, refused)))
    yield ""
    unknown = [in_markdown(_short(condition)) for condition in one.comparison.shared]
    if unknown:
        yield f"The same unknowns and inferences: {'; '.join(unknown)}."
    yield from (f"\n{line}" for line in _ratios(one, page))


FORMS: dict[str, Callable[[Sequence[Beside], Page], str]] = {
    "table": table,
    "json": as_json,
    "markdown": markdown,
}
