"""What an engine that takes adapters is told."""

import pytest

from gpocli.serving.adapters import rank_of_engine


@pytest.mark.parametrize(("rank", "highest"), [(1, 1), (2, 8), (8, 8), (9, 16), (300, 320), (512, 512)])
def test_vllm_takes_some_ranks_only(rank, highest):
    assert rank_of_engine(rank) == highest
