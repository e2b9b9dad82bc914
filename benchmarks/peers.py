"""Measure the roofline estimator beside its peers, on the same configurations, in one run.

    python benchmarks/peers.py [--into FOLDER] [--repeat 3]
        [--compute-efficiency 1] [--memory-efficiency 1] [--link-efficiency 1]

llm-analysis and GenZ are installed into environments of their own, below the folder that is kept.
Both are given the sizes of the models and of the parts below, not their own tables, and the same
efficiencies. What each answers is left in the folder as JSON, with what links take of each time; a
table follows of the time to the first token (TTFT) and of the time per output token (TPOT), and of
the process CPU time that an evaluation took.

The time per output token is that of the last token, whose context is input and output together:
it is the only one that all three can say.

What to expect of a comparison, for the peers differ in what they count:

- llm-analysis reads the cache of keys and values twice for every token ("load and store"), adds
  that to the rest, and adds the whole input embedding, not divided among parts, but no weights of
  the last layer. The operations of its feed-forward layer are 16 x hidden x hidden a token,
  whatever its size and however many experts: too few for Llama 2 70B and for Mixtral. It reads the
  weights of all experts. Memory and compute overlap within attention and within feed-forward.
- GenZ takes the greater of memory and compute for every matrix product, counts the input embedding
  of a prefill as a product with the whole vocabulary, gathers the logits, adds 5 us to each
  collective, has a third all-reduce in a layer of experts, and in decoding reads the weights of as
  many experts as one token has, whatever the batch.
- Both count the last layer for every token of a prefill, and attention without its causal half.
"""

import argparse
import dataclasses
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchreg.roofline.hardware import Part as Machine
from benchreg.roofline.model import NO_WINDOW, Terms
from benchreg.roofline.request import Lengths, prefill
from benchreg.roofline.step import Coefficients, Layout, Setup, Storage, decode_step

CHILD = Path(__file__).with_name("peers_child.py")
# the rest of what llm-analysis names serves only to fetch definitions from elsewhere
PEERS = {
    "llm-analysis": ["--no-deps", "llm-analysis==0.2.2", "fire==0.7.1", "termcolor==3.1.0"],
    "genz-llm": ["genz-llm==0.0.16"],
}
OURS = "benchreg"
GIBI = 2**30
BYTES = 2  # bfloat16, of a weight and of an element of the cache
FILLED = 0.9  # how much of the memory weights and cache may take


