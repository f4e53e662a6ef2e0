"""Every reason to read the table with care: what it means for the table, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from echolot_tui.compare.inputs import CompareOptions
from echolot_tui.compare.match import is_pinned
from echolot_tui.compare.model import CompareWarning, Row
from echolot_tui.compare.moves import detector_order, looked_nowhere, state_of
from echolot_tui.compare.sides import LoadedSide
from echolot_tui.compare.warn_environment import environment_warnings
from echolot_tui.compare.warn_inputs import input_warnings
from echolot_tui.report.model import AnchorReport, DetectorReport
from echolot_tui.stats.shift import cut
from echolot_tui.text import visible

_NAMED = 5
"""How many names a text lists before it counts the rest."""

_NAME_LIMIT = 60

Check = Callable[[LoadedSide, LoadedSide], Iterator[CompareWarning]]


def warnings_of(
    before: LoadedSide, after: LoadedSide, rows: Sequence[Row], options: CompareOptions
) -> tuple[CompareWarning, ...]:
    """All warnings that apply, in a fixed order; the first ones can make the whole table meaningless."""
    return (
        *_process(before, after),
        *_anchors("anchor-before", before),
        *_anchors("anchor-after", after),
        *_settings(before, after),
        *environment_warnings(before, after, options),
        *_runs(before, after),
        *_detectors(before, after),
        *_instrumentation(rows, options),
        *input_warnings(before, after, options),
        *_pins(rows, options),
    )


def comparable(before: LoadedSide, after: LoadedSide) -> bool:
    """Whether the two sides measured one process; nothing else makes a comparison void."""
    old, new = before.report.window.process, after.report.window.process
    return not old or not new or old == new or (_is_number(old) and _is_number(new))


def listing(names: Sequence[str], limit: int = _NAMED) -> str:
    """Names made harmless, the first few spelled out and the rest counted."""
    shown = ", ".join(visible(name, _NAME_LIMIT) for name in names[:limit])
    return f"{shown} and {len(names) - limit} more" if len(names) > limit else shown


def _is_number(process: str) -> bool:
    """A process the trace gives no name: its number differs from run to run."""
    return process.startswith("pid ") and process[4:].isdigit()


def _process(before: LoadedSide, after: LoadedSide) -> Iterator[CompareWarning]:
    if not comparable(before, after):
        old, new = (visible(side.report.window.process or "", _NAME_LIMIT) for side in (before, after))
        yield CompareWarning(
            id="process",
            text=f"{before.name} measured {old}, {after.name} measured {new}: two programs, so no row below "
            "is a comparison; measure both sides with one --process",
        )


def _anchors(identifier: str, side: LoadedSide) -> Iterator[CompareWarning]:
    window = side.report.window
    anchors: list[tuple[str, AnchorReport | None]] = [("start", window.start), ("end", window.end)]
    missing = [
        f"{which} anchor {visible(anchor.glob, _NAME_LIMIT)}"
        + (f" (in {anchor.missed} runs)" if anchor.missed else "")
        for which, anchor in anchors
        if anchor is not None and anchor.matches == 0
    ]
    if missing:
        yield CompareWarning(
            id=identifier,
            text=f"{side.name} never saw its {' and its '.join(missing)}: its window is not the scenario's, "
            "and every row counts other work; correct the anchor and analyze that side again",
        )
    if window.empty is not None:
        yield CompareWarning(
            id=identifier,
            text=f"the window of {side.name} ends at the moment it starts in {window.empty} runs, so nothing "
            "lies in it; choose anchors that have the scenario between them and analyze that side again",
        )


def _settings(before: LoadedSide, after: LoadedSide) -> Iterator[CompareWarning]:
    old, new = before.side, after.side
    if old.config_sha and new.config_sha and old.config_sha != new.config_sha:
        yield CompareWarning(
            id="config",
            text=f"the configuration changed ({old.config_sha} → {new.config_sha}): anchors, process and "
            "thresholds come from it; analyze both sides with one configuration",
        )
    if old.defaults != new.defaults:
        plain, tuned = (old.name, new.name) if old.defaults else (new.name, old.name)
        yield CompareWarning(
            id="defaults",
            text=f"{plain} ran with --defaults and {tuned} did not: their bars differ throughout, so rows "
            "are new or gone for that alone; analyze both alike",
        )
    changed = [
        f"{name}.{key} {_plain(before, name, key)} → {_plain(after, name, key)}"
        for name in before.detectors
        if name in after.detectors and not _failed_on_either(before, after, name)
        for key in _changed_keys(before.detectors[name], after.detectors[name])
    ]
    if changed:
        yield CompareWarning(
            id="thresholds",
            text=f"bars moved between the sides ({listing(changed)}): new and gone rows of these detectors "
            "may be the bar's doing; analyze both sides with --defaults",
        )


def _failed_on_either(before: LoadedSide, after: LoadedSide, name: str) -> bool:
    return any(state_of(side.detectors[name]) == "failed" for side in (before, after))


def _changed_keys(old: DetectorReport, new: DetectorReport) -> list[str]:
    """Parameters of different values; one a side does not know is one only where the other tunes it."""
    both = [key for key in old.params if key in new.params and old.params[key] != new.params[key]]
    alone = [
        key
        for mine, other in ((old, new), (new, old))
        for key in mine.params
        if key not in other.params and key in (mine.defaults or {})
    ]
    return [*both, *alone]


def _plain(side: LoadedSide, name: str, key: str) -> str:
    value = side.detectors[name].params.get(key)
    return "unset" if value is None else str(value)


def _runs(before: LoadedSide, after: LoadedSide) -> Iterator[CompareWarning]:
    n, m = before.runs, after.runs
    if n != m:
        yield CompareWarning(
            id="runs",
            text=f"{before.name} has {_count(n, 'run')}, {after.name} {m}: medians and ranges allow for it, "
            "but the furthest stray (±) grows with the number of runs and cannot be compared between sides",
        )
    tested = cut(n, m) is not None
    if min(n, m) == 1:
        yield _single(before, after, tested=tested)
    elif not tested:
        yield CompareWarning(
            id="few",
            text=f"{n} against {m} runs are too few for a 95 % range, so no row gets a verdict; four a side "
            "are enough, or three against five",
        )


def _single(before: LoadedSide, after: LoadedSide, *, tested: bool) -> CompareWarning:
    alone = [side.name for side in (before, after) if side.runs == 1]
    means = (
        "every verdict rests on that one run, and a stray one reads as a move"
        if tested
        else "nothing says how much one run differs from the next, so no row gets a verdict"
    )
    return CompareWarning(
        id="single",
        text=f"{' and '.join(alone)} {'have' if len(alone) == 2 else 'has'} a single trace: {means}; record "
        "four runs a side",
    )


def _detectors(before: LoadedSide, after: LoadedSide) -> Iterator[CompareWarning]:
    alone = [
        f"{name} (only in {side.name})"
        for side, other in ((before, after), (after, before))
        for name in side.detectors
        if name not in other.detectors
    ]
    if alone:
        yield CompareWarning(
            id="detectors",
            text=f"not every detector ran on both sides: {listing(alone)}; their rows are new or gone for "
            "that alone and get no verdict; turn the same detectors on for both",
        )
    for name in detector_order(before, after):
        sides = [(side, side.detectors[name]) for side in (before, after) if name in side.detectors]
        if len(sides) == 2 and all(state_of(detector) == "no data" for _, detector in sides):
            continue  # alike on both sides, it makes nothing look as if it moved; the summary names it
        for side, detector in sides:
            if looked_nowhere(detector):
                yield _blind_detector(side, detector)
    for side in (before, after):
        cut_off = [name for name in side.detectors if side.cut_off(name)]
        if cut_off:
            yield CompareWarning(
                id="cut-off",
                text=f"the lists of {listing(cut_off)} in {side.name} are cut off: a row missing there may "
                "only be further down, so it reads can't tell instead of new or gone; analyze that side "
                "again to get every row",
            )


def _blind_detector(side: LoadedSide, detector: DetectorReport) -> CompareWarning:
    if state_of(detector) == "failed":
        reason = visible(detector.error or "no reason given", 200)
        return CompareWarning(
            id="detector-failed",
            text=f"{detector.id} failed in {side.name} ({reason}): it did not look, so its rows are left out "
            "on both sides; mend it and analyze that side again",
        )
    reason = visible(detector.no_data or "its source is missing", 200)
    return CompareWarning(
        id="no-data",
        text=f"{detector.id} had no data in {side.name} ({reason}): its rows are left out on both sides, "
        "they are neither new nor gone; record that side with the source",
    )


def _instrumentation(rows: Sequence[Row], options: CompareOptions) -> Iterator[CompareWarning]:
    prefix = options.temp_prefix
    planted = [row.location for row in rows if row.change == "appeared" and row.location.startswith(prefix)]
    if prefix and planted:
        unique = list(dict.fromkeys(planted))
        yield CompareWarning(
            id="instrumentation",
            text=f"temporary markers appeared ({listing(unique)}): they divide up work that was already "
            "there and are no new work; read them as a breakdown of the row around them",
        )


def _pins(rows: Sequence[Row], options: CompareOptions) -> Iterator[CompareWarning]:
    idle = [pin for pin in options.pinned if not any(is_pinned(row.location, [pin]) for row in rows)]
    if idle:
        yield CompareWarning(
            id="pinned",
            text=f"no row is called {listing(idle)}, so that pin decides nothing; check its spelling",
        )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
