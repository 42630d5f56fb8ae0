"""An algorithm for gpo: Soft Adaptive Policy Optimization (SAPO, arXiv 2511.20347), a soft gate for the clip."""

from typing import Annotated, Literal

from pydantic import Field

import gpocli

NO_CLIP = "SAPO has a soft gate and no clip: use temperature_pos and temperature_neg"


class SAPOSection(gpocli.FilteredSection):
    """What a run spec can set; temperatures are those of arXiv 2511.20347."""

    type: Literal["sapo"] = "sapo"
    """The method."""
    temperature_pos: Annotated[float, Field(gt=0, le=100), gpocli.Setting("sapo_temperature_pos")] = 1.0
    """How fast the gate closes where the advantage is positive; above 0, at most 100."""
    temperature_neg: Annotated[
        float,
        Field(gt=0, le=100),
        gpocli.Setting("sapo_temperature_neg", flag=gpocli.Flag("--temperature-neg", "Gate of bad completions")),
    ] = 1.05
    """How fast the gate closes where it is not; above 0, at most 100; more than `temperature_pos` for stability."""


@gpocli.hookimpl
def gpo_algorithms() -> list[gpocli.AlgorithmExtension]:
    return [
        gpocli.AlgorithmExtension(
            name="sapo",
            title="Soft Adaptive Policy Optimization",
            summary="fade a token out with the distance of its ratio from 1",
            paper="arXiv 2511.20347",
            section=SAPOSection,
            options={"loss_type": "sapo"},
            refused=dict.fromkeys(("delta", "epsilon", "epsilon_high"), NO_CLIP),
            updates_per_generation=4,
        )
    ]
