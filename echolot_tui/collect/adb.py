"""Devices behind the adb server of this machine."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from echolot_tui.collect.adb_wire import (
    EXIT,
    STDERR,
    STDOUT,
    AdbError,
    AdbLostError,
    AdbRefusedError,
    NoServerError,
    Wire,
    shell_packets,
    sync_content,
    sync_size,
)
from echolot_tui.collect.device import Attached, Said, choose_device
from echolot_tui.collect.runner import CollectError
from echolot_tui.text import visible

_HOST: Final = "127.0.0.1"
_PORT: Final = 5037
_ANSWER_S: Final = 10.0
"""The server itself answers at once; a device behind it may wake up first."""
_START_S: Final = 30.0
_PULL_S: Final = 600.0
_UNSET: Final = "correct the variable, or unset it"


class AdbServer:
    """The adb server."""

    def __init__(self, address: tuple[str, int], program: str | None = None) -> None:
        """Remember where it is; nothing is sent yet.

        Args:
            address: Host and port.
            program: The ``adb`` that starts the server when it does not answer; ``None`` starts nothing.
        """
        self._address = address
        self._program = program

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> AdbServer:
        """The server adb itself would use, from ``ADB_SERVER_SOCKET`` and ``ANDROID_ADB_SERVER_*``.

        Raises:
            CollectError: One of them cannot be read.
        """
        return cls(server_address(environ), shutil.which("adb", path=environ.get("PATH")))

    def attached(self) -> tuple[Attached, ...]:
        """Every device the server knows, ready or not, in the server's order.

        Raises:
            CollectError: There is no server and none can be started.
        """
        text = self._asked("host:devices", f"adb server at {':'.join(map(str, self._address))}")
        lines = (line.partition("\t") for line in text.splitlines() if line.strip())
        return tuple(Attached(serial=serial, state=state.strip()) for serial, _, state in lines)

    def choose(self, wanted: str | None) -> AdbDevice:
        """The device named or the single ready one, checked to speak shell protocol 2.

        Raises:
            CollectError: As :func:`choose_device`; or its Android is too old to record.
        """
        one = choose_device(self.attached(), wanted)
        where = f"device {visible(one.serial)}"
        features = self._asked(f"host-serial:{one.serial}:features", where).split(",")
        if "shell_v2" not in features:
            raise CollectError(
                "its adb has no shell protocol 2",
                where=where,
                todo="recording needs Android 10 or newer",
            )
        return AdbDevice(self._address, one.serial)

    def _asked(self, service: str, where: str) -> str:
        """What the server answers to a question.

        Raises:
            CollectError: It refuses, breaks off, or is not there.
        """
        try:
            with self._connected() as wire:
                wire.request(service)
                return wire.block().decode("utf-8", "replace")
        except AdbError as error:
            todo = error.todo or "adb kill-server, then adb devices shows whether it answers again"
            raise type(error)(error.what, where=error.where or where, todo=todo) from error

    def _connected(self) -> Wire:
        try:
            return Wire(self._address, _ANSWER_S)
        except NoServerError as error:
            if self._program is None:
                raise NoServerError(
                    error.what,
                    where=error.where,
                    todo="install Android's platform-tools and have adb on PATH, or start the server",
                ) from error
            self._start(self._program)
            return Wire(self._address, _ANSWER_S)

    def _start(self, program: str) -> None:
        host, port = self._address
        if host not in (_HOST, "localhost"):
            return
        try:
            done = subprocess.run(
                [program, "-P", str(port), "start-server"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_START_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise _not_started(program, str(error)) from error
        if done.returncode:
            text = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
            raise _not_started(program, text or f"exit code {done.returncode}")


class AdbDevice:
    """One device, spoken to through the adb server; every call is its own connection."""

    def __init__(self, address: tuple[str, int], serial: str) -> None:
        self._address = address
        self._serial = serial

    @property
    def serial(self) -> str:
        """Its name for adb."""
        return self._serial

    def shell(self, line: str, *, stdin: bytes = b"", timeout_s: float = 30.0) -> Said:
        """Run a shell line on the device and wait for its end."""
        out, err, code = bytearray(), bytearray(), 255
        try:
            with self._switched(timeout_s) as wire:
                for kind, data in shell_packets(wire, line, stdin):
                    if kind == STDOUT:
                        out += data
                    elif kind == STDERR:
                        err += data
                    elif kind == EXIT and data:
                        code = data[0]
        except AdbError as error:
            raise self._named(error, line) from error
        return Said(out=out.decode("utf-8", "replace"), err=err.decode("utf-8", "replace"), code=code)

    def pull(self, remote: str, local: Path) -> int:
        """Copy a file from the device; what arrived is compared with the size the device states."""
        count = 0
        try:
            with self._switched(_PULL_S) as wire:
                wire.request("sync:")
                size = sync_size(wire, remote)
                if size is None:
                    raise AdbRefusedError("there is no such file", where=remote, todo="record again")
                with local.open("wb") as file:
                    for piece in sync_content(wire, remote):
                        file.write(piece)
                        count += len(piece)
        except AdbError as error:
            raise self._named(error, f"pull of {remote}", count) from error
        except OSError as error:
            raise CollectError(
                f"cannot be written ({error.strerror or error})",
                where=str(local),
                todo="check the folder's permissions and free space",
            ) from error
        if count & 0xFFFFFFFF != size:
            raise AdbLostError(
                f"only {count} of {size} bytes arrived",
                where=f"device {self._serial}, {remote}",
                todo="collect --resume records what is missing",
            )
        return count

    def _switched(self, timeout_s: float) -> Wire:
        wire = Wire(self._address, timeout_s)
        try:
            wire.request(f"host:transport:{self._serial}")
        except BaseException:
            wire.__exit__(None, None, None)
            raise
        return wire

    def _named(self, error: AdbError, doing: str, count: int = 0) -> AdbError:
        after = f" after {count} bytes" if count else ""
        return type(error)(
            f"{error.what}{after}",
            where=f"device {self._serial}, {doing[:120]}",
            todo=error.todo or "check the cable and adb devices; collect --resume records what is missing",
        )


def server_address(environ: Mapping[str, str]) -> tuple[str, int]:
    """Host and port of the adb server, by the variables adb itself reads.

    Raises:
        CollectError: A variable holds something else than an address.
    """
    named = environ.get("ADB_SERVER_SOCKET", "")
    if named:
        kind, _, rest = named.partition(":")
        host, _, port = rest.rpartition(":")
        if kind != "tcp":
            raise CollectError(
                f"is {visible(named, 80)}, expected tcp:HOST:PORT", where="ADB_SERVER_SOCKET", todo=_UNSET
            )
        return host or _HOST, _port(port, "ADB_SERVER_SOCKET")
    host = environ.get("ANDROID_ADB_SERVER_ADDRESS") or _HOST
    return host, _port(environ.get("ANDROID_ADB_SERVER_PORT") or str(_PORT), "ANDROID_ADB_SERVER_PORT")


def _port(text: str, name: str) -> int:
    if text.isdecimal() and 0 < int(text) < 65_536:
        return int(text)
    raise CollectError(f'is "{visible(text, 80)}", expected a port number', where=name, todo=_UNSET)


def _not_started(program: str, why: str) -> AdbError:
    return AdbError(
        f"cannot start the adb server ({visible(why, 200)})",
        where=program,
        todo="run adb start-server by hand to see why",
    )
