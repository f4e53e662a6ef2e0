"""Why the main thread did not answer: the chain of locks, what each thread did, who was at work. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from echolot_tui.checkout.find import Finder, Frame
from echolot_tui.checkout.names import is_minified, is_platform
from echolot_tui.dumps.model import Anr, Busy, Doing, DumpThread, Link, Lock, StackFrame, ThreadDump
from echolot_tui.errors import EcholotError
from echolot_tui.project.retrace import Retracer

_BUSY_SHOWN: Final = 5
_NEAR: Final = 4
"""So many innermost frames tell what a thread does: a wait has some frames of its own machinery on top."""
_DOING: Final[tuple[tuple[Doing, re.Pattern[str]], ...]] = (
    ("idle", re.compile(r"android\.os\.MessageQueue\.nativePollOnce|Looper::poll(?:Inner|Once)")),
    ("binder", re.compile(r"android\.os\.BinderProxy\.transact|IPCThreadState::(?:talkWithDriver|transact)")),
    ("drawing", re.compile(r"(?:HardwareRenderer|ThreadedRenderer)\.nSync|DrawFrameTask::postAndWait")),
    ("database", re.compile(r"android\.database\.sqlite\.SQLiteConnection\.native|\bsqlite3_")),
    (
        "files",
        re.compile(
            r"libcore\.io\.(?:Linux|BlockGuardOs|ForwardingOs)\.(?:open|read|pread|write|pwrite|fsync|"
            r"fdatasync|stat|rename|readBytes|writeBytes)|FileDispatcherImpl\.|\(f(?:data)?sync\b"
        ),
    ),
    ("sleeping", re.compile(r"java\.lang\.Thread\.sleep|SystemClock\.sleep")),
    (
        "waiting",
        re.compile(
            r"Unsafe\.park|java\.lang\.Object\.wait|LockSupport\.park|Thread\.join|"
            r"libc\.so \((?:__)?(?:futex|syscall|__epoll_pwait|epoll_wait|__ppoll|nanosleep)|"
            r"\b(?:__epoll_pwait|epoll_wait|__ppoll|nanosleep|accept4|recvfrom|__futex_wait)\b"
        ),
    ),
)
"""First match wins."""
_AT_WORK: Final = frozenset({"running", "files", "database", "binder"})
_OF_THE_DUMP: Final = "Signal Catcher"
"""The thread that writes the dump."""


def explain(dump: ThreadDump, *, finder: Finder | None, retracer: Retracer | None, where: str) -> Anr:
    """What the dump says about the main thread.

    Args:
        dump: As read.
        finder: Knows the checkout.
        retracer: The build's mapping, at least the classes of the dump.
        where: The dump's file, for the message.

    Raises:
        EcholotError: There is no main thread.
    """
    told = tuple(_told(thread, finder, retracer) for thread in dump.threads)
    main = next((one for one in told if one.name == "main"), None) or next(
        (one for one in told if one.tid == 1), None
    )
    if main is None:
        raise EcholotError(
            f"has no main thread among its {len(told)}", where=where, todo="give the whole dump"
        )
    chain, deadlock, lost = _chain(main, told)
    in_chain = {id(link.thread) for link in chain}
    at_work = [
        Busy(thread=one, doing=doing)
        for one in told
        if id(one) not in in_chain and one.name != _OF_THE_DUMP and (doing := doing_of(one)) in _AT_WORK
    ]
    busy = sorted(at_work, key=lambda one: (-(one.thread.cpu_ms or 0.0), one.thread.name))
    return Anr(
        process=dump.process,
        subject=dump.subject,
        threads=len(told),
        others=dump.others,
        chain=chain,
        deadlock=deadlock,
        lost=lost,
        busy=tuple(busy[:_BUSY_SHOWN]),
        more_busy=max(len(busy) - _BUSY_SHOWN, 0),
        outside=sum(
            not frame.native
            and not frame.retraced
            and not is_platform(frame.symbol)
            and is_minified(frame.symbol)
            for one in told
            for frame in one.frames
        ),
    )


def doing_of(thread: DumpThread) -> Doing:
    """What a thread did when the dump was written."""
    if thread.waits_for is not None and thread.waits_for.to_enter:
        return "lock"
    if not thread.frames:
        return "unknown"
    near = _near(thread.frames)
    if _waits_for_calls(near):
        return "idle"
    for doing, pattern in _DOING:
        if any(pattern.search(frame.symbol) for frame in near):
            return doing
    return "waiting" if "waiting" in thread.state.lower() else "running"


def own_frames(thread: DumpThread) -> tuple[StackFrame, ...]:
    """The frames that are neither the system's nor native, innermost first."""
    return tuple(one for one in thread.frames if not one.native and not is_platform(one.symbol))


