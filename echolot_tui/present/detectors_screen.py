"""What the detectors' screen says: each detector's state, its parameters, and what thresholds list."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from echolot_tui.frozen import Frozen
from echolot_tui.measure.detector_file import Setting
from echolot_tui.measure.plan import Decision
from echolot_tui.present.numbers import ms, plural
from echolot_tui.present.report_rows import trouble
from echolot_tui.present.spans import Line, Role, Span, line, wrapped
from echolot_tui.present.table import Cell, Column, Table, cell
from echolot_tui.report.model import DetectorReport, Report
from echolot_tui.report.view import state_of
from echolot_tui.report.what_if import JudgedRow, Passing
from echolot_tui.text import visible

_TEXT_LIMIT: Final = 600
_SOURCES: Final = {"config": "config", "scenario": "scenario", "cli": "command line"}
_ROLES: Final[dict[str, Role]] = {
    "fired": "strong",
    "silent": "muted",
    "no data": "warning",
    "failed": "error",
    "off": "muted",
    "not asked": "muted",
}

DETECTOR_COLUMNS: Final = (
    Column(title="Detector"),
    Column(title="State"),
    Column(title="Rows", align="right"),
    Column(title="Question", drop=1, shrink_to=10, limit=200),
)


class DetectorItem(Frozen, frozen=True, kw_only=True):
    """A detector as it is set today and as the report has it."""

    decision: Decision
    section: DetectorReport | None

    @property
    def id(self) -> str:
        """Its name."""
        return self.decision.detector.id

    @property
    def state(self) -> str:
        """A word: how it stands in the report."""
        if self.section is not None:
            return state_of(self.section)
        return "not asked" if self.decision.on else "off"

    @property
    def params(self) -> dict[str, Setting]:
        """Values the report was made with; today's where it was not asked."""
        made_with = self.section.params if self.section is not None else {}
        return {name: made_with.get(name, value) for name, value in self.decision.params.items()}


def detector_items(report: Report, decisions: Sequence[Decision]) -> tuple[DetectorItem, ...]:
    """Every detector of the catalogue, in its order."""
    found = {section.id: section for section in report.detectors}
    return tuple(DetectorItem(decision=one, section=found.get(one.detector.id)) for one in decisions)


def detector_cells(item: DetectorItem) -> tuple[Cell | None, ...]:
    """The cells of a detector under ``DETECTOR_COLUMNS``."""
    own = "" if item.decision.detector.shipped else "own"
    return (
        cell(item.id, "name", note=own),
        cell(item.state, _ROLES[item.state]),
        cell(str(len(item.section.rows)), "number")
        if item.section is not None and item.section.rows
        else None,
        cell(item.decision.detector.title, "muted"),
    )


def detector_words(item: DetectorItem, params: Mapping[str, Setting], chosen: int, width: int) -> list[Line]:
    """Title, question, state with its reason, needs, and every parameter; ``chosen`` is marked."""
    detector = item.decision.detector
    lines = wrapped(line(Span(visible(detector.title, 200), "heading")), width, indent=2)
    lines += wrapped(line(Span(visible(detector.why, _TEXT_LIMIT), "muted")), width, indent=2)
    lines += wrapped(line(Span("state: ", "muted"), Span(item.state, _ROLES[item.state])), width)
    reason = trouble(item.section) if item.section is not None else None
    if reason is not None:
        lines += wrapped(line(Span("! ", "warning"), visible(reason, _TEXT_LIMIT)), width, indent=2)
    needs = ", ".join(detector.needs) or "nothing beyond the process"
    lines += wrapped(line(Span(f"needs {needs}", "muted")), width, indent=2)
    if item.state == "no data" and detector.record:
        lines += wrapped(line("To record it: ", visible(detector.record, _TEXT_LIMIT)), width, indent=2)
    if detector.gate:
        lines += wrapped(
            line(Span("listed when ", "muted"), visible(detector.gate, _TEXT_LIMIT)), width, indent=2
        )
    lines.append(())
    for at, param in enumerate(detector.params):
        lines += wrapped(_parameter(item, param.name, params, chosen=at == chosen), width, indent=4)
    return lines


