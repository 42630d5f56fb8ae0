"""The dear part of a run tried out cheaply: its config, its model without weights, its optimizer. Imports torch."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import GenerationConfig, Trainer
from transformers.optimization import get_scheduler

from gpocli.checks.findings import Findings
from gpocli.checks.preflight import Preflight
from gpocli.errors import EnvironmentFault, GpoError, SpecError, first_line
from gpocli.policy.load import Policy, find_policy, trainer_arguments
from gpocli.policy.outline import adapted, adapts_its_head, outline, unmatched_layers
from gpocli.spec import RunSpec
from gpocli.spec.fault import Fault, FaultKind
from gpocli.spec.load import Draft
from gpocli.spec.trl_config import trainer_options
from gpocli.training.config import device_type, named, of_processes, refused_options
from gpocli.training.sharding import asked_for


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, at the dotted path of a setting."""

    path: str
    text: str
    kind: FaultKind = "spec"


def examine_deeply(draft: Draft, ready: Preflight, processes: int = 1) -> list[Fault]:
    """Build what a run of so many processes builds before it loads weights, in this one, and tell what is wrong.

    Where weights are to be spread (FSDP, DeepSpeed), only packages are looked at, for that takes a launcher.
    """
    findings, spec = Findings(draft), ready.spec
    with findings.at("model.name"):
        policy = find_policy(spec.model)
        with findings.at("trl"):
            args = _config(ready, processes)
            for one in [] if args is None else Rehearsal(spec, policy, args).problems():
                findings.add(one.path, one.text, one.kind)
    return findings.faults


def _config(ready: Preflight, processes: int) -> Any:
    """The trainer config as one process may have it; None where weights are to be spread."""
    options = of_processes(trainer_options(ready.spec, ready.plan, Path("runs"), device_type()), 1)
    asked = asked_for(options, os.environ)
    # TRL counts the rows of all processes together
    for name in ("per_device_train_batch_size", "per_device_eval_batch_size"):
        if name in options:
            options[name] *= processes
    with refused_options():
        return None if asked else named(ready.spec.extension.config)(**options)


def require_no_problems(problems: list[Problem]) -> None:
    """Raise all problems of a run as one error, a line each."""
    if problems:
        kind = EnvironmentFault if all(one.kind == "environment" for one in problems) else SpecError
        raise kind("\n".join(f"{one.path}: {one.text}" for one in problems))


class Rehearsal:
    """One try of a run with the trainer config `args`."""

    def __init__(self, spec: RunSpec, policy: Policy, args: Any) -> None:
        self.spec, self.policy, self.args = spec, policy, args
        self._found: list[Problem] = []

    def problems(self) -> list[Problem]:
        """What is wrong with model, adapter, optimizer, schedule and sampling."""
        model = self._try("model", "the model cannot be built", self._outline)
        if model is not None:
            self._look_at_experts(model)
            self._look_at_adapter(model)
        optim = self.spec.optim
        optimizer = self._try("optim.optimizer", f"{optim.optimizer} cannot be built", lambda: self._optimizer(model))
        if optimizer is not None:
            self._try("optim.schedule", f"{optim.schedule} cannot be built", lambda: self._schedule(optimizer))
        if not self.args.use_vllm:
            self._try("trl.generation_kwargs", "transformers refuses them", self._generation)
        return self._found

    def _try(self, path: str, what: str, build: Callable[[], Any]) -> Any:
        """What `build` makes; None for a library's error, which is a problem at `path` then."""
        try:
            return build()
        except GpoError:
            raise
        except Exception as error:  # noqa: BLE001 - of transformers, torch and PEFT, whose errors are of any kind
            kind: FaultKind = "environment" if isinstance(error, ImportError) else "spec"
            self._found.append(Problem(path, f"{what} ({type(error).__name__}: {first_line(error)})", kind))
            return None

    def _outline(self) -> Any:
        given = {"trust_remote_code": self.spec.model.trust_remote_code, **(self.args.model_init_kwargs or {})}
        return outline(self.policy.base, given)

    def _look_at_experts(self, model: Any) -> None:
        if self.args.router_aux_loss_coef and not hasattr(model.config.get_text_config(), "output_router_logits"):
            text = "the model has no experts whose load could be balanced; remove it"
            self._found.append(Problem("trl.router_aux_loss_coef", text))

    def _look_at_adapter(self, model: Any) -> None:
        lora = self.spec.model.lora
        if lora is None or self.policy.adapter is not None:
            return
        path = "model.lora.target_modules"
        targets = [] if lora.target_modules == "all-linear" else list(lora.target_modules)
        wrong = [
            Problem(path, f"the model has no layer '{name}'; {hint}") for name, hint in unmatched_layers(model, targets)
        ]
        self._found += wrong
        if wrong:
            return
        adapter = trainer_arguments(self.policy, self.spec.model, self.args)["peft_config"]
        peft_model = self._try(path, "the adapter cannot be built", lambda: adapted(model, adapter))
        if peft_model is not None and adapts_its_head(peft_model):
            text = "an adapter on lm_head would never be trained, for the loss reads its weights directly; remove that"
            self._found.append(Problem(path, text))

    def _optimizer(self, model: Any) -> Any:
        """The optimizer with one small weight of the run's device, after one step."""
        weight = torch.nn.Parameter(torch.zeros(4, 4, device=self.args.device))
        kind, options = Trainer.get_optimizer_cls_and_kwargs(self.args, model)
        optimizer = kind([{"params": [weight], "weight_decay": self.args.weight_decay}], **options)
        weight.grad = torch.zeros_like(weight)
        optimizer.step()
        return optimizer

    def _schedule(self, optimizer: Any) -> None:
        steps = self.args.max_steps if self.args.max_steps > 0 else 100
        schedule = get_scheduler(
            self.args.lr_scheduler_type,
            optimizer=optimizer,
            num_warmup_steps=self.args.get_warmup_steps(steps),
            num_training_steps=steps,
            scheduler_specific_kwargs=dict(self.args.lr_scheduler_kwargs or {}),
        )
        optimizer.step()
        schedule.step()

    def _generation(self) -> None:
        given = self.args.generation_kwargs or {}
        config = GenerationConfig(do_sample=True, cache_implementation=self.args.cache_implementation, **given)
        config.validate()
