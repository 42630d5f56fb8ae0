"""How the models of a type differ from a plain Llama: what a config.json leaves to the code of the model.

The axes of a tensor are letters. V: vocabulary. C: context. H: hidden. D: a head. Q: the heads of all queries. K: those
of all keys. A: queries, keys and values in one. M: width of the feed-forward part. G: its gate and up in one.
E: experts. X: width of one. Y: its gate and up in one. S: width of the part beside them that all tokens pass. 1: one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

Shapes = Mapping[str, str]
"""The axes of tensors by the last part of their module's name."""

_QKV: Shapes = {"q_proj": "QH", "k_proj": "KH", "v_proj": "KH"}
_MLP: Shapes = {"gate_proj": "MH", "up_proj": "MH", "down_proj": "HM"}
_EACH_HEAD: Shapes = {"q_norm": "D", "k_norm": "D"}
_ALL_HEADS: Shapes = {"q_norm": "Q", "k_norm": "K"}
ROUTED: Shapes = {"gate": "EH", "gate_up_proj": "EYH", "down_proj": "EHX"}
SHARED: Shapes = {"gate_proj": "SH", "up_proj": "SH", "down_proj": "HS", "shared_expert_gate": "1H"}


@dataclass(frozen=True, slots=True)
class Family:
    """The models of a type: the tensors of a layer, and what else a config may leave out."""

    qkv: Shapes = field(default_factory=lambda: _QKV)
    attention_out: str = "o_proj"
    qk_norm: Shapes = field(default_factory=dict)
    mlp: Shapes = field(default_factory=lambda: _MLP)
    qkv_bias: bool = False
    norms: int = 2
    """Normalizations of the hidden state in a layer."""
    is_gpt2: bool = False
    """Learned positions, a bias in every layer and normalization, and no gate."""
    adapts_experts: bool = False
    """Whether PEFT puts `all-linear` adapters on the experts and their router too."""
    tied: bool = False
    head_dim: int | None = None
    window: int | None = None
    full_every: int | None = None
    """Each such layer looks back without a window, where the config has no `layer_types`."""


FAMILIES = {
    "llama": Family(),
    "mistral": Family(window=4096),
    "mixtral": Family(adapts_experts=True),
    "phi3": Family(qkv={"qkv_proj": "AH"}, mlp={"gate_up_proj": "GH", "down_proj": "HM"}),
    "qwen2": Family(qkv_bias=True),
    "qwen2_moe": Family(qkv_bias=True),
    "qwen3": Family(qk_norm=_EACH_HEAD, head_dim=128),
    "qwen3_moe": Family(qk_norm=_EACH_HEAD, adapts_experts=True),
    "gemma": Family(tied=True, head_dim=256),
    "gemma2": Family(norms=4, tied=True, head_dim=256, window=4096, full_every=2),
    "gemma3_text": Family(qk_norm=_EACH_HEAD, norms=4, tied=True, head_dim=256, window=4096, full_every=6),
    "smollm3": Family(tied=True),
    "olmo2": Family(qk_norm=_ALL_HEADS),
    "gpt2": Family(
        qkv={"c_attn": "AH"}, attention_out="c_proj", mlp={"c_fc": "MH", "c_proj": "HM"}, is_gpt2=True, tied=True
    ),
}
"""Those whose parameters are counted exactly from their config, and whose cache is known."""
