"""What the comparison's screen says around its table: head, chips, steady line, and a row in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from echolot_tui.compare.model import CompareWarning, Comparison, Row, Side, SmallTable
from echolot_tui.compare.view import Chip, View, ViewOptions
from echolot_tui.present.comparison_cells import (
    VERDICT_ROLES,
    small_cells,
    span_text,
    verdict_cell,
    window_text,
)
from echolot_tui.present.comparison_facts import steady_names, suspect_line
from echolot_tui.present.dots import sparkline
from echolot_tui.present.glyphs import Glyphs
from echolot_tui.present.numbers import ms, plural
from echolot_tui.present.spans import Line, Span, columns, cut_line, line, wrapped
from echolot_tui.present.spread import side_values
from echolot_tui.present.statement import name
from echolot_tui.present.table import Column, Table, text_table, without_empty_columns
from echolot_tui.text import visible

_ENVIRONMENT_FIRST: Final = ("process", "environment", "environment-thermal", "engine", "device")
_STEADY_SHOWN: Final = 6
_CELL_LIMIT: Final = 120
_WHOLE_NAME: Final = 1_000
"""Characters of the name of the one row that is looked at."""

_FILTER_WORDS: Final = {
    "direction": "slower side",
    "verdict": "verdict",
    "detector": "detector",
    "min_impact": "impact",
}

_UNSET: Final = {"both", "any"}
"""Choices that leave no row out."""

NEXT_STEP_KEY: Final = "c"
"""Collects more runs; named in the words of a row that more runs would settle."""


def head_lines(comparison: Comparison, width: int, *, most: int, opened: bool) -> list[Line]:
    """Sides, window, main thread, counts, then the warnings: one line each, or in full when ``opened``.

    Args:
        comparison: What is on the screen.
        width: Terminal columns.
        most: Lines there are, unless ``opened``.
        opened: Every warning in full.
    """
    facts = [_sides(comparison, width), *_window(comparison), counts_line(comparison)]
    warnings = sorted(comparison.warnings, key=_environment_first)
    lines = [cut_line(fact, width) for fact in facts]
    if opened:
        if comparison.whole_run:
            lines += wrapped(line(Span("! ", "warning"), comparison.whole_run), width, indent=2)
        for one in warnings:
            lines += wrapped(_warning(one), width, indent=2)
        return lines
    short = [line(Span("! ", "warning"), comparison.whole_run)] if comparison.whole_run else []
    short += [_warning(one) for one in warnings]
    room = max(most - len(lines), 1)
    shown = short if len(short) <= room else short[: room - 1]
    lines += [cut_line(one, width) for one in shown]
    if len(short) > len(shown):
        rest = len(short) - len(shown)
        more = f"{rest} more " if shown else f"{rest} "
        lines.append(
            cut_line(
                line(Span("! ", "warning"), f"{more}{'warning' if rest == 1 else 'warnings'} (w)"), width
            )
        )
    return lines


def counts_line(comparison: Comparison) -> Line:
    """Every row once by how it moved: moved, new, gone, steady; and once more by whether that is real."""
    counts = comparison.summary
    words: list[str | Span] = []
    for word in ("slower", "faster", "can't tell"):
        words += [" · " if words else "", Span(f"{counts.verdicts.get(word, 0)} {word}", VERDICT_ROLES[word])]
    return line(
        Span(f"{counts.moved} moved", "strong"),
        Span(f" · {counts.appeared} new", "new" if counts.appeared else "muted"),
        Span(f" · {counts.vanished} gone", "gone" if counts.vanished else "muted"),
        Span(f" · {counts.steady} steady", "muted"),
        Span(" │ ", "muted"),
        *words,
    )


def chip_lines(
    chips: Sequence[Chip], options: ViewOptions, width: int, *, focus: Chip | None, folded: bool
) -> list[Line]:
    """Every choice of every filter with its count, in brackets when chosen; choices with no row are left out.

    Args:
        chips: As the view counted them.
        options: The filters in force: text and order are shown beside the chips.
        width: Terminal columns.
        focus: The chip the cursor is on.
        folded: One line saying what is set, instead of every choice.
    """
    if folded:
        return [cut_line(_filters_in_force(chips, options), width)]
    lines: list[Line] = []
    for kind, words in _FILTER_WORDS.items():
        parts: list[str | Span] = [Span(f"{words}: ", "muted")]
        for chip in chips:
            if chip.filter == kind and (chip.count or chip.active):
                parts += [" ", _chip(chip, focused=chip == focus)]
        lines += wrapped(line(*parts), width, indent=2)
    return lines


def steady_line(comparison: Comparison, *, opened: bool, glyphs: Glyphs) -> Line:
    """Rows under the floor as one line that opens; what is not settled among them is said."""
    sign = glyphs.open_sign if opened else glyphs.closed_sign
    open_rows = sum(row.change == "steady" and row.verdict == "can't tell" for row in comparison.rows)
    unsure = Span(f", {open_rows} can't tell" if open_rows else "", "unsure")
    names, rest = steady_names(comparison.rows, _STEADY_SHOWN)
    listed = " · ".join(name(one).text for one in names)
    more = f" · and {rest} more" if rest else ""
    count = plural(comparison.summary.steady, "steady row")
    rest_words = Span(f": {listed}{more}" if not opened else "", "muted")
    return line(Span(f"{sign} {count}", "strong"), unsure, rest_words)


def follow_line(view: View, *, opened: bool, glyphs: Glyphs) -> Line | None:
    """Rows that only follow the whole run, as one line that opens; ``None`` without any."""
    group = next((one for one in view.groups if one.cause == "window"), None)
    if group is None:
        return None
    sign = glyphs.open_sign if opened else glyphs.closed_sign
    return line(Span(f"{sign} {plural(len(group.rows), 'row')} {group.title}", "strong"))


def row_title(row: Row) -> Line:
    """The row's name, verdict first; whole, because two names may differ at their end only."""
    verdict = verdict_cell(row)
    word = Span(f"{verdict.text}  ", verdict.role) if verdict else Span("not tested  ", "muted")
    whole = Span(visible(row.location or "(no name)", _WHOLE_NAME), "name")
    return line(word, whole, Span(f"  {visible(row.detector, 40)}", "muted"))


