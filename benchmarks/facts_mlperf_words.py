"""What the words of the MLPerf tables mean: parts, models, scenarios and number formats."""

from typing import Final

from facts_rows import Tree

# The first words that stand in a cell win.
PARTS: Final = (
    ("H100-SXM-80GB", ("h100-sxm",)),
    ("H100-PCIe-80GB", ("h100-pcie",)),
    ("H100-NVL-94GB", ("h100-nvl",)),
    ("H100 NVL", ("h100-nvl",)),
    ("H200-SXM-141GB", ("h200-sxm",)),
    ("H200-NVL-141GB", ("h200-nvl",)),
    ("GH200 Grace Hopper Superchip 144GB", ("gh200-144",)),
    ("GH200 Grace Hopper Superchip 96GB", ("gh200-96",)),
    ("GB200", ("gb200",)),
    ("GB300", ("gb300",)),
    ("B200-SXM-180GB", ("b200-sxm",)),
    ("B300-SXM-270GB", ("b300-sxm",)),
    ("RTX PRO 6000", ("rtx-pro-6000-blackwell-server-96gb", "rtx-pro-6000-server")),
    ("RTX PRO 4500", ("rtx-pro-4500", "rtx-pro-4500-blackwell", "rtx-pro-4500-blackwell-32gb")),
    ("RTX 4090", ("rtx-4090",)),
    ("L40S", ("l40s-48gb", "l40s")),
    ("MI300X", ("mi300x", "mi300x-192gb")),
    ("MI325X", ("mi325x", "mi325x-256gb")),
    ("MI350X", ("mi350x", "mi350x-288gb")),
    ("MI355X", ("mi355x", "mi355x-288gb")),
    ("Arc Pro B60 Dual", ("arc-pro-b60-dual-48gb", "arc-pro-b60-dual")),
    ("Arc Pro(R) B60", ("arc-pro-b60", "arc-pro-b60-24gb")),
    ("Arc Pro(R) B70", ("arc-pro-b70", "arc-pro-b70-32gb")),
    ("Arc Pro(R) B50", ("arc-pro-b50", "arc-pro-b50-16gb")),
    ("Jetson AGX Orin 64G", ("jetson-agx-orin-64gb", "jetson-orin-agx-64")),
    ("Jetson AGX Thor 128G", ("jetson-agx-thor-128gb", "jetson-thor")),
    ("Vera Rubin", ("vera-rubin", "vr-288gb", "vr200", "rubin-288gb")),
    ("6980P", ("xeon-6980p",)),
    ("6787P", ("xeon-6787p",)),
    ("8592+", ("xeon-platinum-8592-plus", "xeon-8592-plus", "xeon-platinum-8592")),
)
NO_SOFTWARE: Final = ("", "N/A", "TODO")
MODELS: Final = {
    "llama2-70b": ("llama-2-70b-chat", "llama-2-70b"),
    "llama2-70b-fp8_quark": ("llama-2-70b-chat", "llama-2-70b"),
    "gptj": ("gpt-j-6b",),
    "llama3.1-8b": ("llama-3.1-8b-instruct", "llama-3.1-8b"),
    "llama3_1-8b": ("llama-3.1-8b-instruct", "llama-3.1-8b"),
    "llama3.1-8b-edge": ("llama-3.1-8b-instruct", "llama-3.1-8b"),
    "llama3_1-8b-edge": ("llama-3.1-8b-instruct", "llama-3.1-8b"),
    "llama3.1-405b": ("llama-3.1-405b-instruct", "llama-3.1-405b"),
    "llama3_1-405b": ("llama-3.1-405b-instruct", "llama-3.1-405b"),
    "llama3_1-70b-fp8_dyn": ("llama-3.1-70b-instruct", "llama-3.1-70b"),
    "llama3_1-70b-fp8_pre": ("llama-3.1-70b-instruct", "llama-3.1-70b"),
    "llama3_1-70b-fp8_trtllm": ("llama-3.1-70b-instruct", "llama-3.1-70b"),
    "neuralmagic_Llama-2-7b-chat-hf-FP8": ("llama-2-7b-chat", "llama-2-7b"),
    "mixtral-8x7b": ("mixtral-8x7b-instruct-v0.1", "mixtral-8x7b"),
    "gpt-oss-120b": ("gpt-oss-120b",),
    "deepseek-r1": ("deepseek-r1",),
    "qwen3-vl-235b-a22b": ("qwen3-vl-235b-a22b", "qwen3-vl-235b-a22b-instruct"),
}
SCENARIOS: Final = {
    "Offline": ("all_at_once", "offline"),
    "Server": ("open_loop", "server"),
    "Interactive": ("open_loop", "interactive"),
    "SingleStream": ("single_stream", "single_stream"),
}
LABELS: Final[dict[str, Tree]] = {
    "fp4": {"weights": "fp4"},
    "mxfp4": {"weights": "mxfp4"},
    "nvfp4, fp8 kv cache": {"weights": "nvfp4", "kv_cache": "fp8"},
    "fp8": {"weights": "fp8"},
    "fp8 (static per-tensor ptq, nvidia modelopt)": {"weights": "fp8"},
    "int8": {"weights": "int8"},
    "int4": {"weights": "int4"},
    "uint4": {"weights": "int4"},
    "bf16": {"weights": "bf16"},
}
_NOT_SERVED: Final = (
    "With this label the column has models that do not fit: Llama 2 70B as fp16 on one part of "
    "96 GB and on one of 64 GB, as fp32 on two of 24 GB, and Qwen3-VL 235B as fp32 on four of "
    "186 GB. It is then not the format that was served."
)
UNTRUE: Final[dict[str, Tree | str]] = {
    "fp16": {"because": "conflicting", "note": _NOT_SERVED},
    "fp32": {"because": "conflicting", "note": _NOT_SERVED},
    "bf16/f32/f8_e4m3/u8": {
        "because": "not_stated",
        "note": "The column lists the tensor types of a checkpoint, and not which part has which.",
    },
}
