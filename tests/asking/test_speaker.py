"""A model takes part in a chat: it remembers, and can be interrupted."""

import shutil

import pytest
import torch

from gpocli.asking.model import AskedModel
from gpocli.asking.source import find_asked
from gpocli.asking.speaker import Said, Speaker
from gpocli.embedded import MODEL_PATH
from gpocli.errors import SpecError


@pytest.fixture(scope="module")
def model():
    torch.set_num_threads(1)
    return AskedModel(find_asked("embedded", ["sampling.max_tokens=8"]))


def test_what_it_said_is_in_its_history(model):
    speaker, pieces = Speaker(model, seed=0), []
    said = speaker.answer("2+3=?", pieces.append)
    assert said == Said(8, cut_at=8)
    assert speaker.conversation.messages == [
        {"role": "user", "content": "2+3=?"},
        {"role": "assistant", "content": "".join(pieces)},
    ]


def test_the_same_seed_and_questions_give_the_same_answers(model):
    def talk():
        speaker = Speaker(model, seed=0)
        for question in ("2+3=?", "1+1=?"):
            speaker.answer(question, str)
        return speaker.conversation.messages

    assert talk() == talk()


def test_ctrl_c_ends_the_answer_and_what_was_said_stays(model):
    speaker, pieces = Speaker(model, seed=0), []

    def interrupting(text):
        pieces.append(text)
        if len(pieces) == 3:
            raise KeyboardInterrupt

    assert speaker.answer("2+3=?", interrupting).is_interrupted
    assert speaker.conversation.messages[1]["content"] == "".join(pieces)


def test_a_question_that_gets_no_answer_is_forgotten(model):
    speaker = Speaker(model, seed=0)
    with pytest.raises(SpecError, match=r"this chat: row 1: [\d,]+ tokens leave no room"):
        speaker.answer("2+3=? " * 1000, str)
    assert speaker.conversation.messages == []


def test_a_model_without_a_template_cannot_chat(tmp_path):
    shutil.copytree(MODEL_PATH, tmp_path / "m")
    (tmp_path / "m" / "chat_template.jinja").unlink()
    model = AskedModel(find_asked(f"{tmp_path}/m"))
    assert (model.has_template, model.is_chat) == (False, False)
    with pytest.raises(SpecError, match="has no chat template, so it cannot chat; ask it plain prompts: gpo generate"):
        Speaker(model, seed=0)
