"""Keys of `trl.generation_kwargs`: none that replaces what `sampling` says, and none that nobody reads."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from gpocli.checks.findings import Findings
from gpocli.spec.trl_schema import names_of

_BEAMS = "beams are no samples of the policy, which is what the loss weighs; remove it"
_ENDS = "the tokenizer and the model say which tokens end a completion; remove it"
_GROUPS = "the size of a group says how many completions a prompt gets; write algorithm.group_size"
_RETURNS = "TRL expects tokens from generate and nothing else; remove it"
_MOVED = "transformers has moved it to code on the hub; remove it"
_NO_TOKENIZER = "TRL does not hand generate the tokenizer that it would need; remove it"
_DRAFTS = "generate drafts for one prompt at a time only; remove it"

REFUSED: Mapping[str, str] = {
    "do_sample": "completions are drawn, always; write sampling.temperature for how",
    "max_length": "is the length of prompt and completion; write sampling.max_tokens",
    "num_return_sequences": _GROUPS,
    **dict.fromkeys(("num_beams", "num_beam_groups", "penalty_alpha", "diversity_penalty", "early_stopping"), _BEAMS),
    **dict.fromkeys(("length_penalty",), _BEAMS),
    **dict.fromkeys(("eos_token_id", "pad_token_id", "bos_token_id"), _ENDS),
    **dict.fromkeys(("return_dict_in_generate", "output_scores", "output_logits"), _RETURNS),
    **dict.fromkeys(("constraints", "force_words_ids", "dola_layers"), _MOVED),
    **dict.fromkeys(("stop_strings", "token_healing"), _NO_TOKENIZER),
    **dict.fromkeys(("use_mtp", "prompt_lookup_num_tokens", "assistant_early_exit"), _DRAFTS),
    "disable_compile": "TRL always sets it; remove it",
}
"""What transformers' `generate` knows, and a run cannot have."""
_OF_VLLM: Mapping[str, str] = {
    "max_tokens": "is set elsewhere in a spec; write sampling.max_tokens",
    "n": _GROUPS,
    "seed": "each candidate has a seed of its own, made from run.seed; remove it",
    "output_kind": "races need each token as it is drawn; remove it",
    "logprobs": "TRL asks for those that it needs; remove it",
}


def check_generation_kwargs(findings: Findings) -> None:
    """Find keys that would change in silence how completions are drawn, or do nothing."""
    options = findings.spec.trl.get("generation_kwargs")
    if not isinstance(options, Mapping) or not findings.are_sound("sampling.engine"):
        return
    uses_vllm = findings.spec.sampling.engine == "vllm"
    for name, value in options.items():
        if fault := _OF_VLLM.get(str(name)) if uses_vllm else _wrong(str(name), value):
            findings.add(f"trl.generation_kwargs.{name}", fault)


def _wrong(name: str, value: Any) -> str | None:
    if name in REFUSED:
        return None if name == "num_beams" and value == 1 else REFUSED[name]
    known = names_of("generation_kwargs")
    if name in known:
        return None
    near = get_close_matches(name, known, n=1)
    return f"transformers' generate has no such option; {f'write {near[0]}' if near else 'remove it'}"
