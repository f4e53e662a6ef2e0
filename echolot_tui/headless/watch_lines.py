"""One update of a watched folder, as a model and as a line."""

from __future__ import annotations

from echolot_tui.collect.watch import FolderChange
from echolot_tui.compare.model import Comparison
from echolot_tui.frozen import Frozen, always
from echolot_tui.present.numbers import plural
from echolot_tui.report.model import Report


class Update(Frozen, frozen=True, kw_only=True):
    """What changed, and what report and comparison say now."""

    new: tuple[str, ...] = always(())
    replaced: tuple[str, ...] = always(())
    gone: tuple[str, ...] = always(())
    growing: int = always(0)
    older: int = always(0)
    runs: int = always(0)
    """Traces that were measured."""
    unreadable: tuple[str, ...] = ()
    """Paths that gave no measurement."""
    window_ms: float | None = None
    verdicts: dict[str, int] | None = None
    """Rows per verdict, of the comparison."""
    untested: int = always(0)
    """Rows over the floor without a verdict: there are too few runs to test anything."""
    window_verdict: str | None = None
    problem: str | None = None
    """Why there is no report of this set."""


def update_of(
    change: FolderChange, report: Report | None, comparison: Comparison | None, problem: str | None
) -> Update:
    """Everything one update says."""
    return Update(
        new=change.new,
        replaced=change.replaced,
        gone=change.gone,
        growing=change.growing,
        older=change.older,
        runs=(report.runs or 0) if report else 0,
        unreadable=tuple(each.path for each in report.unreadable) if report else (),
        window_ms=report.window.duration_ms if report else None,
        verdicts=dict(comparison.summary.verdicts) if comparison else None,
        untested=sum(row.verdict is None and row.change != "steady" for row in comparison.rows)
        if comparison
        else 0,
        window_verdict=comparison.window.verdict if comparison else None,
        problem=problem,
    )


def update_line(update: Update) -> str:
    """The update in one line."""
    if update.problem is not None:
        return f"no report: {update.problem}"
    parts = [plural(update.runs, "run")]
    if update.unreadable:
        parts.append(f"{len(update.unreadable)} unreadable")
    if update.window_ms is not None:
        verdict = f" ({update.window_verdict})" if update.window_verdict else ""
        parts.append(f"window {update.window_ms:g} ms{verdict}")
    if update.verdicts is not None:
        counts = [f"{count} {verdict}" for verdict, count in update.verdicts.items()]
        if update.untested:
            counts.append(f"{plural(update.untested, 'row')} moved, too few runs to say whether that is real")
        parts.append(", ".join(counts) or "no row moved")
    if update.growing:
        parts.append(f"{update.growing} still growing")
    return " · ".join(parts)
