"""What stands around a comparison's table: sides, window, counts, warnings, how it was tested."""

from __future__ import annotations

from collections.abc import Iterable

from echolot_tui.compare.model import Comparison, FamilyTest, RenameSuspect, Row, Side
from echolot_tui.present.comparison_cells import VERDICT_ROLES, span_text, window_text
from echolot_tui.present.numbers import ms, plural
from echolot_tui.present.spans import Line, Span, line
from echolot_tui.present.statement import Statement, fact, name, strong, warning


def side_statements(comparison: Comparison) -> list[Statement]:
    """Both sides, and further ones: where they come from, how many runs, when."""
    sides = [("Before", comparison.before), ("After", comparison.after)]
    sides += [("Also", other.after) for other in comparison.others]
    return [fact(role, *_name(role, side), *_side(side)) for role, side in sides]


def summary_statements(comparison: Comparison) -> list[Statement]:
    """Window, what moved, how the table was tested, what fired."""
    statements = []
    window = window_text(comparison.window)
    if window is not None:
        statements.append(fact("Scenario window", strong(window), *_window_range(comparison)))
    statements.append(fact("Moved", *moved_line(comparison)))
    verdicts = verdict_line(comparison)
    if verdicts:
        statements.append(fact("Verdicts", *verdicts))
    if comparison.family is not None:
        label = "Not tested" if comparison.family.method is None else "Tested"
        statements.append(fact(label, family_text(comparison.family)))
    old, new = len(comparison.summary.fired_before), len(comparison.summary.fired_after)
    statements.append(fact("Detectors fired", f"{old} → {new}"))
    return statements


def warning_statements(comparison: Comparison) -> list[Statement]:
    """The whole-run finding first, then every warning; information is no warning."""
    found = [] if comparison.whole_run is None else [warning(comparison.whole_run)]
    return found + [
        warning(Span(f"{one.id}: ", "muted"), one.text)
        if one.level == "warning"
        else fact("For information", Span(f"{one.id}: ", "muted"), one.text)
        for one in comparison.warnings
    ]


def moved_line(comparison: Comparison) -> Line:
    """Counts by change: rows on both sides, new, gone and steady apart."""
    counts = comparison.summary
    return line(
        strong(str(counts.moved)),
        f" · appeared {counts.appeared} · gone {counts.vanished} · steady {counts.steady}",
    )


def verdict_line(comparison: Comparison) -> Line:
    """Counts by verdict; empty where there is none."""
    parts: list[str | Span] = []
    for word, count in comparison.summary.verdicts.items():
        parts += [" · "] if parts else []
        parts.append(Span(f"{word} {count}", VERDICT_ROLES[word]))
    return line(*parts)


def family_text(family: FamilyTest) -> str:
    """How the table was tested, and what the number of relabellings forbids."""
    text = f"{plural(family.rows, 'row')} that could clear the floor"
    if family.method is not None:
        how = "all" if family.method == "exact" else "drawn"
        text += f", against {family.relabellings} relabellings of whole runs ({how})"
    return f"{text}; {family.note}" if family.note else text


def legend(comparison: Comparison) -> str:
    """What the columns mean, with this comparison's floor and names."""
    floor = comparison.noise_floor
    return (
        f"Sorted by how far a row moved. A move is more than {floor.abs_ms:g} ms or {100 * floor.ratio:g} % "
        f"of {comparison.before.name}, whichever is larger. ± is the furthest a run strayed from the median, "
        "k/n in how many runs the row was found, N how often it ran. Holds: the 95 % range of the row's own "
        "move, and whether it leaves out zero. Verdict: slower, faster, new and gone hold against the whole "
        "table; q is the share of false finds among the rows at least as clear."
    )


def suspect_line(suspect: RenameSuspect) -> Line:
    """Two rows that may be one."""
    into = f" in {suspect.new_detector}" if suspect.new_detector else ""
    return line(
        name(suspect.gone),
        f" ({ms(suspect.gone_ms)} ms, gone from {suspect.detector}) and ",
        name(suspect.new),
        f" ({ms(suspect.new_ms)} ms, new{into}): {suspect.reason}",
    )


def steady_names(rows: Iterable[Row], most: int) -> tuple[list[str], int]:
    """Names of the rows that did not move, the first ``most``, and how many are left."""
    steady = [row.location for row in rows if row.change == "steady"]
    return steady[:most], max(len(steady) - most, 0)


def _name(role: str, side: Side) -> list[str | Span]:
    """The side's name, unless it is only its role."""
    return [] if side.name == role.lower() else [name(side.name), " · "]


def _side(side: Side) -> Line:
    runs = (
        plural(side.runs, "run") if side.runs == side.runs_given else f"{side.runs} of {side.runs_given} runs"
    )
    parts: list[str | Span] = [name(side.path), f" · {runs}"]
    if side.generated_at:
        parts += [" · ", name(side.generated_at)]
    return line(*parts)


def _window_range(comparison: Comparison) -> list[str | Span]:
    window = comparison.window
    parts: list[str | Span] = []
    if window.shift is not None:
        parts.append(f" · 95 % range {span_text(window.shift.low_ms, window.shift.high_ms)}")
    if window.verdict is not None:
        parts += [" · ", Span(window.verdict, VERDICT_ROLES[window.verdict])]
    return parts
