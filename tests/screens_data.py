"""Comparisons and reports for tests of screens: typical, empty, of hostile names, of many rows."""

from __future__ import annotations

import random
from functools import lru_cache

from msgspec.structs import replace

import sample_report
from echolot_tui.compare.compare import compare_sides
from echolot_tui.compare.inputs import CompareOptions, SideInput
from echolot_tui.compare.model import CompareWarning, Comparison
from echolot_tui.compare.view import ViewOptions, view
from echolot_tui.report.model import DetectorReport, Report
from echolot_tui.report.view import sections
from echolot_tui.tui.store import ComparisonAsk, HomeView, Place, Ready, ShownComparison, ShownReport
from reports_by_hand import detector, report, row

HOSTILE = (
    "[/]",
    "[red]red[/red]",
    "[@click=app.quit]click[/]",
    "a | b || c",
    "line\nbreak\r\ttab",
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x1b]52;c;aGVsbG8=\x07",
    "\x9b31m",
    "nul\x00byte",
    "bidi \u202eoverride",
    "zero\u200bwidth\u2060joiner\ufeff",
    "combining e" + "\u0301" * 60,
    "wide 漢字かな交じり文 emoji 👩‍👩‍👧‍👦🇩🇪",
    "x" * 10_000,
    "\udcff\udcfe undecodable",
    "$(rm -rf /) `id` ; --",
    "   ",
    "\u2028line separator",
    "𝕌nicode ☃ \U0001f9ff \ue000 private",
)
"""The nastiest names a trace can hold."""


def _runs(middle: float, spread: float, seed: object) -> list[float]:
    chance = random.Random(str(seed))
    return [round(middle + chance.uniform(-spread, spread), 2) for _ in range(7)]


def _side(name: str, factor: float, *, extra: DetectorReport | None = None, window: float) -> Report:
    rows = [
        row("Repository.load", _runs(120 * factor, 6, name), thread="main", count=3, detail="reads 3 tables"),
        row("FeedAdapter.bind", _runs(64, 3, f"{name}b"), thread="main", count=26),
        row("ImageCache.decode", _runs(48 / factor, 4, f"{name}c"), thread="main", count=9),
        row("layout", _runs(31 + 3 * (factor > 1), 14, f"{name}d"), thread="main", count=12),
        row("measure", _runs(22, 1, f"{name}e"), thread="main", count=12),
    ]
    waits = [
        row("Lock contention on a monitor lock", _runs(18, 1, f"{name}f"), metric="total_ms", thread="main")
    ]
    detectors = [
        detector("main_thread_block", *rows, title="Where the main thread spent its time"),
        detector("monitor_contention", *waits, title="Monitor contention"),
        detector("gc_pressure", state="silent", title="Garbage collector pressure"),
        detector("frame_jank", state="no data", no_data="no frame timeline", title="Late frames"),
    ]
    return report(
        *detectors,
        *([extra] if extra else []),
        runs=7,
        window=_runs(window, 12, f"{name}w"),
        side=name,
        generated_at="2026-01-02T03:04:05Z",
        repeat={"window_ms": window, "cpu_mhz": 1800.0},
    )


def _compared(*reports: Report, names: tuple[str, ...] = ()) -> Comparison:
    inputs = [
        SideInput(name=name, path=f"{name}/report.json", report=one)
        for name, one in zip(names or ("before", "after", "third"), reports, strict=False)
    ]
    found = compare_sides(inputs, CompareOptions(generated_at="2026-01-02T03:04:05Z"))
    # Which warnings apply is the comparison's business and tested there.
    return replace(found, warnings=(), others=tuple(replace(one, warnings=()) for one in found.others))


@lru_cache
def typical() -> Comparison:
    """One row slower, one faster, one new, one that cannot be told, some steady; warnings."""
    new = detector(
        "io_wait", row("config.xml", _runs(26, 1, "io"), metric="total_ms"), title="Waiting for the disk"
    )
    found = _compared(_side("before", 1.0, window=900), _side("after", 1.4, extra=new, window=950))
    return replace(
        found,
        warnings=(
            CompareWarning(id="runs", text="seven runs a side: most rows can be settled"),
            CompareWarning(
                id="environment",
                text="after ran on a slower clock (1800 → 1500 MHz), which alone lengthens every row",
            ),
            CompareWarning(id="build", text="the builds differ", level="information"),
        ),
    )


@lru_cache
def empty() -> Comparison:
    """Nothing moved."""
    side = _side("before", 1.0, window=900)
    return _compared(side, side)


