"""Every detector: its state, its parameters, and what another threshold would list, at once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar, Final

from echolot_tui.measure.detector_file import Parameter, Setting
from echolot_tui.present.detectors_screen import (
    DETECTOR_COLUMNS,
    DetectorItem,
    bar_table,
    detector_cells,
    detector_items,
    detector_words,
    parsed,
    passing_lines,
    settings_yaml,
    stepped,
)
from echolot_tui.present.spans import Line, Span, line
from echolot_tui.present.table import text_table
from echolot_tui.tui.actions import Where, bindings
from echolot_tui.tui.intents import Copy, MoveThreshold
from echolot_tui.tui.screens.listing import ListScreen
from echolot_tui.tui.store import Failed, Ready, ShownReport, State, WhatIf
from echolot_tui.tui.widgets.grid import Banner, Cells, Grid
from echolot_tui.tui.widgets.lines import Lines
from echolot_tui.tui.widgets.prompt import Prompt

_NEEDS_GATE: Final = {"lower", "raise", "set", "reset"}
_ROWS_SHOWN: Final = 40


class DetectorRows:
    """The catalogue."""

    columns = DETECTOR_COLUMNS
    sorted_by: int | None = None

    def __init__(self, items: Sequence[DetectorItem]) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def row(self, at: int) -> Cells | Banner:
        """Name, state, rows, title."""
        return detector_cells(self.items[at])

    def key(self, at: int) -> Hashable:
        """Its name."""
        return self.items[at].id


class DetectorsScreen(ListScreen):
    """The catalogue, and the detector under the cursor with its thresholds."""

    WHERE: ClassVar[Where] = "detectors"
    BINDINGS = bindings("detectors")

    def __init__(self) -> None:
        super().__init__()
        self._shown: ShownReport | None = None
        self._items: Sequence[DetectorItem] = ()
        self._params: dict[str, dict[str, Setting]] = {}
        self._parameter_at = 0
        self._what_if: WhatIf | None = None
        self._trouble: str | None = None
        self._yaml = False

    def on_state(self, state: State) -> None:
        """Show another report's detectors, or what thresholds list."""
        if not isinstance(state.report, Ready):
            self.say_slot(state.report)
        elif state.report.value is not self._shown:
            self._shown = state.report.value
            self._items = detector_items(self._shown.report, self._shown.decisions)
            nothing = self._shown.settings_note or "reading the settings"
            self.query_one("#head", Lines).remake()
            self.query_one(Grid).show(DetectorRows(self._items), empty=line(Span(nothing, "muted")))
        slot = state.what_if
        if isinstance(slot, Ready) and slot.value is not self._what_if:
            self._what_if, self._trouble = slot.value, None
        elif isinstance(slot, Failed):
            self._trouble = slot.sentence
        self.query_one("#pane", Lines).remake()
        self.refresh_keys()

    def _head(self, width: int) -> Sequence[Line]:
        del width
        path = f"  {self._shown.path}" if self._shown is not None else ""
        return [line(Span("Detectors", "heading"), Span(path, "muted"))]

    def on_grid_moved(self, message: Grid.Moved) -> None:
        """Another detector."""
        del message
        grid = self.query_one(Grid)
        self.status.place(f"{grid.cursor + 1} of {len(self._items)}" if self._items else "")
        self._parameter_at = self._first_gate_parameter()
        self._yaml = False
        self._judge()

    def _judge(self) -> None:
        """Ask what the thresholds list now."""
        item = self._item
        if item is not None:
            self.post_message(MoveThreshold(item.id, self._values(item)))
        self.query_one("#pane", Lines).show(self._pane)
        self.refresh_keys()

    def _pane(self, width: int) -> Sequence[Line]:
        item = self._item
        if item is None:
            return ()
        width = max(width - 1, 1)
        params = self._values(item)
        if self._yaml:
            text = settings_yaml(item.id, params, item.decision.detector.defaults)
            head = line(Span("To paste into echolot.yml", "heading"), Span("   e goes back", "muted"))
            return [head, (), *(line(each) for each in text.splitlines())]
        lines = detector_words(item, params, self._parameter_at, width)
        found = self._what_if
        if self._trouble is not None:
            lines += [(), line(Span("! ", "warning"), self._trouble)]
        elif found is not None and (found.detector, found.params) == (item.id, params):
            sides = [(side.name, side.labels, side.passing) for side in found.sides]
            table = bar_table(found.sides[0].passing, item.decision.detector.rank, _ROWS_SHOWN)
            lines += [(), *passing_lines(sides, width), (), *text_table(table, width)]
        return lines

    @property
    def _item(self) -> DetectorItem | None:
        at = self.query_one(Grid).cursor
        return self._items[at] if at < len(self._items) else None

    @property
    def _parameter(self) -> Parameter | None:
        item = self._item
        params = item.decision.detector.params if item is not None else ()
        return params[self._parameter_at] if self._parameter_at < len(params) else None

    def _values(self, item: DetectorItem) -> dict[str, Setting]:
        return {**item.params, **self._params.get(item.id, {})}

    def _first_gate_parameter(self) -> int:
        item = self._item
        if item is None:
            return 0
        detector = item.decision.detector
        gated = [at for at, param in enumerate(detector.params) if param.name in detector.gate_params]
        return gated[0] if gated else 0

    def why_not(self, action_id: str) -> str | None:
        """Thresholds can be moved, other parameters mean measuring again."""
        if action_id not in _NEEDS_GATE | {"next_parameter", "yaml"}:
            return None
        item, parameter = self._item, self._parameter
        if item is None:
            return "there is no detector yet"
        if parameter is None:
            return "this detector has no parameters"
        if action_id in {"lower", "raise", "set"}:
            if parameter.name not in item.decision.detector.gate_params:
                return f"{parameter.name} is part of the query: echolot analyze --set measures again"
            if action_id != "set" and isinstance(parameter.default, str):
                return f"{parameter.name} is a text: enter sets it"
        return None

    def do_next_parameter(self) -> None:
        """The next parameter."""
        item = self._item
        if item is not None:
            self._parameter_at = (self._parameter_at + 1) % len(item.decision.detector.params)
            self.query_one("#pane", Lines).remake()
            self.refresh_keys()

    def do_lower(self) -> None:
        """A tenth less."""
        self._step(up=False)

    def do_raise(self) -> None:
        """A tenth more."""
        self._step(up=True)

    def _step(self, *, up: bool) -> None:
        item, parameter = self._item, self._parameter
        if item is not None and parameter is not None:
            value = self._values(item)[parameter.name]
            if not isinstance(value, str):
                self._set(item, parameter.name, stepped(value, up=up))

    def _set(self, item: DetectorItem, name: str, value: Setting) -> None:
        self._params.setdefault(item.id, {})[name] = value
        self._judge()

    def do_set(self) -> None:
        """Type a value."""
        item, parameter = self._item, self._parameter
        if item is None or parameter is None:
            return
        old = self._values(item)[parameter.name]
        self.say(f"{parameter.name}: enter sets it, esc does not", "muted")

        def answer(text: str) -> None:
            value = parsed(text, old)
            self._to_rows()
            if value is None:
                self.say(f"{text!r} is no number", "warning")
            else:
                self._set(item, parameter.name, value)

        self.query_one(Prompt).ask(parameter.name, f"{old}", answer, cancel=self._to_rows)

    def _to_rows(self) -> None:
        self.say("")
        self.query_one(Grid).focus()

    def do_reset(self) -> None:
        """What the report was made with."""
        item = self._item
        if item is not None:
            self._params.pop(item.id, None)
            self._judge()

    def do_yaml(self) -> None:
        """The YAML, shown and copied; or the detector again."""
        item = self._item
        self._yaml = not self._yaml
        self.query_one("#pane", Lines).show(self._pane)
        if item is not None and self._yaml:
            text = settings_yaml(item.id, self._values(item), item.decision.detector.defaults)
            self.post_message(Copy(text, "the YAML"))
