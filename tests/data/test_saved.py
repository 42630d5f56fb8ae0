"""Folders that `save_to_disk` of `datasets` leaves are sources, with their splits."""

import datasets
import pytest

from gpocli.data.load import eval_split_of, evaluation_of
from gpocli.data.location import find_files
from gpocli.data.saved import saved_splits
from gpocli.errors import SpecError
from gpocli.settings.data import DataSpec
from tests.data.reading import read_rows


def saved(path, *prompts, **options):
    datasets.Dataset.from_list([{"prompt": prompt} for prompt in prompts]).save_to_disk(path, **options)


@pytest.fixture
def both(tmp_path, monkeypatch):
    """A folder `both` with the splits train (in two files) and test."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "both").mkdir()
    (tmp_path / "both" / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    saved("both/train", "a", "b", "c", num_shards=2)
    saved("both/test", "d")
    return tmp_path / "both"


def prompts(source, **settings):
    return [row["prompt"] for row in read_rows(str(source), **settings)]


def test_a_dataset_is_read_in_the_order_of_its_files(both):
    assert prompts(both / "train") == ["a", "b", "c"]
    assert read_rows("both/train").place(2) == "both/train/data-00001-of-00002.arrow: row 1"


def test_what_map_leaves_beside_the_files_is_not_read(both):
    datasets.load_from_disk(str(both / "train")).map(lambda row: {"prompt": row["prompt"] * 2})
    assert list((both / "train").glob("cache-*.arrow"))
    assert prompts(both / "train") == ["a", "b", "c"]
    (both / "train" / "state.json").unlink()  # as in the cache of the library
    assert prompts(both / "train") == ["a", "b", "c"]


def test_splits_are_those_of_the_folder(both):
    assert saved_splits("both") == {"train": "both/train", "test": "both/test"}
    assert prompts("both") == ["a", "b", "c"]
    assert prompts("both", split="test") == ["d"]
    assert prompts("both", streaming=True, split="test") == ["d"]
    assert eval_split_of("both") == "test"
    evaluated = evaluation_of(DataSpec(source="both"))
    assert (evaluated.source, evaluated.split) == ("both", "test")


def test_a_split_that_there_is_not_is_answered_with_those_there_are(both):
    with pytest.raises(SpecError) as caught:
        read_rows("both", split="validation")
    assert str(caught.value) == "'both' has no split 'validation' but 'train', 'test'; set data.split=train"


def test_splits_are_not_read_as_one(both):
    with pytest.raises(SpecError) as caught:
        find_files("both")
    assert str(caught.value) == "'both' holds a dataset for each split; name one, such as 'both/train'"


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("train/state.json", "{", "cannot read 'both/train/state.json' (Expecting property name"),
        ("train/state.json", "{}", "'both/train/state.json' holds no list '_data_files'; save the dataset again"),
        ("dataset_dict.json", "[]", "'both/dataset_dict.json' holds no list 'splits'; save the dataset again"),
    ],
)
def test_a_damaged_folder_is_named(both, name, text, reason):
    (both / name).write_text(text)
    with pytest.raises(SpecError) as caught:
        read_rows("both")
    assert str(caught.value).startswith(reason)


def test_a_file_that_is_gone_is_named(both):
    (both / "train" / "data-00000-of-00002.arrow").unlink()
    with pytest.raises(SpecError, match=r"^no such file 'both/train/data-00000-of-00002.arrow'"):
        read_rows("both")
