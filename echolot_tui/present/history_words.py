"""How a history report says things: figures, commits, reasons, findings as sentences."""

from __future__ import annotations

import math
from shlex import quote
from typing import Final

from echolot_tui.history.model import BranchBlock, Census, CommitRef, Finding, HistoryReport, Reason
from echolot_tui.history.series import SetName
from echolot_tui.present.numbers import plural
from echolot_tui.present.spans import Line, Role, Span, line
from echolot_tui.present.statement import Statement, fact, name, strong, warning
from echolot_tui.text import visible

_DIGITS: Final = 4
_SHORT_ID: Final = 12
_TITLE: Final = 50

REASONS: Final[dict[Reason, str]] = {
    "ghost": "not measured at the analysed commit",
    "too_few_points": "fewer than 10 points",
    "too_few_points_since_blessing": "fewer than 10 points since a blessing",
    "not_measured_on_branch": "not measured on the branch",
    "too_few_base_commits": "fewer than 10 base commits",
    "too_few_base_commits_since_blessing": "fewer than 10 base commits since a blessing",
    "current_base_regime_unresolved": "the base moved too recently to say where it stands",
}


def figure(value: float) -> str:
    """A number with four significant digits, written out: ``100.4``, ``0.01234``, ``1235000``."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    decimals = _DIGITS - 1 - math.floor(math.log10(abs(value)))
    rounded = round(value, decimals)
    if abs(rounded) >= 1e12 or abs(rounded) < 1e-6:
        return f"{value:.{_DIGITS - 1}e}"
    return f"{rounded:.{max(decimals, 0)}f}"


def percent_move(relative: float) -> str:
    """``+29.57 %``."""
    return f"{100 * relative:+.2f} %"


def with_unit(value: float, unit: str | None) -> str:
    """A figure and its unit, where the unit is one that is read after a number."""
    return f"{figure(value)} {unit}" if unit and unit != "count" else figure(value)


def commit_words(commit: CommitRef, *, title: bool = True) -> str:
    """A commit's short identifier, with the beginning of its title."""
    short = commit.id[:_SHORT_ID] if _is_hash(commit.id) else visible(commit.id, _TITLE)
    return f"{short} “{visible(commit.title, _TITLE)}”" if title and commit.title else short


def _is_hash(identifier: str) -> bool:
    return len(identifier) == 40 and all(sign in "0123456789abcdef" for sign in identifier)


def direction_role(finding: Finding) -> Role:
    """The role a finding's figures have."""
    return "slower" if finding.direction == "regression" else "faster"


def finding_line(finding: Finding) -> Line:
    """What moved, how, by how much and where, in one line."""
    head = Span(percent_move(finding.relative), direction_role(finding))
    if finding.branch is not None:
        return line(head, f" {finding.direction}, branch: ", *_branch_words(finding, finding.branch))
    moved = f"{with_unit(finding.baseline, finding.unit)} → {with_unit(finding.latest, finding.unit)}"
    return line(head, f" {finding.direction}, {finding.method}: {moved}, ", *_where(finding))


def _where(finding: Finding) -> Line:
    if finding.window_start is not None:
        start, end = (commit_words(each, title=False) for each in (finding.window_start, finding.commit))
        return line("accumulated ", name(f"{start} → {end}"))
    among = len(finding.suspects)
    note = f", one of {among} since the last measured" if among > 1 else ""
    return line("somewhere near ", name(commit_words(finding.commit)), note)


def _branch_words(finding: Finding, block: BranchBlock) -> Line:
    beyond = f"{with_unit(abs(block.excess), finding.unit)} beyond {figure(block.low)} … {figure(block.high)}"
    among = plural(block.references, "base commit")
    text = f"{with_unit(block.value, finding.unit)}, {beyond}, all of {among}"
    return line(text, " since ", name(commit_words(block.regime_start, title=False)))


def finding_notes(finding: Finding) -> list[Line]:
    """What to keep in mind about a finding."""
    notes = []
    if finding.serially_dependent:
        lag = finding.serial_lag1 or 0.0
        notes.append(
            line(f"noise is serially dependent (lag 1: {lag:+.2f}): it would not survive allowing for that")
        )
    if finding.branch is not None and finding.branch.matches_previous:
        notes.append(line("the value lies in the range the base had before its newest move"))
    if finding.further:
        places = ", ".join(commit_words(each, title=False) for each in finding.further)
        notes.append(line("other places where the level seems to change, untested: ", name(places)))
    if finding.blessing is not None:
        notes.append(line("judged since the blessing at ", name(finding.blessing.commit[:_SHORT_ID])))
    if finding.group is not None:
        notes.append(line(f"group {finding.group}"))
    return notes


