"""The page of the harnesses names each of them, with what its file never says."""

from benchreg.entities.completeness import BY_KEY
from benchreg.importers.importer import all_importers
from benchreg.publish.harnesses import harnesses


def test_every_importer_has_its_command_line_and_how_it_is_not_misread() -> None:
    page = harnesses(all_importers())
    for one in all_importers():
        assert f"\n### {one.name}\n" in page
        assert one.save in page
        assert len(one.page) > 40
        assert all(why in page for why in one.never.values())


def test_what_a_file_never_says_is_a_condition_of_records() -> None:
    for one in all_importers():
        assert one.never.keys() <= BY_KEY.keys(), one.name


def test_an_importer_that_reads_nothing_says_so_in_its_first_words() -> None:
    page = harnesses(all_importers())
    refusing = {one.name for one in all_importers() if one.page.startswith("Not imported")}
    assert refusing == {
        "aiperf-csv", "inference-perf-requests", "llmperf-responses", "optimum-benchmark-csv",
        "optimum-benchmark-report",
    }  # fmt: skip
    for one in all_importers():
        section = page.partition(f"\n### {one.name}\n")[2].partition("\n### ")[0]
        assert ("What its file does not say" in section) is (one.name not in refusing)
        assert (f"`{one.name}`, which is not imported" in page) is (one.name in refusing)
