"""Evaluate configurations with one peer, inside the environment that holds it.

    python benchmarks/peers_child.py llm-analysis < asked.json > answered.json

`peers.py` writes what is asked, and says there what the fields mean. Nothing is imported here but
the standard library and the peer.
"""

import contextlib
import functools
import importlib
import importlib.metadata
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

GIBI = 2**30
# a peer's own numbers, in milliseconds: prefill, decode, and what links take of each
Numbers = tuple[float, float, float, float]
FIELDS = ("ttft_ms", "tpot_ms", "ttft_link_ms", "tpot_link_ms")


def llm_analysis() -> tuple[Callable[[dict[str, Any]], Numbers], Callable[[], None]]:
    """Return what evaluates one configuration with llm-analysis, and what tidies up.

    Its feed-forward layer has two matrices, so one and a half times the size stands for three. That
    makes the weights right; its operations do not follow the size (16 x hidden x hidden a token).
    """
    importlib.import_module("llm_analysis.logger").logger.setLevel("ERROR")
    config = importlib.import_module("llm_analysis.config")
    analysis = importlib.import_module("llm_analysis.analysis")
    dtype = config.DtypeConfig()

    @functools.cache
    def model(text: str) -> Any:
        own = json.loads(text)
        feed = own["intermediate"] * 3 / 2
        return config.ModelConfig(
            name=own["name"],
            num_layers=own["layers"],
            n_head=own["heads"],
            hidden_dim=own["hidden"],
            vocab_size=own["vocabulary"],
            num_key_value_heads=own["kv_heads"],
            ffn_embed_dim=feed,
            expansion_ratio=feed / own["hidden"],
            moe_num_experts=own["experts"],
            moe_top_k=own["experts_a_token"],
        )

    @functools.cache
    def part(text: str, link_efficiency: float) -> Any:
        own = json.loads(text)
        return config.GPUConfig(
            name=own["name"],
            mem_per_GPU_in_GB=own["memory_gib"],
            hbm_bandwidth_in_GB_per_sec=own["memory_gb_s"],
            # its own link efficiency is read by nothing
            intra_node_bandwidth_in_GB_per_sec=own["link_gb_s"] * link_efficiency,
            intra_node_min_message_latency=0.0,
            peak_fp16_TFLOPS=own["bf16_tflops"],
        )

    def evaluate(asked: dict[str, Any]) -> Numbers:
        found = analysis.LLMAnalysis(
            model(asked["model"]),
            part(asked["part"], asked["link_efficiency"]),
            dtype,
            config.ParallelismConfig(tp_size=asked["tensor_parallel"]),
            flops_efficiency=asked["compute_efficiency"],
            hbm_memory_efficiency=asked["memory_efficiency"],
        ).inference(
            batch_size_per_gpu=asked["batch"],
            seq_len=asked["input_tokens"],
            num_tokens_to_generate=asked["output_tokens"],
        )
        return (
            found["prefill_latency"] * 1e3,
            found["decode_latency"] * 1e3,
            found["prefill_latency_fwd_tp_comm"] * 1e3,
            found["decode_latency_fwd_tp_comm"] * 1e3,
        )

    return evaluate, lambda: None


def genz() -> tuple[Callable[[dict[str, Any]], Numbers], Callable[[], None]]:
    """Return what evaluates one configuration with GenZ, and what tidies up.

    It has one efficiency for operations and memory, so each is multiplied into its peak. Its GB/s
    are GiB/s. Every evaluation leaves files in a folder of the system: removed at the end.
    """
    package = importlib.import_module("GenZ")
    folder = Path(importlib.import_module("GenZ.Models.get_language_model").DATA_PATH) / "model"
    prefix = f"peers-{os.getpid()}-"

    @functools.cache
    def model(text: str) -> Any:
        own = json.loads(text)
        return package.ModelConfig(
            model=prefix + own["name"],
            vocab_size=own["vocabulary"],
            hidden_size=own["hidden"],
            intermediate_size=own["intermediate"],
            num_ffi=2,
            num_decoder_layers=own["layers"],
            num_attention_heads=own["heads"],
            num_key_value_heads=own["kv_heads"],
            num_experts=own["experts"],
            expert_top_k=own["experts_a_token"],
        )

    @functools.cache
    def system(text: str, compute: float, memory: float, link: float) -> dict[str, Any]:
        own = json.loads(text)
        return {
            "real_values": True,
            "Flops": own["bf16_tflops"] * compute,
            "Memory_size": own["memory_gib"],
            "Memory_BW": own["memory_gb_s"] * memory * 1e9 / GIBI,
            "ICN": own["link_gb_s"] * link * 1e9 / GIBI,
            "ICN_LL": 0.0,
        }

    def evaluate(asked: dict[str, Any]) -> Numbers:
        common = {
            "model": model(asked["model"]),
            "system_name": system(
                asked["part"],
                asked["compute_efficiency"],
                asked["memory_efficiency"],
                asked["link_efficiency"],
            ),
            "batch_size": asked["batch"],
            "input_tokens": asked["input_tokens"],
            "tensor_parallel": asked["tensor_parallel"],
            "bits": "bf16",
        }
        prefill = package.prefill_moddeling(**common)
        # Bb is the number of beams, 4 unless said
        decode = package.decode_moddeling(output_tokens=asked["output_tokens"], Bb=1, **common)
        links = [
            float(one["summary_table"]["Comm Latency (msec)"].iloc[0]) for one in (prefill, decode)
        ]
        return float(prefill["Latency"]), float(decode["Latency"]), links[0], links[1]

    def tidy() -> None:
        for path in folder.glob(f"{prefix}*"):
            path.unlink()

    return evaluate, tidy


PEERS = {"llm-analysis": (llm_analysis, ()), "genz-llm": (genz, ("numpy", "pandas"))}


def main(name: str) -> None:
    """Read what is asked, evaluate all of it several times, and print the answer."""
    asked = json.load(sys.stdin)
    tasks: list[dict[str, Any]] = asked["configurations"]
    for task in tasks:  # a definition is made once, and found by its text
        task.update({key: json.dumps(task[key]) for key in ("model", "part")})
    begin, beside = PEERS[name]
    results: list[dict[str, Any]] = []
    times: list[list[float]] = []
    with contextlib.redirect_stdout(sys.stderr):
        evaluate, tidy = begin()
        try:
            for turn in range(1 + asked["repeat"]):
                taken: list[float] = []
                for task in tasks:
                    start = time.process_time()
                    try:
                        numbers: dict[str, Any] = dict(zip(FIELDS, evaluate(task), strict=True))
                    except (AssertionError, ValueError) as refusal:
                        numbers = {"refused": str(refusal)}
                    taken.append(time.process_time() - start)
                    if not turn:
                        results.append(numbers)
                if turn:  # the first turn only warms up
                    times.append(taken)
        finally:
            tidy()
    for result, seconds in zip(results, zip(*times, strict=True), strict=True):
        result["seconds"] = statistics.median(seconds)
    answer = {
        "versions": {each: importlib.metadata.version(each) for each in (name, *beside)},
        "seconds_per_configuration": statistics.median(sum(one) / len(one) for one in times),
        "results": results,
    }
    print(json.dumps(answer, indent=1))


if __name__ == "__main__":
    main(sys.argv[1])
