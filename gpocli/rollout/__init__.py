"""Sampling groups of completions fast: shared prefill, races, no work on rows that are done."""

from gpocli.rollout.engine import Rollout, sample_groups
from gpocli.rollout.race import Race
from gpocli.rollout.settings import SamplingSettings
from gpocli.rollout.support import supports

__all__ = ["Race", "Rollout", "SamplingSettings", "sample_groups", "supports"]
