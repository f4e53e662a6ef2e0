"""The union tree as a table: one row a frame, two bars and a signed move."""

from __future__ import annotations

from typing import Final

from echolot_tui.present.profile_words import STATE_ROLES, bucket_name, percent, points, verdict_role
from echolot_tui.present.table import Cell, Column, Table, cell
from echolot_tui.profiles.model import Buckets, Node, ProfileDiff

MOST_ROWS: Final = 60
_BAR: Final = 10
_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"
_CHAIN: Final = 0.005
"""Points by which a lone callee may differ from its caller for the caller to be passed over."""


def tree_table(profile: ProfileDiff, *, most: int = MOST_ROWS, absolute: bool = False) -> Table:
    """The frames worth a look, in the tree's order.

    Args:
        profile: The comparison.
        most: Rows.
        absolute: Amounts instead of shares.
    """
    unit = "ms" if profile.unit == "ms" else "samples"
    figure = f" {unit}" if absolute else ""
    columns = (
        Column(title="Frame", shrink_to=20, limit=200),
        Column(title="Before", drop=3),
        Column(title=f"Before{figure}", align="right", drop=1),
        Column(title="After", drop=3),
        Column(title=f"After{figure}", align="right", drop=1),
        Column(title="Δ" if absolute else "Δ points", align="right"),
        Column(title="Self Δ", align="right", drop=2),
        Column(title="Samples", align="right", drop=4),
        Column(title="State"),
    )
    rows = tuple(_row(node, indent, absolute=absolute) for node, indent in shown_nodes(profile, most))
    return Table(columns=columns, rows=rows)


def _row(node: Node, indent: int, *, absolute: bool) -> tuple[Cell | None, ...]:
    judged = node.absolute if absolute and node.absolute is not None else node.share
    role = STATE_ROLES[judged.state]
    note = node.suspect or ""
    return (
        cell("  " * indent + node.label, "name"),
        cell(bar(node.before.share, _BAR), "faster"),
        cell(f"{node.before.total:.2f}" if absolute else percent(node.before.share), "number"),
        cell(bar(node.after.share, _BAR), "slower"),
        cell(f"{node.after.total:.2f}" if absolute else percent(node.after.share), "number"),
        cell(points(node.delta if absolute else node.delta_share), role),
        cell(points(node.self_delta_share), "muted"),
        cell(f"{node.before.count:.0f} | {node.after.count:.0f}", "muted"),
        cell(judged.state, role, note=note),
    )


def bar(share: float, width: int) -> str:
    """A share of 0 to 100 as a bar of eighths; a little is never nothing."""
    eighths = round(share / 100 * width * 8)
    if share > 0 and eighths == 0:
        eighths = 1
    full, rest = divmod(min(eighths, width * 8), 8)
    return "█" * full + (_EIGHTHS[rest] if rest else "")


def shown_nodes(profile: ProfileDiff, most: int) -> list[tuple[Node, int]]:
    """What is worth a look: findings and suspects first, then the heaviest; with what contains them.

    Callers that only hand on to one callee are passed over.

    Returns:
        Nodes in the tree's order, each with how many shown ones contain it.
    """
    nodes = profile.nodes
    wanted = [finding.node for finding in profile.findings]
    wanted += [node for pair in profile.suspects for node in (pair.before, pair.after)]
    marked = set(wanted)
    over = _passed_over(nodes, marked)
    rest = sorted(
        (node for node in nodes[1:] if node.id not in over), key=lambda node: (-_interest(node), node.id)
    )
    kept: set[int] = {0}
    for at in [*wanted, *(node.id for node in rest)]:
        way = kept.union(step for step in _way(nodes, at) if step not in over)
        if len(way) > most:
            break
        kept = way
    return _in_order(nodes, kept)


def _way(nodes: tuple[Node, ...], at: int) -> list[int]:
    way = []
    node: Node | None = nodes[at]
    while node is not None and node.parent is not None:
        way.append(node.id)
        node = nodes[node.parent]
    return way


def _passed_over(nodes: tuple[Node, ...], marked: set[int]) -> set[int]:
    """Frames that take no time of their own worth showing and hand everything on to one callee."""
    callees: dict[int, list[Node]] = {}
    for node in nodes[1:]:
        callees.setdefault(node.parent or 0, []).append(node)
    return {
        node.id
        for node in nodes[1:]
        if node.id not in marked
        and any(
            abs(one.before.share - node.before.share) < _CHAIN
            and abs(one.after.share - node.after.share) < _CHAIN
            for one in callees.get(node.id, ())
        )
    }


def _in_order(nodes: tuple[Node, ...], kept: set[int]) -> list[tuple[Node, int]]:
    children: dict[int, list[int]] = {}
    for at in sorted(kept - {0}):
        above = nodes[at].parent
        while above is not None and above not in kept:
            above = nodes[above].parent
        children.setdefault(above or 0, []).append(at)
    found: list[tuple[Node, int]] = []
    waiting = [(0, 0)]
    while waiting:
        at, indent = waiting.pop()
        found.append((nodes[at], indent))
        below = sorted(children.get(at, ()), key=lambda one: (-_weight(nodes[one]), one))
        waiting += [(one, indent + 1) for one in reversed(below)]
    return found


def _interest(node: Node) -> float:
    return max(4 * abs(node.delta_share), _weight(node))


def _weight(node: Node) -> float:
    return max(node.before.share, node.after.share)


def bucket_table(buckets: Buckets, unit: str) -> Table:
    """The parts that answer for the move; their deltas add up to the whole's."""
    columns = (
        Column(title="Part", shrink_to=20, limit=200),
        Column(title=f"Before {unit}", align="right", drop=1),
        Column(title=f"After {unit}", align="right", drop=1),
        Column(title="Δ", align="right"),
        Column(title="Resolves", align="right", drop=2),
        Column(title="Verdict"),
    )
    rows = tuple(
        (
            cell(bucket_name(row), "name"),
            cell(f"{row.before:.2f}", "number"),
            cell(f"{row.after:.2f}", "number"),
            cell(f"{row.delta:+.2f}", "number"),
            cell(None if row.resolves is None else f"{row.resolves:.2f}", "muted"),
            cell(row.verdict, verdict_role(row.verdict)),
        )
        for row in buckets.rows
    )
    return Table(columns=columns, rows=rows)
