"""An alias is resolved where it can mean one thing only."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchreg.analysis.aliases import id_meant, metric_meant
from benchreg.registry.links import Link
from benchreg.registry.load import load

Change = Callable[..., Path]


@pytest.mark.parametrize(
    ("name", "harness", "alias", "meant"),
    [
        ("no harness", "", "e2el", "e2e_latency"),
        ("a harness that calls it so", "vllm bench serve 0.11.0", "e2el", "e2e_latency"),
        ("a harness in other letters", "vLLM bench serve", "e2el", "e2e_latency"),
        ("a harness that does not", "trtllm-bench throughput", "e2el", ""),
        ("a harness that nobody knows", "example bench", "e2el", "e2e_latency"),
        ("two tools, two metrics", "", "output_throughput", ""),
        ("one of the two", "vllm bench serve", "output_throughput", "output_throughput"),
        ("the other", "sglang bench_one_batch_server", "output_throughput", "decode_throughput"),
        ("no alias", "", "e2ell", ""),
    ],
)
def test_a_metric_is_meant_where_the_tool_leaves_no_doubt(
    name: str, harness: str, alias: str, meant: str, changed: Change
) -> None:
    said = f"harness: {harness}, " if harness else ""
    registry = load(changed(f"measurement: {{{said}point: server, runs: 3}}\n"))
    assert metric_meant(registry.records["base-record"], alias, registry) == meant, name


MODEL = "records/models/example-model.yaml"


@pytest.mark.parametrize(
    ("link", "meant"),
    [
        pytest.param(Link("models", "model-of-old", ()), "example-model", id="an alias"),
        pytest.param(Link("engines", "model-of-old", ()), "", id="of another kind"),
        pytest.param(Link("models", "example-modell", ()), "", id="a name that is near"),
        pytest.param(Link("records", "run-of-old", ()), "base-record", id="of a record"),
        pytest.param(
            Link("records", "run-of-old#completed_rate", ()),
            "base-record#completed_rate",
            id="of the record of a result",
        ),
        pytest.param(Link("records", "rate-of-old", ()), "", id="of a result"),
        pytest.param(Link("results", "run-of-old", ()), "", id="where a result is named"),
        pytest.param(Link("records", "twice", ()), "", id="of two records"),
    ],
)
def test_an_id_is_meant_where_one_entity_has_the_alias(
    link: Link, meant: str, changed: Change
) -> None:
    rate = "{metric: request_throughput, value: 12.5, unit: req/s, aliases: [rate-of-old]}"
    root = changed(
        f"aliases: [run-of-old, twice]\nresults:\n  completed_rate: {rate}\n",
        example_partner="id: example-partner\naliases: [twice]\n",
        **{"models/example-model": "aliases: [model-of-old]\n"},
    )
    assert id_meant(link, load(root)) == meant
