"""Memory by part: by hand, and against real optimizers and a real forward pass."""

import json
from dataclasses import replace

import pytest
import torch
import transformers

from gpocli.planning.architecture import read_architecture
from gpocli.planning.memory import RunSizes, activation_bytes, estimate_memory, optimizer_bytes
from gpocli.settings.model import LoraSpec

torch.set_num_threads(1)

LLAMA = {
    "model_type": "llama",
    "vocab_size": 100,
    "hidden_size": 64,
    "intermediate_size": 256,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
# embeddings and head 2 x 6400; a layer: q, o 2 x 4096, k, v 2 x 2048, mlp 3 x 16384, norms 2 x 64; last norm 64
PARAMETERS = 2 * 6400 + 3 * (2 * 4096 + 2 * 2048 + 3 * 16384 + 128) + 64
SIZES = RunSizes(
    dtype="float32",
    autocast=False,
    reference=False,
    lora=None,
    quantization=None,
    optimizer="adamw_torch",
    checkpointing=False,
    eager=False,
    engine="auto",
    processes=1,
    micro_batch=2,
    candidates=6,
    prompt_tokens=10,
    completion_tokens=30,
)


def parts_of(config=LLAMA, **changes):
    estimate = estimate_memory(read_architecture(config), replace(SIZES, **changes))
    return {part.name: part for part in estimate.parts}


def bytes_of(name, **changes):
    part = parts_of(**changes).get(name)
    return None if part is None else part.bytes


def test_weights_gradients_and_states_of_a_plain_run():
    assert bytes_of("weights") == 4 * PARAMETERS
    assert bytes_of("gradients") == 4 * PARAMETERS
    assert bytes_of("optimizer states") == 8 * PARAMETERS
    assert bytes_of("reference model") is None
    assert bytes_of("weights", dtype="bfloat16") == 2 * PARAMETERS


def test_a_kl_term_needs_a_second_model_but_not_under_an_adapter():
    assert bytes_of("reference model", reference=True) == 4 * PARAMETERS
    assert bytes_of("reference model", reference=True, lora=LoraSpec(rank=2)) is None


def test_an_adapter_is_all_that_has_gradients_and_states():
    # rank 2 on q, o (64+64), k, v (64+32), gate, up, down (64+256), of 3 layers
    adapter = 3 * 2 * (2 * 128 + 2 * 96 + 3 * 320)
    lora = {"lora": LoraSpec(rank=2), "dtype": "bfloat16"}
    assert bytes_of("adapter", **lora) == 4 * adapter
    assert bytes_of("gradients", **lora) == 4 * adapter
    assert bytes_of("optimizer states", **lora) == 8 * adapter
    assert bytes_of("weights", **lora) == 2 * PARAMETERS


def test_quantized_weights_are_packed_where_they_are_linear():
    linear = PARAMETERS - 2 * 6400 - 7 * 64  # all but embeddings, head and norms
    rest = 4 * (PARAMETERS - linear)
    assert bytes_of("weights", quantization="8bit", lora=LoraSpec()) == linear + rest
    assert bytes_of("weights", quantization="4bit", lora=LoraSpec()) == linear * 0.5625 + rest  # 4 bits + 4 bytes in 64


def test_the_cache_holds_every_candidate_at_its_longest():
    # keys and values x 6 rows x 2 heads of 16 x 40 tokens x 3 layers x 4 bytes
    assert bytes_of("KV cache") == 2 * 6 * 2 * 16 * 40 * 3 * 4
    assert bytes_of("KV cache, spare") == bytes_of("KV cache") // 4
    assert bytes_of("KV cache, spare", engine="generate") is None
    assert bytes_of("KV cache", engine="vllm") is None


def test_a_window_bounds_the_cache():
    config = {**LLAMA, "model_type": "mistral", "sliding_window": 11}
    assert parts_of(config)["KV cache"].bytes == 2 * 6 * 2 * 16 * 10 * 3 * 4


def test_sampling_and_training_are_summed_apart():
    estimate = estimate_memory(read_architecture(LLAMA), SIZES)
    by_when = {when: sum(part.bytes for part in estimate.parts if part.when == when) for when in WHENS}
    assert estimate.while_sampling == by_when["always"] + by_when["sampling"]
    assert estimate.while_training == by_when["always"] + by_when["training"]


WHENS = ("always", "sampling", "training")


def test_more_processes_need_buckets():
    assert bytes_of("gradient buckets", processes=2) == 4 * PARAMETERS
    assert bytes_of("gradient buckets") is None


def test_parts_say_whether_they_are_estimates():
    exact = {name for name, part in parts_of().items() if part.exact}
    assert exact == {"weights", "gradients", "optimizer states", "KV cache"}
    assert not any(part.exact for part in parts_of({**LLAMA, "model_type": "newest"}).values())


def test_a_header_makes_exact_what_is_made_of_weights():
    counted = replace(read_architecture({**LLAMA, "model_type": "newest"}), counted=True)
    by_lora = {}
    for lora in (None, LoraSpec()):
        estimate = estimate_memory(counted, replace(SIZES, lora=lora))
        by_lora[lora is not None] = {part.name for part in estimate.parts if part.exact}
    assert by_lora == {False: {"weights", "gradients", "optimizer states"}, True: {"weights"}}
    assert estimate.notes[0] == "the cache of models of type 'newest' is taken to be a Llama's, so it is an estimate"


def test_notes_say_what_is_not_counted():
    assert estimate_memory(
        read_architecture({**LLAMA, "model_type": "newest"}), replace(SIZES, engine="vllm")
    ).notes == (
        "models of type 'newest' are counted like a Llama, so all parts are estimates",
        "the engine vllm sets its own share of the device aside for the KV cache; add it",
        "the device's own libraries and fragmentation take more, often 1 to 2 GiB",
    )


@pytest.mark.parametrize("name", ["adamw_torch", "rmsprop", "sgd", "adafactor"])
def test_states_are_those_of_the_real_optimizer(name):
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**LLAMA))
    made = {
        "adamw_torch": lambda p: torch.optim.AdamW(p, lr=1e-3),
        "rmsprop": lambda p: torch.optim.RMSprop(p, lr=1e-3),
        "sgd": lambda p: torch.optim.SGD(p, lr=1e-3),
        "adafactor": lambda p: transformers.Adafactor(p, lr=1e-3, relative_step=False, scale_parameter=False),
    }[name](model.parameters())
    model(input_ids=torch.arange(5).view(1, 5)).logits.sum().backward()
    made.step()
    kept = sum(
        value.nbytes
        for state in made.state.values()
        for value in state.values()
        if isinstance(value, torch.Tensor) and value.numel() > 1
    )
    assert optimizer_bytes(name, read_architecture(LLAMA).weights, 4) == kept


