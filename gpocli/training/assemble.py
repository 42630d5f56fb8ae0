"""The trainer of a run, built from what the preflight found. Imports torch."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoTokenizer

from gpocli.contracts.filter import GroupFilter
from gpocli.contracts.reward import checked_rewards
from gpocli.data import Rows
from gpocli.embedded import MODEL_PATH
from gpocli.errors import EnvironmentFault, GpoError, SpecError
from gpocli.spec import RunSpec
from gpocli.spec.model import ModelSpec
from gpocli.trainers.gfpo import GFPOConfig, GFPOTrainer
from gpocli.trainers.gmpo import GMPOConfig, GMPOTrainer
from gpocli.trainers.group_trainer import GroupTrainer
from gpocli.training.dataset import require_generation_batch, to_dataset
from gpocli.training.hub import go_offline_if_unreachable
from gpocli.training.preflight import EMBEDDED, Preflight
from gpocli.training.prompt_lengths import fit_prompts, prompt_token_counts
from gpocli.training.trainer_options import trainer_options


def assemble(ready: Preflight, output_dir: Path, *, note: Callable[[str], None]) -> GroupTrainer:
    """Load tokenizer and model and build the trainer; `note` is told what the user should know.

    Raises `SpecError` for a prompt or option that does not fit the model, `EnvironmentFault` for what cannot be had.
    """
    spec = ready.spec
    model_name = _model_name(spec.model)
    tokenizer, context = _load_tokenizer(spec.model, model_name)
    rows = _fitting(ready.rows, tokenizer, context, spec, note)
    require_generation_batch(rows, ready.plan.prompts_per_generation)
    eval_rows = None if ready.eval_rows is None else _fitting(ready.eval_rows, tokenizer, context, spec, note)
    is_gmpo = spec.algorithm.type == "gmpo"
    trainer_class, config_class = (GMPOTrainer, GMPOConfig) if is_gmpo else (GFPOTrainer, GFPOConfig)
    try:
        args = config_class(**trainer_options(spec, ready.plan, output_dir, _device_type()))
    except GpoError:
        raise
    except (TypeError, ValueError) as error:
        raise SpecError(f"TRL refuses the options of this run: {error}; see the `trl` section of the spec") from error
    trainer: GroupTrainer = trainer_class(
        model=model_name,
        reward_funcs=checked_rewards(
            [reward.function for reward in ready.rewards], [reward.name for reward in ready.rewards]
        ),
        args=args,
        train_dataset=to_dataset(rows),
        eval_dataset=None if eval_rows is None else to_dataset(eval_rows),
        processing_class=tokenizer,
        group_filter_func=GroupFilter(ready.filters) if ready.filters else None,
        peft_config=_lora(spec.model),
        **_quantization(spec.model),
    )
    _refuse_frozen(trainer)
    return trainer


def _device_type() -> str:
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _model_name(model: ModelSpec) -> str:
    if model.name == EMBEDDED:
        return str(MODEL_PATH)
    path = Path(model.name).expanduser()
    if path.is_dir():
        return str(path)
    go_offline_if_unreachable()
    return model.name


def _load_tokenizer(model: ModelSpec, name: str) -> tuple[Any, int | None]:
    """The tokenizer, padded on the left as sampling needs it, and the model's context in tokens."""
    options = {"revision": model.revision, "trust_remote_code": model.trust_remote_code}
    try:
        tokenizer = AutoTokenizer.from_pretrained(name, padding_side="left", truncation_side="left", **options)
        config = AutoConfig.from_pretrained(name, **options)
    except (OSError, ValueError) as error:
        first_line = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise EnvironmentFault(
            f"cannot load model '{model.name}' ({first_line}); check the name and the connection, or name a folder"
        ) from error
    return tokenizer, getattr(config.get_text_config(), "max_position_embeddings", None)


def _fitting(rows: Rows, tokenizer: Any, context: int | None, spec: RunSpec, note: Callable[[str], None]) -> Rows:
    fitting = fit_prompts(
        rows,
        prompt_token_counts(rows, tokenizer, spec.trl.get("chat_template_kwargs")),
        max_prompt_tokens=spec.data.max_prompt_tokens,
        context=context,
        max_new_tokens=spec.sampling.max_tokens,
        overlong=spec.data.overlong,
    )
    for remark in fitting.notes[len(rows.notes) :]:
        note(remark)
    return fitting


def _lora(model: ModelSpec) -> Any:
    if model.lora is None:
        return None
    _need("peft", "peft")
    from peft import LoraConfig

    targets = model.lora.target_modules
    return LoraConfig(
        r=model.lora.rank,
        lora_alpha=model.lora.alpha,
        lora_dropout=model.lora.dropout,
        target_modules=targets if targets == "all-linear" else list(targets),
        task_type="CAUSAL_LM",
    )


def _quantization(model: ModelSpec) -> dict[str, Any]:
    if model.quantization is None:
        return {}
    _need("bitsandbytes", "quantization")
    from transformers import BitsAndBytesConfig

    if model.quantization == "8bit":
        return {"quantization_config": BitsAndBytesConfig(load_in_8bit=True)}
    config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
    return {"quantization_config": config}


def _need(package: str, extra: str) -> None:
    if importlib.util.find_spec(package) is None:
        raise EnvironmentFault(f"this run needs {package}, which is not installed; pip install 'gpocli[{extra}]'")


def _refuse_frozen(trainer: GroupTrainer) -> None:
    if not any(parameter.requires_grad for parameter in trainer.model.parameters()):
        raise SpecError(
            "no parameter of the model is trainable, so nothing would be learned; add model.lora, or unfreeze it"
        )