@lru_cache
def three_sides() -> Comparison:
    """The base and two others."""
    return _compared(
        _side("before", 1.0, window=900), _side("after", 1.4, window=950), _side("third", 1.1, window=910)
    )


@lru_cache
def follows() -> Comparison:
    """The whole run moved, and its rows with it."""

    def side(name: str, factor: float) -> Report:
        rows = [row(f"step {at}", _runs((40 + 9 * at) * factor, 0.5, f"{name}{at}")) for at in range(6)]
        own = row("own cause", _runs(30 if factor == 1 else 95, 1, f"{name}own"))
        return report(
            detector("main_thread_block", *rows, own),
            runs=7,
            window=_runs(1000 * factor, 4, f"{name}w"),
            side=name,
        )

    return _compared(side("before", 1.0), side("after", 1.3))


@lru_cache
def hostile() -> Comparison:
    """Every nasty name as row, thread, detail, detector and side."""

    def side(name: str, factor: float) -> Report:
        rows = [
            row(text, _runs((50 + 5 * at) * factor, 1, f"{name}{at}"), thread=text[:300], detail=text[:300])
            for at, text in enumerate(HOSTILE)
        ]
        found = detector("main_thread_block", *rows, title="[bold]\x1b[2J", why="\x1b]0;x\x07[/]")
        return report(found, runs=7, window=_runs(2000, 4, f"{name}w"), side=f"\x1b[31m{name}")

    return _compared(side("a", 1.0), side("b", 1.5), names=("[/]\x1b]0;x\x07", "b\u202e[red]"))


@lru_cache
def many(rows: int = 5000) -> Comparison:
    """So many rows that only those on screen may be formatted."""

    def side(name: str, factor: float) -> Report:
        found = [
            row(
                f"com.example.Class{at}.method",
                _runs((20 + at % 300) * (factor if at % 7 == 0 else 1), 1, f"{name}{at}"),
            )
            for at in range(rows)
        ]
        return report(
            detector("main_thread_block", *found), runs=7, window=_runs(2000, 4, f"{name}w"), side=name
        )

    return _compared(side("before", 1.0), side("after", 1.4))


def shown(comparison: Comparison, **options: object) -> Ready[ShownComparison]:
    """A comparison as the store holds it."""
    chosen = ViewOptions(**options)
    ask = ComparisonAsk(
        sides=(comparison.before.path, comparison.after.path, *(one.after.path for one in comparison.others)),
        folder="out",
    )
    return Ready(
        value=ShownComparison(ask=ask, comparison=comparison, options=chosen, view=view(comparison, chosen))
    )


def shown_report(text: str = "") -> Ready[ShownReport]:
    """A report with something of everything, and the settings behind it."""
    found, rows = sample_report.sample()
    return Ready(
        value=ShownReport(
            path="out/report.json",
            report=found,
            all_rows=rows,
            rows_note=None,
            decisions=sample_report.PLAN.decisions,
            text=text,
            sections=sections(found, text),
        )
    )


def hostile_report() -> Ready[ShownReport]:
    """Every nasty name, in every place a report shows one."""
    found = [
        row(
            text,
            _runs(50 + at, 1, at),
            thread=text[:300],
            detail=text[:300],
            code=text[:300],
            extra={text[:60]: text[:60]},
        )
        for at, text in enumerate(HOSTILE)
    ]
    nasty = HOSTILE[7]
    made = report(
        detector(
            "main_thread_block", *found, title=nasty, why=HOSTILE[0], rank="self_ms", params={"glob": nasty}
        ),
        detector("broken", state="failed", error=nasty),
        detector("blind", state="no data", no_data=nasty),
        runs=7,
        window=_runs(900, 3, "w"),
        side=nasty,
        scenario=nasty,
        notes=HOSTILE,
    )
    return Ready(
        value=ShownReport(
            path=f"{nasty}/report.json",
            report=made,
            all_rows=None,
            rows_note=nasty,
            decisions=(),
            settings_note=nasty,
            sections=sections(made),
        )
    )


def home(*reports: str) -> Ready[HomeView]:
    """A project with these reports."""
    return Ready(
        value=HomeView(
            standing=(("config", "echolot.yml"), ("engine", "embedded: trace_processor v52.0")),
            next_step="record the other side, then compare",
            next_word="compare",
            config="echolot.yml",
            reports=tuple(Place(path=path, text="cold-start · 5 runs") for path in reports),
        )
    )
