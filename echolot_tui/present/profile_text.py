"""A differential profile as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from echolot_tui.present.profile_table import bucket_table, tree_table
from echolot_tui.present.profile_words import (
    contains_line,
    drift_line,
    early_late_line,
    finding_line,
    head_statements,
    nothing_line,
    precondition_line,
    suspect_line,
)
from echolot_tui.present.spans import Line, Span, line, wrapped
from echolot_tui.present.statement import text_statements
from echolot_tui.present.table import text_table
from echolot_tui.profiles.model import ProfileDiff

_FINDINGS = 10


def profile_lines(profile: ProfileDiff, width: int, *, top: int | None = None) -> list[Line]:
    """Totals, preconditions, findings, suspects, the tree, parts, and early against late.

    Args:
        profile: The comparison.
        width: Terminal columns.
        top: Rows of the tree; None is as many as fit a page.
    """
    lines = [
        *text_statements(head_statements(profile), width),
        *_part("Preconditions", map(precondition_line, profile.preconditions), width),
        *_findings(profile, width),
        *_part("Perhaps no change at all", map(suspect_line, profile.suspects), width),
        (),
        line(Span("Tree", "heading")),
        *text_table(
            tree_table(profile, most=top or _rows(profile), absolute=profile.basis == "absolute"), width
        ),
    ]
    if profile.buckets is not None:
        total = f"Parts (deltas add up to {profile.buckets.total_delta:+.2f})"
        lines += [
            (),
            line(Span(total, "heading")),
            *text_table(bucket_table(profile.buckets, profile.unit), width),
        ]
    lines += [(), line(Span("Late against early inside the runs", "heading"))]
    for one in profile.early_late:
        lines += _indented(early_late_line(one), width)
        for drift in (*one.rises[:5], *one.falls[:5]):
            lines += _indented(drift_line(drift), width, deep=True)
    return lines


def _rows(profile: ProfileDiff) -> int:
    return 30 + min(len(profile.findings), 30)


def _findings(profile: ProfileDiff, width: int) -> list[Line]:
    lines: list[Line] = [(), line(Span("What explains the move", "heading"))]
    if not profile.findings:
        return [*lines, *_indented(nothing_line(profile), width)]
    for finding in profile.findings[:_FINDINGS]:
        lines += _indented(finding_line(finding, profile.unit), width)
        lines += _indented(contains_line(finding), width, deep=True)
    more = len(profile.findings) - _FINDINGS
    if more > 0:
        lines += _indented(line(Span(f"{more} more in profile.json", "muted")), width)
    if profile.share_only:
        text = f"{profile.share_only} more frames moved only in share, because the whole did"
        lines += _indented(line(Span(text, "muted")), width)
    return lines


def _part(title: str, parts: Iterable[Line], width: int) -> list[Line]:
    body = [each for part in parts for each in _indented(part, width)]
    return [(), line(Span(title, "heading")), *body] if body else []


def _indented(text: Line, width: int, *, deep: bool = False) -> list[Line]:
    gap = Span("    " if deep else "  ")
    return [(gap, *each) for each in wrapped(text, max(width - len(gap.text), 10), indent=2)]
