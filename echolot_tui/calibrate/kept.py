"""Calibrations that are kept: with the runs they were made from, to hold later runs against."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Final, Protocol

import msgspec

from echolot_tui.calibrate.model import Calibration
from echolot_tui.calibrate.suspicion import Baseline
from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.report.codec import decode_report, decode_rows, encode_report, encode_rows

_CALIBRATION: Final = "calibration.json"
_REPORT: Final = "report.json"
_ROWS: Final = "rows.json"


class Shelf(Protocol):
    """Where calibrations are kept: bundles of files by name."""

    def names(self) -> tuple[str, ...]:
        """Names of the complete bundles, sorted."""

    def read(self, name: str, file: str) -> bytes:
        """One file of a bundle."""

    def put(self, name: str, files: Mapping[str, bytes]) -> None:
        """Write a bundle; it is complete once its last file is there."""


class Kept(Frozen, frozen=True, kw_only=True):
    """A calibration and the name it is kept under."""

    name: str
    calibration: Calibration


def encode_calibration(calibration: Calibration) -> bytes:
    """``calibration.json``: UTF-8, indented by 2, keys in the model's order."""
    return msgspec.json.format(msgspec.json.encode(calibration), indent=2)


def keep(shelf: Shelf, calibration: Calibration, runs: Baseline) -> str:
    """Keep a calibration with its runs, and return its name; the same one made again takes its own place."""
    name = _name(calibration)
    report = encode_report(runs[0])
    files = {
        _ROWS: encode_rows(runs[1], report),
        _REPORT: report,
        _CALIBRATION: encode_calibration(calibration),
    }
    shelf.put(name, files)
    return name


def kept(shelf: Shelf, scenario: str) -> tuple[tuple[Kept, ...], tuple[str, ...]]:
    """The scenario's calibrations, newest first; and a note for each that does not load."""
    found: list[Kept] = []
    notes: list[str] = []
    for name in shelf.names():
        try:
            calibration = msgspec.json.decode(shelf.read(name, _CALIBRATION), type=Calibration)
        except (EcholotError, msgspec.MsgspecError) as error:
            notes.append(f"the calibration kept as {name} does not load ({error})")
            continue
        if calibration.scenario == scenario:
            found.append(Kept(name=name, calibration=calibration))
    found.sort(key=lambda one: (one.calibration.made_at or "", one.name), reverse=True)
    return tuple(found), tuple(notes)


def comparable_healthy(
    shelf: Shelf, earlier: tuple[Kept, ...], calibration: Calibration
) -> tuple[Kept, Baseline] | None:
    """The newest healthy calibration from other runs of the same window on the same device, with its runs.

    Raises:
        NotAReportError: Its runs do not load.
    """
    for one in _candidates(earlier, calibration):
        report = shelf.read(one.name, _REPORT)
        rows = decode_rows(shelf.read(one.name, _ROWS), where=one.name, report=report)
        return one, (decode_report(report, where=one.name), rows)
    return None


def _candidates(earlier: tuple[Kept, ...], calibration: Calibration) -> Iterator[Kept]:
    mine = {run.sha256 for run in calibration.runs}
    for one in earlier:
        same_runs = not mine.isdisjoint(run.sha256 for run in one.calibration.runs)
        if one.calibration.healthy and _measures(one.calibration) == _measures(calibration) and not same_runs:
            yield one


def _measures(calibration: Calibration) -> tuple[str | None, ...]:
    """What has to be the same for times to mean the same."""
    return calibration.device, calibration.process, calibration.start, calibration.end


def _name(calibration: Calibration) -> str:
    """From what was calibrated, how, and to what: not from when."""
    numbers = [
        [detector.id, threshold.param, threshold.proposed]
        for detector in calibration.detectors
        for threshold in detector.thresholds
    ]
    shas = [run.sha256 for run in calibration.runs]
    content = msgspec.json.encode([calibration.scenario, shas, calibration.asked, numbers])
    return f"{calibration.scenario}-{hashlib.sha256(content).hexdigest()[:12]}"
