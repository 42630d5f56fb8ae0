"""The mid-size model of the benchmarks: random weights, and completions of geometric length.

Made with torch, tokenizers and transformers alone, so that every environment loads the same files.
"""

import math
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

VOCABULARY = 8192
MEAN_LENGTH = 100
LIMIT = 512
HIDDEN = 640
END, PAD = 1, 0


def save_mid_size(folder: Path) -> int:
    """Save the model and its tokenizer, unless they are there; returns the number of parameters.

    One hidden dimension holds a constant that outweighs all others, and the end token's row of the LM head reads that
    dimension alone: the end token then has nearly the same logit, and so a probability near 1/MEAN_LENGTH, everywhere.
    """
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=VOCABULARY,
        hidden_size=HIDDEN,
        intermediate_size=1792,
        num_hidden_layers=12,
        num_attention_heads=10,
        num_key_value_heads=5,
        head_dim=64,
        max_position_embeddings=1024,
        tie_word_embeddings=False,
        bos_token_id=None,
        eos_token_id=END,
        pad_token_id=PAD,
    )
    model = Qwen3ForCausalLM(config)
    with torch.no_grad():
        model.model.embed_tokens.weight[:, 0] = 100.0
        for layer in model.model.layers:
            layer.self_attn.o_proj.weight[0] = 0.0
            layer.mlp.down_proj.weight[0] = 0.0
        head = model.lm_head.weight
        head[:, 0] = 0.0
        head[PAD] = 0.0
        head[END] = 0.0
        # The constant dominates the norm, so that it comes out of the last RMSNorm as about sqrt(HIDDEN).
        head[END, 0] = math.log((VOCABULARY - 1) / (MEAN_LENGTH - 1)) / math.sqrt(HIDDEN)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    if not (folder / "config.json").exists():
        model.generation_config.eos_token_id, model.generation_config.pad_token_id = END, PAD
        model.save_pretrained(folder)
        words = ["<pad>", "<eos>", *(f"w{i}" for i in range(VOCABULARY - 2))]
        tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="w0"))
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        PreTrainedTokenizerFast(
            tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>", unk_token="w0", padding_side="left"
        ).save_pretrained(folder)
    return parameters
