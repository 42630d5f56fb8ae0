"""The process group has the options of the run; `tests/cli/test_processes.py` waits for its timeout."""

import pytest
from accelerate import PartialState

from gpocli.training.group import open_group


@pytest.fixture(autouse=True)
def no_state():
    PartialState._reset_state()
    yield
    PartialState._reset_state()


@pytest.mark.parametrize(("options", "count"), [({"use_cpu": True}, 1), ({"ddp_timeout": 20}, 2)])
def test_what_transformers_opens_is_left_to_it(options, count):
    assert open_group(options, count) == options
    assert PartialState._shared_state == {}


def test_a_backend_that_is_not_there_is_refused(monkeypatch):
    for name, value in {"WORLD_SIZE": "2", "RANK": "0", "LOCAL_RANK": "0"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ValueError, match="Your assigned backend nccl is not available"):
        open_group({"use_cpu": True, "ddp_backend": "nccl"}, 2)
