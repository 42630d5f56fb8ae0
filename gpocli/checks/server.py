"""The vLLM server that is to sample: whether it is there and can serve the run."""

from gpocli.checks.findings import Findings
from gpocli.errors import EnvironmentFault, ServerLost


def check_server(findings: Findings) -> None:
    """Find what keeps a running server from serving the run; one that is not there yet is only noted."""
    if not findings.are_sound("sampling.vllm", "sampling.engine", "sampling.max_tokens", "model.name"):
        return
    spec = findings.spec
    server = spec.sampling.vllm
    if server is None or server.url is None:
        return
    if not server.start:
        _ask(findings)


def _ask(findings: Findings) -> None:
    # The client takes a while to import, and most runs have no server.
    from gpocli.serving.client import Control
    from gpocli.serving.facts import Wanted, facts_of, places_of, why_unfit

    spec = findings.spec
    server = spec.sampling.vllm
    assert server is not None
    assert server.url is not None
    wanted = Wanted(
        model=server.model or spec.model.name,
        model_places=() if server.model else places_of(spec.model.name),
        sync=server.sync,
        tokens=spec.sampling.max_tokens + (spec.data.max_prompt_tokens or 1),
        rank=spec.model.lora.rank if spec.model.lora else 0,
    )
    try:
        facts = facts_of(Control(server.url))
    except ServerLost:
        findings.notes.append(
            f"no vLLM server answers at {server.url} yet; start it with 'gpo serve': a run waits {server.wait:g} s"
        )
        return
    except EnvironmentFault as fault:
        findings.add("sampling.vllm.url", str(fault), "environment")
        return
    reasons = list(why_unfit(server.url, facts, wanted))
    for reason in reasons:
        findings.add("sampling.vllm.url", reason, "environment")
    if not reasons:
        findings.notes.append(
            f"vLLM {facts.version} at {server.url} serves '{facts.name_of(wanted)}' in {facts.dtype}, with a context "
            f"of {facts.context:,} tokens and weights of version '{facts.weight_version}'"
        )
