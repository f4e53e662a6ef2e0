"""A set that fills: one line a run, the bar over the set, what would be recorded, what can be helped."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Final

from echolot_tui.collect.model import Progress, RunFacts
from echolot_tui.collect.run_line import LineState, RunLine
from echolot_tui.present.dots import Axis, strip
from echolot_tui.present.glyphs import Glyphs
from echolot_tui.present.numbers import ms, plural, whole
from echolot_tui.present.spans import Line, Role, Span, line, plain, wrapped
from echolot_tui.present.table import Cell, Column, cell

STRIP_WIDTH: Final = 24
_MINUTE_S: Final = 60
_BAR: Final = 30
_FAILED_SHOWN: Final = 3

_ROLES: Final[dict[LineState, Role]] = {
    "waiting": "muted",
    "cooling": "warning",
    "recording": "strong",
    "pulling": "strong",
    "saving": "strong",
    "analyzing": "strong",
    "done": "ok",
    "failed": "error",
}


_AT_WORK: Final[frozenset[LineState]] = frozenset({"cooling", "recording", "pulling", "saving"})


def window_axis(lines: Sequence[RunLine]) -> Axis | None:
    """One axis for the windows of all runs; ``None`` before the first is measured."""
    known = [each.facts.window_ms for each in lines if each.facts and each.facts.window_ms is not None]
    return Axis.over(known, STRIP_WIDTH) if known else None


def run_columns(axis: Axis | None) -> tuple[Column, ...]:
    """The columns; the one with the dots says what its axis goes over."""
    over = "" if axis is None or axis.low == axis.high else f"{ms(axis.low)} … {ms(axis.high)} ms"
    return (
        Column(title="Run", align="right", shrink_to=6),
        Column(title="State", shrink_to=12),
        Column(title="Window", align="right"),
        Column(title=over, drop=1),
        Column(title="Clock", align="right", drop=2),
        Column(title="Temperature", align="right", drop=3),
        Column(title="Trace", drop=4, shrink_to=12),
    )


def live_run(lines: Sequence[RunLine]) -> int:
    """Which line something happens in: the run in flight, else the last one that was begun."""
    in_flight = [at for at, each in enumerate(lines) if each.state in _AT_WORK]
    begun = [at for at, each in enumerate(lines) if each.state != "waiting"]
    return (in_flight or begun or [0])[-1]


def run_cells(each: RunLine, axis: Axis | None, *, ended: bool, glyphs: Glyphs) -> tuple[Cell | None, ...]:
    """State and reason, window and its dot, clock and temperature, trace.

    Args:
        each: The run.
        axis: Of all windows.
        ended: Nobody works on the set any more: what waits will not come, what was at work is broken off.
        glyphs: The signs to draw with.
    """
    facts = each.facts or RunFacts()
    window = facts.window_ms
    dot = (
        None if axis is None or window is None else plain(strip([window], axis, glyphs=glyphs, role="number"))
    )
    return (
        cell(each.name),
        _state(each, facts, ended=ended),
        cell(None if window is None else f"{ms(window)} ms", "number"),
        cell(dot, "number"),
        cell(
            None if facts.cpu_mhz is None else f"{whole(round(facts.cpu_mhz))} MHz",
            "warning" if facts.throttled else "plain",
            note="throttled" if facts.throttled else "",
        ),
        cell(None if facts.celsius is None else f"{facts.celsius:.1f} °C"),
        cell(None if each.trace is None else PurePath(each.trace).name, "muted"),
    )


def _state(each: RunLine, facts: RunFacts, *, ended: bool) -> Cell | None:
    if ended and each.state == "waiting":
        return cell("not recorded", "muted")
    if ended and each.state in _AT_WORK:
        return cell("broken off", "error", note=each.state)
    return cell(each.state, _ROLES[each.state], note="lost data" if facts.lossy else "")


def progress_line(
    progress: Progress, left_s: float | None, asked: str | None, *, running: bool, lost: bool, glyphs: Glyphs
) -> Line:
    """The bar over the set, how many are done, how long the rest takes, or how it ended."""
    total = progress.iterations
    full = 0 if not total else round(_BAR * min(progress.done / total, 1))
    bar = (Span(glyphs.bar * full, "ok"), Span(glyphs.band * (_BAR - full), "muted"))
    parts: list[str | Span] = [*bar, f"  {progress.done}/{total if total is not None else '?'} done"]
    if running:
        parts += [f" · {left_words(left_s)}"] if left_s is not None else []
        parts += [" · the last is being measured"] if progress.done == total else []
        parts += [Span(" · cooling first", "warning")] if progress.cooling else []
        parts += [Span(f" · {asked}", "warning")] if asked else []
    elif lost:
        parts.append(Span(" · the recording process is gone; r records the rest", "error"))
    elif (reason := _reason(progress)) is not None:
        parts.append(Span(f" · ended: {reason}", "error" if progress.exit else "warning"))
    else:
        parts.append(Span(" · complete", "ok"))
    return line(*parts)


def _reason(progress: Progress) -> str | None:
    """Why the set ended before it was complete; also when somebody ended it in good order."""
    return progress.error or next((each.reason for each in progress.sets if each.reason), None)


def left_words(seconds: float) -> str:
    """About how long, in the unit one thinks in."""
    if seconds < _MINUTE_S:
        return f"about {max(round(seconds), 1)} s left"
    return f"about {plural(-(-seconds // _MINUTE_S), 'minute')} left"


def plan_lines(
    *,
    scenario: str,
    mode: str,
    iterations: int | None,
    commands: Sequence[str],
    hunt: str | None,
    label: str,
    width: int,
) -> list[Line]:
    """What enter would record, with every command it would run on this machine."""
    many = plural(iterations, "run") if iterations is not None else "as many runs as the task makes"
    called = f', called "{label}"' if label else ""
    lines = wrapped(
        line(
            Span("enter records  ", "strong"),
            f"{many} of {scenario}{called}, mode {mode}",
            Span(f" · a round of “{hunt}”" if hunt else " · outside any hunt", "muted"),
        ),
        width,
        indent=2,
    )
    for command in commands:
        lines += wrapped(line(Span("runs here  ", "warning"), Span(command, "name")), width, indent=11)
    return lines


def failed_notes(lines: Sequence[RunLine]) -> list[str]:
    """Why runs gave no trace, the first few."""
    failed = [
        f"{_run_name(each)} failed: {each.reason}" for each in lines if each.state == "failed" and each.reason
    ]
    rest = len(failed) - _FAILED_SHOWN
    return [*failed[:_FAILED_SHOWN], *([f"and {plural(rest, 'more run')} failed"] if rest > 0 else [])]


def _run_name(each: RunLine) -> str:
    """Its number; a trace nobody could read has none."""
    return f"run {each.name}" if each.name[-1:].isdecimal() else PurePath(each.trace or each.name).name


def note_lines(notes: Sequence[str], width: int) -> list[Line]:
    """What can still be helped."""
    return [
        each
        for note in notes
        for each in wrapped(line(Span("! ", "warning"), Span(note, "warning")), width, indent=2)
    ]
