"""One trace to its measurement, in this process."""

from __future__ import annotations

import msgspec
import pytest

from echolot_tui.engine.model import QueryError
from echolot_tui.generate import packets
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.measure.catalogue import load_catalogue
from echolot_tui.measure.detector_file import parse_detector
from echolot_tui.measure.main_thread import main_thread
from echolot_tui.measure.measure import Request, measure_trace
from echolot_tui.measure.model import DeviceFacts, Measurement, TraceIdentity
from echolot_tui.measure.plan import plan
from echolot_tui.measure.spec import MeasureSpec, PlannedDetector
from echolot_tui.measure.survey import ProcessSeen, ThreadSeen

MS = 1_000_000
APP = "com.example.app"
TRACE = TraceIdentity(path="run.perfetto-trace", sha256="a" * 64, bytes=7)

OWN = """
-- @id: own
-- @title: Own
-- @rank: total_ms
SELECT name AS location, SUM(dur) / 1e6 AS total_ms FROM window_slice GROUP BY name
"""


def app() -> TraceBuilder:
    builder = TraceBuilder()
    packets.system_info(builder, packets.System())
    packets.package(builder, APP, 10_100, 412)
    builder.process(4000, APP, uid=10_100)
    builder.slice(4000, 4000, 10 * MS, 30 * MS, "before and inside")
    builder.slice(4000, 4000, 12 * MS, 13 * MS, "start")
    for first in (20, 120):
        builder.slice(4000, 4000, (first + 20) * MS, (first + 50) * MS, "AGENTTMP_draw")
        builder.slice(4000, 4000, (first + 60) * MS, (first + 70) * MS, "end")
        builder.slice(4000, 4000, (first + 80) * MS, (first + 81) * MS, "start")
    return builder


def measure(session, **settings) -> Measurement:
    asked = plan(load_catalogue())
    own = parse_detector(OWN, "own.sql")
    given = {
        "process": APP,
        "start": "start",
        "end": "end",
        "detectors": (*asked.detectors, PlannedDetector(id=own.id, sql=own.query)),
        "domain_globs": ("draw*",),
    } | settings
    return measure_trace(session, Request(trace=TRACE, spec=MeasureSpec(**given), key="k" * 64))


def totals(measurement: Measurement, occurrence: int = 0) -> dict[object, object]:
    (own,) = (one for one in measurement.occurrences[occurrence].detectors if one.id == "own")
    return {row.columns["location"]: row.columns["total_ms"] for row in own.rows}


def test_everything_lands_in_its_place(load) -> None:
    found = measure(load(app()))
    assert (found.trace, found.spec_key) == (TRACE, "k" * 64)
    assert (found.process.name, found.occurrences_total, len(found.occurrences)) == (APP, 2, 1)
    assert (found.clipped_slices, found.unfinished_slices) == (1, 0)
    assert (found.device.android, found.device.app_version_code) == ("13", 412)
    window = found.occurrences[0]
    assert (window.start_ns, window.end_ns, window.duration_ms) == (12 * MS, 90 * MS, 78.0)
    assert window.start is not None
    assert window.start.matches == 3
    assert [marker.location for marker in window.markers.rows] == ["AGENTTMP_draw"]
    assert window.markers.absent == ("draw*",)
    assert totals(found) == {"before and inside": 18.0, "start": 1.0, "AGENTTMP_draw": 30.0, "end": 10.0}


def test_each_window_has_its_own_tables(load) -> None:
    found = measure(load(app()), window="each")
    assert [one.number for one in found.occurrences] == [1, 2]
    assert totals(found, 1) == {"start": 1.0, "AGENTTMP_draw": 30.0, "end": 10.0}
    assert found.notes == ("1 start after the last occurrence has no end and is left out",)
    assert found.clipped_slices == 1


def test_nothing_is_left_behind(load) -> None:
    session = load(app())
    first = measure(session, window="each")
    with pytest.raises(QueryError, match="window_slice"):
        session.query("SELECT * FROM window_slice")
    assert measure(session, window="each") == first


def test_t04_a_buffer_that_wrapped_gives_no_negative_time(load) -> None:
    """Ends whose begins are gone, begins whose ends are, and ends out of order; what is open is counted."""
    builder = app()
    for ts in (1, 2, 11, 31):
        builder.print(4000, ts * MS, "E|4000")
    builder.print(4000, 200 * MS, "B|4000|swallowed")
    builder.print(4000, 210 * MS, "B|4000|inner")
    builder.print(4000, 205 * MS, "E|4000")
    builder.slice(4000, 4000, 215 * MS, None, "open")
    found = measure(load(builder), start=None, end=None)
    assert found.unfinished_slices >= 1

    def walk(value: object, name: str = "") -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                walk(inner, str(key))
        elif isinstance(value, list):
            for inner in value:
                walk(inner, name)
        elif isinstance(value, int | float) and name.endswith(("_ms", "_ns", "dur")):
            assert value >= 0, name

    walk(msgspec.to_builtins(found))
    assert len(totals(found)) >= 6


def test_a_broken_detector_fails_alone(load) -> None:
    broken = PlannedDetector(id="broken", sql="SELECT x FROM nowhere")
    fine = PlannedDetector(id="own", sql=parse_detector(OWN, "own.sql").query)
    found = measure(load(app()), detectors=(broken, fine))
    assert [(one.id, one.state) for one in found.occurrences[0].detectors] == [
        ("broken", "failed"),
        ("own", "ok"),
    ]
    assert "nowhere" in found.occurrences[0].detectors[0].reason


def test_the_package_decides_whose_build_it_is(load) -> None:
    assert measure(load(app()), package="com.example.other").device.app_version_code is None


def test_the_package_of_a_process_of_its_own_is_the_name_before_the_colon(
    load, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(
        "echolot_tui.measure.measure.device_facts",
        lambda _, *, package: asked.append(package) or DeviceFacts(),
    )
    builder = TraceBuilder()
    builder.process(50, "com.example.app:remote", uid=10_100)
    builder.slice(50, 50, 10 * MS, 20 * MS, "a")
    measure(load(builder), process="com.example.*")
    assert asked == ["com.example.app"]


def test_threads_without_the_main_one() -> None:
    alone = ThreadSeen(utid=7, tid=60, name=None, upid=1)
    seen = ProcessSeen(upid=1, pid=50, name=None, threads=(alone,))
    main = main_thread(seen, {})
    assert main is not None
    assert (main.name, main.rule) == ("tid 60", "only thread")
    assert main_thread(ProcessSeen(upid=1, pid=50, name=None), {}) is None
