"""A report that is made anew whenever it is asked for, on this machine alone."""

from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer

from gpocli.errors import EnvironmentFault, GpoError
from gpocli.report.page import report
from gpocli.runs.run import Run

REFRESH = 15
"""Seconds after which a browser asks again."""


def serve(runs: Sequence[Run], port: int) -> HTTPServer:
    """A server of the report on the loopback address; port 0 is any free one. Raises EnvironmentFault."""
    paths = [run.path for run in runs]

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/":
                self.send_error(404)
                return
            try:
                status, body = 200, report([Run.find(path) for path in paths], refresh=REFRESH)
            except GpoError as error:  # a run was removed meanwhile
                status, body = 503, str(error)
            raw = body.encode("utf-8")
            self.send_response(status)
            self.send_header("Content-Type", f"text/{'html' if status == 200 else 'plain'}; charset=utf-8")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing of each request."""

    try:
        return HTTPServer(("127.0.0.1", port), Handler)
    except OSError as error:
        raise EnvironmentFault(f"cannot listen on port {port} ({error.strerror}); name another with --port") from error
