"""The profile diff on a screen: the tree with folds, the frame under the cursor, all there is to say."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from echolot_tui.present.glyphs import Glyphs
from echolot_tui.present.numbers import plural, whole
from echolot_tui.present.profile_table import bar, bucket_table
from echolot_tui.present.profile_words import (
    STATE_ROLES,
    amount,
    contains_line,
    drift_line,
    early_late_line,
    finding_line,
    head_statements,
    nothing_line,
    percent,
    points,
    precondition_line,
    suspect_line,
)
from echolot_tui.present.spans import Line, Span, cut_line, line, wrapped
from echolot_tui.present.statement import text_statements
from echolot_tui.present.table import Cell, Column, cell, text_table
from echolot_tui.profiles.model import Amount, Node, ProfileDiff
from echolot_tui.text import visible

_DEEPEST: Final = 12
"""Levels shown as indent; deeper ones are a number, so that a name is left on a narrow terminal."""
_HEAVY: Final = 5.0
"""Percent of a side from which on a frame shows its callees at first."""


class ProfileTree:
    """The nodes in the order they are shown, heavy callees first.

    Args:
        profile: The comparison.
    """

    def __init__(self, profile: ProfileDiff) -> None:
        self.profile = profile
        nodes = profile.nodes
        callees: list[list[int]] = [[] for _ in nodes]
        for node in nodes:
            if node.parent is not None:
                callees[node.parent].append(node.id)
        self.order: list[int] = []
        waiting = [node.id for node in reversed(nodes) if node.parent is None]
        while waiting:
            at = waiting.pop()
            self.order.append(at)
            waiting += sorted(callees[at], key=lambda one: (_weight(nodes[one]), -one))
        self.has_callees = [bool(below) for below in callees]
        self._texts = [nodes[at].label.casefold() for at in self.order]
        sizes = [1] * len(nodes)
        for at in reversed(self.order):
            parent = nodes[at].parent
            if parent is not None:
                sizes[parent] += sizes[at]
        self._sizes = sizes

    def first_closed(self) -> set[int]:
        """What is folded at first: all but heavy frames and those on the way to something that is said."""
        profile = self.profile
        said = [finding.node for finding in profile.findings]
        said += [at for pair in profile.suspects for at in (pair.before, pair.after)]
        said += profile.follow
        opened = {step for at in said for step in self.above(at)}
        return {
            node.id
            for node in profile.nodes
            if node.parent is not None
            and self.has_callees[node.id]
            and node.id not in opened
            and _weight(node) < _HEAVY
        }

    def above(self, at: int) -> list[int]:
        """What contains a node, innermost first."""
        found = []
        parent = self.profile.nodes[at].parent
        while parent is not None:
            found.append(parent)
            parent = self.profile.nodes[parent].parent
        return found

    def visible(self, closed: Collection[int], text: str) -> list[int]:
        """Nodes that are shown, in order.

        Args:
            closed: Nodes whose callees are folded; everything is open while a text is looked for.
            text: Only frames whose name holds it, with what contains them.
        """
        if text:
            return self._holding(text.casefold())
        found, at = [], 0
        while at < len(self.order):
            node = self.order[at]
            found.append(node)
            at += self._sizes[node] if node in closed else 1
        return found

    def _holding(self, text: str) -> list[int]:
        kept: set[int] = set()
        for node, label in zip(self.order, self._texts, strict=True):
            if text in label:
                way: int | None = node
                while way is not None and way not in kept:
                    kept.add(way)
                    way = self.profile.nodes[way].parent
        return [node for node in self.order if node in kept]

    def matches(self, text: str) -> int:
        """Frames whose name holds a text."""
        wanted = text.casefold()
        return sum(wanted in label for label in self._texts)


def tree_columns(profile: ProfileDiff, *, absolute: bool) -> tuple[Column, ...]:
    """Columns of the tree; frame, both bars, the move and its state are the last to leave."""
    unit = " ms" if profile.unit == "ms" else " samples"
    figure = unit if absolute else ""
    return (
        Column(title="Frame", shrink_to=20, limit=200),
        Column(title="Before", drop=1),
        Column(title=f"Before{figure}", align="right", drop=3),
        Column(title="After", drop=1),
        Column(title=f"After{figure}", align="right", drop=3),
        Column(title=f"Δ{figure}" if absolute else "Δ points", align="right"),
        Column(title="Self Δ points", align="right", drop=4),
        Column(title="Samples", align="right", drop=5),
        Column(title="State"),
    )


def tree_cells(
    tree: ProfileTree, at: int, *, absolute: bool, closed: bool, width: int, glyphs: Glyphs
) -> tuple[Cell | None, ...]:
    """One frame.

    Args:
        tree: The nodes.
        at: Which one.
        absolute: Amounts instead of shares; bars are then parts of the larger total.
        closed: Its callees are folded.
        width: Of a bar, in terminal columns.
        glyphs: Signs.
    """
    profile = tree.profile
    node = profile.nodes[at]
    judged = node.absolute if absolute and node.absolute is not None else node.share
    role = STATE_ROLES[judged.state]
    sign = (glyphs.closed_sign if closed else glyphs.open_sign) if tree.has_callees[at] else " "
    deep = f"+{node.depth - _DEEPEST} " if node.depth > _DEEPEST else ""
    largest = max(profile.totals.before, profile.totals.after) or 1.0
    before, after = (
        100 * one.total / largest if absolute else one.share for one in (node.before, node.after)
    )
    return (
        cell(f"{' ' * min(node.depth, _DEEPEST)}{deep}{sign} {node.label}", "name"),
        cell(_bar(before, width, glyphs), "faster"),
        cell(f"{node.before.total:.2f}" if absolute else percent(node.before.share), "number"),
        cell(_bar(after, width, glyphs), "slower"),
        cell(f"{node.after.total:.2f}" if absolute else percent(node.after.share), "number"),
        cell(points(node.delta if absolute else node.delta_share), role),
        cell(points(node.self_delta_share), "muted"),
        cell(f"{node.before.count:.0f} | {node.after.count:.0f}", "muted"),
        cell(judged.state, role, note=node.suspect or ""),
    )


def tree_head(profile: ProfileDiff, asked: str, *, opened: bool, width: int) -> list[Line]:
    """Totals, what the verdicts rest on, and the preconditions: those that fail, or all of them.

    Args:
        profile: The model.
        asked: What of the runs was asked for, as flags of the verb; empty is all.
        opened: Everything in full.
        width: Terminal columns.
    """
    statements = head_statements(profile)
    if opened:
        checks = _wrapped(map(precondition_line, profile.preconditions), width)
        return [totals_line(profile, asked), *text_statements(statements, width), *checks]
    judged = [one for one in statements if one.label == "Judged by" or one.warning]
    failing = [one for one in profile.preconditions if one.status != "ok"]
    total = len(profile.preconditions)
    counted = line(Span(f"Preconditions: {total - len(failing)} of {total} hold; w shows all", "muted"))
    short = [line(Span("! " if one.warning else "", "warning"), *one.spans) for one in judged]
    lines = [totals_line(profile, asked), *short, *map(precondition_line, failing), counted]
    return [cut_line(each, width) for each in lines]


def totals_line(profile: ProfileDiff, asked: str) -> Line:
    """Both sides with their totals, what was asked for, and the count floor on one line."""
    totals, unit = profile.totals, profile.unit
    ratio = "" if totals.ratio is None else f" ({100 * (totals.ratio - 1):+.1f} %)"
    least = f"under {whole(profile.count_floor)} samples" if profile.count_floor else "under 0.05 %"
    before, after = (visible(side.name, 30) for side in (profile.before, profile.after))
    rest = f"{f'  {visible(asked, 60)}' if asked else ''}  {whole(profile.nodes_folded)} folded {least}"
    return line(
        Span(f"Totals  {before} ", "muted"),
        Span(amount(totals.before, unit), "strong"),
        Span(f" → {after} ", "muted"),
        Span(f"{amount(totals.after, unit)}{ratio}", "strong"),
        Span(rest, "muted"),
    )


def frame_lines(tree: ProfileTree, at: int, width: int) -> list[Line]:
    """The frame under the cursor in full."""
    profile = tree.profile
    node, unit = profile.nodes[at], profile.unit
    way = [profile.nodes[step].label for step in reversed(tree.above(at)) if step]
    parts: list[Line] = [line(Span(node.label, "heading"))]
    if way:
        parts.append(line(Span("in ", "muted"), " › ".join(way[-6:])))
    for name, side in (("before", node.before), ("after", node.after)):
        parts.append(line(Span(f"{name}  ", "muted"), _amount(side, unit)))
    move = f"{points(node.delta_share)} points, {points(node.delta)} {'ms' if unit == 'ms' else 'samples'}"
    state = Span(node.share.state, STATE_ROLES[node.share.state])
    parts.append(line(Span("share  ", "muted"), f"{move}: ", state, f", floor {node.share.floor:.2f} points"))
    if node.absolute is not None:
        seen = Span(node.absolute.state, STATE_ROLES[node.absolute.state])
        parts.append(line(Span("amount  ", "muted"), seen, f", floor {amount(node.absolute.floor, unit)}"))
    if node.share.p_family is not None:
        parts.append(line(Span("p  ", "muted"), f"{node.share.p_family:.2g} over the whole tree"))
    for name, values in (("before", node.values_before), ("after", node.values_after)):
        if values is not None:
            shown = " ".join(f"{value:.2f}" for value in values)
            parts.append(line(Span(f"each run {name}  ", "muted"), shown))
    if node.folded_nodes:
        parts.append(line(Span(f"{plural(node.folded_nodes, 'callee')} under the floor folded in", "muted")))
    return _wrapped(parts, width)


def said_lines(profile: ProfileDiff, width: int) -> list[Line]:
    """Findings, suspects apart, late against early, buckets, and every precondition."""
    unit = profile.unit
    found: list[Line] = [line(Span("Findings", "heading"))]
    for finding in profile.findings:
        found += [finding_line(finding, unit), line("  ", *contains_line(finding))]
    if not profile.findings:
        found.append(nothing_line(profile))
    if profile.suspects:
        found += [(), line(Span("Perhaps no change: renames and inlining", "heading"))]
        found += [suspect_line(one) for one in profile.suspects]
    if profile.early_late:
        found += [(), line(Span("Late against early", "heading"))]
        for one in profile.early_late:
            found += [
                early_late_line(one),
                *(line("  ", *drift_line(each)) for each in one.rises + one.falls),
            ]
    lines = _wrapped(found, width)
    if profile.buckets is not None:
        lines += [(), line(Span("Parts that add up", "heading"))]
        lines += text_table(bucket_table(profile.buckets, unit), width)
    lines += [(), line(Span("Preconditions", "heading"))]
    return lines + _wrapped(map(precondition_line, profile.preconditions), width)


def frame_markdown(tree: ProfileTree, at: int) -> str:
    """The frame under the cursor as text to paste."""
    return "\n".join("".join(span.text for span in each) for each in frame_lines(tree, at, 10_000)) + "\n"


def _amount(side: Amount, unit: str) -> str:
    own = f"self {amount(side.own, unit)} ({percent(side.self_share)})"
    return f"{amount(side.total, unit)} ({percent(side.share)}), {own}, {whole(side.count)} samples"


def _bar(share: float, width: int, glyphs: Glyphs) -> str:
    if glyphs.level != "ascii":
        return bar(share, width)
    return glyphs.bar * min(max(round(share / 100 * width), int(share > 0)), width)


def _wrapped(lines: Iterable[Line], width: int) -> list[Line]:
    return [each for one in lines for each in (wrapped(one, width, indent=2) or [()])]


def _weight(node: Node) -> float:
    return max(node.before.share, node.after.share)
