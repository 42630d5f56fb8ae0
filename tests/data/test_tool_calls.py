"""Arguments of tool calls that are JSON text, and templates that quote them."""

import pytest
from transformers import AutoTokenizer

from gpocli.checks.template import quotes_arguments
from gpocli.data.rows import gather
from gpocli.data.tokenizer import prompt_ids
from gpocli.errors import SpecError

QUOTES = "{% for m in messages %}{% for c in m.tool_calls %}{{ c.function.arguments | tojson }}{% endfor %}{% endfor %}"
JOINS = "{% for m in messages %}{% for c in m.tool_calls %}{{ c.function.arguments }}{% endfor %}{% endfor %}"
LINE = (
    "d.jsonl:2: the arguments of a tool call are JSON text, which the model's chat template would write in quotes once "
    'more; write them as an object, as in "arguments": {"city": "Oslo"}'
)


def called(arguments):
    call = {"type": "function", "function": {"name": "weather", "arguments": arguments}}
    return [{"role": "assistant", "content": "", "tool_calls": [call]}, {"role": "user", "content": "and now?"}]


ROWS = gather("d.jsonl", [(1, {"prompt": called({"city": "Oslo"})}), (2, {"prompt": called('{"city": "Oslo"}')})])


@pytest.mark.parametrize(("template", "is_refused"), [(QUOTES, True), (JOINS, False)])
def test_text_is_refused_where_the_template_would_quote_it(tiny_model, template, is_refused):
    tokenizer = AutoTokenizer.from_pretrained(tiny_model)
    tokenizer.chat_template = template
    assert quotes_arguments(template, ROWS[1]["prompt"], {}) is is_refused
    if not is_refused:
        assert len(prompt_ids(ROWS, tokenizer)) == 2
        return
    with pytest.raises(SpecError) as caught:
        prompt_ids(ROWS, tokenizer)
    assert str(caught.value) == LINE


def test_objects_are_left_alone(tiny_model):
    tokenizer = AutoTokenizer.from_pretrained(tiny_model)
    tokenizer.chat_template = QUOTES
    assert len(prompt_ids(ROWS.select([0]), tokenizer)) == 1
