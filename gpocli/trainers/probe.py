"""Whether an engine draws with the weights that it was given: log-probabilities of a fixed sequence after each push."""

from abc import ABC, abstractmethod
from itertools import cycle, islice
from typing import Any

import torch

from gpocli.errors import GuardError, ServerFault
from gpocli.serving.completions import PATH, asked_for
from gpocli.trainers.sampling_check import BOUNDS

_TEXT = "The river runs from the hills to the sea. 12 + 7 = 19. On its banks lie small towns, each with a mill.\n"
_PROMPT, _DRAWN = 160, 12
"""Tokens: a prompt longer than a block of vLLM's prefix cache, and what is drawn after it.

The drawn ones may read that cache; log-probabilities of the prompt itself never do, and would tell nothing about it.
"""
_SEED = 20260101


Drawn = tuple[list[int], list[float]]
"""Tokens and their log-probabilities."""


class Probe(ABC):
    """Compares an engine's log-probabilities of what it draws after a fixed prompt with the trainer's."""

    name: str
    """Of the engine, in a sentence."""
    cure: str
    _trainer: Any

    @abstractmethod
    def _dtype_and_context(self) -> tuple[torch.dtype, int]:
        """Of the engine."""

    @abstractmethod
    def _draw(self, prompt: list[int]) -> Drawn:
        """`_DRAWN` tokens by the engine, the same in all processes."""

    def compare(self) -> None:
        """Log the difference. Raises `GuardError` above the bound, in all processes, and every one must call it."""
        trainer = self._trainer
        dtype, context = self._dtype_and_context()
        prompt = self._prompt(context)
        drawn, logps = self._draw(prompt)
        device = trainer.accelerator.device
        ids_BT = torch.tensor([[*prompt, *drawn]], device=device)
        with torch.no_grad():
            own_BT, _, _ = trainer._get_per_token_logps_and_entropies(
                trainer.model, ids_BT, torch.ones_like(ids_BT), len(drawn)
            )
        difference_T = (own_BT[0].float().cpu() - torch.tensor(logps)).abs()
        mean, largest = difference_T.mean().item(), difference_T.max().item()
        mode = "train" if trainer.model.training else "eval"
        trainer._metrics[mode]["sampling/sync_difference"].append(mean)
        bound = max(BOUNDS[trainer._check._dtype()], BOUNDS.get(dtype, 0.0))
        if not mean <= bound:
            raise GuardError(
                f"{self.name} does not draw with the weights that it was given: after the push "
                f"of step {trainer.state.global_step}, log-probabilities of the same {len(drawn)} tokens differ by "
                f"{mean:.3g} on average and {largest:.3g} at most, where {bound:g} is the bound; {self.cure}"
            )

    def _prompt(self, context: int) -> list[int]:
        ids = self._trainer._tokenizer(_TEXT)["input_ids"] or [0]
        return list(islice(cycle(ids), max(1, min(_PROMPT, context - _DRAWN))))


class ServerProbe(Probe):
    """Asks a server, in the main process."""

    cure = "give the run a server of its own, in the type of the trainer's weights, or try another sampling.vllm.sync"

    def __init__(self, trainer: Any, generation: Any) -> None:
        self._trainer, self._generation = trainer, generation
        self.name = f"the vLLM server at {generation.url}"

    def _dtype_and_context(self) -> tuple[torch.dtype, int]:
        served = self._generation.served
        return _dtype_named(served.dtype), served.context

    def _draw(self, prompt: list[int]) -> Drawn:
        return self._generation.on_main(lambda: self._ask(prompt))  # type: ignore[no-any-return]

    def _ask(self, prompt: list[int]) -> Drawn:
        generation = self._generation
        body = asked_for(
            {
                "model": generation.served.model,
                "prompt": prompt,
                "max_tokens": _DRAWN,
                "temperature": self._trainer.temperature,
                "top_p": 1.0,
                "top_k": 0,
                "min_p": 0.0,
                "repetition_penalty": 1.0,
                "seed": _SEED,
                "ignore_eos": True,
                "stream": False,
            }
        )
        choice = generation.vllm_client.control.post(PATH, body)["choices"][0]
        tokens, logps = choice.get("token_ids"), (choice.get("logprobs") or {}).get("token_logprobs")
        if not tokens or logps is None or len(tokens) != len(logps):
            raise ServerFault(
                f"the server at {generation.url} does not tell the tokens that it draws with their log-probabilities; "
                "start a vLLM of version 0.31 or later with 'gpo serve'"
            )
        return tokens, logps


class EngineProbe(Probe):
    """Asks an engine in this process, by the adapter of `request`. Ranks that share one ask it together."""

    name, cure = "vLLM in the training process", "write sampling.vllm: null, which sends all weights"

    def __init__(self, trainer: Any, llm: Any, request: Any) -> None:
        self._trainer, self._llm, self._request = trainer, llm, request

    def _dtype_and_context(self) -> tuple[torch.dtype, int]:
        config = self._llm.llm_engine.model_config
        return config.dtype, config.max_model_len

    def _draw(self, prompt: list[int]) -> Drawn:
        from vllm import SamplingParams

        temperature = self._trainer.temperature
        params = SamplingParams(temperature=temperature, max_tokens=_DRAWN, seed=_SEED, ignore_eos=True, logprobs=0)
        # Of the class: the object's own is replaced while gpo samples.
        (answer,) = type(self._llm).generate(
            self._llm, [{"prompt_token_ids": prompt}], params, use_tqdm=False, lora_request=self._request
        )
        tokens, told = list(answer.outputs[0].token_ids), answer.outputs[0].logprobs
        return tokens, [of_one[token].logprob for token, of_one in zip(tokens, told, strict=True)]


def _dtype_named(name: str) -> torch.dtype:
    found = getattr(torch, name, torch.float32)
    return found if isinstance(found, torch.dtype) else torch.float32
