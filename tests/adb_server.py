"""An adb server with one scripted phone behind it, speaking the real protocol over TCP on loopback.

Only what is said on the wire is faked; sockets, framing, resets and silence are real.
"""

from __future__ import annotations

import contextlib
import re
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

PACKAGE = "com.example.app"
ACTIVITY = f"{PACKAGE}/.MainActivity"
SERIAL = "R58M1234"
TRACE_PATH = "/data/misc/perfetto-traces/echolot.pftrace"


@dataclass
class Reply:
    out: str = ""
    err: str = ""
    code: int = 0


class Cut(Exception):  # noqa: N818
    """Break the connection off here, without an exit packet."""


class Silence(Exception):  # noqa: N818
    """Say nothing more until the other side hangs up."""


Script = Reply | type[Cut] | type[Silence] | Callable[[str], Reply]


@dataclass
class Phone:
    """What the phone is like; tests change it, and script single shell lines over it."""

    installed: dict[str, str] = field(default_factory=lambda: {PACKAGE: "/data/app/x/base.apk"})
    launcher: str = ACTIVITY
    awake: bool = True
    wakes: bool = True
    locked: bool = False
    secure: bool = False
    dismisses: bool = True
    battery_tenths: list[int] = field(default_factory=lambda: [273])
    hal: str = "\tTemperature{mValue=31.5, mType=0, mName=CPU0, mStatus=0}\n"
    min_freq: str = "300000"
    fixed_works: bool = True
    airplane: bool = False
    settings: dict[str, str] = field(
        default_factory=lambda: {"screen_brightness": "120", "screen_brightness_mode": "1"}
    )
    totals: list[int] = field(default_factory=lambda: [500])
    launch_state: str = "COLD"
    polls: int = 2
    """How often perfetto is still seen running."""
    knows_background_wait: bool = True
    trace: bytes = b"trace" * 4000
    free_kb: int = 5_000_000
    handshake: str = 'result=1, data="{"exitCode":1,"requiredVersion":"1.0.0"}"'
    pull: str = "whole"
    """``whole``, ``cut`` in the middle, ``short`` (ends early, politely), ``refused``."""

    lines: list[str] = field(default_factory=list)
    """Every shell line, in order."""
    configs: list[str] = field(default_factory=list)
    """Every recording config perfetto was given."""
    files: dict[str, bytes] = field(default_factory=dict)
    running: dict[int, int] = field(default_factory=dict)
    launches: int = 0
    names: bool = False
    names_at_launch: list[bool] = field(default_factory=list)
    scripts: list[tuple[re.Pattern[str], Script, int]] = field(default_factory=list)

    def on(self, pattern: str, script: Script, *, after: int = 0) -> None:
        """Answer lines that match with ``script``, from the ``after``-th on."""
        self.scripts.append((re.compile(pattern), script, after))

    def said(self, pattern: str) -> list[str]:
        return [line for line in self.lines if re.search(pattern, line)]

    def shell(self, line: str, stdin: bytes) -> Reply:
        self.lines.append(line)
        for pattern, script, after in self.scripts:
            if pattern.search(line) and len(self.said(pattern.pattern)) > after:
                if isinstance(script, type):
                    raise script
                return script if isinstance(script, Reply) else script(line)
        for pattern, answer in _ANSWERS:
            found = pattern.fullmatch(line)
            if found:
                return answer(self, found, stdin)
        return Reply(err=f"sh: {line.partition(' ')[0]}: inaccessible or not found\n", code=127)


def _pm_path(phone: Phone, found: re.Match[str], _: bytes) -> Reply:
    path = phone.installed.get(found[1])
    return Reply(out=f"package:{path}\n") if path else Reply(code=1)


def _resolve(phone: Phone, found: re.Match[str], _: bytes) -> Reply:
    if not phone.launcher:
        return Reply(out="No activity found\n")
    return Reply(out=f"priority=0 preferredOrder=0 match=0x108000 specificIndex=-1\n{phone.launcher}\n")