def head_statements(report: HistoryReport) -> list[Statement]:
    """What was analysed."""
    said = [fact("Mode", report.mode)]
    if report.source:
        said.append(fact("Source", name(report.source)))
    if report.context is not None:
        dirty = " (with uncommitted changes)" if report.context_dirty else ""
        said.append(fact("Commit", name(f"{report.context.id} {report.context.title}".strip()), dirty))
    if report.base is not None and report.mode == "branch":
        said.append(fact("Base", name(commit_words(report.base))))
    if report.runs and report.oldest is not None and report.context is not None:
        span = plural(report.context.index - report.oldest.index + 1, "commit")
        said.append(fact("Runs", f"{report.runs} over {span}"))
    return said + [warning(note) for note in report.notes]


def tally_statements(report: HistoryReport) -> list[Statement]:
    """How many were judged, what was found; a silent report says what its silence covers."""
    census = report.census
    judged = f"{census.judged} of {plural(census.in_scope, 'series', 'series')} in scope"
    said = [fact("Judged", strong(judged), _ghosts(census))]
    found = [plural(report.regressions, "regression")]
    if report.mode == "branch":
        found.append(plural(report.improvements, "improvement"))
    said.append(fact("Found", strong(", ".join(found))))
    if not report.findings:
        said += _silence(census)
    if report.expected_outside is not None and census.judged:
        said.append(
            fact(
                "Context",
                f"of {plural(census.judged, 'unchanged series', 'unchanged series')}, "
                f"{report.expected_outside:.1f} would lie outside their range by chance, before any floor",
            )
        )
    return said + _sets(report)


def _ghosts(census: Census) -> str:
    ghosts = census.reasons.get("ghost", 0)
    return f"; {ghosts} left out, {REASONS['ghost']}" if ghosts else ""


def _silence(census: Census) -> list[Statement]:
    said = {
        "no_series": "There is nothing to judge: no series.",
        "nothing_in_scope": "This silence covers nothing: no series was measured at the analysed commit.",
        "nothing_judged": "This silence covers nothing: no series had enough evidence.",
        "partial": "This silence covers the judged series only.",
        "full": "Every series in scope was judged.",
    }[census.state]
    reasons = [
        f"{count} × {REASONS[reason]}" for reason, count in census.reasons.items() if reason != "ghost"
    ]
    silence = [warning(said) if census.state in {"nothing_in_scope", "nothing_judged"} else fact("", said)]
    return [*silence, fact("Unjudged", "; ".join(reasons))] if reasons else silence


def _sets(report: HistoryReport) -> list[Statement]:
    said = []
    for one in report.sets:
        label = one.set.label
        if label:
            found = f"{plural(one.series, 'series', 'series')}, {one.judged} judged, {one.findings} found"
            said.append(fact("Set", name(label), f": {found}; ", name(_flags(one.set))))
        if one.comparison is not None:
            said.append(fact("Comparison", _turns(one.comparison.as_extreme, one.comparison.commits)))
        elif report.mode == "branch" and one.judged:
            said.append(fact("Comparison", "too few comparable base commits to set the report against"))
        if one.lag is not None:
            said.append(
                warning(
                    f"{plural(one.lag.commits, 'base commit')} newer than the newest one compared with: "
                    f"{one.lag.reason}"
                )
            )
    return said


def _flags(one: SetName) -> str:
    """The filter that shows this set alone."""
    return f"--scenario {quote(one.scenario)} --machine {quote(one.model)} --engine {quote(one.engine)}"


def _turns(as_extreme: int, commits: int) -> str:
    many = "None" if as_extreme == 0 else str(as_extreme)
    return f"{many} of {commits} comparable base commits showed as much out-of-range movement as this branch"


def title_line(finding: Finding) -> Line:
    """The finding's name and metric."""
    return line(name(finding.name), Span(f"  {visible(finding.metric)}", "muted"))
