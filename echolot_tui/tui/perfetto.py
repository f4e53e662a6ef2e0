"""Hands one trace to Perfetto's viewer in the browser, from a small server on this machine only.

The viewer's page may load a trace from 127.0.0.1:9001 and nowhere else, so port and origin are its own.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Final
from urllib.parse import quote

from echolot_tui.errors import EcholotError

PORT: Final = 9001
_ORIGIN: Final = "https://ui.perfetto.dev"
_PIECE: Final = 1 << 20
_PATIENCE_S: Final = 300


def address(trace: Path) -> str:
    """What the browser has to open."""
    return f"{_ORIGIN}/#!/?url=http://127.0.0.1:{PORT}/{quote(trace.name)}"


def serve(trace: Path, said: Callable[[str], None]) -> str:
    """Serve a trace until it was fetched, at most five minutes; the address to open.

    Args:
        trace: The file.
        said: Told when it was fetched, in another thread.

    Raises:
        EcholotError: The file is gone, or the port is taken.
    """
    if not trace.is_file():
        raise EcholotError("the trace is not there any more", where=str(trace))
    try:
        server = _OneTrace(trace)
    except OSError as error:
        raise EcholotError(
            f"port {PORT}, the only one Perfetto's viewer reads from, is taken",
            todo="close what holds it, or open the file in the viewer by hand",
        ) from error
    threading.Thread(target=_run, args=(server, said), name="perfetto", daemon=True).start()
    return address(trace)


class _OneTrace(HTTPServer):
    """Knows one file and whether it was fetched."""

    allow_reuse_address = True
    timeout = _PATIENCE_S

    def __init__(self, trace: Path) -> None:
        self.trace = trace
        self.fetched = False
        self.waiting = True
        super().__init__(("127.0.0.1", PORT), _Handler)

    def handle_timeout(self) -> None:
        """Nobody came."""
        self.waiting = False


class _Handler(BaseHTTPRequestHandler):
    """Answers for exactly that file, to exactly that page."""

    server: _OneTrace

    def do_GET(self) -> None:
        """The trace."""
        trace = self.server.trace
        if self.path != f"/{quote(trace.name)}":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Access-Control-Allow-Origin", _ORIGIN)
        self.send_header("Content-Length", str(trace.stat().st_size))
        self.end_headers()
        with trace.open("rb") as handle, contextlib.suppress(ConnectionError):
            while piece := handle.read(_PIECE):
                self.wfile.write(piece)
            self.server.fetched = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """The screen is no place for a log."""


def _run(server: _OneTrace, said: Callable[[str], None]) -> None:
    with server:
        while server.waiting and not server.fetched:
            server.handle_request()
    said(
        f"{server.trace.name} was handed to Perfetto's viewer"
        if server.fetched
        else "nobody fetched the trace"
    )
