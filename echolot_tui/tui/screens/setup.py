"""The first start: a trace, its process, the part that counts, who records; then the config."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Container

from echolot_tui.present.setup_screen import (
    PROCESS_COLUMNS,
    QUESTIONS,
    SLICE_COLUMNS,
    STEPS,
    Choice,
    SetupStep,
    config_lines,
    probe_line,
    process_choices,
    slice_choices,
)
from echolot_tui.present.spans import Line, Span, line, wrapped
from echolot_tui.present.table import Column
from echolot_tui.project.first_config import FirstChoice, exactly, first_config
from echolot_tui.tui.actions import Where, bindings
from echolot_tui.tui.intents import LookInto, WriteConfig
from echolot_tui.tui.screens.base import BaseScreen
from echolot_tui.tui.store import Failed, Ready, SetupView, State
from echolot_tui.tui.widgets.grid import Banner, Cells, Grid
from echolot_tui.tui.widgets.lines import Lines
from echolot_tui.tui.widgets.prompt import Prompt


class ChoiceRows:
    """What may be chosen in this step."""

    sorted_by: int | None = None

    def __init__(self, columns: tuple[Column, ...], choices: Sequence[Choice]) -> None:
        self.columns = columns
        self._choices = choices

    def __len__(self) -> int:
        return len(self._choices)

    def row(self, at: int) -> Cells | Banner:
        """One choice."""
        return self._choices[at].cells

    def key(self, at: int) -> Hashable:
        """Its place: names need not be unique."""
        return at


class SetupScreen(BaseScreen):
    """One question after the other; the config grows beside them."""

    WHERE: ClassVar[Where] = "setup"
    BINDINGS = bindings("setup")

    def __init__(self) -> None:
        super().__init__()
        self._step: SetupStep = "trace"
        self._view: SetupView | None = None
        self._failed: Failed | None = None
        self._trace = ""
        self._answers: dict[SetupStep, str | None] = {}
        self._choices: Sequence[Choice] = ()

    def compose_middle(self) -> ComposeResult:
        """The question, what may be chosen, the config so far."""
        yield Lines(self._head, id="head")
        with Container(id="body"):
            yield Grid(id="rows")
            yield Lines(self._config, id="pane")

    def on_mount(self) -> None:
        """The first question."""
        super().on_mount()
        self._go("trace")

    # What is shown.

    def on_state(self, state: State) -> None:
        """What a trace holds, or why it cannot be looked into."""
        slot = state.setup
        if not self._trace:
            return
        if isinstance(slot, Ready) and slot.value.trace == self._trace and slot.value is not self._view:
            self._view, self._failed = slot.value, None
            self.say("")
            self._go("start" if slot.value.probe.threads else "process")
        elif not isinstance(slot, Ready):
            self.say_slot(slot)
            failed = slot if isinstance(slot, Failed) else None
            if failed is not self._failed:
                self._failed = failed
                if failed is not None:
                    self._go("process" if self._view is not None else "trace")
        self.refresh_keys()

    def _go(self, step: SetupStep) -> None:
        """To a question."""
        self._step = step
        probe = self._view.probe if self._view is not None else None
        columns: tuple[Column, ...] = ()
        self._choices = ()
        if step == "process" and probe is not None:
            columns, self._choices = PROCESS_COLUMNS, process_choices(probe)
        elif step in {"start", "end"} and probe is not None:
            columns = SLICE_COLUMNS
            self._choices = slice_choices(probe, "start" if step == "start" else "end")
        grid = self.query_one(Grid)
        grid.show(ChoiceRows(columns, self._choices))
        grid.move_to(0)
        self.set_class(not self._choices, "-no-rows")
        self.query_one("#head", Lines).remake()
        self.query_one("#pane", Lines).remake()
        self.status.place(f"step {STEPS.index(step) + 1} of {len(STEPS)}")
        if step == "trace":
            self._type(self._trace, "a trace, a pattern or a folder; enter on nothing goes on without")
        elif step == "command":
            self._type(self._answers.get("command") or "", "COMMAND … {trace}; enter on nothing means none")
        else:
            grid.focus()
        self.refresh_keys()

    def _type(self, value: str, what: str) -> None:
        self.query_one(Prompt).ask(what, value, self._typed, cancel=self.do_back)

    def _head(self, width: int) -> list[Line]:
        at = STEPS.index(self._step) + 1
        lines = [line(Span("A first echolot.yml", "heading"), Span(f"  step {at} of {len(STEPS)}", "muted"))]
        if self._view is not None:
            lines += probe_line(self._view.probe, width)
        if self._failed is not None:
            lines += wrapped(
                line(Span("! ", "error"), Span(self._failed.sentence, "strong")), width, indent=2
            )
        return [*lines, *wrapped(line(Span(QUESTIONS[self._step], "strong")), width), ()]

    def _config(self, width: int) -> list[Line]:
        return config_lines(self._text, max(width - 1, 1))

    @property
    def _text(self) -> str:
        command = self._answers.get("command")
        return first_config(
            FirstChoice(
                process=self._answers.get("process"),
                start=self._answers.get("start"),
                end=self._answers.get("end"),
                command=command,
            )
        )

    def would_be_lost(self) -> str | None:
        """The answers so far."""
        return "echolot.yml is not written yet" if self._answers else None

    # Actions.

    def _typed(self, text: str) -> None:
        """A trace, or a command."""
        text = text.strip()
        self.query_one(Grid).focus()
        if self._step == "command":
            self._answers["command"] = text or None
            self._go("write")
        elif text:
            self._trace, self._view, self._failed = text, None, None
            self.post_message(LookInto(text, None))
        else:
            self._trace = ""
            self._go("command")

    def do_take(self) -> None:
        """The row under the cursor is the answer; at the end, write."""
        if self._step == "write":
            self.post_message(WriteConfig(self._text))
            self.echolot.do_back()
            return
        at = self.query_one(Grid).cursor
        if at >= len(self._choices):
            return
        value = self._choices[at].value
        self._answers[self._step] = value
        if self._step == "process" and value is not None:
            self.post_message(LookInto(self._trace, exactly(value)))
        elif self._step == "process":
            self._go("command")
        else:
            self._go("end" if self._step == "start" else "command")

    def on_grid_chosen(self) -> None:
        """A double click."""
        self.do_take()

    def do_back(self) -> None:
        """The question before; from the first one, Home."""
        at = STEPS.index(self._step)
        if self._step == "trace":
            self.echolot.do_back()
        elif self._step == "command" and self._view is None:
            self._go("trace")
        elif self._step == "command" and self._answers.get("process") is None:
            self._go("process")
        else:
            self._answers.pop(STEPS[at - 1], None)
            self._go(STEPS[at - 1])
