"""A server that speaks vLLM's protocol around a small real model, with faults on demand."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlparse

PUSH = ["/pause", "/start_weight_update", "/update_weights", "/finish_weight_update", "/resume", "/reset_prefix_cache"]


class StandIn:
    """One server process: `restart` is what a killed one comes back as, `answers` overrides what a path tells."""

    def __init__(self, model: str | None = None) -> None:
        self.model_path = model
        self.asked: list[str] = []
        """The paths of all requests, in order."""
        self.bodies: list[tuple[str, Any]] = []
        self.answers: dict[str, tuple[int, Any]] = {}
        """Status and body by path, in place of the protocol's."""
        self.config = {
            "model_config": {
                "max_model_len": 1024,
                "dtype": "torch.float32",
                "logprobs_mode": "processed_logprobs",
            },
            "weight_transfer_config": {"backend": "gpo"},
        }
        self.models = [{"id": model or "tiny", "root": model}]
        self.takes_weights = True
        """Whether a push changes the model; else it only says so."""
        self.has_stamp = True
        self.drawn = 0
        """Tokens that were drawn."""
        self.lose_after: int | None = None
        """Tokens after which every connection is cut and nothing is answered any more, until `restart`."""
        self.spoil: Any = None
        """Changes the choice of a chunk before it is sent."""
        self.lock = threading.RLock()
        self.restart()

    def restart(self) -> None:
        """Come back with the weights of the files."""
        self.version, self.is_paused, self.is_lost, self.folder = "default", False, False, None
        self.lose_after = None
        self.adapters: dict[str, Any] = {}
        self.server: ThreadingHTTPServer | None = getattr(self, "server", None)
        if self.model_path is not None:
            from transformers import AutoModelForCausalLM

            self.model = AutoModelForCausalLM.from_pretrained(self.model_path).eval()

    @property
    def url(self) -> str:
        assert self.server is not None
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def answer(self, path: str, body: Any) -> tuple[int, Any]:
        """The answer of a control endpoint."""
        if path in self.answers:
            return self.answers[path]
        told: dict[str, Any] = {
            "/health": None,
            "/version": {"version": "0.31.0"},
            "/v1/models": {"data": [*self.models, *({"id": name} for name in self.adapters)]},
            "/server_info": {"vllm_config": self.config},
            "/weight_info": {"weight_version": self.version},
            "/is_paused": {"is_paused": self.is_paused},
            "/reset_prefix_cache": {"success": True},
        }
        if path in told:
            return 200, told[path]
        if path == "/v1/load_lora_adapter":
            self.adapters[body["lora_name"]] = self.with_adapter(body["lora_path"])
            return 200, "Success: added"
        if path == "/v1/unload_lora_adapter":
            del self.adapters[body["lora_name"]]
            return 200, "Success: removed"
        if path == "/init_weight_transfer_engine":
            self.folder = body["init_info"]["folder"]
        elif path in ("/pause", "/resume"):
            self.is_paused = path == "/pause"
        elif path == "/update_weights" and self.takes_weights:
            self.load(body["update_info"]["files"])
        elif path == "/finish_weight_update":
            self.version = body["weight_version"]
        elif path != "/start_weight_update" and path != "/update_weights":
            return 404, {"detail": "Not Found"}
        return 200, {}

    def load(self, files: list[str]) -> None:
        from safetensors.torch import load_file

        for file in files:
            self.model.load_state_dict(load_file(Path(self.folder) / file), strict=False)

    def with_adapter(self, path: str) -> Any:
        from peft import PeftModel

        return PeftModel.from_pretrained(deepcopy(self.model), path).eval() if self.takes_weights else self.model

    def draw(self, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """A chunk for each token, the last one with the reason; as vLLM, by a stream of the request's seed."""
        import torch

        stream = torch.Generator().manual_seed(body["seed"])
        ids, ends = list(body["prompt"]), body.get("stop_token_ids") or []
        model = self.adapters.get(body["model"], self.model)
        for number in range(1, body["max_tokens"] + 1):
            with self.lock, torch.no_grad():
                logits = model(torch.tensor([ids])).logits[0, -1].float() / body["temperature"]
            logps = logits.log_softmax(-1)
            token = int(torch.multinomial(logps.exp(), 1, generator=stream))
            ids.append(token)
            is_last = number == body["max_tokens"] or token in ends
            reason = ("stop" if token in ends else "length") if is_last else None
            yield {"token_ids": [token], "logprobs": {"token_logprobs": [float(logps[token])]}, "finish_reason": reason}
            if is_last:
                return


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def stand_in(self) -> StandIn:
        return self.server.stand_in  # type: ignore[attr-defined]

    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._serve(None)

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        self._serve(json.loads(self.rfile.read(length) or b"null"))

    def _serve(self, body: Any) -> None:
        path, here = urlparse(self.path).path, self.stand_in
        if here.is_lost:
            self.close_connection = True
            return
        with here.lock:
            here.asked.append(path)
            here.bodies.append((path, body if body is not None else parse_qs(urlparse(self.path).query)))
        if path == "/v1/completions" and path not in here.answers:
            self._complete(body)
        else:
            self._say(*here.answer(path, body))

    def _say(self, status: int, told: Any) -> None:
        text = b"" if told is None else told.encode() if isinstance(told, str) else json.dumps(told).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def _complete(self, body: Any) -> None:
        here = self.stand_in
        if not body["stream"]:
            chunks = list(here.draw(body))
            tokens = [token for chunk in chunks for token in chunk["token_ids"]]
            logps = [logp for chunk in chunks for logp in chunk["logprobs"]["token_logprobs"]]
            choice = {"token_ids": tokens, "logprobs": {"token_logprobs": logps}, "finish_reason": "length"}
            if here.spoil:
                here.spoil(choice)
            self._say(200, {"choices": [choice]})
            return
        self.close_connection = True
        self.send_response(200)
        if here.has_stamp:
            self.send_header("x-weight-version", here.version)
        self.end_headers()
        with suppress(BrokenPipeError, ConnectionResetError):
            self._stream(body)

    def _stream(self, body: Any) -> None:
        here = self.stand_in
        for choice in here.draw(body):
            with here.lock:
                here.drawn += 1
                here.is_lost = here.is_lost or here.drawn == here.lose_after
                if here.is_lost:
                    return
            if here.spoil:
                here.spoil(choice)
            self.wfile.write(b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # of connections that wait; more of them are refused


@contextmanager
def running(model: str | None = None) -> Iterator[StandIn]:
    """A stand-in that answers at its `url`."""
    stand_in = StandIn(model)
    server = _Server(("127.0.0.1", 0), _Handler)
    server.stand_in = stand_in  # type: ignore[attr-defined]
    stand_in.server = server
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield stand_in
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
