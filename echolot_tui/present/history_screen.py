"""The series of a history report as rows, and one of them in full."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from echolot_tui.history.model import Finding, HistoryReport, SeriesState
from echolot_tui.history.series import SetName
from echolot_tui.present.glyphs import Glyphs
from echolot_tui.present.history_chart import history_sparkline
from echolot_tui.present.history_text import gate_lines, verdict_words
from echolot_tui.present.history_words import (
    REASONS,
    commit_words,
    direction_role,
    finding_line,
    finding_notes,
    head_statements,
    percent_move,
    tally_statements,
)
from echolot_tui.present.spans import Line, Span, cut_line, line, wrapped
from echolot_tui.present.statement import name, text_statements
from echolot_tui.present.table import Cell, Column, cell
from echolot_tui.text import visible

SPARK: Final = 24
_CLIP: Final = 60

Key = tuple[SetName, str, str]


class SeriesRows:
    """One row a series: what was found first, the largest move on top; then the others, by name."""

    sorted_by: int | None = None
    columns = (
        Column(title="Verdict"),
        Column(title="Size", align="right"),
        Column(title="Series", shrink_to=12),
        Column(title="Metric", drop=2, shrink_to=6),
        Column(title="Where", drop=3, shrink_to=8),
        Column(title="Levels", drop=1),
        Column(title="Set", drop=4, shrink_to=8),
    )

    def __init__(self, report: HistoryReport, text: str, glyphs: Glyphs) -> None:
        self.findings: dict[Key, Finding] = {
            (each.set, each.name, each.metric): each for each in report.findings
        }
        rank = {key: at for at, key in enumerate(self.findings)}
        wanted = text.casefold()
        held = [each for each in report.every if wanted in _text(each)]
        self._states = sorted(held, key=lambda each: (rank.get(_key(each), len(rank)), not each.judged))
        self._glyphs = glyphs

    def __len__(self) -> int:
        return len(self._states)

    def state(self, at: int) -> SeriesState | None:
        """A series; none below the last."""
        return self._states[at] if at < len(self._states) else None

    def finding(self, state: SeriesState) -> Finding | None:
        """What was found in it."""
        return self.findings.get(_key(state))

    def row(self, at: int) -> tuple[Cell | None, ...]:
        """Verdict, size, names, where, levels."""
        state = self._states[at]
        finding = self.finding(state)
        spark = history_sparkline(state.levels, SPARK, self._glyphs)
        return (
            _verdict(state, finding),
            None if finding is None else cell(percent_move(finding.relative), direction_role(finding)),
            cell(state.name, "name"),
            cell(state.metric, "muted"),
            None if finding is None else cell(_where(finding)),
            cell(spark or None, "number"),
            cell(state.set.label or None, "muted"),
        )

    def key(self, at: int) -> Hashable:
        """Set, name and metric."""
        return _key(self._states[at])


def _key(state: SeriesState) -> Key:
    return state.set, state.name, state.metric


def _text(state: SeriesState) -> str:
    return "\n".join((state.name, state.metric, state.set.label)).casefold()


def _verdict(state: SeriesState, finding: Finding | None) -> Cell | None:
    if finding is not None:
        return cell(f"{finding.method} {finding.direction}", direction_role(finding))
    return cell("nothing" if state.judged else "unjudged", "muted")


def _where(finding: Finding) -> str:
    """The commit, or those a drift goes over."""
    at = commit_words(finding.commit, title=False)
    start = finding.window_start
    return at if start is None else f"{commit_words(start, title=False)} → {at}"


def history_head(report: HistoryReport, text: str, width: int, most: int) -> list[Line]:
    """How much was judged and why not all of it, what it is of, in at most ``most`` lines."""
    said = [*tally_statements(report), *head_statements(report)]
    census = report.census
    if report.findings:
        reasons = (f"{many} × {REASONS[why]}" for why, many in census.reasons.items() if why != "ghost")
        unjudged = "; ".join(reasons)
        extra = wrapped(line(Span("Unjudged: ", "muted"), unjudged), width, indent=2) if unjudged else []
    else:
        extra = []
    shown = line(Span("Filter: ", "muted"), name(text)) if text else ()
    lines = [*([cut_line(shown, width)] if shown else []), *extra, *text_statements(said, width)]
    return lines[:most]


def series_words(state: SeriesState, finding: Finding | None, width: int) -> list[Line]:
    """What is said of one series."""
    lines = wrapped(line(name(state.name), Span(f"  {visible(state.metric)}", "muted")), width, indent=2)
    said = (
        [line(verdict_words(state))] if finding is None else [finding_line(finding), *finding_notes(finding)]
    )
    for each in said:
        lines += wrapped(each, width, indent=2)
    if state.blessing is not None:
        why = f": {visible(state.blessing.reason, _CLIP)}" if state.blessing.reason else ""
        lines += wrapped(line("blessed at ", name(state.blessing.commit[:12]), why), width, indent=2)
    return lines


def ladder_lines(state: SeriesState, width: int) -> list[Line]:
    """The gates of a series."""
    if not state.gates:
        return [line(Span("no gate was asked: the series was not judged", "muted"))]
    return gate_lines(state.gates, width)
