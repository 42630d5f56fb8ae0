"""Exported folders: they load, compute what the run's model does, and tell nothing of this machine."""

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from gpocli.errors import EnvironmentFault, SpecError
from gpocli.evaluation.folder import EvaluationFolder
from gpocli.evaluation.weights import fingerprint
from gpocli.sharing.export import ExportOptions, export, refuse_private_base, source_of

IDS = torch.tensor([[3, 4, 5, 6]])


def make(run, target, **options):
    wanted = ExportOptions(**options)
    return export(run, source_of(run, wanted), target, wanted)


def logits(model):
    with torch.no_grad():
        return model.eval()(IDS).logits


def test_a_whole_model_loads_and_computes_the_same(whole_run, tmp_path):
    made = make(whole_run, tmp_path / "out")
    assert not made.is_adapter
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "out")
    assert torch.equal(logits(model), logits(AutoModelForCausalLM.from_pretrained(whole_run.model_path)))
    assert model.generation_config.eos_token_id == 1
    chat = [{"role": "user", "content": "hi"}]
    assert AutoTokenizer.from_pretrained(tmp_path / "out").apply_chat_template(chat, tokenize=False) == "hi:"


def test_nothing_of_the_training_and_of_the_machine_goes_along(lora_run, whole_run, tmp_path):
    for run in (lora_run, whole_run):
        made = make(run, tmp_path / f"out-{run.name}")
        assert not {"training_args.bin", "optimizer.pt", "trainer_state.json"} & set(made.files)
        for name in made.files:
            content = (made.folder / name).read_bytes()
            assert str(tmp_path).encode() not in content, name
            assert b"/home/me" not in content, name
            assert b"/tmp/" not in content, name


def test_an_adapter_stays_one_and_names_the_base_that_others_have(lora_run, tiny_model, tmp_path):
    from peft import PeftModel

    made = make(lora_run, tmp_path / "out", base="org/tiny")
    assert made.is_adapter
    assert made.notes == []
    assert '"base_model_name_or_path": "org/tiny"' in (tmp_path / "out/adapter_config.json").read_text()
    assert 'base_model: "org/tiny"' in (tmp_path / "out/README.md").read_text()
    loaded, own = (
        PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(tiny_model), folder)
        for folder in (tmp_path / "out", lora_run.model_path)
    )
    assert torch.equal(logits(loaded), logits(own))


def test_an_adapter_on_a_folder_is_told_to_have_no_base_for_others(lora_run, tmp_path):
    made = make(lora_run, tmp_path / "out")
    assert "a folder of this machine; --base names one that others have" in made.notes[0]


def test_a_merged_model_computes_what_base_and_adapter_do(lora_run, tiny_model, tmp_path):
    from peft import PeftModel

    made = make(lora_run, tmp_path / "out", merge=True)
    assert not made.is_adapter
    assert made.notes == ["adapter merged, weights in float32"]
    both = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(tiny_model), lora_run.model_path)
    merged = AutoModelForCausalLM.from_pretrained(tmp_path / "out")
    torch.testing.assert_close(logits(merged), logits(both))
    assert not torch.allclose(logits(merged), logits(AutoModelForCausalLM.from_pretrained(tiny_model)))
    assert AutoTokenizer.from_pretrained(tmp_path / "out").eos_token == "<eos>"
    assert "A fine-tuned version of" in (tmp_path / "out/README.md").read_text()


@pytest.mark.parametrize("run", ["whole_run", "lora_run"])
def test_weights_come_in_the_type_that_is_asked_for(run, request, tmp_path):
    make(request.getfixturevalue(run), tmp_path / "out", dtype="bfloat16", merge=run == "lora_run")
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "out", dtype="auto")
    assert {parameter.dtype for parameter in model.parameters()} == {torch.bfloat16}


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"merge": True}, "is a whole model, so there is nothing to merge; leave out --merge"),
        ({"base": "org/x"}, "--base names the model that an adapter is for, and none is exported here"),
        ({"checkpoint": 7}, "has no checkpoint 7; it has no checkpoint either"),
    ],
)
def test_what_does_not_suit_is_told(whole_run, options, line):
    with pytest.raises(SpecError, match=line):
        source_of(whole_run, ExportOptions(**options))


def test_a_run_under_way_has_no_final_model(whole_run):
    (whole_run.model_path / "training_args.bin").unlink()
    with pytest.raises(SpecError, match="has no final model yet"):
        source_of(whole_run, ExportOptions())


def test_an_adapter_that_nobody_can_use_is_not_sent(lora_run):
    with pytest.raises(SpecError, match="write --merge, or --base"):
        refuse_private_base(lora_run.model_path, ExportOptions())
    refuse_private_base(lora_run.model_path, ExportOptions(base="org/tiny"))
    refuse_private_base(lora_run.model_path, ExportOptions(merge=True))


def test_nothing_is_overwritten_and_nothing_half_made_is_left(whole_run, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    with pytest.raises(SpecError, match="is there already"):
        make(whole_run, tmp_path / "out")
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentFault, match="cannot write"):
        make(whole_run, tmp_path / "file" / "out")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "out", "whole"]


def test_the_card_keeps_the_versions_of_the_training(whole_run, tmp_path):
    (whole_run.model_path / "README.md").write_text("x\n\n## Versions\n\n- torch 1.0\n\n## Citation\n")
    make(whole_run, tmp_path / "out")
    assert "## Versions\n\n- torch 1.0\n\n" in (tmp_path / "out/README.md").read_text()


def test_the_card_has_the_evaluations_of_the_very_weights(whole_run, tmp_path):
    figures = {"accuracy": {"value": 0.5, "low": 0.4, "high": 0.6}}
    weights = fingerprint(whole_run.model_path)
    for name, step, of, seed in (("a", None, weights, 1), ("b", None, "before", 2), ("c", 5, weights, 3)):
        folder = EvaluationFolder(tmp_path / "evaluations" / name, {"of_run": True, "step": step, "weights": of})
        folder.tell(data={"source": "embedded"}, sampling={"temperature": 1.0}, samples=4, graded=9, seed=seed)
        folder.tell(right="accuracy", state="done", ended="2026", figures=figures)
        folder.close()
    whole_run.evaluations_path = tmp_path / "evaluations"
    make(whole_run, tmp_path / "out")
    card = (tmp_path / "out/README.md").read_text()
    assert "`gpo eval` on 9 prompts of the sums that ship in gpo, 4 answers each at temperature 1, seed 1" in card
    assert "| accuracy | 0.5 | 0.4 to 0.6 |" in card
    assert "seed 2" not in card
    assert "seed 3" not in card
