"""Calibration: thresholds of today beside the proposed ones, each with its reason."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from echolot_tui.calibrate.model import Calibration
from echolot_tui.present.calibration_screen import calibration_head, rows_of, threshold_words
from echolot_tui.present.calibration_text import diff_table
from echolot_tui.present.spans import Line, Span, line
from echolot_tui.tui.actions import Where, bindings
from echolot_tui.tui.intents import Calibrate, Copy, WriteCalibration
from echolot_tui.tui.screens.listing import ListScreen
from echolot_tui.tui.store import Ready, ShownCalibration, State
from echolot_tui.tui.widgets.grid import Banner, Cells, Grid
from echolot_tui.tui.widgets.lines import Lines


class ThresholdRows:
    """The diff, one row a threshold."""

    sorted_by: int | None = None

    def __init__(self, calibration: Calibration) -> None:
        table = diff_table(calibration)
        self.columns = table.columns
        self._rows = table.rows
        self._keys = [(detector.id, one.param) for detector, one in rows_of(calibration)]

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, at: int) -> Cells | Banner:
        """Today, proposed, what it changes, why."""
        return self._rows[at]

    def key(self, at: int) -> Hashable:
        """Detector and parameter."""
        return self._keys[at]


class CalibrationScreen(ListScreen):
    """The diff, and one threshold in full."""

    WHERE: ClassVar[Where] = "calibration"
    BINDINGS = bindings("calibration")

    def __init__(self) -> None:
        super().__init__()
        self._shown: ShownCalibration | None = None
        self._yaml = False

    def on_state(self, state: State) -> None:
        """Another calibration."""
        slot = state.calibration
        if isinstance(slot, Ready) and slot.value is not self._shown:
            self._shown, self._failed = slot.value, None
            self.say("")
            rows = ThresholdRows(slot.value.calibration)
            self.query_one(Grid).show(
                rows, empty=line(Span("no detector has a threshold to calibrate", "muted"))
            )
            self.query_one("#head", Lines).remake()
            self.show_pane()
        elif not isinstance(slot, Ready):
            self.show_not_ready(slot)
        self.refresh_keys()

    def _head(self, width: int) -> list[Line]:
        if self._shown is None or self._failed is not None:
            return [self.title_line(), *self.failure_lines(self._failed, width)]
        return [*calibration_head(self._shown.calibration, width, 8 if self.size.height >= 30 else 4), ()]

    def on_grid_moved(self, message: Grid.Moved) -> None:
        """Another threshold."""
        del message
        self.show_pane()

    def _pane(self, width: int) -> list[Line]:
        shown = self._shown
        if shown is None:
            return []
        if self._yaml:
            head = line(Span(shown.path, "name"), Span("   e writes it, v goes back", "muted"))
            return [head, (), *(line(text) for text in shown.section.splitlines())]
        rows = rows_of(shown.calibration)
        at = self.query_one(Grid).cursor
        return threshold_words(*rows[at], shown.calibration, max(width - 1, 1)) if at < len(rows) else []

    # Actions.

    def why_not(self, action_id: str) -> str | None:
        """Most need a calibration."""
        if action_id in {"write", "yaml", "copy"} and self._shown is None:
            return "there is no calibration yet"
        if action_id == "by_size" and self._shown is None:
            return "there is no calibration yet"
        return "there is nothing to try again" if action_id == "reload" and self._shown is None else None

    def do_write(self) -> None:
        """The section, beside the config."""
        self.post_message(WriteCalibration())

    def do_yaml(self) -> None:
        """The section, or the threshold again; it takes the whole body, its lines are long."""
        self._yaml = not self._yaml
        self.set_class(self._yaml, "-full")
        self.show_pane()

    def do_copy(self) -> None:
        """The section."""
        if self._shown is not None:
            self.post_message(Copy(self._shown.section, "the YAML"))

    def do_by_size(self) -> None:
        """Ask for a number of rows."""
        shown = self._shown
        if shown is None:
            return
        size = shown.calibration.asked.report_size
        self.ask(
            "at most how many rows a detector and run? enter on nothing goes by the detectors' own rules",
            "rows",
            self._sized,
            value="" if size is None else str(size),
        )

    def _sized(self, text: str) -> None:
        text = text.strip()
        if text and not (text.isascii() and text.isdigit() and int(text) > 0):
            self.say(f"{text!r} is no number of rows", "warning")
        elif self._shown is not None:
            self.post_message(Calibrate(self._shown.traces, int(text) if text else None))

    def do_reload(self) -> None:
        """Calibrate again."""
        if self._shown is not None:
            size = self._shown.calibration.asked.report_size
            self.post_message(Calibrate(self._shown.traces, size))

    def do_back(self) -> None:
        """From the section to the diff first."""
        if self._yaml:
            self.do_yaml()
        else:
            self.echolot.do_back()
