"""Group-based reinforcement learning on top of TRL: GFPO, GMPO and others, and filters for all of them.

Light to import: each name is loaded when first asked for, and only the trainers need torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpocli.extensions import AlgorithmExtension, FilterExtension, GuardExtension, NoOptions, RewardExtension
    from gpocli.hookspecs import hookimpl
    from gpocli.settings.algorithm import AlgorithmSection, FilteredSection
    from gpocli.settings.setting import Flag, Setting
    from gpocli.trainers.gfpo import GFPOConfig, GFPOTrainer
    from gpocli.trainers.gmpo import GMPOConfig, GMPOTrainer

__version__ = "0.1.0"

__all__ = [
    "AlgorithmExtension",
    "AlgorithmSection",
    "FilterExtension",
    "FilteredSection",
    "Flag",
    "GFPOConfig",
    "GFPOTrainer",
    "GMPOConfig",
    "GMPOTrainer",
    "GuardExtension",
    "NoOptions",
    "RewardExtension",
    "Setting",
    "__version__",
    "hookimpl",
]

_HOMES = {
    "AlgorithmExtension": "gpocli.extensions",
    "AlgorithmSection": "gpocli.settings.algorithm",
    "FilterExtension": "gpocli.extensions",
    "FilteredSection": "gpocli.settings.algorithm",
    "Flag": "gpocli.settings.setting",
    "GFPOConfig": "gpocli.trainers.gfpo",
    "GFPOTrainer": "gpocli.trainers.gfpo",
    "GMPOConfig": "gpocli.trainers.gmpo",
    "GMPOTrainer": "gpocli.trainers.gmpo",
    "GuardExtension": "gpocli.extensions",
    "NoOptions": "gpocli.extensions",
    "RewardExtension": "gpocli.extensions",
    "Setting": "gpocli.settings.setting",
    "hookimpl": "gpocli.hookspecs",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'gpocli' has no attribute {name!r}")
