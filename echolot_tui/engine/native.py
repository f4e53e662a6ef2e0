"""A native ``trace_processor_shell``, run as a child process and asked over HTTP on this machine.

The ``perfetto`` package's runner is not used: it sleeps a second at every start, leaves a temporary file
behind, and puts the child into a session of its own, where it outlives a killed worker.
"""

from __future__ import annotations

import contextlib
import functools
import http.client
import os
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import IO, Final

from echolot_tui.engine import wire
from echolot_tui.engine.backend import EngineDiedError, short_version
from echolot_tui.engine.locate import file_sha256
from echolot_tui.engine.model import EngineInfo
from echolot_tui.errors import EcholotError
from echolot_tui.text import visible

_START_S: Final = 30.0
_POLL_S: Final = 0.02
_APPEND_ERROR, _FINALIZE_ERROR = 2, 1


class NativeEngine:
    """One child process: append a trace's bytes, finish, then query. Not thread-safe.

    Args:
        binary: The ``trace_processor_shell``.
        named_by: The option or config key that names it, for messages.
        timeout_s: Seconds it may exist before a request to it fails.

    Raises:
        EcholotError: The binary is missing, cannot be run or does not start serving.
    """

    def __init__(self, binary: Path, *, named_by: str, timeout_s: float) -> None:
        self._todo = f"correct {named_by}" if named_by else "name another trace_processor_shell"
        self.info = self._identify(binary)
        self._timeout_s = timeout_s
        self._deadline = time.monotonic() + timeout_s
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child
        try:
            self._child, self._connection = self._start(binary)
        except BaseException:
            self._log.close()
            raise

    def append(self, piece: bytes) -> str:
        """Hand over the next bytes of the trace; the engine's error, or nothing.

        Raises:
            EngineDiedError: The child is lost.
        """
        return _error(self._ask("POST", "/parse", piece), _APPEND_ERROR)

    def finish(self) -> str:
        """Say that the trace is complete; the engine's error, or nothing.

        Raises:
            EngineDiedError: The child is lost.
        """
        return _error(self._ask("GET", "/notify_eof"), _FINALIZE_ERROR)

    def query(self, sql: str) -> list[bytes]:
        """The serialized ``QueryResult`` that answers ``sql``.

        Raises:
            EngineDiedError: The child is lost.
        """
        return [self._ask("POST", "/query", wire.bytes_field(1, sql.encode("utf-8", errors="replace")))]

    def close(self) -> None:
        """End the child."""
        self._connection.close()
        self._child.kill()
        self._child.wait()
        self._log.close()

    def _identify(self, binary: Path) -> EngineInfo:
        if not binary.is_file():
            raise self._refused(binary, "there is no such file")
        if not os.access(binary, os.X_OK):
            raise self._refused(binary, "it is not executable")
        try:
            sha256 = file_sha256(binary)
            version = _told_version(binary, sha256)
        except (OSError, subprocess.SubprocessError) as error:
            raise self._refused(binary, _why(error)) from error
        return EngineInfo(kind="native", version=version, sha256=sha256)

    def _start(self, binary: Path) -> tuple[subprocess.Popen[bytes], http.client.HTTPConnection]:
        port = _free_port()
        command = [str(binary), "-D", "--http-port", str(port), "--no-ftrace-raw"]
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)
        try:
            give_up = time.monotonic() + _START_S
            while child.poll() is None and time.monotonic() < give_up:
                connection = http.client.HTTPConnection("localhost", port, timeout=_START_S)
                with contextlib.suppress(OSError, http.client.HTTPException):
                    connection.request("GET", "/status")
                    connection.getresponse().read()
                    return child, connection
                connection.close()
                time.sleep(_POLL_S)
            ended = (
                "it ended at once" if child.poll() is not None else f"it did not answer for {_START_S:g} s"
            )
            raise self._refused(binary, self._with_log(ended))
        except BaseException:
            child.kill()
            child.wait()
            raise

    def _ask(self, method: str, path: str, body: bytes | None = None) -> bytes:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise self._out_of_time()
        if self._connection.sock is not None:
            self._connection.sock.settimeout(left)
        try:
            self._connection.request(method, path, body=body)
            response = self._connection.getresponse()
            content = response.read()
        except TimeoutError as error:
            raise self._out_of_time() from error
        except (OSError, http.client.HTTPException) as error:
            raise self._lost(error) from error
        if response.status != http.HTTPStatus.OK:
            raise EngineDiedError(f"answered {response.status} {response.reason}")
        return content

    def _out_of_time(self) -> EngineDiedError:
        self._child.kill()
        return EngineDiedError(f"was stopped after {self._timeout_s:g} s")

    def _lost(self, error: Exception) -> EngineDiedError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._child.wait(timeout=1)
            ended = f"was ended by signal {-code}" if code < 0 else f"exited with code {code}"
            return EngineDiedError(self._with_log(ended))
        return EngineDiedError(f"stopped answering ({error})")

    def _with_log(self, what: str) -> str:
        """``what``, and the last line the child wrote."""
        self._log.seek(0)
        lines = self._log.read().decode("utf-8", errors="replace").strip().splitlines()
        return f"{what}: {visible(lines[-1].strip(), 200)}" if lines else what

    def _refused(self, binary: Path, why: str) -> EcholotError:
        return EcholotError(
            f"cannot use this trace engine: {why}", where=visible(str(binary)), todo=self._todo
        )


@functools.lru_cache(maxsize=8)
def _told_version(binary: Path, _sha256: str) -> str:
    """What ``--version`` says, asked once for the same content."""
    told = subprocess.run(
        [str(binary), "--version"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_START_S,
        check=True,
    )
    return short_version(told.stdout.decode("utf-8", errors="replace"))


def _why(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        last = error.stderr.decode("utf-8", errors="replace").strip().splitlines()[-1:]
        return visible(": ".join([f"--version exits with code {error.returncode}", *last]), 200)
    if isinstance(error, subprocess.TimeoutExpired):
        return f"--version does not answer within {_START_S:g} s"
    return visible(getattr(error, "strerror", None) or str(error), 200)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return int(probe.getsockname()[1])


def _error(result: bytes, field: int) -> str:
    return next((wire.text(value) for number, value in wire.fields(result) if number == field), "")