def passing_lines(passings: Sequence[tuple[str, Sequence[str], Passing]], width: int) -> list[Line]:
    """How many rows pass in each run of each side, and how many did when the report was made.

    Args:
        passings: A side's name, the labels of its runs, what its thresholds list.
        width: Terminal columns.
    """
    lines: list[Line] = []
    for side, labels, found in passings:
        total = plural(len(found.rows), "measured row")
        was = sum(one.row.passed for one in found.rows)
        listed = f"{found.listed}" if was == found.listed else f"{was} → {found.listed}"
        parts: list[str | Span] = [Span(visible(side, 30), "strong"), f": {listed} listed of {total}"]
        runs = "  ".join(
            f"{visible(label, 8)}: {count}" for label, count in zip(labels, found.by_run, strict=True)
        )
        parts.append(Span(f"   by run  {runs}", "muted"))
        lines += wrapped(line(*parts), width, indent=2)
    return lines


def bar_table(found: Passing, rank: str, most: int) -> Table:
    """Rows on both sides of the bar, those nearest to it: listed ones first, in order of rank."""
    columns = (
        Column(title="Bar"),
        Column(title="Where", shrink_to=16, limit=120),
        Column(title="ms", align="right"),
        Column(title="Runs over it", drop=1),
        Column(title="Thread", drop=2, shrink_to=6, limit=60),
    )
    over = [one for one in found.rows if one.passes]
    under = [one for one in found.rows if not one.passes]
    half = max(most // 2, 1)
    shown = [*over[-max(half, most - len(under)) :], *under[: max(half, most - len(over))]]
    return Table(columns=columns, rows=tuple(_bar_row(one, rank) for one in shown[:most]))


def settings_yaml(detector_id: str, params: Mapping[str, Setting], shipped: Mapping[str, Setting]) -> str:
    """The settings as YAML for ``echolot.yml``: parameters that differ from the shipped ones, else all."""
    changed = {name: value for name, value in params.items() if value != shipped.get(name)} or dict(params)
    lines = ["detectors:", f"  {detector_id}:"]
    lines += [f"    {name}: {_yaml(value)}" for name, value in changed.items()]
    return "\n".join(lines) + "\n"


def stepped(value: float, *, up: bool) -> float:
    """A tenth more or less: whole numbers by at least 1, fractions to two digits."""
    if isinstance(value, int):
        whole_step = max(round(abs(value) / 10), 1)
        return value + whole_step if up else max(value - whole_step, 0)
    step = float(f"{abs(value) / 10 or 0.1:.1g}")
    return round(value + step if up else max(value - step, 0.0), 6)


def parsed(text: str, like: Setting) -> Setting | None:
    """What was typed, in the kind of the value it replaces; ``None`` when it is none."""
    if isinstance(like, str):
        return text
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    return int(number) if isinstance(like, int) and number.is_integer() else number


def _parameter(item: DetectorItem, name: str, params: Mapping[str, Setting], *, chosen: bool) -> Line:
    detector = item.decision.detector
    source = _SOURCES.get(item.decision.sources.get(name, ""), "shipped")
    value, today, made_with = params[name], item.decision.params[name], item.params[name]
    notes = [f"{source}: {_setting(today)}"]
    if made_with != today:
        notes.append(f"this report: {_setting(made_with)}")
    notes.append(
        "decides what is listed" if name in detector.gate_params else "part of the query: measures again"
    )
    rule = next((one for one in detector.calibrate if one.param == name), None)
    if rule is not None:
        notes.append(f"calibrated as top{rule.top}({rule.column}) × {rule.factor:g}")
    return line(
        Span("> " if chosen else "  ", "strong"),
        Span(f"{name} = ", "strong" if chosen else "plain"),
        Span(_setting(value), "slower" if value != made_with else "number"),
        Span(f"   {' · '.join(notes)}", "muted"),
    )


def _bar_row(one: JudgedRow, rank: str) -> tuple[Cell | None, ...]:
    values = [value for value in (one.row.by_run or {}).get(rank, ()) if value is not None]
    value = one.row.value(rank)
    known = value if value is not None else (values[len(values) // 2] if values else None)
    hits = sum(passed is True for passed in one.by_run)
    return (
        cell("over", "slower") if one.passes else cell("under", "muted"),
        cell(one.row.location or "(no name)", "name"),
        None if known is None else cell(ms(known), "number"),
        cell(f"{hits}/{len(one.by_run)}", "number"),
        cell(one.row.thread, "muted"),
    )


def _setting(value: Setting) -> str:
    return f"{value:g}" if isinstance(value, float) else visible(str(value), 80)


def _yaml(value: Setting) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return f"{value:g}" if isinstance(value, float) else str(value)
