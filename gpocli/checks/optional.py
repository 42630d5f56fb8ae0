"""Packages, devices and a hub that settings need and a machine may lack, found without importing any of them."""

import os
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from gpocli.checks.findings import Findings
from gpocli.spec.fault import FaultKind

_OF_OPTIMIZERS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(
        ("adamw_8bit", "ademamix", "lion_32bit", "lion_8bit", "paged_adamw_32bit", "paged_adamw_8bit"),
        ("bitsandbytes", "bitsandbytes"),
    ),
    "stable_adamw": ("optimi", "torch-optimi"),
}
_OF_ATTENTION: Mapping[str, tuple[str, str]] = {
    "flash_attention_2": ("flash_attn", "flash-attn"),
    "flash_attention_3": ("flash_attn_interface", "flash-attn-3"),
    "flash_attention_4": ("flash_attn", "flash-attn-4"),
}
_OF_BACKENDS: Mapping[str, tuple[str, str]] = {
    "openxla": ("torch_xla", "torch-xla"),
    "openxla_eval": ("torch_xla", "torch-xla"),
    "tvm": ("tvm", "apache-tvm"),
}
"""What a value needs: the module, and the package that has it."""
_EXTRAS: Mapping[str, str] = {"bitsandbytes": "quantization", "deepspeed": "deepspeed"}
"""Packages that come with gpo when they are asked for by these names."""
_LACKS: FaultKind = "environment"
_NVIDIA = ("/dev/nvidia0", "/dev/nvidiactl", "/dev/dxg", "/proc/driver/nvidia/version")
"""What the driver of a CUDA device leaves on a Linux machine."""


def check_optional(findings: Findings) -> None:
    """Find settings that need a package, a CUDA device or the hub, which is not there."""
    for path, module, package in _needed(findings):
        if find_spec(module) is None:
            findings.add(path, f"needs {package}, which is not installed; {_install(package)}, or remove it", _LACKS)
    _check_attention(findings)
    if lacks_cuda():
        _check_devices(findings)
    if findings.spec.trl.get("push_to_hub") and (fault := _why_no_push()):
        findings.add("trl.push_to_hub", fault, _LACKS)


def _needed(findings: Findings) -> Iterator[tuple[str, str, str]]:
    """The path of each setting that needs a package, the module, and the package that has it."""
    spec, trl = findings.spec, findings.spec.trl
    if trl.get("use_liger_kernel"):
        yield "trl.use_liger_kernel", "liger_kernel", "liger-kernel"
    if trl.get("deepspeed"):
        yield "trl.deepspeed", "deepspeed", "deepspeed"
    if (trl.get("model_init_kwargs") or {}).get("use_kernels"):
        yield "trl.model_init_kwargs", "kernels", "kernels"
    if trl.get("cache_implementation") == "quantized":
        yield "trl.cache_implementation", "optimum", "optimum-quanto"
    if found := _OF_BACKENDS.get(str(trl.get("torch_compile_backend"))):
        yield "trl.torch_compile_backend", *found
    if (found := _OF_OPTIMIZERS.get(spec.optim.optimizer)) and findings.are_sound("optim.optimizer"):
        yield "optim.optimizer", *found


def _install(package: str) -> str:
    return f"pip install 'gpocli[{_EXTRAS[package]}]'" if package in _EXTRAS else f"pip install {package}"


def _check_attention(findings: Findings) -> None:
    name = findings.spec.model.attention
    if name is None or not findings.are_sound("model.attention") or find_spec("kernels") is not None:
        return  # transformers takes kernels of the hub in place of packages
    path, cure = "model.attention", "or write sdpa"
    if "/" in name:
        findings.add(path, f"'{name}' is a kernel of the hub, which needs kernels; pip install kernels, {cure}", _LACKS)
    elif (found := _OF_ATTENTION.get(name)) and find_spec(found[0]) is None:
        findings.add(path, f"{name} needs {found[1]}, which is not installed; pip install it, {cure}", _LACKS)


def _check_devices(findings: Findings) -> None:
    trl, dtype = findings.spec.trl, findings.spec.model.dtype
    for name in ("tf32", "fp16"):
        if trl.get(name):
            findings.add(f"trl.{name}", "needs a CUDA device, and there is none here; remove it", _LACKS)
    if dtype == "float16" and findings.are_sound("model.dtype"):
        findings.add("model.dtype", "float16 needs a GPU to train; write float32 or bfloat16", _LACKS)
    if trl.get("ddp_backend") == "nccl":
        findings.add("trl.ddp_backend", "nccl needs a CUDA device, and there is none here; write gloo", _LACKS)


def lacks_cuda() -> bool:
    """Whether torch surely finds no CUDA device here: it was built without, or no driver, or none is visible."""
    try:
        build = version("torch").partition("+")[2]
    except PackageNotFoundError:
        return False
    if build.startswith("rocm") or os.name != "posix" or not Path("/proc").is_dir():
        return False
    is_hidden = os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1")
    return build == "cpu" or is_hidden or not any(Path(place).exists() for place in _NVIDIA)


def _why_no_push() -> str | None:
    if os.environ.get("HF_HUB_OFFLINE", "").lower() in ("1", "true", "yes", "on"):
        return "needs the hub, and HF_HUB_OFFLINE is set; take that away, or remove it"
    home = Path(os.environ.get("HF_HOME") or "~/.cache/huggingface").expanduser()
    token = Path(os.environ.get("HF_TOKEN_PATH") or home / "token").expanduser()
    if os.environ.get("HF_TOKEN") or os.environ.get("HUGGING_FACE_HUB_TOKEN") or token.is_file():
        return None
    return "needs a login; run hf auth login, or set HF_TOKEN"
