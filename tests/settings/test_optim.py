"""What of the optimizer goes together."""

import pytest
from pydantic import ValidationError

from gpocli.settings.optim import OptimSpec


def test_a_constant_schedule_has_no_warmup():
    with pytest.raises(ValidationError, match="has no warm-up; write schedule: constant_with_warmup"):
        OptimSpec(warmup_steps=10)
    assert OptimSpec(warmup_steps=10, schedule="constant_with_warmup").warmup_steps == 10
