"""Calibrations that are kept: with the runs they were made from, to hold later runs against."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Protocol

import msgspec

from echolot_tui.calibrate.model import Calibration
from echolot_tui.calibrate.suspicion import Baseline
from echolot_tui.frozen import Frozen
from echolot_tui.report.codec import decode_report, decode_rows, encode_report, encode_rows


class Shelf(Protocol):
    """Where calibrations are kept with the runs they were made from."""

    def documents(self, scenario: str) -> tuple[tuple[str, bytes], ...]:
        """Name and ``calibration.json`` of each of the scenario's, by name."""

    def runs(self, name: str) -> tuple[bytes, bytes]:
        """``report.json`` and ``rows.json`` of its runs."""

    def put(
        self, name: str, calibration: Calibration, document: bytes, *, report: bytes, rows: bytes
    ) -> None:
        """Keep one whole or not at all, in the place of an earlier one of that name."""


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
    rows = encode_rows(runs[1], report)
    shelf.put(name, calibration, encode_calibration(calibration), report=report, rows=rows)
    return name


def kept(shelf: Shelf, scenario: str) -> tuple[tuple[Kept, ...], tuple[str, ...]]:
    """The scenario's calibrations, newest first; and a note for each that does not load."""
    found: list[Kept] = []
    notes: list[str] = []
    for name, document in shelf.documents(scenario):
        try:
            calibration = msgspec.json.decode(document, type=Calibration)
        except msgspec.MsgspecError as error:
            notes.append(f"the calibration kept as {name} does not load ({error})")
            continue
        found.append(Kept(name=name, calibration=calibration))
    found.sort(key=lambda one: (one.calibration.made_at or "", one.name), reverse=True)
    return tuple(found), tuple(notes)


def comparable_healthy(
    shelf: Shelf, earlier: tuple[Kept, ...], calibration: Calibration
) -> tuple[Kept, Baseline] | None:
    """The newest healthy calibration from other runs of the same window on the same device, with its runs.

    Raises:
        EcholotError: Its runs do not load.
    """
    one = next(_candidates(earlier, calibration), None)
    if one is None:
        return None
    report, rows = shelf.runs(one.name)
    return one, (
        decode_report(report, where=one.name),
        decode_rows(rows, where=one.name, report=report),
    )


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
