"""Hunts, rounds and the journal as lines."""

from __future__ import annotations

from collections.abc import Sequence

from echolot_tui.investigate.facts import RoundFacts
from echolot_tui.investigate.model import Hunt, JournalLine, Note, Round
from echolot_tui.investigate.moments import DAY_S, MINUTE_S, seconds_between
from echolot_tui.investigate.view import HuntView
from echolot_tui.present.numbers import ms, plural, whole
from echolot_tui.present.spans import Line, Role, Span, cut_line, line, wrapped
from echolot_tui.present.table import Cell, Column, Table, cell, text_table, without_empty_columns

_HOUR_S = 60 * MINUTE_S

STATE_ROLES: dict[str, Role] = {
    "open": "ok",
    "recording": "ok",
    "complete": "plain",
    "concluded": "muted",
    "abandoned": "muted",
    "partial": "warning",
    "interrupted": "warning",
    "failed": "error",
}

_ROUND_COLUMNS = (
    Column(title="Round", align="right"),
    Column(title="Label", shrink_to=12),
    Column(title="Set"),
    Column(title="Runs", align="right"),
    Column(title="Window", align="right"),
    Column(title="Device", drop=3, shrink_to=10),
    Column(title="Report", drop=1),
    Column(title="Compared", drop=2),
    Column(title="Last touched", drop=4),
)

_HUNT_COLUMNS = (
    Column(title=""),
    Column(title="Hunt", align="right"),
    Column(title="State"),
    Column(title="Rounds", align="right"),
    Column(title="Last touched", drop=2),
    Column(title="Open for", drop=3),
    Column(title="Question", shrink_to=20),
    Column(title="Conclusion", drop=1, shrink_to=20),
)


def ago(then: str, now: str) -> str:
    """``just now``, ``5 min ago``, ``3 h ago``, ``2 days ago``."""
    passed = seconds_between(then, now)
    return "just now" if passed < MINUTE_S else f"{lasted(then, now)} ago"


