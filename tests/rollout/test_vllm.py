"""Races inside real vLLM; the oracle is full generation by the same engine with the same seeds."""

import os

import pytest

from gpocli.errors import EnvironmentFault
from gpocli.rollout import Race, SamplingRequest, SamplingSettings
from gpocli.rollout.vllm import generate_groups
from tests.vllm_here import EMBEDDED, ENVIRONMENT

G, K = 16, 4


@pytest.fixture(scope="module")
def llm():
    os.environ.update(ENVIRONMENT)
    vllm = pytest.importorskip("vllm", reason="needs vLLM: make test-vllm")
    return vllm.LLM(
        str(EMBEDDED),
        dtype="float32",
        max_model_len=512,
        enforce_eager=True,
        max_num_seqs=256,
        logprobs_mode="processed_logprobs",
    )


@pytest.fixture(scope="module")
def prompts(llm):
    tokenizer = llm.get_tokenizer()
    return [tokenizer.encode(f"{100 + 37 * i}+{999 - 41 * i}=") for i in range(8)]


@pytest.fixture
def generate(llm, prompts):
    from vllm import SamplingParams

    def run(race, *, limit=256, seed=0, **params):
        params = SamplingParams(max_tokens=limit, logprobs=0, **params)
        ends = (llm.get_tokenizer().eos_token_id,)
        settings = SamplingSettings(max_new_tokens=limit, eos_token_ids=ends, pad_token_id=0)
        request = SamplingRequest(prompts, G, settings, seed, race=race)
        board = request.board()
        rows = range(len(prompts) * G)
        tokens = [{"prompt_token_ids": prompts[row // G]} for row in rows]
        seeds = [request.row_seed(row) for row in rows]
        return board, *generate_groups(llm.llm_engine, tokens, params, board, seeds, ends)

    return run


def shortest(row, ids, finished):
    return (-float(len(ids)),)


BY_LENGTH = Race(K, shortest, lambda length: (-float(length + 1),))


def kept(board):
    """The K shortest ended candidates of each group, the earlier one of equal ones."""
    groups = [range(start, start + G) for start in range(0, len(board.finished), G)]
    ended = [sorted((len(board.completion_ids[row]), row) for row in group if board.finished[row]) for group in groups]
    return [[(row, board.completion_ids[row]) for _, row in group[:K]] for group in ended]


pytestmark = pytest.mark.vllm


def test_a_race_keeps_what_full_generation_keeps_for_half_of_the_tokens(generate):
    full, _, everything = generate(None)
    raced, _, less = generate(BY_LENGTH)

    assert not any(full.lost)
    assert kept(raced) == kept(full)
    assert less.tokens <= 0.5 * everything.tokens
    assert less.steps < everything.steps
    for row, lost in enumerate(raced.lost):
        if lost:  # what it had is the start of what it would have written
            assert full.completion_ids[row][: len(raced.completion_ids[row])] == raced.completion_ids[row]


def test_a_row_depends_on_its_seed(generate):
    first, answers, _ = generate(None, limit=8)
    again, _, _ = generate(None, limit=8)
    other, _, _ = generate(None, limit=8, seed=1)

    assert first.completion_ids == again.completion_ids != other.completion_ids
    assert len({tuple(ids) for ids in first.completion_ids[:G]}) > 1
    assert [answer.token_ids for answer in answers] == first.completion_ids


def test_it_tells_the_probabilities_of_the_drawn_tokens(generate, prompts):
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    model = transformers.AutoModelForCausalLM.from_pretrained(EMBEDDED, dtype=torch.float32).eval()

    _, answers, _ = generate(None, limit=12, temperature=0.7)

    for answer in answers[::G]:
        ids = torch.tensor([answer.prompt_token_ids + answer.token_ids])
        with torch.no_grad():
            logps_T = (model(ids).logits[0, len(answer.prompt_token_ids) - 1 : -1] / 0.7).log_softmax(-1)
        told = [told[token].logprob for token, told in zip(answer.token_ids, answer.logprobs, strict=True)]
        assert told == pytest.approx(
            [row[t].item() for row, t in zip(logps_T, answer.token_ids, strict=True)], abs=1e-3
        )


def test_every_end_token_of_the_trainer_ends_a_completion_and_no_other_one(generate, llm, prompts):
    from vllm import SamplingParams

    free, _, _ = generate(None, limit=32)
    end = free.completion_ids[0][2]  # a token that the model likes, which its own files do not call an end
    settings = SamplingSettings(max_new_tokens=64, eos_token_ids=(end,), pad_token_id=0)
    board = SamplingRequest(prompts[:1], G, settings, 0).board()
    tokens = [{"prompt_token_ids": prompts[0]}] * G

    generate_groups(llm.llm_engine, tokens, SamplingParams(max_tokens=64), board, range(G), (end,))

    assert any(board.finished)
    for ids, finished in zip(board.completion_ids, board.finished, strict=True):
        assert end not in ids[:-1]
        assert (ids[-1] == end) == finished
        assert finished or len(ids) == 64


def test_a_fault_in_between_leaves_no_request_behind(generate, llm):
    def broken(row, ids, finished):
        raise ValueError("no score")

    with pytest.raises(ValueError, match="no score"):
        generate(Race(K, broken, lambda length: (0.0,)))

    assert not llm.llm_engine.has_unfinished_requests()
    assert all(generate(None, limit=4)[0].completion_ids)


def test_an_engine_that_gives_up_is_told(generate, llm, monkeypatch):
    step = llm.llm_engine.step

    def aborted():
        outputs = step()
        outputs[0].outputs[0].finish_reason = "error"
        return outputs

    monkeypatch.setattr(llm.llm_engine, "step", aborted)
    with pytest.raises(EnvironmentFault, match="vLLM ended a completion with 'error'"):
        generate(None, limit=4)
