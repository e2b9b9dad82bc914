"""What the schema does not allow is told in words that say what to write instead."""

from collections.abc import Callable

import pytest

from benchreg.entities.record import Record
from benchreg.registry.document import Document, Place
from benchreg.registry.judge import judge

ENGINE = "id: swift\nname: Swift\n"
SOURCE = "id: own-run\ntitle: t\npublisher: p\n"
RECORD = """\
id: run-1
title: A run
kind: measurement
status: active
source: {id: own-run, retrieved: 2026-04-16}
"""
KEYS_OF_ENGINE = (
    "id, name, vendor, aliases, version_scheme, batch_size_is, least_weight_bits, "
    "license, url, note"
)
KINDS_OF_SOURCE = "paper, blog, vendor_docs, result_repository, repository, own_run"
REASONS = "not_stated, unrecoverable, withheld, conflicting, not_applicable, not_checked"

Told = list[tuple[str, str, str, Place]]
Read = Callable[[str], Document]
Refusals = Callable[[str, str], Told]


@pytest.mark.parametrize(
    ("name", "kind", "text", "told"),
    [
        (
            "a key misspelt",
            "engine",
            f"{ENGINE}vendro: X\n",
            ("unknown key 'vendro' in /", "did you mean 'vendor'?", (3, 1)),
        ),
        (
            "a key like no other",
            "engine",
            f"{ENGINE}port: 80\n",
            ("unknown key 'port' in /", f"known keys: {KEYS_OF_ENGINE}", (3, 1)),
        ),
        (
            "a block misspelt",
            "record",
            f"{RECORD}enginee: {{id: swift}}\n",
            ("unknown key 'enginee' in /", "did you mean 'engine'?", (6, 1)),
        ),
        (
            "a key misspelt at depth",
            "record",
            f"{RECORD}hardware:\n  pools:\n    - count: 1\n      noeds: 1\n",
            ("unknown key 'noeds' in /hardware/pools/0", "did you mean 'nodes'?", (9, 7)),
        ),
        (
            "a key like too many others",
            "record",
            f"{RECORD}zzz: 1\n",
            ("unknown key 'zzz' in /", "", (6, 1)),
        ),
        (
            "a key missing",
            "engine",
            "# x\nid: swift\n",
            ("the key 'name' is missing in /", "write it, such as `name: vLLM`", (1, 1)),
        ),
        (
            "a key missing at depth",
            "record",
            f"{RECORD}results:\n  rate: {{metric: x, unit: s}}\n",
            (
                "the key 'value' is missing in /results/rate",
                "write it, such as `value: 800`",
                (7, 3),
            ),
        ),
        (
            "a key missing in a list",
            "record",
            f"{RECORD}hardware: {{pools: [{{count: 1}}, {{nodes: 1}}]}}\n",
            (
                "the key 'count' is missing in /hardware/pools/1",
                "write it, such as `count: 8`",
                (6, 32),
            ),
        ),
        (
            "a word misspelt",
            "source",
            f"{SOURCE}kind: blogg\n",
            ("/kind is 'blogg', which is none of its words", "did you mean 'blog'?", (4, 7)),
        ),
        (
            "a word in capitals",
            "source",
            f"{SOURCE}kind: Blog\n",
            ("/kind is 'Blog', which is none of its words", "did you mean 'blog'?", (4, 7)),
        ),
        (
            "a word like no other",
            "source",
            f"{SOURCE}kind: tweet\n",
            ("/kind is 'tweet', which is none of its words", f"one of {KINDS_OF_SOURCE}", (4, 7)),
        ),
        (
            "a word misspelt in an absence",
            "record",
            f"{RECORD}absent:\n  load: not_statd\n",
            (
                "/absent/load is 'not_statd', which is none of its words",
                "did you mean 'not_stated'?",
                (7, 9),
            ),
        ),
        (
            "a word misspelt in a long absence",
            "record",
            f"{RECORD}absent: {{load: {{because: silent}}}}\n",
            (
                "/absent/load/because is 'silent', which is none of its words",
                f"one of {REASONS}",
                (6, 26),
            ),
        ),
        (
            "a whole number with a point",
            "record",
            f"{RECORD}load: {{batch_size: 64.0}}\n",
            ("/load/batch_size is 64.0, and a whole number is meant", "write 64", (6, 20)),
        ),
        (
            "half a request",
            "record",
            f"{RECORD}load: {{batch_size: 64.5}}\n",
            (
                "/load/batch_size should be a whole number, and is the number 64.5",
                "such as 64",
                (6, 20),
            ),
        ),
        (
            "a number out of range",
            "record",
            f"{RECORD}load: {{request_rate: -1}}\n",
            (
                "/load/request_rate should be greater than 0 and at most 1e+15",
                "such as 12.5",
                (6, 22),
            ),
        ),
        (
            "text for a number",
            "record",
            f"{RECORD}load: {{request_rate: fast}}\n",
            ("/load/request_rate is the text 'fast', and a number is meant", "", (6, 22)),
        ),
        (
            "a text of another form",
            "engine",
            f"{ENGINE}url: example org\n",
            (
                "/url is 'example org', which does not have the form of one",
                "such as 'https://github.com/vllm-project/vllm'",
                (3, 6),
            ),
        ),
        (
            "a list for a text",
            "engine",
            f"{ENGINE}license: [MIT]\n",
            ("/license should be text, and is a list", "such as 'Apache-2.0'", (3, 10)),
        ),
        (
            "a mapping for a text",
            "engine",
            f"{ENGINE}license:\n  id: MIT\n",
            ("/license should be text, and is a mapping", "such as 'Apache-2.0'", (4, 3)),
        ),
        (
            "a number in quotes",
            "record",
            f"{RECORD}load: {{batch_size: '64'}}\n",
            (
                "/load/batch_size is the text '64', and a number is meant",
                "write 64 without quotes",
                (6, 20),
            ),
        ),
        (
            "a number with a comma",
            "record",
            f"{RECORD}load: {{requests: '1,280'}}\n",
            (
                "/load/requests is the text '1,280', and a number is meant",
                "write 1280 without separators and quotes",
                (6, 18),
            ),
        ),
        (
            "a number with an underscore",
            "record",
            f"{RECORD}load: {{requests: 1_280}}\n",
            (
                "/load/requests is the text '1_280', and a number is meant",
                "write 1280 without separators and quotes",
                (6, 18),
            ),
        ),
        (
            "a number with a point, in quotes",
            "record",
            f"{RECORD}load: {{request_rate: '12.50'}}\n",
            (
                "/load/request_rate is the text '12.50', and a number is meant",
                "write 12.50 without quotes",
                (6, 22),
            ),
        ),
        (
            "a number with groups and a point",
            "record",
            f"{RECORD}load: {{request_rate: '1 234 567.5'}}\n",
            (
                "/load/request_rate is the text '1 234 567.5', and a number is meant",
                "write 1234567.5 without separators and quotes",
                (6, 22),
            ),
        ),
        (
            "a comma that groups no thousands",
            "record",
            f"{RECORD}load: {{request_rate: '12,5'}}\n",
            ("/load/request_rate is the text '12,5', and a number is meant", "", (6, 22)),
        ),
        (
            "a number with a unit",
            "record",
            f"{RECORD}load: {{concurrency: 64 users}}\n",
            (
                "/load/concurrency is the text '64 users', and a number is meant",
                "write 64 alone: no unit and no sign",
                (6, 21),
            ),
        ),
        (
            "about a number",
            "record",
            f"{RECORD}load: {{request_rate: ~12.5/s}}\n",
            (
                "/load/request_rate is the text '~12.5/s', and a number is meant",
                "write 12.5 alone: no unit and no sign",
                (6, 22),
            ),
        ),
        (
            "a number of thousands",
            "record",
            f"{RECORD}load: {{requests: 1.2k}}\n",
            ("/load/requests is the text '1.2k', and a number is meant", "", (6, 18)),
        ),
        (
            "two numbers",
            "record",
            f"{RECORD}load: {{requests: 10-20}}\n",
            ("/load/requests is the text '10-20', and a number is meant", "", (6, 18)),
        ),
        (
            "an id in capitals",
            "record",
            f"{RECORD}model: {{id: meta-llama/Llama-3.1_8B}}\n",
            (
                "/model/id is 'meta-llama/Llama-3.1_8B', which does not have the form of one",
                "did you mean 'llama-3.1-8b'?",
                (6, 13),
            ),
        ),
        (
            "a metric in capitals",
            "record",
            f"{RECORD}results: {{a: {{metric: Mean TTFT, value: 1, unit: s}}}}\n",
            (
                "/results/a/metric is 'Mean TTFT', which does not have the form of one",
                "did you mean 'mean_ttft'?",
                (6, 23),
            ),
        ),
        (
            "a date of another country",
            "record",
            RECORD.replace("2026-04-16", "04/16/2026"),
            (
                "/source/retrieved is '04/16/2026', which does not have the form of one",
                "such as '2026-04-16'",
                (5, 34),
            ),
        ),
        (
            "the name of a figure in capitals",
            "record",
            f"{RECORD}results: {{TTFT-mean: {{metric: ttft, value: 1, unit: s}}}}\n",
            (
                "the name 'TTFT-mean' does not have the form of one",
                "begin with a letter; a-z, 0-9, _; did you mean 'ttft_mean'?",
                (6, 11),
            ),
        ),
        (
            "a word of another tool",
            "record",
            f"{RECORD}results: {{a: {{metric: ttft, statistic: median, value: 1, unit: s}}}}\n",
            (
                "/results/a/statistic is 'median', which is none of its words",
                "did you mean 'p50'?",
                (6, 40),
            ),
        ),
        (
            "a word in capitals that is like others",
            "record",
            f"{RECORD}results: {{a: {{metric: ttft, statistic: P99, value: 1, unit: s}}}}\n",
            (
                "/results/a/statistic is 'P99', which is none of its words",
                "did you mean 'p99'?",
                (6, 40),
            ),
        ),
        (
            "no finite number, in quotes",
            "record",
            f"{RECORD}load: {{request_rate: 'Infinity'}}\n",
            ("/load/request_rate is the text 'Infinity', and a number is meant", "", (6, 22)),
        ),
        (
            "a number in quotes that goes on and on",
            "record",
            f"{RECORD}load: {{request_rate: '{'9' * 5000}'}}\n",
            (
                f"/load/request_rate is the text '{'9' * 60}…', and a number is meant",
                "",
                (6, 22),
            ),
        ),
        (
            "a number too small",
            "record",
            f"{RECORD}load: {{batch_size: 0}}\n",
            ("/load/batch_size should be at least 1", "such as 64", (6, 20)),
        ),
        (
            "a word for true",
            "record",
            f"{RECORD}measurement: {{streaming: yes}}\n",
            (
                "/measurement/streaming should be true or false, and is text",
                "write true or false",
                (6, 26),
            ),
        ),
        (
            "an item twice",
            "engine",
            f"{ENGINE}aliases: [a, b, a]\n",
            ("/aliases names an item twice", "keep each item once", (3, 10)),
        ),
        (
            "a text too long",
            "engine",
            f"{ENGINE}license: {'x' * 201}\n",
            ("/license is longer than 200 characters", "say it shorter", (3, 10)),
        ),
        (
            "a text for a list",
            "engine",
            f"{ENGINE}aliases: swift-serve\n",
            (
                "/aliases should be a list, and is text",
                "write `- item` or `[item]`",
                (3, 10),
            ),
        ),
        (
            "a number for a list",
            "engine",
            f"{ENGINE}aliases: 1.50\n",
            (
                "/aliases should be a list, and is the number 1.50",
                "write `- item` or `[item]`",
                (3, 10),
            ),
        ),
        (
            "a list for a mapping of names",
            "record",
            f"{RECORD}results: [rate]\n",
            ("/results should be a mapping, and is a list", "write `key: value` below it", (6, 10)),
        ),
        (
            "a text for a block",
            "record",
            f"{RECORD}load: heavy\n",
            (
                "/load should be a mapping, and is text",
                "write `key: value` below it, or `{batch_size: 64, pattern: static_batch}`",
                (6, 7),
            ),
        ),
        (
            "a placeholder in a closed list",
            "source",
            f"{SOURCE}kind: TODO\n",
            ("/kind is 'TODO', which is none of its words", f"one of {KINDS_OF_SOURCE}", (4, 7)),
        ),
        (
            "a placeholder for a number",
            "record",
            f"{RECORD}load: {{batch_size: TBD}}\n",
            ("/load/batch_size is the text 'TBD', and a number is meant", "", (6, 20)),
        ),
        (
            "markup in a closed list",
            "source",
            f"{SOURCE}kind: <b>\n",
            ("/kind is '<b>', which is none of its words", f"one of {KINDS_OF_SOURCE}", (4, 7)),
        ),
    ],
)
def test_what_the_schema_does_not_allow_is_refused(
    name: str, kind: str, text: str, told: tuple[str, str, Place], refusals: Refusals
) -> None:
    assert refusals(kind, text) == [("schema", *told)], name


