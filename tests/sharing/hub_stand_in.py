"""A model hub on this machine, for the real client: repositories, and commits of small and of large files."""

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LARGE = (".safetensors", ".bin", "tokenizer.json")


@dataclass
class Repository:
    """What was sent to it."""

    private: bool
    files: dict[str, bytes] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    large: set[str] = field(default_factory=set)
    """Names of the files that came as LFS objects."""


@dataclass
class Hub:
    """Its address, its repositories, and who may write."""

    token: str = "hf_right"
    url: str = ""
    repositories: dict[str, Repository] = field(default_factory=dict)
    objects: dict[str, bytes] = field(default_factory=dict)

    def create(self, body: dict) -> dict:
        name = "/".join(filter(None, (body.get("organization"), body["name"])))
        name = name if "/" in name else f"me/{name}"
        self.repositories.setdefault(name, Repository(body.get("visibility") == "private" or bool(body.get("private"))))
        return {"url": f"{self.url}/{name}", "name": name, "id": name}

    def preupload(self, body: dict) -> dict:
        modes = {one["path"]: "lfs" if one["path"].endswith(LARGE) else "regular" for one in body["files"]}
        return {"files": [{"path": path, "uploadMode": mode, "shouldIgnore": False} for path, mode in modes.items()]}

    def batch(self, body: dict) -> dict:
        objects = [
            one | {"actions": {"upload": {"href": f"{self.url}/objects/{one['oid']}"}}} for one in body["objects"]
        ]
        return {"transfer": "basic", "objects": objects}

    def commit(self, name: str, lines: list[dict]) -> dict:
        repository = self.repositories[name]
        for line in lines:
            value = line["value"]
            if line["key"] == "header":
                repository.messages.append(value["summary"])
            elif line["key"] == "file":
                repository.files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                repository.large.add(value["path"])
                repository.files[value["path"]] = self.objects[value["oid"]]
        return {"commitUrl": f"{self.url}/{name}/commit/{'a' * 40}", "commitOid": "a" * 40}


class _Handler(BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") == "chunked":
            parts = []
            while size := int(self.rfile.readline(), 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _answer(self, value: dict, code: int = 200) -> None:
        text = json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_PUT(self) -> None:
        body, name = self._body(), self.path.rpartition("/")[2]
        if hashlib.sha256(body).hexdigest() != name:
            self._answer({"error": "other bytes"}, 400)
            return
        self.hub.objects[name] = body
        self._answer({})

    def do_POST(self) -> None:
        body, path = self._body(), self.path.partition("?")[0]
        if path == "/api/validate-yaml":
            self._answer({"warnings": [], "errors": []})
        elif self.headers.get("Authorization") != f"Bearer {self.hub.token}":
            self._answer({"error": "Invalid username or password."}, 401)
        elif path == "/api/repos/create":
            self._answer(self.hub.create(json.loads(body)))
        elif path.endswith("/objects/batch"):
            self._answer(self.hub.batch(json.loads(body)))
        elif "/preupload/" in path:
            self._answer(self.hub.preupload(json.loads(body)))
        elif "/commit/" in path:
            name = path.removeprefix("/api/models/").partition("/commit/")[0]
            self._answer(self.hub.commit(name, [json.loads(line) for line in body.splitlines()]))
        else:
            self._answer({"error": f"no {path}"}, 404)

    def do_GET(self) -> None:
        self._answer({"error": f"no {self.path}"}, 404)


@contextmanager
def running_hub() -> Iterator[Hub]:
    """A hub that answers until the block ends."""
    hub = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": hub}))
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def environment(hub: Hub, token: str, home: str) -> dict[str, str]:
    """Variables of a process that takes `hub` for the hub, and nothing of this user.

    Large files go by LFS: the other way, Xet, cuts them up in a compiled client that has a protocol of its own.
    """
    own = {"HF_ENDPOINT": hub.url, "HF_HUB_OFFLINE": "0", "HF_HUB_DISABLE_XET": "1"}
    return own | {"HF_TOKEN": token, "HF_HOME": home}
