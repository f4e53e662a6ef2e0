"""A stand-in for ``trace_processor_shell``: its HTTP interface, answered by the embedded engine."""

from __future__ import annotations

import stat
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from echolot_tui.engine.embedded import EmbeddedEngine
from echolot_tui.engine.wire import bytes_field, fields, text

VERSION = "Perfetto v52.0-fake (0000)\nTrace Processor RPC API version: 14\n"


def install(folder: Path, *, before: str = "") -> Path:
    """Write an executable that runs this file, after the shell commands ``before``."""
    binary = folder / "trace_processor_shell"
    binary.write_text(f'#!/bin/sh\n{before}\nexec "{sys.executable}" "{__file__}" "$@"\n')
    binary.chmod(binary.stat().st_mode | stat.S_IXUSR)
    return binary


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    engine: EmbeddedEngine

    def do_GET(self) -> None:
        if self.path == "/status":
            self._answer(bytes_field(2, VERSION.encode()))
        elif self.path == "/notify_eof":
            error = self.engine.finish()
            self._answer(bytes_field(1, error.encode()) if error else b"")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/parse":
            error = self.engine.append(body)
            self._answer(bytes_field(2, error.encode()) if error else b"")
        elif self.path == "/query":
            sql = next(text(value) for number, value in fields(body) if number == 1)
            if "die_now" in sql:
                sys.stderr.write("fatal: told to die\n")
                sys.stderr.flush()
                sys.exit(3)
            self._answer(b"".join(bytes(part) for part in self.engine.query(sql)))

    def _answer(self, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


def main(arguments: list[str]) -> None:
    if arguments == ["--version"]:
        sys.stdout.write(VERSION)
        return
    assert arguments[:2] == ["-D", "--http-port"], arguments
    assert arguments[3:] == ["--no-ftrace-raw"], arguments
    Handler.engine = EmbeddedEngine("embedded", memory_limit=1 << 30, timeout_s=600, say=lambda _line: None)
    HTTPServer(("localhost", int(arguments[2])), Handler).serve_forever()


if __name__ == "__main__":
    main(sys.argv[1:])
