"""The closed sets of a spec are parts of those of the libraries that get the values."""

import inspect
from typing import get_args

from gpocli.algorithms.grpo import LossType
from gpocli.settings.optim import Optimizer, Schedule
from gpocli.settings.run import Tracker


def test_schedules_are_those_of_transformers():
    from transformers import SchedulerType

    assert set(get_args(Schedule)) <= {one.value for one in SchedulerType}


def test_optimizers_are_those_of_transformers():
    from transformers.training_args import OptimizerNames

    assert set(get_args(Optimizer)) <= {one.value for one in OptimizerNames}


def test_trackers_are_those_of_transformers():
    from transformers.integrations.integration_utils import INTEGRATION_TO_CALLBACK

    assert set(get_args(Tracker)) <= set(INTEGRATION_TO_CALLBACK)


def test_loss_types_are_those_of_trl():
    from trl import GRPOTrainer

    source = inspect.getsource(GRPOTrainer)
    assert all(f'"{loss_type}"' in source for loss_type in get_args(LossType))