@pytest.mark.parametrize("autocast", [False, True])
@pytest.mark.parametrize(
    ("name", "off"), [("Llama", 0.2), ("Qwen2", 0.2), ("Qwen3", 0.2), ("Gemma2", 0.35), ("GPT2", 0.25)]
)
def test_activations_are_near_those_of_a_real_pass(name, off, autocast):
    model, config = build(name)
    kept = kept_for_backward(model, torch.randint(3, 100, (2, 64)), autocast)
    sizes = replace(SIZES, autocast=autocast, prompt_tokens=24, completion_tokens=40)
    assert activation_bytes(read_architecture(config), sizes) == pytest.approx(kept, rel=off)


def test_checkpointing_keeps_a_layer_and_the_inputs_of_all():
    model = read_architecture(LLAMA)
    one = activation_bytes(read_architecture({**LLAMA, "num_hidden_layers": 1}), SIZES)
    checkpointed = activation_bytes(model, replace(SIZES, checkpointing=True))
    assert checkpointed == one + 3 * 2 * 40 * 64 * 4  # 3 layers, 2 rows of 40 tokens, 64 wide


def build(name):
    if name == "GPT2":
        config = transformers.GPT2Config(vocab_size=100, n_embd=64, n_layer=3, n_head=4, bos_token_id=1, eos_token_id=2)
        model = transformers.GPT2LMHeadModel(config)
    else:
        sizes = {key: value for key, value in LLAMA.items() if key != "model_type"}
        config = getattr(transformers, f"{name}Config")(**sizes, head_dim=16)
        model = getattr(transformers, f"{name}ForCausalLM")(config)
    return model.train(), json.loads(config.to_json_string())


def kept_for_backward(model, ids, autocast):
    """Bytes that a forward pass without the output layer keeps, without weights and their copies."""
    own = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    shapes = {tuple(p.shape) for p in model.parameters()} | {tuple(p.shape)[::-1] for p in model.parameters()}
    kept = {}

    def pack(tensor):
        is_copy = tensor.dtype == torch.bfloat16 and tuple(tensor.shape) in shapes
        if tensor.untyped_storage().data_ptr() not in own and not is_copy:
            kept[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    hooks = torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor)
    with hooks, torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        model.base_model(input_ids=ids, use_cache=False)
    return sum(tensor.untyped_storage().nbytes() for tensor in kept.values())
