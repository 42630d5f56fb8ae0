"""The run spec: the validated description of a run, one section a topic."""

from typing import Any

from pydantic import Field

from gpocli.settings.algorithm import AlgorithmSpec, GFPOSpec, GRPOSpec
from gpocli.settings.batch import BatchSpec
from gpocli.settings.data import DataSpec
from gpocli.settings.model import ModelSpec
from gpocli.settings.optim import OptimSpec
from gpocli.settings.reward import RewardSpec
from gpocli.settings.run import RunSettings
from gpocli.settings.sampling import SamplingSpec
from gpocli.settings.section import Section, rule
from gpocli.spec.homes import TRL_HOMES
from gpocli.spec.trl_schema import wrong_option


class RunSpec(Section):
    """All that decides what a run does; every setting has one home and a default."""

    algorithm: AlgorithmSpec = Field(default_factory=GFPOSpec)
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

    @rule("algorithm.loss_type", "trl")
    def luspo_weighs_sequences(self) -> str | None:
        is_luspo = isinstance(self.algorithm, GRPOSpec) and self.algorithm.loss_type == "luspo"
        if is_luspo and self.trl.get("importance_sampling_level") != "sequence":
            return "luspo weighs whole sequences; write trl.importance_sampling_level: sequence as well"
        return None

    @rule("trl")
    def each_setting_has_one_home(self) -> dict[str, str]:
        return {f"trl.{name}": self._moved(TRL_HOMES[name]) for name in self.trl if name in TRL_HOMES}

    @rule("trl")
    def trl_knows_its_options(self) -> dict[str, str | None]:
        others = {name: value for name, value in self.trl.items() if name not in TRL_HOMES}
        return {f"trl.{name}": wrong_option(name, value) for name, value in others.items()}

    def _moved(self, home: str) -> str:
        section, name = home.split(".", 1)
        if section == "algorithm" and name not in type(self.algorithm).model_fields:
            return f"{self.algorithm.type} has no {name}; remove it"
        return f"is set elsewhere in a spec; write {home}"