def classes_of(dump: ThreadDump) -> frozenset[str]:
    """Classes as recorded, for reading only those of a mapping."""
    return frozenset(
        frame.symbol.rpartition(".")[0] for one in dump.threads for frame in one.frames if not frame.native
    )


def _waits_for_calls(frames: Sequence[StackFrame]) -> bool:
    """A thread of the binder pool without work: it is in the driver, and no call is being answered."""
    text = " ".join(frame.symbol for frame in frames)
    return "IPCThreadState::joinThreadPool" in text and "IPCThreadState::executeCommand" not in text


def _near(frames: Sequence[StackFrame]) -> list[StackFrame]:
    """All native frames on top and the first few of Java below them."""
    java = next((at for at, frame in enumerate(frames) if not frame.native), len(frames))
    return list(frames[: java + _NEAR])


def _chain(main: DumpThread, threads: Sequence[DumpThread]) -> tuple[tuple[Link, ...], bool, str | None]:
    """From the main thread along the locks; whether it comes back; why it ends early."""
    links: list[Link] = []
    seen: list[DumpThread] = []
    current = main
    while True:
        lock = current.waits_for if current.waits_for is not None and current.waits_for.to_enter else None
        links.append(Link(thread=current, doing=doing_of(current)))
        seen.append(current)
        if lock is None:
            return tuple(links), False, None
        owner = _owner(lock, threads, current)
        if owner is None:
            held = "" if lock.owner is None else f", thread {lock.owner},"
            return tuple(links), False, f"who holds the lock{held} is not in the dump"
        if any(owner is one for one in seen):
            return (*links, Link(thread=owner, doing=doing_of(owner))), True, None
        current = owner


def _owner(lock: Lock, threads: Sequence[DumpThread], waiter: DumpThread) -> DumpThread | None:
    """Who holds a lock: as the dump says, else the one thread that has locked it."""
    if lock.owner is not None:
        return next((one for one in threads if one.tid == lock.owner), None)
    holders = [
        one
        for one in threads
        if lock.address is not None
        and lock.address in one.holds
        and one is not waiter
        and not (one.waits_for is not None and one.waits_for.address == lock.address)  # it gave it up
    ]
    return holders[0] if len(holders) == 1 else None


def _told(thread: DumpThread, finder: Finder | None, retracer: Retracer | None) -> DumpThread:
    """The thread with its frames as the source has them, and where."""
    frames = [each for frame in thread.frames for each in _originals(frame, retracer)]
    return replace(thread, frames=tuple(_placed(frame, finder) for frame in frames))


def _originals(frame: StackFrame, retracer: Retracer | None) -> tuple[StackFrame, ...]:
    if retracer is None or frame.native:
        return (frame,)
    owner, _, method = frame.symbol.rpartition(".")
    originals = retracer.frames(owner, method, frame.line)
    if originals:
        return tuple(
            StackFrame(symbol=f"{one.owner}.{one.method}", file=one.file, line=one.line, retraced=True)
            for one in originals
        )
    named = retracer.names.get(owner)
    return (
        (frame,)
        if named is None or named == owner
        else (
            replace(
                frame, symbol=f"{named}.{method}", file=retracer.files.get(named), line=None, retraced=True
            ),
        )
    )


def _placed(frame: StackFrame, finder: Finder | None) -> StackFrame:
    if finder is None or frame.native:
        return frame
    # a line beside no file is R8's own count: it is the declaration that is known
    line = frame.line if frame.file is not None or frame.retraced else None
    return replace(frame, place=finder.find(Frame(symbol=frame.symbol, file=frame.file, line=line)))
