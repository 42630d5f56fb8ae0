"""What a server answers, or does not, in one line with its cure."""

import pytest

from gpocli.errors import EnvironmentFault, ServerLost
from gpocli.serving.client import Control, said_in

DEAD = "http://127.0.0.1:9"


def fault(server, path="/weight_info", url=None):
    with pytest.raises(EnvironmentFault) as raised:
        Control(url or server.url).get(path)
    assert raised.value.exit_code == 5
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_no_server():
    with pytest.raises(ServerLost) as lost:
        Control(DEAD).get("/version")
    assert str(lost.value).startswith("the vLLM server at http://127.0.0.1:9 does not answer (")
    assert str(lost.value).endswith("); start one with 'gpo serve', or name another one in sampling.vllm.url")


def test_development_endpoints_that_are_off(stand_in):
    stand_in.answers["/weight_info"] = 404, {"detail": "Not Found"}
    assert "has no /weight_info, by which gpo watches over its weights" in fault(stand_in)
    assert "VLLM_SERVER_DEV_MODE=1 in its environment, as 'gpo serve' does" in fault(stand_in)


def test_another_server(stand_in):
    stand_in.answers["/weight_info"] = 200, "<html>hello</html>"
    assert fault(stand_in).startswith(f"what answers at {stand_in.url}/weight_info is no vLLM server; start one")


def test_a_name_that_is_not_served(stand_in):
    stand_in.answers["/v1/completions"] = 404, {"error": {"message": "The model `x` does not exist."}}
    assert fault(stand_in, "/v1/completions") == (
        f"the vLLM server at {stand_in.url} says: The model `x` does not exist; write its name for the model in "
        "sampling.vllm.model"
    )


def test_a_refusal_is_told_once_and_asked_once(stand_in):
    stand_in.answers["/update_weights"] = 400, {"error": {"message": "no\nsuch  thing."}}
    with pytest.raises(EnvironmentFault, match=r"refuses /update_weights \(400\): no such thing"):
        Control(stand_in.url).post("/update_weights", {})
    assert stand_in.asked == ["/update_weights"]


def test_a_failure_is_not_tried_again(stand_in):
    stand_in.answers["/update_weights"] = 500, {"error": {"message": "boom"}}
    with pytest.raises(EnvironmentFault, match=r"failed at /update_weights \(500\): boom; its log tells more"):
        Control(stand_in.url).post("/update_weights", {})
    assert stand_in.asked == ["/update_weights"]


def test_the_word_of_a_worker_is_taken_out_of_its_wrapping():
    wrapped = (
        "Call to collective_rpc method failed: Worker failed with error 'no tensor arrived', please check the stack "
        "trace above for the root cause"
    )
    assert said_in(f'{{"error": {{"message": "{wrapped}"}}}}') == "no tensor arrived"


def test_waiting_ends_with_the_server_or_with_time(stand_in):
    heard = []
    assert Control(stand_in.url).wait(0, heard.append)
    assert not Control(DEAD).wait(0, heard.append)
    assert not Control(DEAD).wait(1000, heard.append, is_over=lambda: True)
    assert heard == []
