"""The card: what it says, what it leaves out, and that hubs can read it."""

from dataclasses import replace

import pytest
from ruamel.yaml import YAML

from gpocli.algorithms import cispo, dapo, dr_grpo, gfpo, gmpo, grpo, gspo
from gpocli.sharing.card import CardFacts, Figure, render_card, versions_in

FACTS = CardFacts(
    name="short",
    method=gfpo.EXTENSION,
    base="org/base",
    base_is_public=True,
    group_size=24,
    keep=8,
    filters=["`length`"],
    rewards=["`accuracy`", "`overlong`, weight 0.5"],
    data=["Trained on `train.jsonl`"],
    spec="algorithm:\n  type: gfpo\n",
    versions={"gpocli": "0.1.0", "torch": "2.13.0+cpu"},
)


def front_matter(card):
    return YAML(typ="safe").load(card.split("---\n")[1])


def test_the_front_matter_is_what_hubs_read():
    assert front_matter(render_card(replace(FACTS, datasets=["org/sums"]))) == {
        "library_name": "transformers",
        "model_name": "short",
        "base_model": "org/base",
        "base_model_relation": "finetune",
        "datasets": ["org/sums"],
        "tags": ["gpo", "trl", "gfpo"],
        "pipeline_tag": "text-generation",
    }


def test_a_base_that_nobody_else_has_is_named_but_not_linked():
    card = render_card(replace(FACTS, base="`mine`", base_is_public=False))
    assert "base_model" not in front_matter(card)
    assert "A fine-tuned version of `mine`, trained with" in card
    assert "huggingface.co" not in card


def test_an_adapter_is_one():
    card = render_card(replace(FACTS, is_adapter=True))
    assert front_matter(card)["library_name"] == "peft"
    assert front_matter(card)["base_model_relation"] == "adapter"
    assert "A LoRA adapter for [org/base]" in card
    assert "PeftModel.from_pretrained" in card


@pytest.mark.parametrize(
    ("module", "number"),
    [
        (gfpo, "2508.09726"),
        (gmpo, "2507.20673"),
        (grpo, "2402.03300"),
        (dapo, "2503.14476"),
        (gspo, "2507.18071"),
        (dr_grpo, "2503.20783"),
        (cispo, "2506.13585"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_each_method_cites_its_own_paper_alone(module, number):
    card = render_card(replace(FACTS, method=module.EXTENSION))
    assert f"https://arxiv.org/abs/{number}" in card
    assert f"eprint = {{{number}}}" in card
    assert module.EXTENSION.citation.title in card
    assert card.count("eprint") == 1


def test_a_filter_under_another_method_cites_both():
    card = render_card(replace(FACTS, method=gmpo.EXTENSION, filtered_as=gfpo.EXTENSION))
    assert "2507.20673" in card
    assert "filtered as in Group Filtered Policy Optimization ([arXiv 2508.09726]" in card
    assert card.count("eprint") == 2


def test_figures_have_their_intervals_where_there_are_some():
    figures = [Figure("accuracy", 0.5, 0.25, 0.75), Figure("length", 40.25)]
    card = render_card(replace(FACTS, figures={"Evaluation": figures}))
    assert "| accuracy | 0.5 | 0.25 to 0.75 |" in card
    assert "| length | 40.25 | not recorded |" in card


def test_the_versions_can_be_read_again():
    assert versions_in(render_card(FACTS)) == FACTS.versions
    assert versions_in("# another card") == {}


def test_a_fence_in_the_spec_does_not_end_its_block():
    assert "````yaml\nsystem: ```\n````" in render_card(replace(FACTS, spec="system: ```\n"))


def test_what_is_not_known_is_not_there():
    card = render_card(CardFacts("x", grpo.EXTENSION))
    assert "A language model, trained with" in card
    assert not any(f"## {title}" in card for title in ("Data", "Figures", "Spec", "Versions"))
