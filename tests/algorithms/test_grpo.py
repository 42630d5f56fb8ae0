import pytest
from pydantic import ValidationError

from gpocli.algorithms.grpo import EXTENSION, GRPOSpec


def test_it_takes_no_filter():
    assert not EXTENSION.takes_filters
    assert (GRPOSpec().kept, GRPOSpec().chain) == (None, [])
    with pytest.raises(ValidationError, match="Extra inputs"):
        GRPOSpec.model_validate({"filters": ["length"]})


def test_luspo_wants_weights_of_whole_sequences():
    luspo = GRPOSpec(loss_type="luspo")
    assert luspo.conflicts({"importance_sampling_level": "sequence"}) == {}
    assert luspo.conflicts({}) == {
        "loss_type": "luspo weighs whole sequences; write trl.importance_sampling_level: sequence as well"
    }
    assert GRPOSpec().conflicts({}) == {}
