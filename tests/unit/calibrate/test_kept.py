"""Calibrations kept, held against, and recognised in the config."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from calibrations_by_hand import BLOCK, block, catalogue, plan_for, threshold_of
from echolot_tui.calibrate.kept import Kept, comparable_healthy, encode_calibration, keep, kept
from echolot_tui.calibrate.model import Calibration
from echolot_tui.calibrate.origin import origin_of
from echolot_tui.calibrate.propose import calibrate
from echolot_tui.calibrate.suspicion import Baseline, baseline, suspect
from echolot_tui.compare.inputs import CompareOptions
from echolot_tui.errors import EcholotError
from echolot_tui.investigate.calibrations import Calibrations
from echolot_tui.investigate.database import Database
from echolot_tui.measure.model import DeviceFacts, Measurement
from echolot_tui.measure.plan import Override, plan
from echolot_tui.present.calibration_facts import origin_text, suspicion_text
from echolot_tui.project.scenario import Scenario
from hand_built import measurement, occurrence

RUN = Scenario(name="run")
QUIET = [30.0 - at for at in range(12)]  # the tenth largest is 21, so the bar 31.5


def a_set(
    prefix: str,
    *,
    runs: int = 5,
    slower: float = 0.0,
    new: float = 0.0,
    window: float = 0.0,
    device: str = "one",
) -> list[Measurement]:
    """Runs that stray by a few hundredths; the row ``s11``, far under the bar, may be slower."""
    made = []
    for at in range(runs):
        values = [value + at * 0.03 for value in QUIET]
        values[11] += slower
        extra = [new] if new else []
        made.append(
            measurement(
                occurrence(block(*values, *extra), duration_ms=900.0 + at + window),
                path=f"{prefix}{at}",
                device=DeviceFacts(model=device),
            )
        )
    return made


def calibrated(
    measurements: Sequence[Measurement], when: str = "2025-01-01T00:00:00Z"
) -> tuple[Calibration, Baseline]:
    made = plan_for(RUN, BLOCK)
    calibration = calibrate(measurements, made, RUN, made_at=when)
    return calibration, baseline(measurements, made, calibration)


def held_against(before: list[Measurement], after: list[Measurement]) -> Calibration:
    earlier, runs_before = calibrated(before)
    now, runs_now = calibrated(after)
    found = suspect(earlier, "earlier", runs_before, runs_now, CompareOptions())
    return msgspec.structs.replace(now, suspicion=found)


def test_runs_like_the_earlier_ones_raise_no_suspicion() -> None:
    made = held_against(a_set("before"), a_set("after"))
    assert made.suspicion is not None
    assert (made.suspicion.tested, made.suspicion.rows, made.suspicion.window) == (True, (), None)
    assert made.healthy
    assert suspicion_text(made.suspicion) is None


def test_a_slower_row_is_found_also_under_the_bar() -> None:
    """19 → 27 ms: the bar is 16 today, but would be 31.5 after pasting, which hides it for good."""
    made = held_against(a_set("before"), a_set("after", slower=8.0))
    assert made.suspicion is not None
    (row,) = made.suspicion.rows
    assert (row.detector, row.location, row.verdict) == ("block", "s11", "slower")
    assert (row.before_ms, row.after_ms) == (19.06, 27.06)
    assert not made.healthy
    assert suspicion_text(made.suspicion) == (
        "these runs are slower than the calibration of 2025-01-01T00:00:00Z (5 runs): "
        "block s11 19.06 → 27.06 ms; a bar set on a regression hides it"
    )
    trusted = msgspec.structs.replace(made, trusted=True)
    assert trusted.healthy


def test_a_row_under_todays_bar_is_looked_at_as_well() -> None:
    before = a_set("before", slower=-15.0)
    made = held_against(before, a_set("after", slower=-8.0))
    assert made.suspicion is not None
    assert [(row.before_ms, row.after_ms) for row in made.suspicion.rows] == [(4.06, 11.06)]


def test_a_new_row_and_a_slower_window_are_found() -> None:
    made = held_against(a_set("before"), a_set("after", new=50.0, window=300.0))
    assert made.suspicion is not None
    assert [(row.location, row.verdict, row.before_ms) for row in made.suspicion.rows] == [
        ("s12", "new", 0.0)
    ]
    assert made.suspicion.window == (902.0, 1202.0)


def test_faster_is_no_suspicion() -> None:
    made = held_against(a_set("before", slower=8.0, window=300.0), a_set("after"))
    assert made.suspicion is not None
    assert not made.suspicion.suspected


def test_too_few_runs_are_said_to_be_too_few() -> None:
    made = held_against(a_set("before", runs=2), a_set("after", runs=2, slower=8.0))
    assert made.suspicion is not None
    assert (made.suspicion.tested, made.suspicion.suspected, made.healthy) == (False, False, True)
    assert suspicion_text(made.suspicion) == (
        "too few runs to hold them against the calibration of 2025-01-01T00:00:00Z (2 runs)"
    )


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Calibrations]:
    with closing(Database(tmp_path / "echolot.db", lambda: "2025-01-01T00:00:00Z")) as database:
        yield Calibrations(database)


def test_a_calibration_is_kept_with_its_runs(shelf: Calibrations) -> None:
    calibration, runs = calibrated(a_set("before"))
    name = keep(shelf, calibration, runs)
    (one,), notes = kept(shelf, "run")
    assert (one, notes) == (Kept(name=name, calibration=calibration), ())
    now, _ = calibrated(a_set("after"))
    found = comparable_healthy(shelf, (one,), now)
    assert found is not None
    report, rows = found[1]
    assert report.detectors == runs[0].detectors
    assert rows.detectors == runs[1].detectors


def test_the_same_calibration_takes_its_own_place(shelf: Calibrations) -> None:
    names = {keep(shelf, *calibrated(a_set("before"), when=f"2025-01-0{day}T00:00:00Z")) for day in (1, 2)}
    assert len(names) == 1
    (one,), _ = kept(shelf, "run")
    assert one.calibration.made_at == "2025-01-02T00:00:00Z"
    keep(shelf, *calibrated(a_set("other", slower=3.0)))
    assert len(kept(shelf, "run")[0]) == 2
    assert kept(shelf, "another scenario") == ((), ())


def test_the_newest_healthy_one_of_other_runs_on_this_device_is_held_against(shelf: Calibrations) -> None:
    def put(prefix: str, day: int, device: str = "one", *, suspected: bool = False) -> str:
        calibration, runs = calibrated(a_set(prefix, device=device), when=f"2025-01-0{day}T00:00:00Z")
        if suspected:
            suspicion = held_against(a_set("a"), a_set("b", slower=9.0)).suspicion
            calibration = msgspec.structs.replace(calibration, suspicion=suspicion)
        return keep(shelf, calibration, runs)

    put("first", 1)
    second = put("second", 2)
    put("ill", 3, suspected=True)
    put("elsewhere", 4, device="two")
    put("mine", 5)
    earlier, _ = kept(shelf, "run")
    assert [one.calibration.made_at for one in earlier] == [
        f"2025-01-0{day}T00:00:00Z" for day in (5, 4, 3, 2, 1)
    ]
    found = comparable_healthy(shelf, earlier, calibrated(a_set("mine"))[0])
    assert found is not None
    assert found[0].name == second


def test_one_of_another_window_is_not_held_against(shelf: Calibrations) -> None:
    calibration, runs = calibrated(a_set("before"))
    keep(shelf, msgspec.structs.replace(calibration, end="firstFrame*"), runs)
    assert comparable_healthy(shelf, kept(shelf, "run")[0], calibrated(a_set("after"))[0]) is None


def test_one_that_does_not_load_is_named_and_the_others_stay(shelf: Calibrations) -> None:
    calibration, runs = calibrated(a_set("before"))
    keep(shelf, calibration, runs)
    shelf.put("run-broken", calibration, b"{}", report=b"", rows=b"")
    found, notes = kept(shelf, "run")
    assert len(found) == 1
    assert len(notes) == 1
    assert "run-broken" in notes[0]


def test_runs_that_do_not_load_are_an_error(shelf: Calibrations) -> None:
    calibration, _ = calibrated(a_set("before"))
    shelf.put("run-1", calibration, encode_calibration(calibration), report=b"{}", rows=b"{}")
    with pytest.raises(EcholotError):
        comparable_healthy(shelf, kept(shelf, "run")[0], calibrated(a_set("after"))[0])


class TestOrigin:
    """Whose numbers a report runs on."""

    one = Kept(name="run-1", calibration=calibrated(a_set("before"))[0])

    def test_a_config_that_holds_the_proposed_numbers(self) -> None:
        proposed = threshold_of(self.one.calibration).proposed
        origin = origin_of(
            plan_for(Scenario(name="run", detectors={"block": {"min_ms": proposed or 0}}), BLOCK), [self.one]
        )
        assert origin is not None
        assert (origin.same, origin.changed) == (("block.min_ms",), {})
        assert origin_text(origin) == (
            "1 threshold from the calibration of 2025-01-01T00:00:00Z on 5 runs (before0 and 4 more)"
        )

    def test_shipped_values_come_from_nowhere(self) -> None:
        text = BLOCK.replace("min_ms = 16", f"min_ms = {threshold_of(self.one.calibration).proposed}")
        assert origin_of(plan_for(RUN, text), [self.one]) is None

    def test_set_values_come_from_the_command_line(self) -> None:
        proposed = threshold_of(self.one.calibration).proposed
        made = plan(
            catalogue(BLOCK), overrides=[Override(detector="block", param="min_ms", text=str(proposed))]
        )
        assert origin_of(made, [self.one]) is None

    def test_other_numbers_are_no_calibrations(self) -> None:
        made = plan_for(Scenario(name="run", detectors={"block": {"min_ms": 99}}), BLOCK)
        assert origin_of(made, [self.one]) is None
        assert origin_of(made, []) is None

    def test_what_was_changed_since_is_named_and_the_best_match_wins(self) -> None:
        text = BLOCK.replace("@id: block", "@id: block2")
        scenario = Scenario(name="run", detectors={"block": {"min_ms": 31.6}, "block2": {"min_ms": 40}})
        twin = {"id": "block2"}
        (part,) = self.one.calibration.detectors
        both = msgspec.structs.replace(
            self.one.calibration, detectors=(part, msgspec.structs.replace(part, **twin))
        )
        assert threshold_of(both).proposed == 31.6
        older = Kept(name="run-0", calibration=msgspec.structs.replace(self.one.calibration, made_at="2024"))
        origin = origin_of(plan_for(scenario, BLOCK, text), [Kept(name="run-2", calibration=both), older])
        assert origin is not None
        assert (origin.name, origin.same) == ("run-2", ("block.min_ms",))
        assert origin.changed == {"block2.min_ms": (31.6, 40)}
        assert "changed since: block2.min_ms 31.6 → 40" in origin_text(origin)
