"""The adapter alone on a server: added, seen, and taken away."""

from pathlib import Path

import pytest
from peft import LoraConfig

from gpocli.errors import EnvironmentFault, GuardError
from tests.serving.real_server import RealServer
from tests.vllm_here import EMBEDDED

LORA = LoraConfig(r=4, target_modules="all-linear", init_lora_weights=False)
RUN = {"vllm_sync": "lora", "peft_config": LORA, "max_steps": 2, "learning_rate": 0.1}


@pytest.fixture
def adapted(served, stand_in):
    """`adapted(**options)`: a `served` trainer of an adapter, and a server that takes adapters of rank 8."""
    stand_in.config |= {"weight_transfer_config": None, "lora_config": {"max_lora_rank": 8}}
    return lambda **options: served(**(RUN | options))


def test_each_step_adds_an_adapter_and_takes_the_last_away(adapted, stand_in):
    trainer = adapted()
    trainer.train()
    pushed = [path for path in stand_in.asked if "lora" in path]
    assert pushed == ["/v1/load_lora_adapter", "/v1/load_lora_adapter", "/v1/unload_lora_adapter"]
    assert not {"/pause", "/update_weights", "/reset_prefix_cache"} & set(stand_in.asked)
    (name,) = stand_in.adapters
    drawn_by = {body["model"] for path, body in stand_in.bodies if path == "/v1/completions"}
    assert len(drawn_by) == 2
    assert trainer.vllm_generation.served.model == name
    (folder,) = Path(trainer.vllm_generation.vllm_client._folder).iterdir()
    assert folder.name == name
    steps = [line for line in trainer.state.log_history if "loss" in line]
    assert max(step["sampling/sync_difference"] for step in steps) < 1e-5
    assert [step["sampling/stale_completions"] for step in steps] == [0, 0]


def test_an_adapter_that_is_not_used_stops_the_run(adapted, stand_in):
    stand_in.takes_weights = False
    with pytest.raises(GuardError, match="does not draw with the weights that it was given"):
        adapted().train()


def test_a_server_that_was_restarted_is_given_the_adapter_again(adapted, stand_in):
    trainer = adapted()
    trainer.train()
    stand_in.restart()
    trainer.vllm_generation.vllm_client.init_communicator()
    trainer.vllm_generation.keep_in_step()
    assert len(stand_in.adapters) == 1
    assert trainer.vllm_generation.vllm_client.is_in_step()


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ((404, {"detail": "Not Found"}), "start it with VLLM_ALLOW_RUNTIME_LORA_UPDATING=1"),
        ((404, {"error": {"message": "No adapter found for x"}}), "name a folder that both see in sampling.vllm.fol"),
        (
            (500, {"error": {"message": "vLLM does not yet support DoRA."}}),
            r"\(500\): vLLM does not yet support DoRA; ",
        ),
    ],
)
def test_what_the_server_refuses_is_one_line_and_leaves_no_file(adapted, stand_in, answer, line):
    trainer = adapted()
    stand_in.answers["/v1/load_lora_adapter"] = answer
    with pytest.raises(EnvironmentFault, match=line):
        trainer.train()
    assert not list(Path(trainer.vllm_generation.vllm_client._folder).iterdir())


def test_a_server_without_room_for_the_adapter(adapted, stand_in):
    stand_in.config["lora_config"] = {"max_lora_rank": 1}
    with pytest.raises(
        EnvironmentFault, match=r"takes adapters of rank 1, and the run's has 4; start it with --enable"
    ):
        adapted()


@pytest.fixture(scope="module")
def lora_server(tmp_path_factory):
    pytest.importorskip("vllm", reason="needs vLLM: make test-vllm")
    flags = ("model.lora.rank=4", "sampling.vllm.sync=lora")
    server = RealServer(tmp_path_factory.mktemp("lora"), *(part for flag in flags for part in ("--set", flag)))
    server.start()
    yield server
    server.stop()


@pytest.mark.vllm
def test_ten_adapters_arrive_in_vllm_exactly(served, lora_server):
    trainer = served(
        **(
            RUN
            | {
                "model": str(EMBEDDED),
                "vllm_server_base_url": lora_server.url,
                "vllm_server_timeout": 300,
                "max_steps": 10,
                "optim": "sgd",
            }
        ),
        rewards=lambda completions, **_: [float(len(completion) % 5) for completion in completions],
    )
    trainer.train()
    steps = [line for line in trainer.state.log_history if "loss" in line]
    assert len(steps) == 10
    assert max(step["sampling/sync_difference"] for step in steps) < 2e-5
    assert max(step["sampling/sampling_logp_difference/max"] for step in steps) < 1e-3
    names = [model["id"] for model in lora_server.control.get("/v1/models")["data"]]
    assert names == ["embedded", trainer.vllm_generation.served.model]