def _power(phone: Phone, found: re.Match[str], _: bytes) -> Reply:
    return Reply(
        out=f"POWER MANAGER\n  mWakefulness={'Awake' if phone.awake else 'Dozing'}\n  mIsPowered=true\n"
    )


def _policy(phone: Phone, found: re.Match[str], _: bytes) -> Reply:
    flags = f"      showing={str(phone.locked).lower()}\n      secure={str(phone.secure).lower()}\n"
    return Reply(out=f"WINDOW MANAGER POLICY STATE\n    KeyguardServiceDelegate\n{flags}")


def _wake(phone: Phone, found: re.Match[str], _: bytes) -> Reply:
    phone.awake = phone.awake or phone.wakes
    return Reply()


def _dismiss(phone: Phone, found: re.Match[str], _: bytes) -> Reply:
    phone.locked = phone.locked and (phone.secure or not phone.dismisses)
    return Reply()


def _battery(phone: Phone, found: re.Match[str], _: bytes) -> Reply:
    if not phone.battery_tenths:
        return Reply(out="Current Battery Service state:\n  level: 90\n")
    now = phone.battery_tenths.pop(0) if len(phone.battery_tenths) > 1 else phone.battery_tenths[0]
    return Reply(out=f"Current Battery Service state:\n  level: 90\n  temperature: {now}\n")


def _thermal(phone: Phone, found: re.Match[str], _: bytes) -> Reply:
    cached = "Cached temperatures:\n\tTemperature{mValue=99.0, mType=0, mName=old, mStatus=0}\n"
    cooling = "Current cooling devices from HAL:\n\tCoolingDevice{mValue=0, mType=0, mName=fan}\n"
    return Reply(
        out="Thermal Status: 0\n"
        f"{cached}HAL Ready: true\nCurrent temperatures from HAL:\n{phone.hal}{cooling}"
    )


def _fixed(phone: Phone, found: re.Match[str], _: bytes) -> Reply:
    if phone.fixed_works:
        phone.min_freq = "1800000" if found[1] == "true" else "300000"
    return Reply()


def _airplane(phone: Phone, found: re.Match[str], _: bytes) -> Reply:
    if found[1] is None:
        return Reply(out="enabled\n" if phone.airplane else "disabled\n")
    phone.airplane = found[1] == "enable"
    return Reply()


def _setting(phone: Phone, found: re.Match[str], _: bytes) -> Reply:
    verb, key, value = found[1], found[2], found[3]
    if verb == "get":
        return Reply(out=f"{phone.settings.get(key, 'null')}\n")
    if verb == "put":
        phone.settings[key] = value
    else:
        phone.settings.pop(key, None)
    return Reply()


def _am_start(phone: Phone, found: re.Match[str], _: bytes) -> Reply:
    total = phone.totals[phone.launches % len(phone.totals)]
    phone.launches += 1
    phone.names_at_launch.append(phone.names)
    return Reply(
        out=f"Starting: Intent {{ cmp={found[1]} }}\nStatus: ok\nLaunchState: {phone.launch_state}\n"
        f"Activity: {found[1]}\nTotalTime: {total}\nWaitTime: {total + 9}\nComplete\n"
    )


def _perfetto(phone: Phone, found: re.Match[str], stdin: bytes) -> Reply:
    if "--background-wait" in found[0] and not phone.knows_background_wait:
        return Reply(err="perfetto: unrecognized option '--background-wait'\nUsage: perfetto\n", code=1)
    phone.configs.append(stdin.decode())
    pid = 4000 + len(phone.configs)
    phone.running[pid] = phone.polls
    phone.files[found["path"]] = phone.trace
    return Reply(out=f"{pid}\n")


