"""The run spec: the validated description of a run, one section a topic."""

from typing import Annotated, Any

from pydantic import Field

from gpocli.extensions import AlgorithmExtension
from gpocli.settings.algorithm import AlgorithmSection
from gpocli.settings.batch import BatchSpec
from gpocli.settings.data import DataSpec
from gpocli.settings.model import ModelSpec
from gpocli.settings.optim import OptimSpec
from gpocli.settings.reward import RewardSpec
from gpocli.settings.run import RunSettings
from gpocli.settings.sampling import SamplingSpec
from gpocli.settings.section import Section, rule
from gpocli.spec.algorithms import DEFAULT_ALGORITHM, OneOfAlgorithms, algorithms
from gpocli.spec.homes import TRL_HOMES
from gpocli.spec.trl_schema import wrong_option


def _default_algorithm() -> AlgorithmSection:
    return algorithms()[DEFAULT_ALGORITHM].section(type=DEFAULT_ALGORITHM)


class RunSpec(Section):
    """All that decides what a run does; every setting has one home and a default."""

    algorithm: Annotated[AlgorithmSection, OneOfAlgorithms()] = Field(default_factory=_default_algorithm)
    """The method and its own settings."""
    model: ModelSpec = Field(default_factory=ModelSpec)
    """The policy."""
    data: DataSpec = Field(default_factory=DataSpec)
    """Training and evaluation rows."""
    rewards: list[RewardSpec] = Field(default_factory=lambda: [RewardSpec(name="accuracy")], min_length=1)
    """What completions are scored by: the weighted sum of these; at least one."""
    sampling: SamplingSpec = Field(default_factory=SamplingSpec)
    """How completions are drawn."""
    optim: OptimSpec = Field(default_factory=OptimSpec)
    """How the weights are updated."""
    batch: BatchSpec = Field(default_factory=BatchSpec)
    """Sizes of a step."""
    run: RunSettings = Field(default_factory=RunSettings)
    """The course of the run."""
    trl: dict[str, Any] = Field(default_factory=dict)
    """Any other option of TRL's GRPOConfig, passed on as it is."""

    @rule("rewards")
    def some_reward_counts(self) -> str | None:
        if all(reward.weight == 0 for reward in self.rewards):
            return "all weights are 0, so nothing is learned; give one reward another weight"
        return None

    @property
    def extension(self) -> AlgorithmExtension:
        """The algorithm, of which `algorithm` has the settings."""
        return algorithms()[self.algorithm.type]

    @rule("trl")
    def algorithm_goes_with_trl(self) -> dict[str, str]:
        return {f"algorithm.{name}": text for name, text in self.algorithm.conflicts(self.trl).items()}

    @rule("trl")
    def trl_has_what_no_section_and_no_algorithm_decides(self) -> dict[str, str | None]:
        return {f"trl.{name}": self._wrong_option(name, value) for name, value in self.trl.items()}

    def _wrong_option(self, name: str, value: Any) -> str | None:
        kind, home = self.algorithm.type, TRL_HOMES.get(name)
        if name in self.extension.refused:
            return f"has no effect under {kind} ({self.extension.refused[name]}); remove it"
        if name in self.extension.options:
            return f"{kind} always has {name}: {self.extension.options[name]} ({self.extension.paper}); remove it"
        if home is None:
            return wrong_option(name, value)
        section, setting = home.split(".", 1)
        if section == "algorithm" and setting not in type(self.algorithm).model_fields:
            return f"{kind} has no {setting}; remove it"
        return f"is set elsewhere in a spec; write {home}"