def lasted(start: str, end: str) -> str:
    """A length of time in its largest fitting unit, cut down: ``5 min``, ``3 h``, ``2 days``."""
    passed = max(seconds_between(start, end), 0.0)
    if passed < _HOUR_S:
        return f"{passed // MINUTE_S:.0f} min"
    if passed < DAY_S:
        return f"{passed // _HOUR_S:.0f} h"
    return plural(passed // DAY_S, "day")


def hunt_lines(view: HuntView, now: str, width: int) -> list[Line]:
    """One hunt: question, facts, rounds, notes, drift and what to do next."""
    hunt = view.hunt
    since = f" · since {hunt.since}" if hunt.since else ""
    lines = [
        line(Span(f"hunt {hunt.n}  ", "strong"), Span(hunt.question, "heading")),
        line(
            Span(hunt.state, STATE_ROLES.get(hunt.state, "plain")),
            f"{', current' if hunt.current else ''} · scenario {hunt.scenario}{since}",
            f" · opened {hunt.opened_at} · worked on {ago(hunt.touched_at, now)}",
        ),
    ]
    if hunt.conclusion:
        lines.append(line(Span("answer: ", "strong"), hunt.conclusion))
    lines.append(line())
    if hunt.rounds:
        lines += text_table(round_table(hunt.rounds, view.facts, now), width)
    else:
        lines.append(line(Span("no rounds yet", "muted")))
    lines += _problems(view.facts)
    lines += _notes(hunt)
    lines += [line(Span("changed since: ", "warning"), each.text) for each in view.drift]
    if view.next is not None:
        lines += [line(), line(Span("next  ", "strong"), view.next.todo)]
    return _wrapped(lines, width)


def hunts_lines(hunts: Sequence[Hunt], now: str, width: int) -> list[Line]:
    """All hunts, newest first."""
    rows = tuple(_hunt_row(hunt, now) for hunt in sorted(hunts, key=lambda hunt: -hunt.n))
    return text_table(without_empty_columns(Table(columns=_HUNT_COLUMNS, rows=rows)), width)


def round_table(rounds: Sequence[Round], facts: Sequence[RoundFacts], now: str) -> Table:
    """Rounds, one a line, without the columns nobody fills."""
    rows = tuple(_round_row(each, fact, now) for each, fact in zip(rounds, facts, strict=True))
    return without_empty_columns(Table(columns=_ROUND_COLUMNS, rows=rows))


def round_lines(of: Round, facts: RoundFacts, now: str, width: int) -> list[Line]:
    """One round: its runs with their traces, its report and notes."""
    lines = text_table(round_table((of,), (facts,), now), width)
    lines += [*round_parts(of, facts), *(_note(note, "") for note in of.notes)]
    return [cut_line(each, width) for each in lines]


def round_parts(of: Round, facts: RoundFacts) -> list[Line]:
    """What belongs to a round: its runs with their traces, its report, its comparison."""
    lines = []
    paths = {trace.run: trace.path for trace in of.traces}
    for at, run in enumerate(of.runs):
        window = facts.values[at] if len(facts.values) == len(of.runs) else None
        shown = f"  {ms(window)} ms" if window is not None else ""
        reason = f"  {run.reason}" if run.reason and window is None else ""
        gone = " (gone)" if run.run in facts.gone else ""
        lines.append(
            line(
                Span(f"run {run.run}  ", "muted"),
                Span(run.state, "error" if run.state == "failed" else "plain"),
                f"{shown}{reason}  {paths.get(run.run, '')}{gone}".rstrip(),
            )
        )
    if of.report is not None:
        lines.append(line(Span("report  ", "muted"), of.report.path))
    if of.comparison is not None:
        lines.append(
            line(Span("compared  ", "muted"), f"with round {of.comparison.before_k}: {of.comparison.path}")
        )
    return [*lines, *_problems((facts,))]


def journal_lines(journal: Sequence[JournalLine], width: int) -> list[Line]:
    """Every transition, oldest first."""
    return [cut_line(_journal_line(each), width) for each in journal]


def _wrapped(lines: Sequence[Line], width: int) -> list[Line]:
    """What people wrote is shown whole; lines of a table fit already."""
    return [part for each in lines for part in wrapped(each, width, indent=2)]


def _hunt_row(hunt: Hunt, now: str) -> tuple[Cell | None, ...]:
    return (
        cell("→" if hunt.current else None),
        cell(str(hunt.n)),
        cell(hunt.state, STATE_ROLES.get(hunt.state, "plain")),
        cell(str(len(hunt.rounds))),
        cell(ago(hunt.touched_at, now)),
        cell(lasted(hunt.opened_at, hunt.closed_at or now)),
        cell(hunt.question),
        cell(hunt.conclusion),
    )


def _round_row(of: Round, facts: RoundFacts, now: str) -> tuple[Cell | None, ...]:
    return (
        cell(str(of.k)),
        cell(of.label),
        cell(of.state, STATE_ROLES.get(of.state, "plain")),
        cell(f"{len(of.done)}/{len(of.runs)}", note=f"{len(facts.gone)} gone" if facts.gone else ""),
        cell(None if facts.window_ms is None else f"{ms(facts.window_ms)} ms"),
        cell(device_words(facts)),
        _report_cell(of, facts),
        cell(None if of.comparison is None else f"with {of.comparison.before_k}"),
        cell(ago(of.touched_at, now)),
    )


def _report_cell(of: Round, facts: RoundFacts) -> Cell | None:
    if of.report is None:
        return None
    if facts.problem:
        return cell("unusable", "error")
    if not of.is_measured:
        return cell(f"of {plural(len(of.report.runs), 'run')}", "warning")
    return cell("yes")


def device_words(facts: RoundFacts) -> str | None:
    """Model, clock, and whether it throttled."""
    parts = [
        facts.model,
        f"{whole(round(facts.cpu_mhz))} MHz" if facts.cpu_mhz is not None else None,
        "throttled" if facts.throttled else None,
    ]
    return " · ".join(part for part in parts if part) or None


def _problems(facts: Sequence[RoundFacts]) -> list[Line]:
    return [line(Span("warning  ", "warning"), each.problem) for each in facts if each.problem]


def _notes(hunt: Hunt) -> list[Line]:
    of_hunt = [(note, "") for note in hunt.notes]
    of_rounds = [(note, f"round {each.k}: ") for each in hunt.rounds for note in each.notes]
    return [_note(note, about) for note, about in sorted([*of_hunt, *of_rounds], key=lambda pair: pair[0].at)]


def _note(note: Note, about: str) -> Line:
    return line(Span(f"note {note.at}  ", "muted"), f"{about}{note.text}")


def _journal_line(each: JournalLine) -> Line:
    about = " ".join(
        part
        for part in (
            f"hunt {each.hunt}" if each.hunt is not None else "",
            f"round {each.k}" if each.k is not None else "",
            f"run {each.run}" if each.run is not None else "",
        )
        if part
    )
    states = f"  {each.source or '·'} → {each.target}" if each.target else ""
    detail = "  ".join(f"{key}: {value}" for key, value in each.detail.items() if value is not None)
    return line(
        Span(f"{each.at}  ", "muted"),
        f"{about}  ",
        Span(each.event if each.subject in {each.event, "hunt", "round", "run"} else each.subject, "strong"),
        states,
        Span(f"  {detail}" if detail else "", "muted"),
    )