def _alive(phone: Phone, found: re.Match[str], _: bytes) -> Reply:
    pid = int(found[1])
    left = phone.running.get(pid, 0)
    if left <= 0:
        phone.running.pop(pid, None)
        return Reply(code=1)
    phone.running[pid] = left - 1
    return Reply()


def _kill(phone: Phone, found: re.Match[str], _: bytes) -> Reply:
    phone.running.pop(int(found[1]), None)
    phone.files.pop(found[2], None)
    return Reply()


def _remove(phone: Phone, found: re.Match[str], _: bytes) -> Reply:
    phone.files.pop(found[1], None)
    return Reply()


def _names(phone: Phone, found: re.Match[str], _: bytes) -> Reply:
    phone.names = "ENABLE_TRACING_COLD_START" in found[0] and "DISABLE" not in found[0]
    return Reply(out=f"Broadcasting: Intent {{ act=x }}\nBroadcast completed: {phone.handshake}\n")


def _end_left_over(phone: Phone, found: re.Match[str], _: bytes) -> Reply:
    left = bool(phone.running)
    phone.running.clear()
    return Reply(code=0 if left else 1)


def _df(phone: Phone, found: re.Match[str], _: bytes) -> Reply:
    head = "Filesystem 1K-blocks Used Available Use% Mounted on\n"
    return Reply(out=f"{head}/dev/block/dm-9 110000000 99 {phone.free_kb} 42% /data/user/0\n")


def _nothing(phone: Phone, found: re.Match[str], _: bytes) -> Reply:
    return Reply()


_Answer = Callable[[Phone, "re.Match[str]", bytes], Reply]
_ANSWERS: list[tuple[re.Pattern[str], _Answer]] = [
    (re.compile(pattern), answer)
    for pattern, answer in (
        (r"pm path (\S+)", _pm_path),
        (r"cmd package resolve-activity --brief .*", _resolve),
        (r"dumpsys power", _power),
        (r"dumpsys window policy", _policy),
        (r"input keyevent KEYCODE_WAKEUP", _wake),
        (r"wm dismiss-keyguard", _dismiss),
        (r"dumpsys battery", _battery),
        (r"dumpsys thermalservice", _thermal),
        (r"cmd power set-fixed-performance-mode-enabled (\w+)", _fixed),
        (r"cat /sys/devices/system/cpu/cpufreq/.*", lambda phone, found, _: Reply(out=f"{phone.min_freq}\n")),
        (r"cmd connectivity airplane-mode(?: (\w+))?", _airplane),
        (r"settings (get|put|delete) system (\w+)(?: (\S+))?", _setting),
        (r"am force-stop \S+", _nothing),
        (r"am force-stop \S+; am broadcast .*; am force-stop \S+", _names),
        (r"am start -W -n (\S+)", _am_start),
        (r"perfetto -c - --txt --background(?:-wait)? -o (?P<path>\S+)", _perfetto),
        (r"test -d /proc/(\d+)", _alive),
        (r"kill (\d+); rm -f (\S+)", _kill),
        (r"rm -f (\S+)", _remove),
        (r"pkill -f '\[e\]cholot\.pftrace'", _end_left_over),
        (r"df -k /data", _df),
    )
]


class AdbServerScript:
    """Listens on a free port; ``devices`` is what ``adb devices`` shows."""

    def __init__(self) -> None:
        self.phone = Phone()
        self.devices: list[tuple[str, str]] = [(SERIAL, "device")]
        self.features = "shell_v2,cmd,stat_v2"
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    @property
    def address(self) -> tuple[str, int]:
        host, port = self._listener.getsockname()
        return host, port

    @property
    def environ(self) -> dict[str, str]:
        return {"ANDROID_ADB_SERVER_PORT": str(self.address[1])}

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)
        with self._lock:
            for connection in self._open:
                _hang_up(connection)
        for thread in self._threads:
            thread.join(5)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self._open.add(connection)
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            _Conversation(self, connection).hold()
        except (Cut, OSError):
            _reset(connection)
        except Silence:
            _listen_only(connection)
        finally:
            with self._lock:
                self._open.discard(connection)
                connection.close()


