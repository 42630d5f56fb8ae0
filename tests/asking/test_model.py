"""Answers are those that gpo's own loop draws, whatever is asked beside them, and leave no context behind."""

from dataclasses import replace

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from gpocli.asking.answers import Teller
from gpocli.asking.model import AskedModel
from gpocli.asking.prompts import given_prompts
from gpocli.asking.source import find_asked
from gpocli.embedded import MODEL_PATH
from gpocli.errors import SpecError
from gpocli.rollout import SamplingRequest, SamplingSettings, sample_groups

ASKED = ("2+3=?", "7+8=?", "40+21=?")


@pytest.fixture(scope="module")
def model():
    torch.set_num_threads(1)
    return AskedModel(find_asked("embedded", ["sampling.max_tokens=12"]))


def texts(model, count, *prompts):
    made = model.prompts(given_prompts(prompts), chat=True)
    return [one.text for answers in model.answers(made, count, seed=3) for one in answers]


def test_an_answer_is_what_the_loop_draws_from_the_prompt_of_training(model):
    """Spelled out without gpo's loading: transformers' model, its template, the loop with the run's settings."""
    tokenizer = AutoTokenizer.from_pretrained(MODEL_PATH)
    ids = tokenizer.apply_chat_template(
        [{"role": "user", "content": "2+3=?"}], add_generation_prompt=True, return_dict=True
    )["input_ids"]
    settings = SamplingSettings(12, (tokenizer.eos_token_id,), tokenizer.pad_token_id)
    drawn = sample_groups(AutoModelForCausalLM.from_pretrained(MODEL_PATH), SamplingRequest([ids], 2, settings, 3))
    (answers,) = model.answers(model.prompts(given_prompts(["2+3=?"]), chat=True), 2, seed=3)
    assert [one.text for one in answers] == tokenizer.batch_decode(drawn.completion_ids, skip_special_tokens=True)
    assert [(one.prompt, one.candidate, one.tokens, one.ended) for one in answers] == [
        (0, number, len(drawn.completion_ids[number]), drawn.finished[number]) for number in (0, 1)
    ]
    assert [one.logp for one in answers] == pytest.approx([sum(row) for row in drawn.logps])


def test_an_answer_does_not_depend_on_the_others(model, monkeypatch):
    together = texts(model, 2, *ASKED)
    assert texts(model, 2, *ASKED[:1]) == together[:2]
    monkeypatch.setattr("gpocli.asking.model.portions", lambda prompts, count: portions(prompts, count, 1))
    from gpocli.asking.answers import portions

    assert texts(model, 2, *ASKED) == together


def test_answers_from_a_prompt_on_are_those_of_all(model, monkeypatch):
    monkeypatch.setattr("gpocli.asking.answers.portions.__defaults__", (2,))
    made = model.prompts(given_prompts(ASKED), chat=True)
    whole = [one for answers in model.answers(made, 2, 3) for one in answers]
    assert [one for answers in model.answers(made, 2, 3, first=1) for one in answers] == whole[2:]
    assert [len(one.ids) for one in whole] == [one.tokens for one in whole]


def test_what_is_told_while_it_is_drawn_is_what_was_drawn(model):
    told = {}

    def teller_of(portion):
        def begin(row):
            told[portion.place(row)] = ""

        def show(text):
            told[next(reversed(told))] += text

        return Teller(model.decode, begin, show)

    made = model.prompts(given_prompts(ASKED), chat=True)
    (answers,) = model.answers(made, 2, 0, teller_of)
    assert told == {(one.prompt, one.candidate): one.text for one in answers}


def test_text_is_a_user_s_message_where_there_is_a_template(model):
    assert (model.has_template, model.is_chat) == (True, True)
    rows = given_prompts(["a"])
    assert model.prompts(rows, chat=True)[0] == {"prompt": [{"role": "user", "content": "a"}]}
    assert model.prompts(rows, chat=False)[0] == {"prompt": "a"}


def test_a_long_prompt_leaves_less_room_and_a_longer_one_none(model, monkeypatch):
    (ids,) = model._ids(model.prompts(given_prompts(["2+3=?"]), chat=True))
    monkeypatch.setattr(model, "_sampler", replace(model._sampler, context=len(ids) + 3))
    made = model.prompts(given_prompts(["2+3=?"]), chat=True)
    (answers,) = model.answers(made, 1, 0)
    assert (answers[0].tokens, answers[0].ended) == (3, False)
    monkeypatch.setattr(model, "_sampler", replace(model._sampler, context=len(ids)))
    with pytest.raises(SpecError, match=f"prompts:1: {len(ids)} tokens leave no room for an answer in the model's"):
        list(model.answers(made, 1, 0))


def test_a_reply_goes_on_with_the_chat(model):
    pieces = []
    chat = [{"role": "user", "content": "2+3=?"}]
    first = model.reply(chat, 3, 0, pieces.append)
    assert "".join(pieces) == first.text == texts(model, 1, "2+3=?")[0]
    assert model.reply(chat, 3, 1, pieces.append).text != first.text  # another turn, another answer
