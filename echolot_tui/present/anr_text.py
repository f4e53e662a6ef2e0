"""A thread dump's answer as lines."""

from __future__ import annotations

from typing import Final

from echolot_tui.dumps.explain import own_frames
from echolot_tui.dumps.model import Anr, Doing, DumpThread, Link, Lock, StackFrame
from echolot_tui.present.numbers import listed, plural, whole
from echolot_tui.present.spans import Line, Span, line, wrapped

_FRAMES_SHOWN: Final = 8
_DOING: Final[dict[Doing, str]] = {
    "lock": "waits for a lock",
    "idle": "waits for work",
    "binder": "waits for another process (binder)",
    "waiting": "waits for another thread",
    "sleeping": "sleeps",
    "files": "reads or writes files",
    "database": "works in the database",
    "drawing": "waits for the render thread",
    "running": "runs",
    "unknown": "the dump has no stack of it",
}


def anr_lines(found: Anr, width: int) -> list[Line]:
    """Who the main thread waits for, what each of them did, and who was at work meanwhile."""
    lines = [line(Span("process  ", "muted"), found.process or "not named in the dump")]
    if found.subject:
        lines.append(line(Span("because  ", "muted"), found.subject))
    lines += [line(), line(Span(_verdict(found), "strong"))]
    repeated = found.chain[:-1] if found.deadlock else found.chain
    for link in repeated:
        lines += _link(link)
    if found.lost:
        lines.append(line(Span("! ", "warning"), f"the chain ends here: {found.lost}"))
    lines += _busy(found)
    lines += _notes(found)
    return [part for each in lines for part in wrapped(each, width, indent=6)]


def _verdict(found: Anr) -> str:
    last = found.chain[-1]
    names = " → ".join(link.thread.name for link in found.chain)
    if found.deadlock:
        return f"Deadlock: {names}"
    if len(found.chain) > 1:
        return f"The main thread waits for {last.thread.name}, which {_DOING[last.doing]}: {names}"
    if last.doing == "idle":
        return "The main thread waits for messages: what stalled it was over when the dump was written"
    return f"The main thread {_DOING[last.doing]}"


def _link(link: Link) -> list[Line]:
    thread = link.thread
    number = "" if thread.tid is None else f" (thread {thread.tid})"
    lines = [
        line(),
        line(
            Span(thread.name, "heading"),
            f"{number}  {thread.state or 'state not told'} · {_DOING[link.doing]}{_cpu(thread)}",
        ),
    ]
    lines += [_frame(frame) for frame in _shown(thread)]
    if link.doing == "lock" and thread.waits_for is not None:
        lines.append(line("  ", Span("waits for ", "warning"), _lock(thread.waits_for)))
    return lines


def _lock(lock: Lock) -> str:
    what = f"the lock of a {lock.kind}" if lock.kind else "a lock"
    address = f" <{lock.address}>" if lock.address else ""
    held = f", held by thread {lock.owner}" if lock.owner is not None else ""
    return f"{what}{address}{held}"


def _shown(thread: DumpThread) -> tuple[StackFrame, ...]:
    """The innermost frame, which tells what is waited for, and the app's own."""
    own = own_frames(thread)
    innermost = next((frame for frame in thread.frames if not frame.native), None) or next(
        iter(thread.frames), None
    )
    first = () if innermost is None or innermost in own[:1] else (innermost,)
    return (*first, *own)[:_FRAMES_SHOWN]


def _frame(frame: StackFrame) -> Line:
    if frame.native:
        return line("  ", Span(frame.symbol, "muted"))
    where = "" if frame.file is None else f" ({frame.file}{'' if frame.line is None else f':{frame.line}'})"
    if frame.place is None:
        return line(f"  {frame.symbol}", Span(where, "muted"))
    place = frame.place
    number = "" if place.line is None else f":{place.line}"
    sure = "" if place.exact else " ?"
    return line(f"  {frame.symbol}  ", Span(f"{place.file}{number}{sure}", "name"))


def _busy(found: Anr) -> list[Line]:
    if not found.busy:
        return [line(), line("No other thread was at work.")]
    more = f", and {found.more_busy} more" if found.more_busy else ""
    lines = [line(), line(Span(f"At work meanwhile{more}:", "heading"))]
    for busy in found.busy:
        own = next(iter(own_frames(busy.thread)), None)
        lines.append(
            line("  ", Span(busy.thread.name, "strong"), f"  {_DOING[busy.doing]}{_cpu(busy.thread)}")
        )
        if own is not None:
            lines.append(line("  ", *_frame(own)))
    return lines


def _notes(found: Anr) -> list[Line]:
    lines = [line(), line(Span(f"{plural(found.threads, 'thread')} in the dump", "muted"))]
    if found.others:
        lines.append(line(Span(f"other processes in the file: {listed(found.others)}", "muted")))
    if found.outside:
        minified = f"{plural(found.outside, 'frame')} of minified classes"
        todo = "--mapping with this build's mapping.txt names them"
        lines.append(line(Span("! ", "warning"), f"{minified}: {todo}"))
    return lines


def _cpu(thread: DumpThread) -> str:
    return "" if thread.cpu_ms is None else f" · {whole(thread.cpu_ms)} ms on a CPU since its start"
