"""Settings that are sound each by itself, and that TRL, transformers or torch refuse together."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gpocli.checks.findings import Findings
from gpocli.spec import RunSpec
from gpocli.spec.wording import number, shown

Faults = Iterator[tuple[str, str]]

GREEDY = 0.01
"""A temperature below which two logits that differ by a twentieth are as good as chosen between."""


def check_together(findings: Findings) -> None:
    """Find settings under `trl` that contradict each other or a section."""
    for reads, rule in _RULES:
        if findings.are_sound(*reads):
            for path, text in rule(findings.spec, findings.spec.trl):
                findings.add(path, text)


def _reference(spec: RunSpec, trl: Mapping[str, Any]) -> Faults:
    if not trl.get("sync_ref_model"):
        return
    if spec.algorithm.beta == 0:
        yield (
            "trl.sync_ref_model",
            "there is no reference model with algorithm.beta: 0; write a beta such as 0.04, or remove it",
        )
    if spec.model.lora is not None:
        yield (
            "trl.sync_ref_model",
            "the reference of an adapter is the model without it, which stays; remove it, or model.lora",
        )


def _temperature(spec: RunSpec, trl: Mapping[str, Any]) -> Faults:
    value = spec.sampling.temperature
    if value < GREEDY:
        yield (
            "sampling.temperature",
            f"{number(value)} draws the likeliest token every time, and greedy is not a policy: all candidates of a "
            f"group are equal and teach nothing; write 0.6 to 1, and at least {GREEDY:g}",
        )


def _evaluation(spec: RunSpec, trl: Mapping[str, Any]) -> Faults:
    if trl.get("eval_on_start") and spec.run.eval_every is None:
        yield "trl.eval_on_start", "there is no evaluation; write run.eval_every as well, or remove it"
    if trl.get("fp16_full_eval") and trl.get("bf16_full_eval"):
        yield "trl.fp16_full_eval", "and bf16_full_eval are both true; remove one"


def _precision(spec: RunSpec, trl: Mapping[str, Any]) -> Faults:
    if trl.get("fp16") and trl.get("bf16"):
        yield "trl.fp16", "and bf16 are both true; remove one"


def _best(spec: RunSpec, trl: Mapping[str, Any]) -> Faults:
    if not trl.get("load_best_model_at_end"):
        return
    path, every, saves = "trl.load_best_model_at_end", spec.run.eval_every, spec.run.save_every
    if every is None:
        yield path, "nothing is evaluated; write run.eval_every as well, or remove it"
    elif saves is None or saves % every:
        yield path, f"a model is saved only after an evaluation; write a run.save_every that is a multiple of {every}"
    if trl.get("metric_for_best_model") is None:
        yield (
            path,
            "the best by what? The loss of an evaluation says nothing of how good a policy is; write "
            "trl.metric_for_best_model: reward, or another",
        )


def _workers(spec: RunSpec, trl: Mapping[str, Any]) -> Faults:
    if trl.get("dataloader_num_workers", 0):
        return
    for name in ("dataloader_prefetch_factor", "dataloader_persistent_workers", "dataloader_multiprocessing_context"):
        if trl.get(name):
            yield f"trl.{name}", "needs workers; write trl.dataloader_num_workers: 1 or more, or remove it"


def _schedule(spec: RunSpec, trl: Mapping[str, Any]) -> Faults:
    given = trl.get("lr_scheduler_kwargs") or {}
    schedule = spec.optim.schedule
    if not isinstance(given, Mapping):
        return
    if schedule in ("cosine_with_min_lr", "cosine_warmup_with_min_lr"):
        ways = [name for name in ("min_lr", "min_lr_rate") if given.get(name) is not None]
        if len(ways) != 1:
            fault = "needs to know how low it goes" if not ways else "is told twice how low it goes"
            yield "optim.schedule", f"{schedule} {fault}; write trl.lr_scheduler_kwargs: {{min_lr_rate: 0.1}}"
    if schedule == "warmup_stable_decay" and given.get("num_decay_steps") is None:
        yield (
            "optim.schedule",
            f"{schedule} needs to know how long it falls; write trl.lr_scheduler_kwargs: {{num_decay_steps: 10}}",
        )


def _compiling(spec: RunSpec, trl: Mapping[str, Any]) -> Faults:
    for name in ("torch_compile_backend", "torch_compile_mode"):
        if trl.get("torch_compile") is False and trl.get(name) is not None:
            yield f"trl.{name}", "switches torch_compile on, which is false; remove one of the two"


def _vllm(spec: RunSpec, trl: Mapping[str, Any]) -> Faults:
    if spec.sampling.engine != "vllm":
        return
    low, high = (trl.get(f"vllm_importance_sampling_clip_{end}", start) for end, start in (("min", None), ("max", 3.0)))
    high = trl.get("vllm_importance_sampling_cap") or high
    if low is not None and high is not None and low >= high:
        yield "trl.vllm_importance_sampling_clip_min", f"{shown(low)} is not below the upper clip of {shown(high)}"


def _own_loop(spec: RunSpec, trl: Mapping[str, Any]) -> Faults:
    for name in ("generation_kwargs", "cache_implementation"):
        if spec.sampling.engine == "race" and trl.get(name):
            yield f"trl.{name}", "is of transformers' generate, and sampling.engine is race; write engine: auto"


def _entropy(spec: RunSpec, trl: Mapping[str, Any]) -> Faults:
    low, high = trl.get("entropy_coef_min", 0.0), trl.get("entropy_coef_max", 1.0)
    if trl.get("use_adaptive_entropy") and low > high:
        yield "trl.entropy_coef_min", f"{number(low)} is above entropy_coef_max, {number(high)}; write less"


def _never(spec: RunSpec, trl: Mapping[str, Any]) -> Faults:
    if trl.get("auto_find_batch_size"):
        yield (
            "trl.auto_find_batch_size",
            "a smaller batch would cut groups in two; remove it, and write a smaller batch.micro_batch",
        )
    if trl.get("resume_from_checkpoint") is not None:
        yield (
            "trl.resume_from_checkpoint",
            "has no effect here; remove it, and write gpo train --resume --out DIRECTORY",
        )
    if trl.get("log_completions_hub_repo") is not None and not trl.get("log_completions"):
        yield "trl.log_completions_hub_repo", "needs trl.log_completions: true as well"
    liger = trl.get("liger_kernel_config")
    if isinstance(liger, Mapping) and liger.get("fused_linear_cross_entropy"):
        yield "trl.liger_kernel_config", "fused_linear_cross_entropy replaces what computes the loss; remove it"
    if trl.get("parallelism_config") is not None:
        yield (
            "trl.parallelism_config",
            "takes an object of accelerate, which no spec can hold; remove it, and use accelerate launch",
        )


_RULES: tuple[tuple[tuple[str, ...], Callable[[RunSpec, Mapping[str, Any]], Faults]], ...] = (
    (("algorithm.type", "algorithm.beta", "model.lora"), _reference),
    (("sampling.temperature",), _temperature),
    (("run.eval_every",), _evaluation),
    ((), _precision),
    (("run.eval_every", "run.save_every"), _best),
    ((), _workers),
    (("optim.schedule",), _schedule),
    ((), _compiling),
    (("sampling.engine",), _vllm),
    (("sampling.engine",), _own_loop),
    ((), _entropy),
    ((), _never),
)
"""Each rule with the settings that it reads beside `trl`."""
