"""A conversation remembers what was said, and can be begun anew."""

from gpocli.asking.conversation import Conversation

SYSTEM = {"role": "system", "content": "Be brief."}


def said(*texts):
    return [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(texts)]


def test_turns_follow_each_other_behind_the_system_message():
    talk = Conversation("Be brief.")
    talk.ask("2+3=?")
    talk.answer("5")
    talk.ask("sure?")
    assert talk.messages == [SYSTEM, *said("2+3=?", "5", "sure?")]
    talk.reset()
    assert talk.messages == [SYSTEM]


def test_the_last_answer_can_be_taken_back():
    talk = Conversation()
    talk.take_back("a")
    for question, answer in (("a", "1"), ("b", "2")):
        talk.ask(question)
        talk.answer(answer)
    talk.take_back("a")  # which is not the last
    talk.take_back("b")
    assert talk.messages == said("a", "1")


def test_a_question_that_got_no_answer_is_forgotten():
    talk = Conversation("Be brief.")
    talk.ask("a")
    talk.answer("")
    assert talk.messages == [SYSTEM]
