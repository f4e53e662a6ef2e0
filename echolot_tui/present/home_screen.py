"""Home's lists: hunts, the rounds of one of them, and both in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from echolot_tui.investigate.facts import RoundFacts
from echolot_tui.investigate.model import Hunt, Round
from echolot_tui.investigate.view import HuntView
from echolot_tui.present.dots import Axis, strip
from echolot_tui.present.glyphs import Glyphs
from echolot_tui.present.hunt_text import STATE_ROLES, ago, device_words, round_parts
from echolot_tui.present.numbers import ms, plural
from echolot_tui.present.spans import Line, Span, line, plain, wrapped
from echolot_tui.present.table import Cell, Column, cell
from echolot_tui.selfcheck.model import Doctor

STRIP_WIDTH = 20

HUNT_COLUMNS = (
    Column(title="Hunt", align="right"),
    Column(title="Question", shrink_to=12),
    Column(title="State"),
    Column(title="Scenario", drop=2, shrink_to=10),
    Column(title="Touched", drop=1),
)

ROUND_COLUMNS = (
    Column(title="Side"),
    Column(title="Round", shrink_to=12),
    Column(title="Runs", align="right"),
    Column(title="Window", align="right"),
    Column(title="Each run", drop=1),
    Column(title="Report", drop=2),
    Column(title="Compared", drop=3),
    Column(title="Device", drop=4, shrink_to=10),
    Column(title="Touched", drop=5),
)


def hunt_cells(hunt: Hunt, now: str) -> tuple[Cell | None, ...]:
    """Number, question, state, scenario, when last touched; the current one has an arrow."""
    return (
        cell(f"→ {hunt.n}" if hunt.current else str(hunt.n), "strong" if hunt.current else "plain"),
        cell(hunt.question, "name"),
        cell(hunt.state, STATE_ROLES.get(hunt.state, "plain")),
        cell(hunt.scenario, "muted"),
        cell(ago(hunt.touched_at, now), "muted"),
    )


def hunt_head(view: HuntView, now: str, width: int) -> list[Line]:
    """The question, what it is about, how it stands, what was found and noted."""
    hunt = view.hunt
    about = [f"since {hunt.since}"] if hunt.since else []
    about += [hunt.state, f"scenario {hunt.scenario}", f"worked on {ago(hunt.touched_at, now)}"]
    lines = wrapped(line(Span(f"{hunt.n}  ", "strong"), Span(hunt.question, "heading")), width, indent=3)
    lines += wrapped(line(Span(" · ".join(about), "muted")), width)
    if hunt.conclusion:
        lines += wrapped(line(Span("answer  ", "strong"), hunt.conclusion), width, indent=8)
    for note in hunt.notes:
        lines += wrapped(line(Span("note  ", "muted"), note.text), width, indent=6)
    for each in view.drift:
        lines += wrapped(line(Span("! ", "warning"), Span(each.text, "warning")), width, indent=2)
    return lines


def run_axis(facts: Sequence[RoundFacts]) -> Axis | None:
    """One axis for the windows of every run of every round; ``None`` while there is none."""
    known = [value for each in facts for value in each.values if value is not None]
    return Axis.over(known, STRIP_WIDTH) if known else None


def round_cells(
    of: Round, facts: RoundFacts, axis: Axis | None, side: int | None, now: str, *, glyphs: Glyphs
) -> tuple[Cell | None, ...]:
    """One round of the timeline; ``side`` is its place among those that are marked."""
    label = f"{of.k} {of.label}" if of.label else f"{of.k}"
    done = of.state == "complete"
    return (
        cell("-" if side is None else str(side), "muted" if side is None else "strong"),
        cell(label, "name", note="" if done else of.state),
        cell(f"{len(of.done)}/{len(of.runs)}", "plain" if done else "warning"),
        cell(None if facts.window_ms is None else f"{ms(facts.window_ms)} ms", "number"),
        cell(_strip(facts, axis, glyphs), "number"),
        _report(of, facts),
        cell(None if of.comparison is None else f"with {of.comparison.before_k}"),
        cell(device_words(facts), "warning" if facts.throttled else "muted"),
        cell(ago(of.touched_at, now), "muted"),
    )


def round_words(of: Round, facts: RoundFacts, now: str, width: int) -> list[Line]:
    """One round in full."""
    about = [of.state, plural(len(of.done), "run"), f"worked on {ago(of.touched_at, now)}"]
    device = device_words(facts)
    about += [device] if device else []
    lines = wrapped(
        line(Span(f"round {of.k}", "strong"), Span(f"  {of.label}" if of.label else "", "heading")), width
    )
    lines += wrapped(line(Span(" · ".join(about), "muted")), width)
    notes = [line(Span("note  ", "warning"), note.text) for note in of.notes]
    for each in (*notes, *round_parts(of, facts)):
        lines += wrapped(each, width, indent=7)
    return lines


def next_line(todo: str, key: str | None, width: int) -> list[Line]:
    """What to do next, and the key that does it."""
    pressed = [Span(f"{key}  ", "ok")] if key else []
    return wrapped(line(Span("next  ", "strong"), *pressed, todo), width, indent=6)


def standing_lines(standing: Sequence[tuple[str, str]], width: int) -> list[Line]:
    """Where the project stands: a word and what there is to say, a line each."""
    roles: Mapping[str, Line] = {"warning": (Span("warning  ", "warning"),)}
    return [
        each
        for word, text in standing
        for each in wrapped((*roles.get(word, (Span(word.ljust(9), "muted"),)), *line(text)), width, indent=9)
    ]


def doctor_standing(doctor: Doctor | None) -> tuple[str, str]:
    """What the self-check found, a word and what there is to say; ``None`` before it ran."""
    if doctor is None:
        return "doctor", "not run since this start: D checks this machine"
    ok, failed = len(doctor.of("ok")), doctor.failures
    if failed:
        return "warning", f"doctor: {plural(len(failed), 'check')} failed: {failed[0].text}"
    return "doctor", f"{plural(ok, 'check')} ok, {len(doctor.of('skip'))} skipped"


def _strip(facts: RoundFacts, axis: Axis | None, glyphs: Glyphs) -> str | None:
    if axis is None or not any(value is not None for value in facts.values):
        return None
    return plain(strip(facts.values, axis, glyphs=glyphs, role="number"))


def _report(of: Round, facts: RoundFacts) -> Cell | None:
    if of.report is None:
        return None
    if facts.problem:
        return cell("unusable", "error")
    if not of.is_measured:
        return cell(f"of {plural(len(of.report.runs), 'run')}", "warning")
    return cell("yes", "ok")
