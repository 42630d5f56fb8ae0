"""Which files are new weights for a model."""

import pytest
import torch
from safetensors.torch import save_file

from gpocli.serving.weight_files import files_inside, shapes_in, why_unfit

MODEL = {"a.weight": (2, 3), "b.weight": (4,)}


def test_shapes_are_read_from_the_headers_of_several_files(tmp_path):
    save_file({"a.weight": torch.zeros(2, 3)}, tmp_path / "1.safetensors", metadata={"format": "pt"})
    save_file({"b.weight": torch.zeros(4)}, tmp_path / "2.safetensors")
    assert shapes_in([tmp_path / "1.safetensors", tmp_path / "2.safetensors"]) == MODEL


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ({}, "no tensor arrived"),
        ({"a.weight": (2, 3)}, "1 of 2 tensors are missing: b.weight"),
        (MODEL | {"c": (1,)}, "1 of 2 tensors are not the model's: c"),
        (MODEL | {"a.weight": (3, 2)}, "a.weight has the shape (3, 2), and (2, 3) in the model"),
        (MODEL, None),
        (MODEL | {"lm_head.weight": (2, 3)}, None),
    ],
)
def test_names_and_shapes_must_be_the_models(found, reason):
    assert why_unfit(found, MODEL) == reason


def test_tied_weights_may_be_left_out():
    assert why_unfit(MODEL, MODEL | {"lm_head.weight": (2, 3)}) is None


def test_without_the_models_files_something_must_arrive():
    assert why_unfit({"x": (1,)}, None) is None
    assert why_unfit({}, None) == "no tensor arrived"


def test_files_lie_in_the_folder(tmp_path):
    folder = tmp_path.resolve() / "weights"
    folder.mkdir()
    (folder / "1").touch()
    (tmp_path / "out").touch()
    (folder / "link").symlink_to(tmp_path / "out")
    assert files_inside(folder, ["1"]) == [folder / "1"]
    for name in ("../out", "link", str(tmp_path / "out")):
        with pytest.raises(ValueError, match="is not in the folder of weights"):
            files_inside(folder, [name])
    with pytest.raises(OSError, match="No such file"):
        files_inside(folder, ["2"])
