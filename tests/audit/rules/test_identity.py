"""IDN001 to IDN003 and IDN007 at their edges."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.audit.engine import Report

Change = Callable[..., Path]
Judge = Callable[..., Report]
POOL = """hardware:
  pools:
    - accelerator: example-gpu-{part}gb
      described_as: {words}
      count: {count}
      parallelism: {{tensor: 1}}
"""


@pytest.mark.parametrize(
    ("words", "part", "count", "fits"),
    [
        pytest.param("Example 80GB", 80, 1, True, id="its size"),
        pytest.param("Example 80 GiB", 80, 1, True, id="in GiB"),
        pytest.param("Example-80G", 80, 1, True, id="without a B"),
        pytest.param("8 x Example, 640GB in all", 80, 8, True, id="the size of the pool"),
        pytest.param("Example 40GB", 80, 1, False, id="the size of a sibling"),
        pytest.param("Example 40G", 80, 1, False, id="the size of a sibling without a B"),
        pytest.param("2 x Example 80GB", 40, 2, False, id="a multiple that is a sibling's size"),
        pytest.param("Example, 2000 GB/s", 80, 1, True, id="a bandwidth"),
        pytest.param("Example, 512 GB RAM", 80, 1, True, id="host memory"),
        pytest.param("Example SXM", 80, 1, True, id="its form"),
        pytest.param("Example PCIe", 80, 1, False, id="another form"),
        pytest.param("8 x Example with NVLink", 80, 8, True, id="a link is no form"),
        pytest.param("8xexample", 80, 8, True, id="a number before it"),
        pytest.param("a part", 80, 1, True, id="words that say nothing"),
    ],
)
def test_words_and_part_must_agree(
    words: str,
    part: int,
    count: int,
    fits: bool,
    changed: Change,
    judged: Judge,
) -> None:
    report = judged(changed(POOL.format(words=words, part=part, count=count)))
    assert ("IDN007" in {one.code for one in report.findings}) is not fits


@pytest.mark.parametrize(
    ("pool", "at"),
    [
        pytest.param("count: 1", "", id="nothing names it"),
        pytest.param("could_be: [example-gpu-80gb], count: 1", "", id="only what it could be"),
        pytest.param(
            "accelerator: example-gpu-80gb, could_be: [example-gpu-40gb], count: 1",
            "/could_be",
            id="linked, and something else",
        ),
    ],
)
def test_a_pool_names_its_part_once(pool: str, at: str, changed: Change, judged: Judge) -> None:
    text = f"hardware:\n  pools:\n    - {{{pool}}}\ninferred: {{hardware.could_be: a guess}}\n"
    told = [one.pointer for one in judged(changed(text)).findings if one.code == "IDN007"]
    assert told == [f"/hardware/pools/0{at}"]


@pytest.mark.parametrize(
    ("words", "count", "fits"),
    [
        pytest.param("8 x Example", 8, True, id="the count"),
        pytest.param("8xExample", 16, True, id="of each of two nodes"),
        pytest.param("8 x Example", 4, False, id="fewer"),
        pytest.param("4x Example", 6, False, id="no multiple"),
        pytest.param("Example 8x", 4, True, id="a number behind the name"),
    ],
)
def test_a_number_of_parts_in_the_words_divides_the_count(
    words: str, count: int, fits: bool, changed: Change, judged: Judge
) -> None:
    report = judged(changed(POOL.format(words=words, part=80, count=count)))
    told = [one.pointer for one in report.findings if one.code == "IDN007"]
    assert told == ([] if fits else ["/hardware/pools/0/count"])


@pytest.mark.parametrize(("more", "told"), [("", ["/hardware/pools/1"]), (", role: prefill", [])])
def test_a_pool_stands_once(more: str, told: list[str], changed: Change, judged: Judge) -> None:
    pool = "    - {{accelerator: example-gpu-80gb, count: 8, parallelism: {{tensor: 8}}{}}}\n"
    report = judged(changed("hardware:\n  pools:\n" + pool.format("") + pool.format(more)))
    assert [one.pointer for one in report.findings if one.code == "IDN007"] == told


def test_the_part_that_the_words_mean_is_offered(changed: Change, judged: Judge) -> None:
    report = judged(changed(POOL.format(words="Example 40GB", part=80, count=1)))
    [finding] = [one for one in report.findings if one.code == "IDN007"]
    assert finding.hint == (
        "link the part that the words mean (example-gpu-40gb), or only say what they `could_be`"
    )


@pytest.mark.parametrize(
    ("words", "fits"),
    [
        ("Example 120GB", True),
        ("NVIDIA Example 120GB", True),
        ("example-120gb", True),
        ("Example 120GB PCIe", False),
        ("Example 40GB", False),
    ],
)
def test_a_part_is_what_its_aliases_call_it(
    words: str, fits: bool, changed: Change, judged: Judge
) -> None:
    root = changed(POOL.format(words=words, part=80, count=1))
    part = root / "records/accelerators/example-gpu-80gb.yaml"
    text = part.read_text(encoding="utf-8")
    assert "aliases" not in text
    part.write_text(text + "aliases: [example-120gb]\n", encoding="utf-8")
    assert ("IDN007" in {one.code for one in judged(root).findings}) is not fits


def test_a_family_named_in_the_words_must_be_the_parts(changed: Change, judged: Judge) -> None:
    root = changed(POOL.format(words="8 x A100s", part=80, count=8))
    other = root / "records/accelerators/other.yaml"
    text = (root / "records/accelerators/example-gpu-80gb.yaml").read_text(encoding="utf-8")
    other.write_text(
        text.replace("id: example-gpu-80gb", "id: other").replace(": example\n", ": a100\n"),
        encoding="utf-8",
    )
    found = [one for one in judged(root).findings if one.code == "IDN007"]
    assert len(found) == 1
    assert "is of the family example" in found[0].message


@pytest.mark.parametrize("words", ["2xL40S", "NVIDIA L40S", "L40S", "8 x L40Ss"])
def test_an_s_at_the_end_of_a_name_is_no_plural_of_another_family(
    words: str, changed: Change, judged: Judge
) -> None:
    root = changed(POOL.format(words=words, part=80, count=8))
    part = root / "records/accelerators/example-gpu-80gb.yaml"
    text = part.read_text(encoding="utf-8")
    part.write_text(text.replace(": example\n", ": l40s\n"), encoding="utf-8")
    other = text.replace("id: example-gpu-80gb", "id: other").replace(": example\n", ": l40\n")
    (root / "records/accelerators/other.yaml").write_text(other, encoding="utf-8")
    assert "IDN007" not in {one.code for one in judged(root).findings}


@pytest.mark.parametrize(
    ("fragment", "hint"),
    [
        ('engine: {id: example-engin, version: "1"}\n', "did you mean 'example-engine'?"),
        ("model: {id: zzz}\n", "add what it names, or take the reference out"),
        ("links: {replicates: [example-partners]}\n", "did you mean 'example-partner'?"),
    ],
)
def test_what_is_not_there_is_told_with_what_is_near(
    fragment: str, hint: str, changed: Change, judged: Judge
) -> None:
    report = judged(changed(fragment))
    assert [one.hint for one in report.findings if one.code == "IDN003"] == [hint]


def test_a_name_that_is_taken_is_told_in_both_files(changed: Change, judged: Judge) -> None:
    other = "id: example-partner\naliases: [one-name]\n"
    report = judged(changed("aliases: [one-name]\n", example_partner=other))
    found = [one for one in report.findings if one.code == "IDN002"]
    files = [one.path.rpartition("/")[2] for one in found]
    assert files == ["base-record.yaml", "example-partner.yaml"]
    assert "example-partner.yaml:" in found[0].message


def test_a_record_in_the_folder_of_another_source_is_told(base: Path, judged: Judge) -> None:
    folder = base / "records/benchmarks/other-source"
    folder.mkdir()
    (base / "records/benchmarks/example-source/base-record.yaml").rename(
        folder / "base-record.yaml"
    )
    [finding] = judged(base).findings
    assert (finding.code, finding.pointer) == ("IDN001", "/source/id")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        pytest.param("Example", [], id="either"),
        pytest.param("Example 80GB", ["/hardware/pools/0/could_be/0"], id="one of the two"),
        pytest.param(
            "Example 96GB",
            ["/hardware/pools/0/could_be/0", "/hardware/pools/0/could_be/1"],
            id="neither",
        ),
    ],
)
def test_what_a_part_could_be_is_what_the_words_allow(
    words: str, expected: list[str], changed: Change, judged: Judge
) -> None:
    report = judged(changed(COULD_BE.format(words)))
    assert [one.pointer for one in report.findings if one.code == "IDN007"] == expected


COULD_BE = """hardware:
  pools:
    - described_as: {}
      could_be: [example-gpu-40gb, example-gpu-80gb]
      count: 1
      parallelism: {{tensor: 1}}
inferred:
  hardware.could_be: the source does not say how much memory the part has
"""
