"""A differential profile as Markdown."""

from __future__ import annotations

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
from echolot_tui.present.statement import markdown_spans, markdown_statements, without_double_blanks
from echolot_tui.present.table import markdown_table
from echolot_tui.profiles.model import ProfileDiff

_FINDINGS = 30
_ROWS = 100


def profile_markdown(profile: ProfileDiff, *, flame: str | None = None) -> str:
    """The comparison as a page, with a line end at its end.

    Args:
        profile: The comparison.
        flame: The flame graph beside the page; None without one.
    """
    lines = ["# Differential profile", "", *markdown_statements(head_statements(profile)), ""]
    if flame is not None:
        lines += [f"[Flame graph of both sides]({flame})", ""]
    lines += ["## Preconditions", ""]
    lines += [f"- {markdown_spans(precondition_line(one))}" for one in profile.preconditions]
    lines += ["", "## What explains the move", "", *_findings(profile)]
    if profile.suspects:
        lines += ["", "## Perhaps no change at all", ""]
        lines += [f"- {markdown_spans(suspect_line(one))}" for one in profile.suspects]
    lines += [
        "",
        "## Tree",
        "",
        *markdown_table(tree_table(profile, most=_ROWS, absolute=profile.basis == "absolute")),
    ]
    if profile.buckets is not None:
        lines += [
            "",
            "## Parts",
            "",
            f"Their deltas add up to {profile.buckets.total_delta:+.2f} {profile.unit}.",
            "",
        ]
        lines += markdown_table(bucket_table(profile.buckets, profile.unit))
    lines += ["", "## Late against early inside the runs", ""]
    for each in profile.early_late:
        lines.append(f"- {markdown_spans(early_late_line(each))}")
        lines += [f"  - {markdown_spans(drift_line(drift))}" for drift in (*each.rises, *each.falls)]
    return "\n".join(without_double_blanks(lines)) + "\n"


def _findings(profile: ProfileDiff) -> list[str]:
    if not profile.findings:
        return [markdown_spans(nothing_line(profile))]
    lines = []
    for finding in profile.findings[:_FINDINGS]:
        lines.append(f"- {markdown_spans(finding_line(finding, profile.unit))}")
        lines.append(f"  - {markdown_spans(contains_line(finding))}")
    if len(profile.findings) > _FINDINGS:
        lines.append(f"- {len(profile.findings) - _FINDINGS} more in `profile.json`")
    if profile.share_only:
        lines += ["", f"{profile.share_only} more frames moved only in share, because the whole did."]
    return lines
