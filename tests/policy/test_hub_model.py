"""Hub ids: what the cache lacks, and what a hub that speaks the protocol says, asked by huggingface_hub itself."""

import http.server
import json
import os
import shutil
import threading

import pytest
from huggingface_hub import constants

from gpocli.errors import EnvironmentFault, SpecError
from gpocli.policy.hub_model import ask_for, cached_folder, fetch_note, lacking
from gpocli.settings.model import ModelSpec

COMMIT = "a" * 40
FILES = {"config.json": 600, "model.safetensors": 3_000_000_000, "pytorch_model.bin": 9, "tokenizer.json": 400_000_000}
MODEL = ModelSpec(name="owner/name")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache, and what puts files into it."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    home = tmp_path / "models--owner--name"

    def put(**files):
        (home / "refs").mkdir(parents=True, exist_ok=True)
        (home / "refs" / "main").write_text(COMMIT)
        for name, text in files.items():
            path = home / "snapshots" / COMMIT / name.replace("__", "-").replace("_of_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return home / "snapshots" / COMMIT

    return put


@pytest.fixture
def hub(monkeypatch):
    """A server with the models of the dictionary that comes with it: their files, and whether they are gated."""
    models = {}

    class Hub(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            _, _, _, *parts = self.path.partition("?")[0].split("/")
            model = models.get("/".join(parts[:2]))
            if model is None:
                self.answer(404, "RepoNotFound")
            elif parts[2:] == ["auth-check"]:
                self.answer(403 if model["gated"] else 200, "GatedRepo" if model["gated"] else None)
            elif parts[2:3] == ["revision"] and parts[3] != "v1":
                self.answer(404, "RevisionNotFound")
            else:
                siblings = [{"rfilename": name, "size": size} for name, size in model["files"].items()]
                self.answer(200, None, {"id": "x", "siblings": siblings, "gated": model["gated"] and "auto"})

        def answer(self, code, error, body=None):
            text = json.dumps(body or {}).encode()
            self.send_response(code)
            self.send_header("Content-Length", str(len(text)))
            if error:
                self.send_header("X-Error-Code", error)
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    yield models
    server.shutdown()
    server.server_close()


def refusal(kind, model=MODEL):
    with pytest.raises(kind) as caught:
        ask_for(model)
    return str(caught.value)


def test_offline_the_cache_says_what_is_missing(cache):
    assert cached_folder(MODEL) is None
    assert refusal(EnvironmentFault) == (
        "'owner/name' is not whole in the cache (missing: config.json, weights, tokenizer files), and is not fetched "
        "(HF_HUB_OFFLINE is set, or the hub has no address here); fetch it where there is a connection: hf download "
        "owner/name"
    )
    folder = cache(**{"config.json": "{}", "tokenizer.json": "{}"})
    assert cached_folder(MODEL) == folder
    assert "(missing: weights)" in refusal(EnvironmentFault)
    cache(**{"model.safetensors": ""})
    assert ask_for(MODEL) is None


def test_parts_of_the_weights_are_missed_by_name(cache):
    parts = {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
    cache(**{"config.json": "{}", "tokenizer.json": "{}", "model.safetensors.index.json": json.dumps(parts)})
    assert "(missing: weights)" in refusal(EnvironmentFault)
    cache(**{"model__1.safetensors": ""})
    assert "(missing: model-2.safetensors)" in refusal(EnvironmentFault)


def test_an_adapter_has_the_tokenizer_of_its_base():
    assert lacking(["adapter_config.json", "adapter_model.safetensors"]) == []


def test_a_model_that_can_be_had_is_told_with_its_size(cache, hub):
    hub["owner/name"] = {"files": FILES, "gated": False}
    assert fetch_note(MODEL, ask_for(MODEL)) == (
        "'owner/name' is fetched from the hub when the run starts, 3.4 GB at most"
    )


@pytest.mark.parametrize(
    ("model", "kind", "text"),
    [
        (ModelSpec(name="owner/nme"), SpecError, "the hub has no model 'owner/nme', or not for you; check the name"),
        (ModelSpec(name="owner/name", revision="v2"), SpecError, "'owner/name' has no revision 'v2'; check model.rev"),
        (ModelSpec(name="owner/kept"), EnvironmentFault, "'owner/kept' is given to those alone who took its terms"),
        (ModelSpec(name="owner/data"), SpecError, "'owner/data' on the hub has no config.json and no weights and no "),
        (ModelSpec(name="a b"), SpecError, "'a b' is neither a folder nor a hub id ("),
    ],
)
def test_a_model_that_cannot_be_had_is_told(cache, hub, model, kind, text):
    hub["owner/name"] = {"files": FILES, "gated": False}
    hub["owner/kept"] = {"files": FILES, "gated": True}
    hub["owner/data"] = {"files": {"README.md": 3}, "gated": False}
    assert refusal(kind, model).startswith(text)
    if model.name == "owner/name":
        assert ask_for(ModelSpec(name="owner/name", revision="v1")) is not None


def test_a_disk_without_room_is_told_before_anything_is_fetched(cache, hub, monkeypatch):
    hub["owner/name"] = {"files": {**FILES, "model.safetensors": 10**18}, "gated": False}
    assert "'owner/name' has 1000000000.4 GB, but '" in refusal(EnvironmentFault)
    assert shutil.disk_usage("/").free < 10**18
