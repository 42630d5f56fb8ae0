"""The tokenizer of the embedded model: byte-level BPE, so that any text survives a round trip.

Digits and signs are one token each, as column sums need; the words of a trace are one token each too.
"""

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from examples.embedded_model.traces import FILLERS

PAD, END, SYSTEM, USER, ASSISTANT = "<|pad|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>"
CONTROL = (PAD, END, SYSTEM, USER, ASSISTANT)
"""Tokens that are left out when a completion is decoded to text."""
THINKING = ("<think>", "</think>")
"""Tokens that stay in the text: rewards look for them."""

CONTEXT = 1024
"""Longest prompt and completion together, in tokens."""

WORDS = (*FILLERS, "so 1", "check", "yes", "no, again")

ONE_DIGIT_ONE_WORD = r"\p{N}| ?\p{L}+|[^\s\p{L}\p{N}]|\s+"

CHAT_TEMPLATE = (
    "{%- for message in messages %}"
    "{{- '<|' + message['role'] + '|>' + message['content'] }}"
    "{%- if message['role'] == 'assistant' %}{{- '<|end|>' }}{%- endif %}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|assistant|>' }}{%- endif %}"
)
"""`<|user|>12+34=?<|assistant|>`, then what the model writes, then `<|end|>`."""


def build_tokenizer() -> PreTrainedTokenizerFast:
    """The tokenizer, the same on every call: its merges are learned from the words of the traces alone."""
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(ONE_DIGIT_ONE_WORD), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    core.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1024,  # an upper bound: merges end when every word is one token
        min_frequency=1,
        special_tokens=list(CONTROL),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    core.train_from_iterator(WORDS, trainer)
    core.add_tokens([AddedToken(token, normalized=False, special=False) for token in THINKING])
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token=PAD,
        eos_token=END,
        additional_special_tokens=[SYSTEM, USER, ASSISTANT],
        chat_template=CHAT_TEMPLATE,
        padding_side="left",
        model_max_length=CONTEXT,
        clean_up_tokenization_spaces=False,
    )
