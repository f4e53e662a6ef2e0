"""The way to a first config: what a trace holds, as rows to choose from, and what was chosen so far."""

from __future__ import annotations

from typing import Final, Literal

from echolot_tui.frozen import Frozen
from echolot_tui.measure.probe import Probe, ProcessLine, SliceLine
from echolot_tui.present.numbers import ms, plural, whole
from echolot_tui.present.spans import Line, Span, line, wrapped
from echolot_tui.present.table import Cell, Column, cell

SetupStep = Literal["trace", "process", "start", "end", "command", "write"]
STEPS: Final[tuple[SetupStep, ...]] = ("trace", "process", "start", "end", "command", "write")

QUESTIONS: Final[dict[SetupStep, str]] = {
    "trace": "A trace, or a folder of traces, to look into? enter on nothing goes on without one.",
    "process": "Which process is yours?",
    "start": "Which slice does the part that counts start with?",
    "end": "Which slice ends it?",
    "command": "Does a command on this machine record a trace? It writes to {trace}; nothing means no.",
    "write": "This is what would be written. enter writes it.",
}

PROCESS_COLUMNS: Final = (
    Column(title="Process", shrink_to=20, limit=200),
    Column(title="pid", align="right", drop=1),
    Column(title="Slices", align="right"),
    Column(title="Async", align="right", drop=2),
)

SLICE_COLUMNS: Final = (
    Column(title="Slice", shrink_to=20, limit=200),
    Column(title="Starts at ms", align="right"),
    Column(title="Lasts ms", align="right"),
    Column(title="Times", align="right"),
    Column(title="Thread", drop=1, shrink_to=8, limit=80),
)


class Choice(Frozen, frozen=True, kw_only=True):
    """One row to choose; ``None`` is choosing none."""

    value: str | None
    cells: tuple[Cell | None, ...]


def process_choices(probe: Probe) -> tuple[Choice, ...]:
    """Processes, the one a measurement would choose first, then letting each trace choose."""
    usual = (probe.process.name, probe.process.pid) if probe.process else None
    ordered = sorted(probe.processes, key=lambda each: (each.name, each.pid) != usual)
    none = Choice(value=None, cells=(cell("let each trace choose", "muted"), None, None, None))
    return (*(_process(each) for each in ordered), none)


def slice_choices(probe: Probe, step: Literal["start", "end"]) -> tuple[Choice, ...]:
    """Anchor candidates: those that stand once in the trace first, then by length."""
    what = "from the process's first moment" if step == "start" else "to the trace's end"
    none = Choice(value=None, cells=(cell(f"none: {what}", "muted"), None, None, None, None))
    names: dict[str, SliceLine] = {}  # an anchor is a name: one row each, its longest slice
    for each in probe.longest:
        names.setdefault(each.name, each)
    ordered = sorted(names.values(), key=lambda each: each.same_name > 1)
    return (none, *(_slice(each) for each in ordered))


def probe_line(probe: Probe, width: int) -> list[Line]:
    """What was looked into."""
    about = (
        f"  {ms(probe.duration_ms)} ms · {plural(probe.processes_total, 'process', 'processes')} with slices"
    )
    return wrapped(line(Span(probe.trace, "name"), Span(about, "muted")), width)


def config_lines(text: str, width: int) -> list[Line]:
    """The config as it would be written."""
    head = line(Span("echolot.yml", "heading"), Span("  as it would be written", "muted"))
    return [
        head,
        (),
        *(each for row in text.splitlines() for each in wrapped(line(row) or (Span(""),), width, indent=4)),
    ]


def _process(each: ProcessLine) -> Choice:
    return Choice(
        value=each.name,
        cells=(
            cell(each.name, "name"),
            cell(None if each.pid is None else str(each.pid), "muted"),
            cell(whole(each.slices), "number"),
            cell(whole(each.async_slices), "muted"),
        ),
    )


def _slice(each: SliceLine) -> Choice:
    return Choice(
        value=each.name,
        cells=(
            cell(each.name, "name", note="unfinished" if each.unfinished else ""),
            cell(ms(each.start_ms), "number"),
            cell(ms(each.dur_ms), "number"),
            cell(whole(each.same_name), "plain" if each.same_name == 1 else "muted"),
            cell(each.thread, "muted"),
        ),
    )
