"""The adb server's wire protocol: requests, shell version 2, sync pull.

A client of our own because the living library has no standard input for a shell (the recording config is
given to ``perfetto`` that way), no deadline for a whole command, takes a connection that ends early for a
wrong answer, and brings ten packages, Pillow and a copy of adb among them, for these few messages.
The messages are described in Android's ``packages/modules/adb``: OVERVIEW.TXT, SERVICES.TXT, SYNC.TXT.
"""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Final, Self

from echolot_tui.collect.runner import CollectError
from echolot_tui.text import visible

_PIECE: Final = 1 << 16
_LONGEST_REQUEST: Final = 0xFFFF

STDIN: Final = 0
STDOUT: Final = 1
STDERR: Final = 2
EXIT: Final = 3
CLOSE_STDIN: Final = 4


class AdbError(CollectError):
    """The adb server, or a device behind it, did not do what it was asked."""


class AdbRefusedError(AdbError):
    """The adb server answered with a reason instead."""


class AdbLostError(AdbError):
    """The connection ended or fell silent before the answer was complete."""


class NoServerError(AdbError):
    """Nothing answers where the adb server should be."""


class Wire:
    """One connection to the adb server; every read and write has to be done by its deadline."""

    def __init__(self, address: tuple[str, int], timeout_s: float) -> None:
        """Connect.

        Raises:
            NoServerError: Nothing listens there.
        """
        self._where = f"adb server at {address[0]}:{address[1]}"
        self._timeout_s = timeout_s
        self._deadline = time.monotonic() + timeout_s
        try:
            self._socket = socket.create_connection(address, timeout=timeout_s)
        except OSError as error:
            raise NoServerError(
                f"does not answer ({error.strerror or error})",
                where=self._where,
                todo="start it with adb start-server",
            ) from error

    def __enter__(self) -> Self:
        """Close at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self._socket.close()

    def request(self, service: str) -> None:
        """Ask for a service and wait for the server's OKAY.

        Raises:
            AdbRefusedError: With the server's own words.
        """
        body = service.encode()
        if len(body) > _LONGEST_REQUEST:
            raise AdbError(f"a request of {len(body)} bytes is longer than adb takes", where=self._where)
        self.send(f"{len(body):04x}".encode() + body)
        self._expect_okay()

    def _expect_okay(self) -> None:
        answer = self.exact(4)
        if answer == b"FAIL":
            raise AdbRefusedError(visible(self.block().decode("utf-8", "replace"), 300))
        if answer != b"OKAY":
            raise AdbError(f"answers {answer!r}, which is not adb's protocol", where=self._where)

    def block(self) -> bytes:
        """An answer preceded by its length in four hex digits."""
        head = self.exact(4)
        try:
            length = int(head, 16)
        except ValueError:
            raise AdbError(f"gives the length {head!r}", where=self._where) from None
        return self.exact(length)

    def send(self, data: bytes) -> None:
        """Send all of ``data``.

        Raises:
            AdbLostError: The connection ended.
        """
        try:
            self._socket.settimeout(self._left())
            self._socket.sendall(data)
        except OSError as error:
            raise self._lost(error) from error

    def exact(self, count: int) -> bytes:
        """Exactly ``count`` bytes.

        Raises:
            AdbLostError: The connection ended before, or the deadline passed.
        """
        parts: list[bytes] = []
        missing = count
        while missing:
            try:
                self._socket.settimeout(self._left())
                part = self._socket.recv(min(missing, _PIECE))
            except OSError as error:
                raise self._lost(error) from error
            if not part:
                raise self._lost(None)
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def _left(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def _lost(self, error: OSError | None) -> AdbLostError:
        if isinstance(error, TimeoutError):
            return AdbLostError(f"no answer within {self._timeout_s:g} s")
        return AdbLostError("the connection to the device broke off")


def shell_packets(wire: Wire, command: str, stdin: bytes) -> Iterator[tuple[int, bytes]]:
    """Run a command on the chosen device with shell protocol 2.

    Args:
        wire: A connection that was switched to a device.
        command: Line for the device's shell.
        stdin: Given to the command, then closed.

    Yields:
        Packets ``(STDOUT | STDERR | EXIT, bytes)``; the exit packet is the last.

    Raises:
        AdbLostError: The connection ended before the exit packet.
    """
    wire.request(f"shell,v2,raw:{command}")
    for start in range(0, len(stdin), _PIECE):
        piece = stdin[start : start + _PIECE]
        wire.send(struct.pack("<BI", STDIN, len(piece)) + piece)
    wire.send(struct.pack("<BI", CLOSE_STDIN, 0))
    while True:
        kind, length = struct.unpack("<BI", wire.exact(5))
        data = wire.exact(length)
        yield kind, data
        if kind == EXIT:
            return


def sync_size(wire: Wire, path: str) -> int | None:
    """Size of a file on the device in bytes, modulo 2³²; ``None`` when there is no such file."""
    _sync_request(wire, b"STAT", path)
    answer, mode, size, _ = struct.unpack("<4sIII", wire.exact(16))
    if answer != b"STAT":
        raise AdbError(f"answers {answer!r} where STAT was expected", where=path)
    return size if mode else None


def sync_content(wire: Wire, path: str) -> Iterator[bytes]:
    """Content of a file on the device, in pieces.

    Raises:
        AdbRefusedError: The device cannot read it.
        AdbLostError: The connection ended in the middle.
    """
    _sync_request(wire, b"RECV", path)
    while True:
        answer, length = struct.unpack("<4sI", wire.exact(8))
        if answer == b"DATA":
            yield wire.exact(length)
        elif answer == b"DONE":
            return
        elif answer == b"FAIL":
            raise AdbRefusedError(visible(wire.exact(length).decode("utf-8", "replace"), 300), where=path)
        else:
            raise AdbError(f"answers {answer!r} in the middle of a file", where=path)


def _sync_request(wire: Wire, kind: bytes, path: str) -> None:
    encoded = path.encode()
    wire.send(kind + struct.pack("<I", len(encoded)) + encoded)
