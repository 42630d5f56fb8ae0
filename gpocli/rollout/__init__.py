"""Sampling groups of completions fast: shared prefill, races, no work on rows that are done."""

from gpocli.rollout.loop import sample_groups
from gpocli.rollout.race import Board, Race
from gpocli.rollout.rollout import Rollout, SamplingRequest
from gpocli.rollout.settings import SamplingSettings
from gpocli.rollout.support import supports

__all__ = ["Board", "Race", "Rollout", "SamplingRequest", "SamplingSettings", "sample_groups", "supports"]
