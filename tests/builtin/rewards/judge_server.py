"""A server with OpenAI's interface, in a process of its own that prints its port.

What it says depends on the request: `worth=7` in it gives `Score: 7`, and `fault=NAME` one of `FAULTS`, the first time
or, as `fault=NAME!`, always. GET /seen tells the requests so far.
"""

import contextlib
import json
import re
import subprocess
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLD = {"usage": {"prompt_tokens": 10, "completion_tokens": 3}}
LOCK = threading.Lock()
SEEN: list[dict] = []
AT_ONCE = {"now": 0, "most": 0}


def chat(text):
    return {"choices": [{"message": {"role": "assistant", "content": text}}], **TOLD}


FAULTS = {
    "400": (400, {"error": {"message": "it is too long"}}),
    "429": (429, {"error": {"message": "slow down"}}),
    "500": (500, {"error": "broken"}),
    "html": (200, "<html>a proxy</html>"),
    "empty": (200, {}),
    "mute": (200, chat("I cannot tell.")),
    "nothing": (200, {"choices": [{"message": {"content": None}}]}),
    "huge": (200, "x" * 5_000_000),
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer(200, {"requests": SEEN, "at_once": AT_ONCE["most"]})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = "\n".join(message["content"] for message in body["messages"])
        with LOCK:
            is_first = all(one["body"] != body for one in SEEN)
            SEEN.append({"path": self.path, "authorization": self.headers.get("authorization"), "body": body})
            AT_ONCE["now"] += 1
            AT_ONCE["most"] = max(AT_ONCE.values())
        try:
            self.reply(text, is_first)
        finally:
            with LOCK:
                AT_ONCE["now"] -= 1

    def reply(self, text, is_first):
        fault = re.search(r"fault=(\w+)(!?)", text)
        if fault and fault[1] == "slow":
            time.sleep(5 if is_first or fault[2] else 0)
        elif fault and fault[1] == "401":
            return self.answer(401, {"error": {"message": f"wrong key {self.headers.get('authorization')}"}})
        elif fault and fault[1] == "drop" and is_first:
            self.close_connection = True
            return None
        elif fault and (is_first or fault[2]) and fault[1] in FAULTS:
            return self.answer(*FAULTS[fault[1]])
        worth = re.search(r"worth=(\S+)", text)
        time.sleep(0.01)
        return self.answer(200, chat(f"It has its merits.\n**Score:** {worth[1] if worth else len(text) % 11}"))

    def answer(self, status, told):
        data = told.encode() if isinstance(told, str) else json.dumps(told).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        if status == 429:
            self.send_header("retry-after", "0")
        self.end_headers()
        with contextlib.suppress(OSError):  # who asked may have gone
            self.wfile.write(data)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def judge_server():
    """The url of a server that ends with the block."""
    process = subprocess.Popen([sys.executable, "-m", __name__], stdout=subprocess.PIPE, text=True)
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def seen(url):
    """What the server was asked, and how many requests it had at once."""
    with urllib.request.urlopen(f"{url}/seen") as response:
        told = json.load(response)
    return told["requests"], told["at_once"]


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
