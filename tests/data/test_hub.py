"""A hub that cannot be reached is not waited for, and says what can be done."""

import datasets
import pytest
from huggingface_hub import constants

from gpocli.data import hub
from gpocli.errors import EnvironmentFault, SpecError


@pytest.fixture
def online(monkeypatch):
    """The libraries as they are without the variables that keep the tests offline."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "ENDPOINT", "https://hub.invalid")  # a name that never resolves (RFC 2606)


def test_an_unresolved_hub_switches_to_the_cache(online):
    assert hub.go_offline_if_unreachable()
    assert (constants.HF_HUB_OFFLINE, datasets.config.HF_HUB_OFFLINE) == (True, True)


def test_behind_a_proxy_nothing_is_changed(online, monkeypatch):
    monkeypatch.setenv("https_proxy", "http://localhost:1")
    assert not hub.go_offline_if_unreachable()
    assert not constants.HF_HUB_OFFLINE


def test_what_is_offline_stays_so(monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert not hub.go_offline_if_unreachable()


def test_a_dataset_that_cannot_be_had_is_a_fault_of_the_machine():
    with pytest.raises(EnvironmentFault) as caught:
        hub.hub_rows("owner/sums:hard", "train", None)
    assert str(caught.value).startswith("cannot load dataset 'owner/sums:hard' from the hub (")
    assert str(caught.value).endswith("or name a local file such as ./sums.jsonl")


@pytest.fixture
def local_dataset(tmp_path):
    """A dataset script's stand-in: a folder that `datasets` loads as it loads one of a hub."""
    (tmp_path / "train.jsonl").write_text('{"prompt": "a", "level": 1}\n{"prompt": "b", "level": 2}\n')
    (tmp_path / "test.jsonl").write_text('{"prompt": "c", "level": 3}\n')
    return str(tmp_path)


def test_rows_of_a_dataset_have_numbers_and_a_limit(local_dataset):
    rows = hub.hub_rows(local_dataset, "train", 1)
    assert (rows.columns, list(rows)) == (("prompt", "level"), [{"prompt": "a", "level": 1}])
    assert hub.hub_rows(local_dataset, "train", None).place(1) == f"{local_dataset}: row 2"


def test_a_stream_starts_anew_each_time(local_dataset):
    read = hub.hub_stream(local_dataset, "train")
    for _ in range(2):
        assert [(number, dict(values)) for _, (number, values) in read()] == [
            (1, {"prompt": "a", "level": 1}),
            (2, {"prompt": "b", "level": 2}),
        ]


def test_a_split_that_is_not_there_is_a_fault_of_the_spec(local_dataset):
    with pytest.raises(SpecError, match="name a split and subset that it has"):
        hub.hub_rows(local_dataset, "tarin", None)


def test_the_split_to_evaluate_on_is_found(local_dataset):
    assert hub.hub_eval_split(local_dataset) == "test"
