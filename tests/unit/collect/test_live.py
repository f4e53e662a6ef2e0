"""What a filling set tells while it can still help."""

from __future__ import annotations

from collections.abc import Sequence

from echolot_tui.collect.live import facts_of, facts_on, notes_on
from echolot_tui.collect.model import RunFacts, RunRecord
from echolot_tui.measure.model import Health
from echolot_tui.report.model import Repeat, Report


def _runs(windows: Sequence[float | None], **facts: object) -> list[RunRecord]:
    return [
        RunRecord(k=k, state="done", facts=RunFacts(window_ms=window, **facts))  # type: ignore[arg-type]
        for k, window in enumerate(windows)
    ]


def test_a_quiet_set_says_nothing() -> None:
    assert notes_on(_runs([100, 104, 98, 101, 103])) == ()
    assert notes_on(_runs([100, 400])) == ()
    assert notes_on([RunRecord(k=0)]) == ()


def test_a_first_run_far_off_and_the_spread() -> None:
    notes = notes_on(_runs([200, 100, 104, 98]))
    assert notes == (
        "the first run is far off: 200 ms, the others 98 to 104 ms",
        (
            "the runs spread by 104 %: the machine has not settled; "
            "end what else it does and record again, or record more runs"
        ),
    )


def test_a_first_run_inside_the_others_is_not_far_off() -> None:
    assert not any("first run" in note for note in notes_on(_runs([160, 100, 104, 170])))


def test_a_trend() -> None:
    notes = notes_on(_runs([100, 102, 104, 106, 108]))
    assert notes == ("the runs get slower one after the other, by 8 ms so far",)


def test_throttling_loss_and_unreadable_runs_are_counted() -> None:
    runs = [*_runs([100], throttled=True, lossy=True), RunRecord(k=1, state="done", unreadable="is empty")]
    assert notes_on(runs) == (
        "the device throttled in 1 of 1 runs",
        "data was lost in 1 of 1 runs",
        "run 2 gave no measurement: is empty",
    )


def test_what_is_said_of_all_runs_at_once_is_said_once() -> None:
    lost = [RunRecord(k=k, state="done", unreadable="none of the 2 is a trace") for k in range(2)]
    assert notes_on(lost) == ("none of the 2 is a trace",)
    assert notes_on([*_runs([100]), *lost[1:]]) == ("run 2 gave no measurement: none of the 2 is a trace",)
    assert notes_on(lost[1:]) == ("run 2 gave no measurement: none of the 2 is a trace",)


def test_how_far_launches_lie_apart_is_a_fact_and_restless_ones_are_to_be_helped() -> None:
    calm = [RunRecord(k=k, state="done", launch_ms=ms) for k, ms in enumerate((100.0, 110.0))]
    assert (facts_on(calm), notes_on(calm)) == (("am start -W: from 100 to 110 ms (spread 10%)",), ())
    restless = [*calm, RunRecord(k=2, state="done", launch_ms=140.0), RunRecord(k=3, launch_ms=900.0)]
    assert facts_on(restless) == ("am start -W: from 100 to 140 ms (spread 40%)",)
    assert [note.partition(":")[0] for note in notes_on(restless)] == ["launches differ by more than 30%"]


def test_facts_come_from_the_report_by_content() -> None:
    repeat = Repeat(
        label="1",
        trace="a",
        trace_index=0,
        sha256="s",
        window_ms=5.0,
        cpu_mhz=1000.0,
        throttled=False,
        health=Health(state="lossy"),
    )
    found = facts_of(Report(detectors=(), repeats=(repeat, Repeat(label="2", trace="b", trace_index=1))))
    assert found == {"s": RunFacts(window_ms=5.0, cpu_mhz=1000.0, throttled=False, lossy=True)}
