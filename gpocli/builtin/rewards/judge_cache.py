"""Replies of a judge on disk, each in a file named for the content of its request."""

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class ReplyCache:
    """Keeps replies in a folder that processes and runs may share; it holds no requests and no keys.

    What cannot be read or written is as if it were not there: a cache stops no run.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, url: str, body: Mapping[str, Any]) -> str | None:
        """The reply to a request."""
        try:
            reply = json.loads(self._file(url, body).read_bytes())["reply"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return reply if isinstance(reply, str) else None

    def keep(self, url: str, body: Mapping[str, Any], reply: str) -> None:
        """Keep a reply for the next time."""
        file = self._file(url, body)
        with contextlib.suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            number, part = tempfile.mkstemp(dir=file.parent, suffix=".part")
            try:
                with os.fdopen(number, "w", encoding="ascii") as opened:
                    json.dump({"reply": reply}, opened)
                os.replace(part, file)  # whole, for others may read it
            except OSError:
                with contextlib.suppress(OSError):
                    os.unlink(part)
                raise

    def _file(self, url: str, body: Mapping[str, Any]) -> Path:
        content = json.dumps([url, body], sort_keys=True, ensure_ascii=True, default=str)
        digest = hashlib.sha256(content.encode("ascii")).hexdigest()
        return self._folder / digest[:2] / f"{digest[2:]}.json"
