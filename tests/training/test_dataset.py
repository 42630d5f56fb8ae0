"""Rows as a trainer takes them: the very values, whatever their types."""

import itertools
import pickle

import datasets
from torch.utils.data import DataLoader

from gpocli.training.dataset import to_dataset
from tests.data.test_load import ANSWERS, rows_of, streamed


def test_items_are_the_very_rows():
    dataset = to_dataset(rows_of(*ANSWERS))
    assert isinstance(dataset, datasets.Dataset)
    assert len(dataset) == 10
    assert [item["answer"] for item in dataset] == ANSWERS
    assert [type(item["answer"]) for item in dataset] == [type(answer) for answer in ANSWERS]
    assert dataset[1] == {"prompt": "p", "answer": 5, "gpo_row": 4}


def test_a_data_loader_gets_lists_of_rows():
    loader = DataLoader(to_dataset(rows_of("a", 2, None)), batch_size=2, collate_fn=lambda rows: rows)
    assert list(loader) == [
        [{"prompt": "p", "answer": "a", "gpo_row": 2}, {"prompt": "p", "answer": 2, "gpo_row": 4}],
        [{"prompt": "p", "answer": None, "gpo_row": 6}],
    ]


def test_selected_shuffled_and_pickled_datasets_still_give_the_rows():
    dataset = to_dataset(rows_of("a", "b", "c"))
    assert dataset.select([2])[0]["answer"] == "c"
    assert sorted(item["answer"] for item in dataset.shuffle(seed=1)) == ["a", "b", "c"]
    assert pickle.loads(pickle.dumps(dataset))[1]["answer"] == "b"


def test_an_item_that_is_changed_spoils_no_later_one():
    dataset = to_dataset(rows_of([1]))
    dataset[0]["answer"].append(2)
    assert dataset[0]["answer"] == [1]


def test_streamed_items_are_the_very_rows_without_end(tmp_path):
    rows = streamed(tmp_path / "d.jsonl", [{"prompt": "p", "answer": answer} for answer in ANSWERS])
    dataset = to_dataset(rows)
    assert isinstance(dataset, datasets.IterableDataset)
    items = list(itertools.islice(dataset, 12))
    assert [item["answer"] for item in items] == [*ANSWERS, "007", 5]
    assert [type(item["answer"]) for item in items[:10]] == [type(answer) for answer in ANSWERS]
    assert [item["gpo_row"] for item in items] == [*range(1, 11), 1, 2]


def test_streamed_rows_keep_their_values_in_the_groups_that_trl_makes(tmp_path):
    from trl.trainer.utils import repeat_iterable_dataset

    dataset = to_dataset(streamed(tmp_path / "d.jsonl", [{"prompt": "p", "answer": one} for one in ANSWERS]))
    groups = repeat_iterable_dataset(dataset.shuffle(seed=1), mini_repeat_count=2, batch_size=5)
    items = list(itertools.islice(groups, 20))
    assert all(items[start] == items[start + 1] for start in range(0, 20, 2))
    for item in items:
        assert type(item["answer"]) is type(ANSWERS[item["gpo_row"] - 1])