def row_words(row: Row, comparison: Comparison, width: int, *, glyphs: Glyphs) -> list[Line]:
    """A row in words: sentence, range, chances, what would settle it, run order, evidence."""
    parts: list[Line] = []
    if row.sentence:
        parts.append(line(row.sentence))
    if row.shift is not None and row.holds is not None:
        holds = "holds" if row.holds else "does not hold"
        parts.append(
            line(
                Span(f"The range {holds}", "strong"), f": {span_text(row.shift.low_ms, row.shift.high_ms)} ms"
            )
        )
    parts += _chances(row)
    parts += _settling(row, comparison)
    if row.follows == "window":
        parts.append(line("It follows the whole run: its share of the window is unchanged."))
    parts += _run_order(row, comparison, glyphs)
    if row.shares is not None:
        parts.append(line(f"Found in {row.shares.before} of the runs before, {row.shares.after} after."))
    parts += _clocks(comparison)
    parts += _evidence(row)
    return [one for part in parts for one in wrapped(part, width, indent=2)]


def beside_lines(seen: View, comparison: Comparison, width: int) -> list[Line]:
    """Beside a list whose cursor is on no row: why it is empty, if it is, and what else moved."""
    also = also_lines(comparison.also, comparison, width)
    if seen.empty is None:
        return also
    return [*wrapped(line(Span(visible(seen.empty), "strong")), width), *([(), *also] if also else [])]


