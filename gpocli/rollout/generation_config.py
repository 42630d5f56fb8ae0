"""What is done with each field of transformers' `GenerationConfig`; a model brings one, `generation_kwargs` add to it.

A run's own settings decide the fields in `DECIDED_BY_THE_RUN`, whatever the model says. All others are in force when
TRL samples: it leaves them unset, and `generate` then takes the model's. gpo's loop draws as if they were unset. It
therefore samples where none of them is set that would change what is drawn; else TRL's path does, or nobody can.
"""

from collections.abc import Mapping
from typing import Any

from transformers import GenerationConfig

DECIDED_BY_THE_RUN = frozenset(
    "max_new_tokens max_length do_sample temperature top_k top_p min_p repetition_penalty num_return_sequences "
    # The end tokens of the model end a completion, see `GRPOTrainer.eos_token_ids`.
    "eos_token_id pad_token_id bos_token_id".split()
)

WITHOUT_EFFECT = frozenset(
    # how it is computed and what else is returned
    "use_cache cache_implementation cache_config max_cache_len prefill_chunk_size compile_config disable_compile "
    "low_memory continuous_batching_config output_attentions output_hidden_states output_scores output_logits "
    "return_dict_in_generate renormalize_logits "
    # drafts, which change no probability
    "use_mtp num_assistant_tokens num_assistant_tokens_schedule assistant_confidence_threshold "
    "prompt_lookup_num_tokens max_matching_ngram_size assistant_early_exit assistant_lookbehind target_lookbehind "
    "assistant_ensemble_weight speculation_type "
    # beams and other ways to search, which sampling one row at a time is not
    "early_stopping length_penalty diversity_penalty num_beam_groups penalty_alpha decoder_start_token_id "
    # where it comes from
    "_from_model_config transformers_version".split()
)

CHANGES_WHAT_IS_DRAWN: Mapping[str, Any] = {
    "min_length": 0,
    "min_new_tokens": 0,
    "max_time": None,
    "stop_strings": None,
    "num_beams": 1,
    "top_h": None,
    "typical_p": 1.0,
    "epsilon_cutoff": 0.0,
    "eta_cutoff": 0.0,
    "encoder_repetition_penalty": 1.0,
    "no_repeat_ngram_size": 0,
    "encoder_no_repeat_ngram_size": 0,
    "bad_words_ids": None,
    "forced_bos_token_id": None,
    "forced_eos_token_id": None,
    "remove_invalid_values": False,
    "exponential_decay_length_penalty": None,
    "suppress_tokens": None,
    "begin_suppress_tokens": None,
    "sequence_bias": None,
    "token_healing": False,
    "guidance_scale": 1.0,
    "watermarking_config": None,
    "is_assistant": False,
    "constraints": None,
    "force_words_ids": None,
    "dola_layers": None,
}
"""Each with the value that, like None and nothing, leaves all as it is."""

NOT_ON_TRLS_PATH: Mapping[str, str] = {
    "stop_strings": "TRL does not hand generate the tokenizer that it would need",
    "token_healing": "TRL does not hand generate the tokenizer that it would need",
    "num_return_sequences": "the size of a group says how many completions a prompt gets",
    "return_dict_in_generate": "TRL expects tokens from generate and nothing else",
    "constraints": "transformers has moved it to code on the hub",
    "force_words_ids": "transformers has moved it to code on the hub",
    "dola_layers": "transformers has moved it to code on the hub",
    "use_mtp": "generate drafts for one prompt at a time only",
    "prompt_lookup_num_tokens": "generate drafts for one prompt at a time only",
    "assistant_early_exit": "generate drafts for one prompt at a time only",
}
"""Why transformers' `generate`, called as TRL calls it, cannot do it."""

_FIELDS = frozenset(vars(GenerationConfig()))


def unknown(names: Mapping[str, Any]) -> list[str]:
    """Those of some options that `generate` does not have, and would pass over without a word."""
    return sorted(set(names) - _FIELDS)


def changes_what_is_drawn(config: GenerationConfig) -> list[str]:
    """The fields that are set and that gpo's loop would leave out; a field that is not decided here is one of them."""
    values = {name: getattr(config, name, None) for name in _FIELDS - DECIDED_BY_THE_RUN - WITHOUT_EFFECT}
    return sorted(name for name, value in values.items() if _is_set(value, CHANGES_WHAT_IS_DRAWN.get(name)))


def not_on_trls_path(values: Mapping[str, Any]) -> list[str]:
    """The fields that are set and that TRL's call of `generate` fails at."""
    neutral = {"num_return_sequences": 1, "return_dict_in_generate": False, "use_mtp": False}
    return sorted(
        name
        for name in NOT_ON_TRLS_PATH
        if _is_set(values.get(name), neutral.get(name, CHANGES_WHAT_IS_DRAWN.get(name)))
    )


def _is_set(value: Any, neutral: Any) -> bool:
    return value is not None and value != neutral and value not in ([], {}, ())
