"""Group Filtered Policy Optimization (GFPO) and Geometric-Mean Policy Optimization (GMPO) on top of TRL.

Light to import: the trainers, which need torch, are loaded when first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gpocli.extensions import FilterExtension, NoOptions, RewardExtension
from gpocli.hookspecs import hookimpl

if TYPE_CHECKING:
    from gpocli.trainers.gfpo import GFPOConfig, GFPOTrainer
    from gpocli.trainers.gmpo import GMPOConfig, GMPOTrainer

__version__ = "0.1.0"

__all__ = [
    "FilterExtension",
    "GFPOConfig",
    "GFPOTrainer",
    "GMPOConfig",
    "GMPOTrainer",
    "NoOptions",
    "RewardExtension",
    "__version__",
    "hookimpl",
]

_TRAINERS = {
    "GFPOConfig": "gpocli.trainers.gfpo",
    "GFPOTrainer": "gpocli.trainers.gfpo",
    "GMPOConfig": "gpocli.trainers.gmpo",
    "GMPOTrainer": "gpocli.trainers.gmpo",
}


def __getattr__(name: str) -> Any:
    if name in _TRAINERS:
        return getattr(import_module(_TRAINERS[name]), name)
    raise AttributeError(f"module 'gpocli' has no attribute {name!r}")
