"""The run spec: the validated description of a run, one section a topic."""

from typing import Annotated, Any

from pydantic import Field

from gpocli.extensions import AlgorithmExtension
from gpocli.settings.algorithm import AlgorithmSection
from gpocli.settings.batch import BatchSpec
from gpocli.settings.data import DataSpec
from gpocli.settings.model import ModelSpec
from gpocli.settings.optim import OptimSpec
from gpocli.settings.reward import RewardSpec, read_rewards
from gpocli.settings.run import RunSettings
from gpocli.settings.sampling import VLLM_RANKS, SamplingSpec
from gpocli.settings.section import Section, rule
from gpocli.settings.setting import Flag, Setting, declared
from gpocli.spec.algorithms import DEFAULT_ALGORITHM, OneOfAlgorithms, algorithm
from gpocli.spec.trl_faults import wrong_options


def _default_algorithm() -> AlgorithmSection:
    return algorithm(DEFAULT_ALGORITHM).section(type=DEFAULT_ALGORITHM)


class RunSpec(Section):
    """All that decides what a run does; every setting has one place and a default."""

    algorithm: Annotated[AlgorithmSection, OneOfAlgorithms()] = Field(default_factory=_default_algorithm)
    """The method and its own settings."""
    model: ModelSpec = Field(default_factory=ModelSpec)
    """The policy."""
    data: DataSpec = Field(default_factory=DataSpec)
    """Training and evaluation rows."""
    rewards: Annotated[
        list[RewardSpec],
        Setting(
            aliases=("reward", "reward_funcs"),
            flag=Flag(
                "--reward",
                "Name, ./file.py:name or package:name; repeats",
                metavar="NAME[=WEIGHT]",
                complete="reward",
                read=read_rewards,
            ),
        ),
    ] = Field(default_factory=lambda: [RewardSpec(name="accuracy")], min_length=1)
    """What completions are scored by: the weighted sum of these; at least one."""
    sampling: SamplingSpec = Field(default_factory=SamplingSpec)
    """How completions are drawn."""
    optim: OptimSpec = Field(default_factory=OptimSpec)
    """How the weights are updated."""
    batch: BatchSpec = Field(default_factory=BatchSpec)
    """Sizes of a step."""
    run: RunSettings = Field(default_factory=RunSettings)
    """The course of the run."""
    guards: dict[str, Any] = Field(default_factory=dict)
    """What stops a run that is dying, by name: `off`, `warn`, `stop`, `stop_and_restore`, or `action` and options."""
    trl: dict[str, Any] = Field(default_factory=dict)
    """Any other option of TRL's GRPOConfig, passed on as it is."""

    @rule("sampling.vllm", "model.lora", "trl")
    def only_an_adapter_is_sent_alone(self) -> dict[str, str]:
        vllm, lora = self.sampling.vllm, self.model.lora
        if vllm is None or vllm.sync != "lora":
            return {}
        found, highest = {}, VLLM_RANKS[-1]
        if lora is None:
            text = "sync: lora sends the adapter of model.lora, and there is none; write sync: plugin, or lora: {}"
            found["sampling.vllm.sync"] = text
        elif lora.rank > highest:
            text = f"sync: lora takes ranks to {highest}, and lora.rank is {lora.rank}; lower it, or write sync: plugin"
            found["sampling.vllm.sync"] = text
        if vllm.url is None and self.trl.get("vllm_enable_sleep_mode") is True:
            found["trl.vllm_enable_sleep_mode"] = (
                "drops the engine's weights, and sampling.vllm.sync: lora sends the adapter alone; leave it out, or "
                "write sampling.vllm: null, which sends all weights"
            )
        return found

    @rule("rewards")
    def some_reward_counts(self) -> str | None:
        if all(reward.weight == 0 for reward in self.rewards):
            return "all weights are 0, so nothing is learned; give one reward another weight"
        return None

    @property
    def extension(self) -> AlgorithmExtension:
        """The algorithm, of which `algorithm` has the settings."""
        return algorithm(self.algorithm.type)

    @rule("trl")
    def algorithm_goes_with_trl(self) -> dict[str, str]:
        return {f"algorithm.{name}": text for name, text in self.algorithm.conflicts(self.trl).items()}

    @rule()
    def trl_has_what_no_section_and_no_algorithm_decides(self) -> dict[str, str]:
        settings = (*declared(type(self), ""), *declared(type(self.algorithm), "algorithm."))
        return {f"trl.{name}": text for name, text in wrong_options(self.trl, self.extension, settings)}

    @rule("model.dtype")
    def precision_is_said_once(self) -> dict[str, str]:
        dtype = self.model.dtype
        if dtype == "auto":
            return {}
        text = f"is decided by model.dtype, which is {dtype}; remove it, or write model.dtype: auto"
        return {f"trl.{name}": text for name in ("bf16", "fp16") if name in self.trl}
