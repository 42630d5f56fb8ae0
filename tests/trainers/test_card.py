"""The cards that trainers write, by themselves and as a run tells them."""

import pytest
from peft import LoraConfig

from gpocli.algorithms import gfpo as gfpo_algorithm
from gpocli.sharing.card import CardFacts
from gpocli.trainers.card import facts_of_trainer


def test_a_gfpo_trainer_knows_its_method(gfpo, tiny_model):
    facts = facts_of_trainer(gfpo())
    assert (facts.method.name, facts.filtered_as, facts.group_size, facts.keep) == ("gfpo", None, 4, 2)
    assert (facts.name, facts.filters, facts.rewards) == ("out", ["`length_filter`"], ["`count_a`"])
    assert not facts.base_is_public
    assert tiny_model not in str(facts)


def test_a_gmpo_trainer_cites_gmpo(gmpo):
    facts = facts_of_trainer(gmpo())
    assert (facts.method.name, facts.filtered_as) == ("gmpo", None)


def test_a_trainer_without_a_filter_is_grpo(gfpo):
    facts = facts_of_trainer(gfpo(group_filter_func=None, num_remains_in_group=None))
    assert facts.method.name == "grpo"
    assert "Loss: `dapo`" in facts.course


@pytest.mark.parametrize("lora", [False, True])
def test_each_saved_model_has_a_true_card(gfpo, tmp_path, tiny_model, lora):
    options = {"peft_config": LoraConfig(target_modules=["q_proj"], task_type="CAUSAL_LM")} if lora else {}
    trainer = gfpo(max_steps=1, save_strategy="steps", save_steps=1, save_only_model=True, **options)
    trainer.train()
    trainer.save_model(str(tmp_path / "model"))
    cards = [folder / "README.md" for folder in (tmp_path / "out", tmp_path / "out/checkpoint-1", tmp_path / "model")]
    texts = {card.read_text() for card in cards}
    assert len(texts) == 1
    text = texts.pop()
    assert "2508.09726" in text
    assert "2402.03300" not in text
    assert ("A LoRA adapter" in text) == lora
    assert not any(wrong in text for wrong in (tiny_model, str(tmp_path), "[None]", "Model Card for"))


def test_a_card_is_what_the_run_tells(gfpo, tmp_path):
    trainer = gfpo()
    trainer.card = lambda: CardFacts("told", gfpo_algorithm.EXTENSION)
    trainer.create_model_card(model_name="another", dataset_name="org/sums", tags="mine")
    text = (tmp_path / "out/README.md").read_text()
    assert "# told" in text
    assert '- "org/sums"' in text
    assert '- "mine"' in text
