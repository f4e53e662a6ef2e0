"""Collect: what would be recorded, and the set while it fills; leaving does not stop it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar, Final

from echolot_tui.collect.run_line import RunLine
from echolot_tui.present.collect_screen import (
    failed_notes,
    live_run,
    note_lines,
    plan_lines,
    progress_line,
    run_cells,
    run_columns,
    window_axis,
)
from echolot_tui.present.glyphs import Glyphs
from echolot_tui.present.numbers import plural
from echolot_tui.present.spans import Line, Span, cut_line, line, wrapped
from echolot_tui.tui import intents
from echolot_tui.tui.actions import Where, bindings
from echolot_tui.tui.screens.listing import ListScreen
from echolot_tui.tui.store import ComparisonAsk, HomeView, Ready, ShownCollect, State, Working
from echolot_tui.tui.widgets.grid import Banner, Cells, Grid
from echolot_tui.tui.widgets.lines import Lines

_IN_FLIGHT: Final = "recording goes on when you leave; c at Home comes back"
_WATCHED: Final = "measured as traces come, for as long as this app runs"
_WHILE_RUNNING: Final = {"stop", "stop_now"}


class RunRows:
    """One row a run, all windows on one axis."""

    sorted_by: int | None = None

    def __init__(self, lines: Sequence[RunLine], glyphs: Glyphs, *, ended: bool) -> None:
        self._lines = lines
        self._ended = ended
        self._glyphs = glyphs
        self._axis = window_axis(lines)
        self.columns = run_columns(self._axis)

    def __len__(self) -> int:
        return len(self._lines)

    def row(self, at: int) -> Cells | Banner:
        """A run."""
        return run_cells(self._lines[at], self._axis, ended=self._ended, glyphs=self._glyphs)

    def key(self, at: int) -> Hashable:
        """Its name and trace."""
        return self._lines[at].name, at


class CollectScreen(ListScreen):
    """The set in flight, the last one, or a watched folder."""

    WHERE: ClassVar[Where] = "collect"
    BINDINGS = bindings("collect")

    def __init__(self, more: int = 0) -> None:
        super().__init__()
        self._shown: ShownCollect | None = None
        self._home: HomeView | None = None
        self._more = more
        """Runs to add to the last set: what a row of a comparison asked for."""
        self._label = ""
        self._starting = False
        self._live: int | None = None
        """The run the cursor was put on; ``None`` before it was."""
        self._new_set = False
        """Enter records another set, although the last one has a report to open."""

    # What is shown.

    def on_state(self, state: State) -> None:
        """How far it is."""
        if isinstance(state.home, Ready):
            self._home = state.home.value
        slot = state.collect
        if isinstance(slot, Ready) and slot.value is not self._shown:
            begun = slot.value.running and (self._shown is None or not self._shown.running)
            if self._shown is None and not slot.value.running:
                self._new_set = True  # whoever comes here while nothing is recorded wants to record
            self._shown, self._failed, self._starting = slot.value, None, False
            if begun:
                self._new_set, self._more, self._label, self._live = False, 0, "", None
                self.say(_IN_FLIGHT if slot.value.watching is None else _WATCHED, "muted")
            elif not slot.value.running:
                self.say("")
            self._show()
        elif not isinstance(slot, Ready):
            self._starting = isinstance(slot, Working)
            self.show_not_ready(slot)
        self.refresh_keys()

    def _show(self) -> None:
        if self._shown is None:
            return
        rows = RunRows(self._shown.lines, self.echolot.glyphs, ended=not self._shown.running)
        nothing = "no trace is complete yet" if self._shown.watching else "nothing was recorded here yet"
        grid = self.query_one(Grid)
        grid.show(rows, empty=line(Span(nothing, "muted")))
        if self._shown.running:
            self._follow(grid, live_run(self._shown.lines))
        self.query_one("#head", Lines).remake()
        self.query_one("#pane", Lines).show(self._pane)
        self.status.place(plural(len(self._shown.lines), "run") if self._shown.lines else "")

    def _follow(self, grid: Grid, live: int) -> None:
        """The cursor goes with what happens, unless somebody has moved it away."""
        if self._live in {None, grid.cursor}:
            grid.move_to(live)
        self._live = live

    def _head(self, width: int) -> list[Line]:
        shown = self._shown
        if shown is None:
            return [self.title_line(), *self.failure_lines(self._failed, width)]
        if shown.watching is not None:
            head = line(Span("Watching ", "heading"), Span(shown.watching, "name"))
            return [head, *note_lines((*shown.notes, *failed_notes(shown.lines)), width), ()]
        about = f"  {shown.progress.scenario}, mode {shown.progress.mode}" if shown.progress else ""
        lines = [line(Span("Collect", "heading"), about)]
        if shown.progress is not None:
            bar = progress_line(
                shown.progress,
                shown.left_s,
                shown.asked,
                running=shown.running,
                lost=shown.lost,
                glyphs=self.echolot.glyphs,
            )
            lines += wrapped(bar, width, indent=2)
            if shown.progress.settled is not None:
                lines += wrapped(line(shown.progress.settled), width)
            for fact in shown.progress.facts:
                lines += wrapped(line(Span(fact, "muted")), width, indent=2)
        lines += note_lines((*shown.notes, *failed_notes(shown.lines)), width)
        if not shown.running:
            lines += self._plan(shown, width)
        return [*lines, ()]

    def _plan(self, shown: ShownCollect, width: int) -> list[Line]:
        """What enter does."""
        lines = []
        if shown.problem is not None:
            lines += wrapped(line(Span("! ", "error"), Span(shown.problem, "strong")), width, indent=2)
        if self._opens_report:
            opened = line(
                Span("enter opens the report", "strong"),
                " · r records what this set lacks" if self._lacks(shown) else "",
                " · n records another set",
                "" if self._why_no_comparison() else " · d compares the last two rounds",
            )
            return lines + wrapped(opened, width, indent=2)
        if shown.progress is not None and self._lacks(shown) and not self._more:
            lines += wrapped(line(Span("r records what this set lacks", "strong")), width)
        if shown.plan is not None:
            plan = shown.plan
            lines += plan_lines(
                scenario=f"{plan.scenario}, on top of the last set" if self._more else plan.scenario,
                mode=plan.mode,
                iterations=self._more or plan.iterations,
                commands=plan.commands,
                hunt=plan.hunt,
                label=self._label,
                width=width,
            )
        return lines

    def _pane(self, width: int) -> list[Line]:
        """The last lines of the recorder, the newest at the bottom."""
        shown = self._shown
        if shown is None:
            return []
        said = [line(text) for text in (*(shown.progress.said if shown.progress else ()),)]
        logged = [line(Span(text, "muted")) for text in shown.log]
        every = [cut_line(each, max(width - 1, 1)) for each in (*logged, *said)]
        room = max(self.query_one("#pane", Lines).size.height, 1)
        if not every:
            return []
        return [line(Span("Log", "heading")), *every[-max(room - 1, 1) :]]

    @property
    def _opens_report(self) -> bool:
        shown = self._shown
        return shown is not None and shown.report is not None and not self._new_set and not self._more

    # Actions.

    def why_not(self, action_id: str) -> str | None:  # noqa: PLR0911 - one reason a line
        """What a set in flight allows is not what an ended one does."""
        shown = self._shown
        if shown is None:
            if self._failed is not None and action_id == "redo":
                return None
            known = {"begin", "stop", "stop_now", "more", "redo", "again", "label", "compare"}
            return "the collect is still being looked at" if action_id in known else None
        if shown.watching is not None:
            recorded = {"stop", "stop_now", "more", "redo"}
            return "a watched folder is filled by another tool" if action_id in recorded else None
        if action_id in {"begin", "redo", "more"} and self._starting:
            return "the recorder is being started"
        if action_id in _WHILE_RUNNING:
            return None if shown.running else "nothing is being recorded"
        if shown.running:
            return {
                "begin": "it is being recorded",
                "again": "it is being recorded",
                "label": "it is being recorded: L on the first screen names the round",
                "redo": "failed runs are recorded again once the set has ended",
            }.get(action_id)
        if action_id in {"more", "redo"} and shown.progress is None:
            return "nothing was recorded here yet"
        if action_id == "redo" and shown.progress is not None and not self._lacks(shown):
            return "every run has its trace"
        if action_id == "begin" and not self._opens_report and shown.plan is None:
            return shown.problem or "there is no echolot.yml yet"
        return self._why_no_comparison() if action_id == "compare" else None

    @staticmethod
    def _lacks(shown: ShownCollect) -> bool:
        progress = shown.progress
        return progress is None or progress.iterations is None or progress.done < progress.iterations

    def _why_no_comparison(self) -> str | None:
        hunts = self._home.hunts if self._home is not None else ()
        if any(hunt.current and len(hunt.measured) > 1 for hunt in hunts):
            return None
        return "the last two rounds of the current hunt are compared, and there are no two with a report"

    def do_begin(self) -> None:
        """Record; or open the report of what was recorded."""
        shown = self._shown
        if shown is not None and self._opens_report and shown.report is not None:
            self.post_message(intents.OpenReport(shown.report))
        elif self._more and shown is not None and shown.progress is not None:
            so_far = shown.progress.iterations or shown.progress.done
            sides = max(len(shown.progress.sets), 1)
            self.post_message(intents.BeginCollect(runs=so_far // sides + self._more, resume=True))
        else:
            self.post_message(intents.BeginCollect(label=self._label))

    def on_grid_chosen(self) -> None:
        """A double click."""
        self.action_do("begin")

    def do_stop(self) -> None:
        """After this run."""
        self.post_message(intents.StopCollect(at_once=False))

    def do_stop_now(self) -> None:
        """At once."""
        self.post_message(intents.StopCollect(at_once=True))

    def do_more(self) -> None:
        """One run more: of the set in flight, or of the one that has ended."""
        shown = self._shown
        if shown is None or shown.progress is None:
            return
        if shown.running:
            self.post_message(intents.MoreRuns())
        else:
            self._more += 1
            self.query_one("#head", Lines).remake()
            self.refresh_keys()

    def do_redo(self) -> None:
        """What is missing; where the collect could not be read, another look at it."""
        if self._shown is None:
            self.post_message(intents.OpenCollect())
        else:
            self.post_message(intents.BeginCollect(resume=True))

    def do_again(self) -> None:
        """Another set: shown first, recorded by enter."""
        self._new_set, self._more, self._label = True, 0, ""
        self.query_one("#head", Lines).remake()
        self.refresh_keys()
        self.do_label()

    def do_label(self) -> None:
        """Ask for the label of the next set."""
        self.ask(
            "label of the next set: before, after …; enter on nothing leaves it out",
            "label",
            self._named,
            value=self._label,
        )

    def _named(self, text: str) -> None:
        self._label = text.strip()
        self._new_set = True
        self.query_one("#head", Lines).remake()
        self.refresh_keys()

    def do_compare(self) -> None:
        """The last two rounds of the current hunt."""
        self.post_message(intents.Compare(ComparisonAsk(sides=())))

    def do_watch(self) -> None:
        """Ask for a folder."""
        self.ask_for("folder to watch; each trace is measured when it is complete", "folder", intents.Watch)