def also_lines(tables: Sequence[SmallTable], comparison: Comparison, width: int) -> list[Line]:
    """What else moved: main thread, start-up, markers, coverage, environment; and renamed rows."""
    lines: list[Line] = []
    for table in tables:
        heads = (
            Column(title=table.title, shrink_to=12, limit=_CELL_LIMIT),
            Column(title=visible(comparison.before.name, 16), align="right", drop=2),
            Column(title=visible(comparison.after.name, 16), align="right", drop=2),
            Column(title="Δ", align="right"),
            Column(title="Range 95 %", drop=3),
            Column(title="Verdict"),
        )
        shown = Table(columns=heads, rows=small_cells(table))
        lines += [*([()] if lines else []), *text_table(without_empty_columns(shown), width)]
    if comparison.suspects:
        lines += [(), line(Span("Perhaps the same work under another name", "heading"))]
        for suspect in comparison.suspects:
            lines += wrapped(line("· ", *suspect_line(suspect)), width, indent=2)
    return lines


def _sides(comparison: Comparison, width: int) -> Line:
    """Every side with its name, its runs and where it comes from; in little room the names only."""
    full = _side_parts(comparison, paths=True)
    fits = sum(columns(span.text) for span in full) <= width
    return full if fits else _side_parts(comparison, paths=False)


def _side_parts(comparison: Comparison, *, paths: bool) -> Line:
    parts = [*_side(comparison.before, "Before", path=paths), Span("  →  ", "muted")]
    parts += _side(comparison.after, "After", path=paths)
    for other in comparison.others:
        parts += [Span("  ,  ", "muted"), *_side(other.after, "Also", path=paths)]
    return line(*parts)


def _side(side: Side, role: str, *, path: bool) -> list[str | Span]:
    runs = (
        plural(side.runs, "run") if side.runs == side.runs_given else f"{side.runs} of {side.runs_given} runs"
    )
    known = "" if side.name == role.lower() else f"{role} "
    where = f" {visible(side.path, 60)}" if path else ""
    return [Span(known, "muted"), Span(visible(side.name, 40), "strong"), Span(f" {runs}{where}", "muted")]


def _window(comparison: Comparison) -> list[Line]:
    """The window's move with its range, and the main thread's budget, on one line."""
    window = comparison.window
    parts: list[str | Span] = []
    text = window_text(window)
    if text is not None:
        parts += [Span("Window ", "muted"), Span(text, "strong")]
    if window.shift is not None:
        parts.append(Span(f"  range {span_text(window.shift.low_ms, window.shift.high_ms)}", "muted"))
    if window.verdict is not None:
        parts += ["  ", Span(window.verdict, VERDICT_ROLES[window.verdict])]
    if window.verdict == "can't tell" and window.shift is not None and window.shift.runs_needed is not None:
        parts.append(Span(f", about {window.shift.runs_needed} runs a side would", "muted"))
    budget = next((table for table in comparison.also if table.id == "budget"), None)
    if budget is not None:
        moved = [
            f"{row.name} {row.before:.0f} → {row.after:.0f}"
            for row in budget.rows
            if row.before is not None and row.after is not None and max(row.before, row.after) >= 1
        ]
        parts += [Span("   Main thread ", "muted"), " · ".join(moved)]
    return [line(*parts)] if parts else []


def _environment_first(one: CompareWarning) -> tuple[bool, bool]:
    return one.level != "warning", one.id not in _ENVIRONMENT_FIRST


def _warning(one: CompareWarning) -> Line:
    sign = Span("! ", "warning") if one.level == "warning" else Span("i ", "muted")
    return line(sign, Span(f"{one.id}: ", "muted"), one.text)


def _chip(chip: Chip, *, focused: bool) -> Span:
    text = f"{visible(chip.label, 60)} {chip.count}"
    text = f"[{text}]" if chip.active else f" {text} "
    return Span(f">{text}<" if focused else text, "strong" if focused or chip.active else "muted")


