"""Read a thread dump: ART's own (``/data/anr``, dropbox), Play Console's, Crashlytics'."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from echolot_tui.dumps.model import DumpThread, Lock, StackFrame, ThreadDump
from echolot_tui.errors import EcholotError

_ART: Final = re.compile(
    r'"(?P<name>.*)"(?: daemon)?(?: prio=-?\d+)? (?:tid=(?P<tid>\d+)|sysTid=(?P<sys>\d+))\b(?P<state>.*)'
)
"""A thread that is not of the virtual machine has no ``tid``."""
_CRASHLYTICS: Final = re.compile(
    r"(?P<name>.+) \((?P<state>[a-z_ ]+)\):\s*tid=(?P<tid>\d+)(?:\s+systid=(?P<sys>\d+))?(?P<rest>.*)"
)
_SYS_TID: Final = re.compile(r"\|\s*sysTid=(\d+)")
_CPU: Final = re.compile(r"\butm=(?P<user>\d+)\s+stm=(?P<system>\d+)\b.*?\bHZ=(?P<hz>\d+)")
_JAVA: Final = re.compile(r"at\s+(?P<symbol>[^\s(]+)\s*\((?P<where>.*)\)\s*")
_WHERE: Final = re.compile(r"(?P<file>.+?):(?P<line>-?\d+)")
_NATIVE: Final = re.compile(r"(?:native:\s+)?#\d+\s+pc\s+\S+\s+(?P<rest>.+)")
_LOCK: Final = re.compile(
    r"(?:-|\|)?\s*(?P<how>waiting to lock|waiting on|sleeping on|locked)\s+"
    r"(?:<(?P<address>[^>]*)>|an unknown object)"
    r"(?:\s+\(an?\s+(?P<kind>.*?)\))?(?:\s+held by\s+(?:thread|tid=)\s*(?P<owner>\d+))?"
)
_BEGIN: Final = re.compile(r"-+ pid (?P<pid>\d+) at .*")
_PROCESS: Final = re.compile(r"(?:Cmd line|Process|# Application):\s*(?P<name>\S.*)")
_SUBJECT: Final = re.compile(r"(?:Subject|Reason|Annotation|# ANR reason):\s*(?P<text>\S.*)")
_NO_FILE: Final = re.compile(
    r"Native [mM]ethod|Unknown Source|unavailable|lambda|SourceFile|null|r8-map-id-\w+|.*@@.*|"
)
"""What stands in the place of a file: nothing known, R8's placeholders, a library's coordinates."""


@dataclass(slots=True)
class _Thread:
    name: str
    tid: int | None
    sys_tid: int | None
    state: str
    cpu_ms: float | None = None
    frames: list[StackFrame] = field(default_factory=list)
    waits_for: Lock | None = None
    holds: list[str] = field(default_factory=list)

    def made(self) -> DumpThread:
        return DumpThread(
            name=self.name,
            tid=self.tid,
            sys_tid=self.sys_tid,
            state=self.state,
            cpu_ms=self.cpu_ms,
            frames=tuple(self.frames),
            waits_for=self.waits_for,
            holds=tuple(self.holds),
        )


@dataclass(slots=True)
class _Process:
    name: str | None = None
    threads: list[_Thread] = field(default_factory=list)


def read_dump(text: str, *, where: str) -> ThreadDump:
    """Read a dump; of several processes the first that has a main thread.

    Args:
        text: The file.
        where: Its name, for the message.

    Raises:
        EcholotError: It holds no thread.
    """
    processes = _processes(text)
    filled = [each for each in processes if each.threads]
    if not filled:
        raise EcholotError(
            "holds no thread dump",
            where=where,
            todo="give the stacks of all threads: Play Console's or Crashlytics' text, /data/anr/anr_*, "
            "or dumpsys dropbox --print data_app_anr",
        )
    chosen = next((each for each in filled if any(one.name == "main" for one in each.threads)), filled[0])
    subject = _SUBJECT.search(text)
    return ThreadDump(
        process=chosen.name or next((each.name for each in processes if each.name), None),
        subject=subject["text"].strip() if subject else None,
        threads=tuple(thread.made() for thread in _once(chosen.threads)),
        others=tuple(each.name or "?" for each in filled if each is not chosen),
    )


def _processes(text: str) -> list[_Process]:
    found = [_Process()]
    for raw in text.splitlines():
        line = raw.strip()
        if _BEGIN.fullmatch(line):
            found.append(_Process())
        elif (named := _PROCESS.match(line)) and not found[-1].threads:
            found[-1].name = found[-1].name or named["name"].strip()
        elif thread := _thread(line):
            found[-1].threads.append(thread)
        elif found[-1].threads:
            _take(line, found[-1].threads[-1])
    return found


def _thread(line: str) -> _Thread | None:
    if found := _ART.fullmatch(line):
        state = found["state"].strip().removeprefix("(not attached)").strip()
        return _Thread(found["name"], _number(found["tid"]), _number(found["sys"]), state)
    if found := _CRASHLYTICS.fullmatch(line):
        thread = _Thread(found["name"], int(found["tid"]), _number(found["sys"]), found["state"].strip())
        _take(found["rest"].strip(), thread)
        return thread
    return None


def _take(line: str, thread: _Thread) -> None:
    """What one line below a thread's head says."""
    if java := _JAVA.fullmatch(line):
        place = _WHERE.fullmatch(java["where"])
        file = place["file"] if place else java["where"]
        line_number = int(place["line"]) if place else None
        thread.frames.append(
            StackFrame(
                symbol=java["symbol"],
                file=None if _NO_FILE.fullmatch(file) else file,
                line=line_number if line_number and line_number > 0 else None,
            )
        )
    elif native := _NATIVE.fullmatch(line):
        thread.frames.append(StackFrame(symbol=native["rest"].strip(), native=True))
    elif lock := _LOCK.match(line):
        _take_lock(lock, thread)
    elif line.startswith("|"):
        if sys_tid := _SYS_TID.match(line):
            thread.sys_tid = int(sys_tid[1])
        if cpu := _CPU.search(line):
            ticks, hz = int(cpu["user"]) + int(cpu["system"]), int(cpu["hz"])
            thread.cpu_ms = round(1000 * ticks / hz, 2) if hz else None


def _take_lock(lock: re.Match[str], thread: _Thread) -> None:
    if lock["how"] == "locked":
        if lock["address"]:
            thread.holds.append(lock["address"])
        return
    if thread.waits_for is None:  # the innermost counts; more are those further out
        thread.waits_for = Lock(
            address=lock["address"],
            kind=lock["kind"],
            owner=_number(lock["owner"]),
            to_enter=lock["how"] == "waiting to lock",
        )


def _once(threads: list[_Thread]) -> Iterator[_Thread]:
    """Each thread once: some exports repeat a thread's head, with the stack below one of the two."""
    best: dict[tuple[str, int | None, int | None], _Thread] = {}
    for thread in threads:
        key = (thread.name, thread.tid, None if thread.tid is not None else thread.sys_tid)
        if key not in best or len(thread.frames) > len(best[key].frames):
            best[key] = thread
    yield from best.values()


def _number(text: str | None) -> int | None:
    return int(text) if text else None
