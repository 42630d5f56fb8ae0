"""Chat templates without transformers: only what is certain is told."""

import pytest

from gpocli.checks.template import refusal, template_fault

USER = [{"role": "user", "content": "x"}]


@pytest.mark.parametrize(
    "template",
    [
        "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% break %}{% endfor %}",
        "{%- if tools is defined and tools %}{{ tools | tojson }}{% endif -%}",
        "{{ strftime_now('%Y') }}",  # transformers' own: not known here, and not held against it
    ],
)
def test_what_transformers_takes_is_no_fault(template):
    assert template_fault(template) is None
    assert refusal(template, USER, {}) is None


def test_a_template_may_ask_for_what_it_is_given():
    template = "{% if not think %}{{ raise_exception('think') }}{% endif %}"
    assert refusal(template, USER, {}) == "think"
    assert refusal(template, USER, {"think": True}) is None


def test_a_fault_has_its_line():
    assert template_fault("a\n{% if %}") == "Expected an expression, got 'end of statement block', line 2 of it"