@dataclasses.dataclass(frozen=True)
class Model:
    """The sizes of a model whose feed-forward layer has three matrices, and no tied embedding."""

    name: str
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    intermediate: int  # of one expert, where there are several
    vocabulary: int
    experts: int = 1
    experts_a_token: int = 1

    def weights(self) -> int:
        """Return how many weights there are, norms left out."""
        head = self.hidden // self.heads
        attention = 2 * self.hidden * head * (self.heads + self.kv_heads)
        router = self.hidden * self.experts if self.experts > 1 else 0
        feed = 3 * self.hidden * self.intermediate * self.experts
        return self.layers * (attention + router + feed) + 2 * self.vocabulary * self.hidden

    def cache(self) -> int:
        """Return how many elements one token has in the cache of keys and values."""
        return 2 * self.layers * self.kv_heads * (self.hidden // self.heads)


@dataclasses.dataclass(frozen=True)
class Part:
    """The peaks of a part: dense operations, and bytes as decimal GB a second."""

    name: str
    bf16_tflops: float
    memory_gb_s: float
    memory_gib: float
    link_gb_s: float  # one way


@dataclasses.dataclass(frozen=True)
class Configuration:
    """What is evaluated: one batch that is prefilled whole, then decoded token by token."""

    model: Model
    part: Part
    tensor_parallel: int
    batch: int
    input_tokens: int
    output_tokens: int
    compute_efficiency: float = 1.0
    memory_efficiency: float = 1.0
    link_efficiency: float = 1.0

    def fits(self) -> bool:
        """Tell whether weights and cache, divided evenly, leave some memory free."""
        tokens = self.batch * (self.input_tokens + self.output_tokens)
        needed = BYTES * (self.model.weights() + tokens * self.model.cache())
        return needed / self.tensor_parallel <= FILLED * self.part.memory_gib * GIBI

    def __str__(self) -> str:
        return (
            f"{self.model.name} {self.part.name} tp{self.tensor_parallel} b{self.batch}"
            f" {self.input_tokens}/{self.output_tokens}"
        )


class Result(NamedTuple):
    """The two times of one configuration."""

    ttft_ms: float
    tpot_ms: float


class Run(NamedTuple):
    """What one tool answers: a result for each configuration, or nothing where it refused."""

    results: list[Result | None]
    seconds: float  # of process CPU time, for one configuration


LLAMA_2_7B = Model("llama-2-7b", 32, 4096, 32, 32, 11008, 32000)
LLAMA_2_13B = Model("llama-2-13b", 40, 5120, 40, 40, 13824, 32000)
LLAMA_2_70B = Model("llama-2-70b", 80, 8192, 64, 8, 28672, 32000)
MIXTRAL_8X7B = Model("mixtral-8x7b", 32, 4096, 32, 8, 14336, 32000, 8, 2)
A100 = Part("a100-sxm-80gb", 312.0, 2039.0, 80.0, 300.0)
H100 = Part("h100-sxm-80gb", 989.4, 3350.0, 80.0, 450.0)
MODELS = (LLAMA_2_7B, LLAMA_2_13B, LLAMA_2_70B, MIXTRAL_8X7B)
WAYS = (1, 2, 4, 8)
LOADS = (
    (H100, (1, 2, 4, 8, 16, 32, 64), (512, 128)),
    (H100, (1, 8, 32, 64), (128, 1024)),
    (A100, (1, 4, 16, 32), (2048, 128)),
)
APART = 1.2


def terms(model: Model) -> Terms:
    """Return the sizes of a model as the estimator counts them; norms are left out as by peers."""
    head = model.hidden // model.heads
    feed = 3 * model.hidden * model.intermediate * model.layers
    many = model.experts > 1
    return Terms(
        stored=float(model.weights()),
        head=float(model.vocabulary * model.hidden),
        attention=float(2 * model.layers * model.hidden * head * (model.heads + model.kv_heads)),
        mlp=float(model.layers * model.hidden * model.experts if many else feed),
        experts=float(feed * model.experts if many else 0),
        total=float(model.experts),
        active=float(model.experts_a_token),
        layers=float(model.layers),
        sparse_layers=float(model.layers if many else 0),
        hidden_size=float(model.hidden),
        heads=float(model.heads),
        kv_heads=float(model.kv_heads),
        cache=float(model.cache()),
        cache_window=0.0,
        score=float(4 * model.layers * model.hidden),
        score_window=0.0,
        score_prefill=1.0,
        window=NO_WINDOW,
    )


def part(configuration: Configuration) -> Machine:
    """Return the peaks of a part; the link's efficiency is the estimator's to the peers."""
    one = configuration.part
    return Machine(
        one.memory_gib * GIBI,
        one.memory_gb_s * 1e9,
        one.bf16_tflops * 1e12,
        one.link_gb_s * 1e9 * configuration.link_efficiency,
    )


def ours(configurations: list[Configuration], repeat: int) -> Run:
    """Evaluate the configurations with benchreg, `repeat` times after once to warm up.

    The time to the first token is that of one pass of the whole batch over its prompts, the time
    per output token that of the last step. The seconds are the median of process CPU time over one
    evaluation of all configurations, from their numbers to both times, divided by their number;
    the sizes of models and parts are looked up before, as the peers' are.
    """
    models = Terms.stack([terms(one.model) for one in configurations])
    parts = Machine.stack([part(one) for one in configurations])
    first = configurations[0]
    coefficients = Coefficients(
        first.memory_efficiency,
        first.compute_efficiency,
        exposed=0.0,
        overhead_s=0.0,
        reserved_bytes=0.0,
    )
    times: list[float] = []
    for _ in range(repeat + 1):
        start = time.process_time_ns()
        batch, tensor, given, made = np.array(
            [
                (one.batch, one.tensor_parallel, one.input_tokens, one.output_tokens)
                for one in configurations
            ],
            float,
        ).T
        setup = Setup(models, parts, Layout(tensor), Storage(2.0, 2.0, 2.0), coefficients)
        ttft = prefill(setup, batch, Lengths(given, made)).total_s
        tpot = decode_step(setup, batch, given + made).total_s
        times.append((time.process_time_ns() - start) / 1e9)
    results: list[Result | None] = [
        Result(float(one), float(other)) for one, other in zip(ttft * 1e3, tpot * 1e3, strict=True)
    ]
    return Run(results, statistics.median(times[1:]) / len(configurations))


def sparse(one: Configuration) -> bool:
    """Tell whether the model has experts."""
    return one.model.experts > 1


def joined(one: Configuration) -> bool:
    """Tell whether there are collectives."""
    return one.tensor_parallel > 1


# Why a peer is over a fifth away, by peer, time and kind of configuration; the first that holds.
REASONS: tuple[tuple[str, str, Callable[[Configuration], bool], str], ...] = (
    ("llm-analysis", "TTFT", sparse, "16 hidden^2 operations of a feed-forward, and all experts"),
    ("llm-analysis", "TPOT", sparse, "the weights of all experts are read"),
    (
        "llm-analysis",
        "TPOT",
        lambda one: one.model.kv_heads == one.model.heads,
        "the cache is read twice, and not overlapped",
    ),
    (
        "genz-llm",
        "TPOT",
        lambda one: sparse(one) and one.batch > 1,
        "the weights of as many experts are read as one token has",
    ),
    ("genz-llm", "TTFT", sparse, "a third all-reduce, and logits of all tokens"),
    ("genz-llm", "TTFT", joined, "5 us for each collective, and logits of all tokens"),
    ("genz-llm", "TPOT", joined, "5 us for each collective"),
)


def reason(peer: str, label: str, one: Configuration) -> str:
    """Return why a peer is over a fifth away; empty where nobody knows."""
    for other, time_of, holds, text in REASONS:
        if (other, time_of) == (peer, label) and holds(one):
            return text
    return ""


def chosen(options: argparse.Namespace) -> list[Configuration]:
    """Return the configurations that fit."""

    def every() -> Iterator[Configuration]:
        efficiencies = (
            options.compute_efficiency, options.memory_efficiency, options.link_efficiency
        )  # fmt: skip
        for part, batches, (given, made) in LOADS:
            for model, ways, batch in itertools.product(MODELS, WAYS, batches):
                yield Configuration(model, part, ways, batch, given, made, *efficiencies)

    return [one for one in every() if one.fits()]


def python(folder: Path, name: str) -> Path:
    """Return the Python of an environment that holds a peer and nothing of the project."""
    home = folder / name
    wanted = PEERS[name]
    done = home / "installed.json"
    if not done.exists() or json.loads(done.read_text(encoding="utf-8")) != wanted:
        venv.create(home, with_pip=True, clear=True)
        pip = [str(home / "bin/python"), "-m", "pip", "install", "--quiet", *wanted]
        subprocess.run(pip, check=True)
        done.write_text(json.dumps(wanted), encoding="utf-8")
    return home / "bin/python"


def peer(folder: Path, name: str, configurations: list[Configuration], repeat: int) -> Run:
    """Evaluate the configurations with a peer, and leave what it says in the folder."""
    tasks = [dataclasses.asdict(one) for one in configurations]
    child = subprocess.run(
        [str(python(folder, name)), str(CHILD), name],
        input=json.dumps({"repeat": repeat, "configurations": tasks}),
        stdout=subprocess.PIPE,
        check=True,
        encoding="utf-8",
    )
    said: dict[str, Any] = json.loads(child.stdout)
    results: list[Result | None] = []
    for task, one in zip(tasks, said["results"], strict=True):
        refused = "refused" in one
        results.append(None if refused else Result(one["ttft_ms"], one["tpot_ms"]))
        one["configuration"] = task
    text = json.dumps(said, indent=1) + "\n"
    (folder / f"{name}.json").write_text(text, encoding="utf-8")
    print("  ".join(f"{key} {value}" for key, value in said["versions"].items()))
    return Run(results, said["seconds_per_configuration"])


def table(configurations: list[Configuration], runs: dict[str, Run]) -> bool:
    """Print both times of every tool side by side; tell whether all that is far apart is explained.

    A peer that is over a fifth away from ours is followed by the reason.
    """
    others = [name for name in runs if name != OURS]
    wide = max(len(str(one)) for one in configurations)
    heads = [*runs, *(f"{OURS}/{name}" for name in others)]
    unexplained = 0
    for index, label in enumerate(("TTFT", "TPOT")):
        print(f"\n{label + ' ms':<{wide}}" + "".join(f"{head:>22}" for head in heads))
        for row, one in enumerate(configurations):
            values = {name: at(run.results[row], index) for name, run in runs.items()}
            ratios = {name: over(values[OURS], values[name]) for name in others}
            cells = [shown(value, 3) for value in values.values()]
            cells += [shown(ratio, 2) for ratio in ratios.values()]
            apart = [name for name, ratio in ratios.items() if ratio and far(ratio)]
            why = {name: reason(name, label, one) for name in apart}
            unexplained += sum(not text for text in why.values())
            told = "; ".join(f"{name}: {text or 'UNEXPLAINED'}" for name, text in why.items())
            print(f"{one!s:<{wide}}" + "".join(f"{cell:>22}" for cell in cells) + f"  {told}")
    print(f"\n{unexplained} differences over a fifth are not explained")
    print("\nCPU time for one configuration")
    for name, run in runs.items():
        print(
            f"{name:<16}{run.seconds * 1e6:>12.2f} us{run.seconds / runs[OURS].seconds:>12,.0f} x"
        )
    return not unexplained


def far(ratio: float) -> bool:
    """Tell whether two times are over a fifth apart."""
    return max(ratio, 1 / ratio) > APART


def at(result: Result | None, index: int) -> float | None:
    """Return one of the times, if there is a result."""
    return result[index] if result else None


def over(one: float | None, other: float | None) -> float | None:
    """Return a ratio, if both are there."""
    return one / other if one is not None and other else None


def shown(value: float | None, digits: int) -> str:
    """Return a number as it is printed."""
    return "-" if value is None else f"{value:.{digits}f}"


def compare(folder: Path, options: argparse.Namespace) -> bool:
    """Evaluate with each tool, and print the table."""
    configurations = chosen(options)
    print(f"{len(configurations)} configurations, {options.repeat} times")
    peers = {name: peer(folder, name, configurations, options.repeat) for name in PEERS}
    return table(configurations, {OURS: ours(configurations, options.repeat), **peers})


def main() -> None:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--into", type=Path, help="a folder for what is made, kept for the next run"
    )
    parser.add_argument("--repeat", type=int, default=3)
    for name in ("compute", "memory", "link"):
        parser.add_argument(f"--{name}-efficiency", type=float, default=1.0)
    options = parser.parse_args()
    if options.into:
        options.into.mkdir(parents=True, exist_ok=True)
        explained = compare(options.into, options)
    else:
        with tempfile.TemporaryDirectory() as folder:
            explained = compare(Path(folder), options)
    sys.exit(0 if explained else 1)


if __name__ == "__main__":
    main()