def test_an_absence_that_is_written_as_a_block_is_told_its_key(refusals: Refusals) -> None:
    text = f"{RECORD}absent: {{engine: {{version: not_stated}}}}\n"
    message = "unknown key 'version' in /absent/engine"
    assert ("schema", message, "write the key `engine.version`", (6, 19)) in refusals(
        "record", text
    )


@pytest.mark.parametrize(
    ("name", "written", "read_as", "quoted"),
    [
        ("a version that ends in zero", "0.10", "a number", '"0.10"'),
        ("a version with a point", "12.4", "a number", '"12.4"'),
        ("a whole number", "12", "a number", '"12"'),
        ("true", "true", "true or false", '"true"'),
        ("false", "False", "true or false", '"False"'),
        ("leading zeros", "0123456", "a number", '"0123456"'),
        ("an exponent", "12345e7", "a number", '"12345e7"'),
        ("a hexadecimal number", "0x1F", "a number", '"0x1F"'),
    ],
)
def test_text_that_yaml_reads_otherwise_is_to_be_quoted(
    name: str, written: str, read_as: str, quoted: str, refusals: Refusals
) -> None:
    message = f"/engine/version is read as {read_as}, and text is meant"
    assert refusals("record", f"{RECORD}engine: {{version: {written}}}\n") == [
        ("unquoted", message, f"put it in quotes: {quoted}", (6, 19))
    ], name


@pytest.mark.parametrize("version", ['"0.10"', "'12'", "0.10.1", "v1", '"true"', "2026-01-02"])
def test_text_in_quotes_and_text_that_is_no_number_stay(version: str, read: Read) -> None:
    found = judge("record", read(f"{RECORD}engine: {{version: {version}}}\n"))
    assert isinstance(found, Record)
    assert found.engine.version == version.strip("\"'")
