"""``probe`` and ``names`` on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from echolot_tui.measure.inventory import NameFamily, NamesInventory
from echolot_tui.measure.model import ProcessFacts
from echolot_tui.measure.probe import Probe
from echolot_tui.present.numbers import ms, plural, whole
from echolot_tui.present.spans import Line, Span, line, wrapped
from echolot_tui.present.table import Cell, Column, Table, cell, text_table, without_empty_columns
from echolot_tui.text import visible

_NAME_LIMIT = 80


def probe_text(probe: Probe, width: int) -> list[Line]:
    """What is in a trace; with a process its threads and anchor candidates."""
    lines = [
        line(Span(probe.trace, "heading"), f"  {ms(probe.duration_ms)} ms"),
        (),
        *(text_table(_processes(probe), width) if probe.processes else ()),
        *_more(probe.processes_total - len(probe.processes), "process", "processes"),
    ]
    if probe.process is None:
        return [*lines, *_outside(probe, width)]
    if not probe.threads:
        return [*lines, (), *_chosen(probe.process, width)]
    return [
        *lines,
        (),
        line(Span(f"Threads of {visible(probe.process.name)}", "heading")),
        *text_table(_threads(probe), width),
        *_more(probe.threads_total - len(probe.threads), "thread"),
        (),
        line(Span("Longest slices: candidates for anchors", "heading")),
        *(
            text_table(_longest(probe), width)
            if probe.longest
            else [line(Span("None: this process has no slices.", "muted"))]
        ),
    ]


def names_text(inventory: NamesInventory, width: int, *, wide: bool = False) -> list[Line]:
    """Families of slice names by section, then what no mask sees; ``wide`` cuts names at ``width`` only."""
    limit = width if wide else _NAME_LIMIT
    process = inventory.process
    lines = [
        line(Span(inventory.trace, "heading")),
        line(
            f"{visible(process.name)} · ",
            f"{plural(inventory.families_total, 'family', 'families')} of slice names",
        ),
    ]
    for section in inventory.sections:
        lines += [
            (),
            line(Span(section.title, "heading")),
            *text_table(_families(section.families, limit), width),
        ]
        lines += _more(section.more, "family", "families")
    if not inventory.families_total:
        return [*lines, line(Span("There is no slice to list.", "muted"))]
    lines += [(), line(Span("Missed by the masks", "heading"))]
    if inventory.missed:
        lines += text_table(_families(inventory.missed, limit), width)
    else:
        lines.append(line(Span("None: every family that looks like a detector's business is seen.", "muted")))
    return lines


def _chosen(process: ProcessFacts, width: int) -> list[Line]:
    name = visible(process.name)
    return wrapped(
        line(
            f"Without --process, analyze takes {name} ({process.chosen_by}). ",
            Span("probe --process GLOB lists a process's threads and longest slices.", "muted"),
        ),
        width,
    )


def _outside(probe: Probe, width: int) -> list[Line]:
    """What a trace without a process to measure holds instead."""
    return [
        line(Span("What belongs to no process", "heading")),
        *text_table(_outside_table(probe), width),
        *_more(probe.outside_total - len(probe.outside), "other"),
        (),
        *wrapped(line(Span("Nothing to measure: ", "warning"), visible(probe.nothing)), width),
    ]


def _outside_table(probe: Probe) -> Table:
    columns = (
        Column(title="Thread or track", shrink_to=20, limit=_NAME_LIMIT),
        Column(title="tid", align="right", drop=2),
        Column(title="Tracks", align="right", drop=3),
        Column(title="Slices", align="right"),
        Column(title="In slices ms", align="right", drop=1),
        Column(title="Samples", align="right"),
        Column(title="Running ms", align="right", drop=1),
    )
    rows = tuple(
        (
            cell(each.name, "name"),
            _number(each.tid),
            _number(each.tracks if each.kind == "track" else None),
            _number(each.slices),
            cell(ms(each.slice_ms)),
            _number(each.samples or None),
            cell(None if each.running_ms is None else ms(each.running_ms)),
        )
        for each in probe.outside
    )
    return without_empty_columns(Table(columns=columns, rows=rows))


def _processes(probe: Probe) -> Table:
    columns = (
        Column(title="Process", shrink_to=20, limit=_NAME_LIMIT),
        Column(title="pid", align="right"),
        Column(title="Slices", align="right"),
        Column(title="Async", align="right", drop=1),
        Column(title="Samples", align="right", drop=2),
        Column(title="Running ms", align="right", drop=3),
    )
    rows = tuple(
        (
            cell(each.name, "name"),
            _number(each.pid),
            _number(each.slices),
            _number(each.async_slices),
            _number(each.samples or None),
            cell(None if each.running_ms is None else ms(each.running_ms)),
        )
        for each in probe.processes
    )
    return without_empty_columns(Table(columns=columns, rows=rows))


def _threads(probe: Probe) -> Table:
    columns = (
        Column(title="Thread", shrink_to=16, limit=_NAME_LIMIT),
        Column(title="tid", align="right", drop=1),
        Column(title="Running ms", align="right"),
        Column(title="Slices", align="right"),
        Column(title="In slices ms", align="right", drop=2),
        Column(title="Samples", align="right", drop=3),
    )
    rows = tuple(
        (
            cell(each.name, "name", note="main" if each.is_main else ""),
            _number(each.tid),
            cell(None if each.running_ms is None else ms(each.running_ms)),
            _number(each.slices),
            cell(ms(each.slice_ms)),
            _number(each.samples or None),
        )
        for each in probe.threads
    )
    return without_empty_columns(Table(columns=columns, rows=rows))


def _longest(probe: Probe) -> Table:
    columns = (
        Column(title="Slice", shrink_to=20, limit=_NAME_LIMIT),
        Column(title="Thread", shrink_to=10, limit=_NAME_LIMIT, drop=1),
        Column(title="Start ms", align="right"),
        Column(title="Length ms", align="right"),
        Column(title="Same name", align="right", drop=2),
    )
    rows = tuple(
        (
            cell(each.name, "name", note="unfinished" if each.unfinished else ""),
            cell(each.thread),
            cell(ms(each.start_ms)),
            cell(ms(each.dur_ms)),
            _number(each.same_name),
        )
        for each in probe.longest
    )
    return Table(columns=columns, rows=rows)


def _families(families: Sequence[NameFamily], limit: int) -> Table:
    columns = (
        Column(title="Family", shrink_to=20, limit=limit),
        Column(title="Names", align="right", drop=3),
        Column(title="N", align="right"),
        Column(title="Total ms", align="right"),
        Column(title="Max ms", align="right", drop=2),
        Column(title="Threads", shrink_to=10, limit=_NAME_LIMIT, drop=4),
        Column(title="Seen by", shrink_to=10, limit=_NAME_LIMIT, drop=1),
    )
    rows = tuple(
        (
            cell(each.name, "name"),
            _number(each.names),
            _number(each.count),
            cell(ms(each.total_ms)),
            cell(ms(each.max_ms)),
            cell(_few(each.threads)),
            cell(_masks(each)),
        )
        for each in families
    )
    return Table(columns=columns, rows=rows)


def _masks(family: NameFamily) -> str | None:
    words = [*family.seen_by, *(f"not {mask}" for mask in family.excluded_by)]
    return ", ".join(words) or None


def _few(names: Iterable[str]) -> str:
    every = list(names)
    return ", ".join(every[:3]) + (f" +{len(every) - 3}" if len(every) > 3 else "")


def _number(value: float | None) -> Cell | None:
    return cell(None if value is None else whole(value))


def _more(hidden: int, one: str, many: str | None = None) -> list[Line]:
    return [line(Span(f"… and {plural(hidden, one, many)} more", "muted"))] if hidden > 0 else []
