"""Many findings of one event: steps of a set whose gaps between measured commits overlap, counted.

Grouping by position only; whether they have one cause is for the reader.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from echolot_tui.history.finding import Line
from echolot_tui.history.model import Finding, Group
from echolot_tui.history.series import SetName


def grouped(findings: Sequence[Finding], line: Line) -> tuple[list[Finding], tuple[Group, ...]]:
    """The findings with their group's number, and the groups of two or more.

    A group holds steps that all may have begun at one and the same commit: the gaps of its members, from
    the last commit measured before the step to the step, have a commit in common.
    """
    groups: list[Group] = []
    marked = list(findings)
    by_set: dict[SetName, list[int]] = {}
    for at, finding in enumerate(findings):
        if finding.method == "step":
            by_set.setdefault(finding.set, []).append(at)
    for name in sorted(by_set):
        for members, after, first in _gaps(findings, by_set[name]):
            if len(members) < 2:
                continue
            group = Group(
                number=len(groups) + 1,
                set=name,
                findings=len(members),
                after=line.ref(after),
                first=line.ref(first),
            )
            groups.append(group)
            for at in members:
                marked[at] = replace(findings[at], group=group.number)
    return marked, tuple(groups)


def _gaps(findings: Sequence[Finding], members: list[int]) -> list[tuple[list[int], int, int]]:
    """Members by common gap: positions, newest commit before, oldest commit of the step."""
    gaps: list[tuple[list[int], int, int]] = []
    for at in sorted(members, key=lambda each: (findings[each].commit.index, each)):
        end = findings[at].commit.index
        start = end - len(findings[at].suspects)
        if gaps and start < gaps[-1][2]:
            held, after, first = gaps[-1]
            held.append(at)
            gaps[-1] = held, max(after, start), first
        else:
            gaps.append(([at], start, end))
    return gaps
