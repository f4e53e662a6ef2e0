"""Home: the hunts of a project and their rounds, and everything that begins there."""

from __future__ import annotations

from typing import ClassVar

from echolot_tui.tui import intents
from echolot_tui.tui.actions import Where, bindings
from echolot_tui.tui.perfetto import PerfettoAsk
from echolot_tui.tui.profile_sides import rounds_ask
from echolot_tui.tui.screens.home_panes import HomePanes
from echolot_tui.tui.screens.home_reasons import why_not
from echolot_tui.tui.store import Failed, HomeView, ProfileAsk, Ready, State
from echolot_tui.tui.widgets.grid import Grid
from echolot_tui.tui.widgets.lines import Lines


class HomeScreen(HomePanes):
    """Hunts, rounds, reports: what is looked at, and what is done with it."""

    WHERE: ClassVar[Where] = "home"
    BINDINGS = bindings("home")
    AUTO_FOCUS = "#rounds"

    def __init__(self) -> None:
        super().__init__()
        self._was_set_up = False

    def on_state(self, state: State) -> None:
        """Show what there is."""
        slot = state.home
        if not isinstance(slot, Ready):
            self.say_slot(slot)
            self._failed = slot if isinstance(slot, Failed) else None
            self.query_one("#head", Lines).remake()
        elif slot.value is not self._view:
            if self._view is None or self._failed is not None:
                self.say("")
            self._view, self._failed = slot.value, None
            self._show()
            self._set_up_once(slot.value)
        self.refresh_keys()

    def on_screen_resume(self) -> None:
        """Coming back: things may have changed on disk."""
        self.post_message(intents.LookAround())

    def _set_up_once(self, view: HomeView) -> None:
        """The first start in a place without a config and without reports goes straight to making one."""
        is_bare = not view.has_config and not view.reports and bool(view.next_word)
        if is_bare and self.app.screen is self and not self._was_set_up:
            self._was_set_up = True
            self.post_message(intents.OpenSetup())

    def on_grid_moved(self, message: Grid.Moved) -> None:
        """Another hunt, or another round."""
        view = self._view
        if view is None or message.grid.id != "hunts":
            self._show_pane()
            return
        if not self._on_hunts:
            return
        self._reports_shown = message.at >= len(view.hunts)
        chosen = None if self._reports_shown else view.hunts[message.at]
        if chosen is not None and (view.shown is None or view.shown.hunt.n != chosen.n):
            self.post_message(intents.ShowHunt(chosen.n))
        self._show_right()

    def on_grid_chosen(self) -> None:
        """A double click."""
        self.do_open()

    # Actions.

    def why_not(self, action_id: str) -> str | None:
        """Two sides to look at, and what else it needs."""
        asked: object = None
        if action_id == "profile":
            asked = self._profile_ask
        elif action_id == "compare" and self._view is not None:
            asked = self._comparison_ask
        if isinstance(asked, str):
            return asked
        return why_not(action_id, self._view, self._spot, on_hunts=self._on_hunts)

    def do_open(self) -> None:
        """From a hunt to its rounds; a round's or a place's report."""
        if self._on_hunts:
            self.query_one("#rounds", Grid).focus()
        elif self._spot.path is not None:
            self.post_message(intents.OpenReport(self._spot.path))

    def do_other_list(self) -> None:
        """From one table to the other."""
        self.query_one("#rounds" if self._on_hunts else "#hunts", Grid).focus()

    def do_mark(self) -> None:
        """Mark, or take the mark away."""
        path = self._spot.path
        if path is not None:
            if path in self._marked:
                self._marked.remove(path)
            else:
                self._marked.append(path)
            self._show_right()

    def do_compare(self) -> None:
        """Two sides, kept beside the later one."""
        asked = self._comparison_ask
        if not isinstance(asked, str):
            self.post_message(intents.Compare(asked))

    @property
    def _profile_ask(self) -> ProfileAsk | str:
        """The marked rounds, else the hunt's last two with a report; why not, where there are none."""
        return rounds_ask(self._spot.hunt, self._marked, self._spot.round_paths, self._spot.root)

    def do_profile(self) -> None:
        """Their stacks, laid over each other."""
        asked = self._profile_ask
        if not isinstance(asked, str):
            self.post_message(intents.CompareProfiles(asked))

    def do_detectors(self) -> None:
        """The detectors."""
        if self._spot.path is not None:
            self.post_message(intents.OpenDetectors(self._spot.path))

    def do_new(self) -> None:
        """A question, then the change it is about; or the first config."""
        if self._view is not None and not self._view.has_config:
            self.post_message(intents.OpenSetup())
            return
        self.ask("what do you want to know? enter opens the hunt, esc does not", "question", self._asked)

    def _asked(self, question: str) -> None:
        if question.strip():
            self.ask(
                "since which change? enter on nothing leaves it out",
                "since",
                lambda since: self.post_message(intents.AskHunt(question.strip(), since.strip())),
            )

    def do_collect(self) -> None:
        """The collect's screen."""
        self.post_message(intents.OpenCollect())

    def do_analyze(self) -> None:
        """Ask for traces; those of the newest set are offered."""
        offered = self._spot.root / ".echolot" / "traces"
        self.ask_for(
            "traces to measure as repeats of one scenario: a file, a pattern, a folder",
            "traces",
            lambda text: intents.Analyze((text,)),
            value=str(offered) if offered.is_dir() else "",
        )

    def do_calibrate(self) -> None:
        """On the runs of this round."""
        of = self._spot.round
        if of is not None:
            traces = tuple(str(self._spot.root / trace.path) for trace in of.traces)
            self.post_message(intents.Calibrate(traces))

    def do_conclude(self) -> None:
        """Ask for the answer."""
        self.ask_for(
            "what was it? enter closes the hunt with this answer, esc does not",
            "answer",
            intents.ConcludeHunt,
        )

    def do_resume(self) -> None:
        """The hunt becomes the current one."""
        hunt = self._spot.hunt
        if hunt is not None:
            self.post_message(intents.ResumeHunt(hunt.n, closed=hunt.state != "open"))

    def do_note(self) -> None:
        """Ask for a note on the round, or on the hunt."""
        hunt, of = self._spot.hunt, None if self._on_hunts else self._spot.round
        if hunt is None:
            return
        about = f"round {of.k}" if of is not None else f"hunt {hunt.n}"
        k = of.k if of is not None else None
        self.ask_for(
            f"note about {about}; enter keeps it, esc does not",
            "note",
            lambda text: intents.WriteNote(hunt.n, k, text),
        )

    def do_label(self) -> None:
        """Ask for the round's name."""
        hunt, of = self._spot.hunt, self._spot.round
        if hunt is not None and of is not None:
            self.ask(
                f"label of round {of.k}; enter keeps it, esc does not",
                "label",
                lambda text: self.post_message(intents.LabelRound(hunt.n, of.k, text)),
                value=of.label or "",
            )

    def do_perfetto(self) -> None:
        """The round's first run, at the window its report found; without a report its first trace."""
        of = self._spot.round
        if of is not None and of.traces:
            target = self._spot.path or str(self._spot.root / of.traces[0].path)
            self.post_message(intents.OpenInPerfetto(PerfettoAsk(target=target)))

    def do_history(self) -> None:
        """The history screen."""
        self.post_message(intents.OpenHistory())

    def do_watch(self) -> None:
        """Ask for a folder."""
        self.ask_for("folder to watch; each trace is measured when it is complete", "folder", intents.Watch)

    def do_doctor(self) -> None:
        """The doctor's screen."""
        self.post_message(intents.OpenDoctor())

    def do_reload(self) -> None:
        """Look again."""
        self.post_message(intents.LookAround())