class _Conversation:
    def __init__(self, server: AdbServerScript, connection: socket.socket) -> None:
        self._server = server
        self._phone = server.phone
        self._connection = connection

    def hold(self) -> None:
        request = self._request()
        if request == "host:devices":
            text = "".join(f"{serial}\t{state}\n" for serial, state in self._server.devices)
            self._okay(text)
        elif request.startswith("host-serial:") and request.endswith(":features"):
            self._okay(self._server.features)
        elif request.startswith("host:transport:"):
            self._transport(request.removeprefix("host:transport:"))
        else:
            self._fail("unknown host service")

    def _transport(self, serial: str) -> None:
        state = dict(self._server.devices).get(serial)
        if state is None:
            self._fail(f"device '{serial}' not found")
            return
        if state != "device":
            self._fail(f"device {state}")
            return
        self._connection.sendall(b"OKAY")
        service = self._request()
        if service == "sync:":
            self._connection.sendall(b"OKAY")
            self._sync()
        else:
            assert service.startswith("shell,v2,raw:"), service
            self._connection.sendall(b"OKAY")
            self._shell(service.removeprefix("shell,v2,raw:"))

    def _shell(self, line: str) -> None:
        stdin = bytearray()
        while True:
            kind, length = struct.unpack("<BI", self._exact(5))
            data = self._exact(length)
            if kind == 4:
                break
            assert kind == 0
            stdin += data
        reply = self._phone.shell(line, bytes(stdin))
        for kind, text in ((1, reply.out), (2, reply.err)):
            data = text.encode()
            # in pieces, as a real one would: nobody may count on whole lines
            for start in range(0, len(data), 7):
                piece = data[start : start + 7]
                self._connection.sendall(struct.pack("<BI", kind, len(piece)) + piece)
        self._connection.sendall(struct.pack("<BIB", 3, 1, reply.code))

    def _sync(self) -> None:
        while True:
            try:
                kind, length = struct.unpack("<4sI", self._exact(8))
            except Cut:
                return  # the other side has what it wanted
            path = self._exact(length).decode()
            data = self._phone.files.get(path)
            if kind == b"STAT":
                mode, size = (0o100644, len(data)) if data is not None else (0, 0)
                self._connection.sendall(struct.pack("<4sIII", b"STAT", mode, size, 1))
            elif data is None or self._phone.pull == "refused":
                reason = b"open failed: Permission denied"
                self._connection.sendall(struct.pack("<4sI", b"FAIL", len(reason)) + reason)
            else:
                self._content(data)

    def _content(self, data: bytes) -> None:
        ends = len(data) if self._phone.pull == "whole" else len(data) // 2
        for start in range(0, ends, 4096):
            piece = data[start : min(start + 4096, ends)]
            self._connection.sendall(struct.pack("<4sI", b"DATA", len(piece)) + piece)
        if self._phone.pull == "cut":
            self._server.devices.clear()
            raise Cut
        self._connection.sendall(struct.pack("<4sI", b"DONE", 1))

    def _okay(self, text: str) -> None:
        body = text.encode()
        self._connection.sendall(b"OKAY" + f"{len(body):04x}".encode() + body)

    def _fail(self, text: str) -> None:
        body = text.encode()
        self._connection.sendall(b"FAIL" + f"{len(body):04x}".encode() + body)

    def _request(self) -> str:
        return self._exact(int(self._exact(4), 16)).decode()

    def _exact(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            part = self._connection.recv(count - len(data))
            if not part:
                raise Cut
            data += part
        return bytes(data)


def _hang_up(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _reset(connection: socket.socket) -> None:
    """Close with a reset instead of an orderly end."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _listen_only(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while connection.recv(4096):
            pass