def _filters_in_force(chips: Sequence[Chip], options: ViewOptions) -> Line:
    parts: list[str | Span] = []
    for kind, words in _FILTER_WORDS.items():
        chosen = [chip for chip in chips if chip.filter == kind and chip.active and chip.value not in _UNSET]
        parts.append(Span(f"{words}: ", "muted"))
        parts += [Span(f"[{visible(chip.label, 40)} {chip.count}] ", "strong") for chip in chosen]
        parts.append(Span("· " if chosen else "any · ", "muted"))
    if options.text:
        parts += [
            Span("text: ", "muted"),
            Span(f"[{visible(options.text, 40)}] ", "strong"),
            Span("· ", "muted"),
        ]
    return line(*parts, Span(f"by {options.sort}", "muted"))


def _chances(row: Row) -> list[Line]:
    parts = []
    if row.q is not None:
        parts.append(f"q {row.q:.2g}: share of false finds among rows at least as clear")
    if row.p_family is not None:
        parts.append(f"chance of it anywhere in this table by luck alone {row.p_family:.2g}")
    return [line("; ".join(parts))] if parts else []


def _settling(row: Row, comparison: Comparison) -> list[Line]:
    parts = []
    if row.resolves_ms is not None:
        parts.append(f"These runs resolve a move of {ms(row.resolves_ms)} ms")
    if row.verdict == "can't tell":
        parts.append(_more_runs(row, comparison))
    return [line("; ".join(parts))] if parts else []


def _more_runs(row: Row, comparison: Comparison) -> str:
    """What each side lacks; only the set recorded last can be added to, the other one begins anew."""
    needed = row.runs_needed
    if needed is None:
        return "more runs will not settle it"
    lacks = [
        f"{visible(side.name, 24)} needs {needed - side.runs} more" if side.runs < needed else ""
        for side in (comparison.before, comparison.after)
    ]
    first = f"{NEXT_STEP_KEY} collects {needed - comparison.after.runs} more" if lacks[1] else ""
    return f"{needed} runs a side would settle it: {', '.join(part for part in (first, lacks[0]) if part)}"


def missing_runs(row: Row, comparison: Comparison) -> int:
    """How many more runs of the side after would settle the row; at least one."""
    return max((row.runs_needed or 0) - comparison.after.runs, 1)


def _run_order(row: Row, comparison: Comparison, glyphs: Glyphs) -> list[Line]:
    """Each side's values in the order they were recorded, drawn over that side's own range."""
    parts: list[str | Span] = []
    for side, face in ((comparison.before, row.before), (comparison.after, row.after)):
        values = side_values(face)
        if len(values) > 2:
            drawn = sparkline(values, glyphs=glyphs)
            parts += ["  " if parts else "", Span(f"{visible(side.name, 24)} ", "muted"), drawn]
    return [line(Span("In run order: ", "muted"), *parts)] if parts else []


def _clocks(comparison: Comparison) -> list[Line]:
    """The environment each run had: its clock, and whether the device throttled."""
    parts: list[str | Span] = []
    for side in (comparison.before, comparison.after):
        known = [
            f"{run.cpu_mhz:.0f}{' (throttled)' if run.throttled else ''}"
            for run in side.repeats
            if run.cpu_mhz is not None
        ]
        if known:
            parts += ["  " if parts else "", Span(f"{visible(side.name, 24)} ", "muted"), " ".join(known)]
    return [line(Span("Clock of each run: ", "muted"), *parts, Span(" MHz", "muted"))] if parts else []


def _evidence(row: Row) -> list[Line]:
    lines = []
    for label, text in (("Thread", row.thread), ("In the code", row.code), ("Evidence", row.detail)):
        if text:
            lines.append(line(Span(f"{label}: ", "muted"), Span(visible(text, 600), "name")))
    details = [face.detail if face else None for face in (row.before, row.after)]
    if details[0] and details[1] and details[0] != details[1]:
        for side, text in zip(("before", "after"), details, strict=True):
            lines.append(line(Span(f"Evidence {side}: ", "muted"), Span(visible(text or "", 600), "name")))
    return lines
