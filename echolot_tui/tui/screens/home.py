"""Home: where the project stands, its hunts, the rounds of one of them, and what to do next."""

from __future__ import annotations

from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.containers import Container, Vertical

from echolot_tui.present.home_screen import hunt_head, next_line, round_words, standing_lines
from echolot_tui.present.spans import Line, Span, line
from echolot_tui.tui import intents
from echolot_tui.tui.actions import Where, bindings
from echolot_tui.tui.profile_sides import rounds_ask
from echolot_tui.tui.screens.base import BaseScreen
from echolot_tui.tui.screens.home_rows import HuntRows, PlaceRows, RoundRows
from echolot_tui.tui.screens.home_spot import Spot
from echolot_tui.tui.store import ComparisonAsk, Failed, HomeView, ProfileAsk, Ready, State
from echolot_tui.tui.widgets.grid import Grid
from echolot_tui.tui.widgets.lines import Lines
from echolot_tui.tui.widgets.side_grid import SideGrid

_NEXT_KEYS: Final = {
    "setup": "n",
    "fix-config": "r",
    "collect": "c",
    "resume-collect": "c",
    "wait": "c",
    "analyze": "a",
    "compare": "d",
    "conclude": "C",
    "resume-or-new": "R",
}
"""Which key does the step that ``echolot status`` names."""

_LOW: Final = 20
"""Lines under which Home says less of everything but the rounds."""

_NEEDS_ITEM: Final = {"open", "mark", "detectors"}
_NEEDS_ROUND: Final = {"label", "perfetto", "calibrate"}
_NEEDS_HUNT: Final = {"note", "resume"}
_NEEDS_CONFIG: Final = {"collect", "calibrate", "conclude", "note", "resume", "label"}


class HomeScreen(BaseScreen):
    """Hunts, rounds, reports."""

    WHERE: ClassVar[Where] = "home"
    BINDINGS = bindings("home")
    AUTO_FOCUS = "#rounds"

    def __init__(self) -> None:
        super().__init__()
        self._view: HomeView | None = None
        self._failed: Failed | None = None
        self._marked: list[str] = []
        self._reports_shown = False
        self._was_set_up = False

    def compose_middle(self) -> ComposeResult:
        """Where the project stands; hunts, rounds, the round in full; the next step."""
        yield Lines(self._standing, id="head")
        with Container(id="home"):
            yield SideGrid(id="hunts")
            with Vertical(id="right"):
                yield Lines(self._hunt_head, id="hunt")
                yield SideGrid(id="rounds")
                yield Lines(id="pane")
        yield Lines(self._next_step, id="next")

    # What is shown.

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

    def _show(self) -> None:
        view = self._view
        if view is None:
            return
        self.set_class(not view.hunts, "-no-hunts")
        if not view.hunts:
            self._reports_shown = True
        elif not view.reports:
            self._reports_shown = False
        self.query_one("#head", Lines).remake()
        self.query_one("#next", Lines).remake()
        self.query_one("#hunts", Grid).show(HuntRows(view.hunts, len(view.reports), view.at))
        self._show_right()

    def _show_right(self) -> None:
        view = self._view
        if view is None:
            return
        grid = self.query_one("#rounds", Grid)
        if self._reports_shown or view.shown is None:
            nothing = "no reports here yet" if view.next_word else "looking at the project"
            grid.show(PlaceRows(view.reports, self._marked), empty=line(Span(nothing, "muted")))
        else:
            rows = RoundRows(view.shown, self._marked, self._spot.round_paths, view.at, self.echolot.glyphs)
            grid.show(
                rows, empty=line(Span("no rounds yet: c records one, a takes traces that are here", "muted"))
            )
        self.query_one("#hunt", Lines).remake()
        self._show_pane()

    def _show_pane(self) -> None:
        grid = self.query_one("#rounds", Grid)
        total = len(grid.source)
        self.status.place(f"{grid.cursor + 1} of {total}" if total else "")
        self.query_one("#pane", Lines).show(self._pane)
        self.refresh_keys()

    def _standing(self, width: int) -> list[Line]:
        lines = [line(Span("echolot", "heading"), Span("  where did the time go, and is it real?", "muted"))]
        standing = standing_lines(self._view.standing, width) if self._view is not None else []
        if self.size.height < _LOW:
            return [*(standing[:1] or lines), *self.failure_lines(self._failed, width)]
        return [*lines, *standing, *self.failure_lines(self._failed, width), ()]

    def _hunt_head(self, width: int) -> list[Line]:
        view = self._view
        if view is None or view.shown is None or self._reports_shown:
            return []
        most = 8 if self.size.height >= 30 else 3 if self.size.height >= _LOW else 1
        return hunt_head(view.shown, view.at, width)[:most]

    def _pane(self, width: int) -> list[Line]:
        of, facts = self._spot.round, self._spot.facts
        if self._view is None or of is None or facts is None:
            return []
        return round_words(of, facts, self._view.at, max(width - 1, 1))

    def _next_step(self, width: int) -> list[Line]:
        view = self._view
        if view is None or not view.next_step:
            return []
        key = _NEXT_KEYS.get(view.next_word)
        if key == "d" and self._why_no_comparison() is not None:
            key = "c"  # without a hunt, comparing begins with recording the other side
        return next_line(view.next_step, key, width)

    # Where the cursor is.

    @property
    def _spot(self) -> Spot:
        return Spot(self._view, self.query_one("#rounds", Grid).cursor, reports=self._reports_shown)

    @property
    def _on_hunts(self) -> bool:
        return self.focused is self.query_one("#hunts", Grid)

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

    def why_not(self, action_id: str) -> str | None:  # noqa: PLR0911 - one reason a line
        """Most need a round, a hunt or a config."""
        view = self._view
        if action_id == "profile":
            asked = self._profile_ask
            return asked if isinstance(asked, str) else None
        if view is None:
            return (
                "the project is still being looked at" if action_id in _NEEDS_ITEM | _NEEDS_CONFIG else None
            )
        if action_id in _NEEDS_CONFIG and not view.has_config:
            return "there is no echolot.yml yet: n makes one"
        if action_id == "conclude" and not any(hunt.current for hunt in view.hunts):
            return "no hunt is current"
        if action_id in _NEEDS_HUNT and self._spot.hunt is None:
            return "the cursor is on no hunt"
        if action_id in _NEEDS_ROUND and self._spot.round is None:
            return "the cursor is on no round"
        if (
            action_id in {"calibrate", "perfetto"}
            and self._spot.round is not None
            and not self._spot.round.traces
        ):
            return "this round has no traces"
        if action_id in _NEEDS_ITEM and not self._on_hunts and self._spot.path is None:
            return "this round has no report yet" if self._spot.round else "there is no report here yet"
        if action_id == "other_list" and not view.hunts:
            return "there are no hunts yet"
        return self._why_no_comparison() if action_id == "compare" else None

    def _why_no_comparison(self) -> str | None:
        if len(self._marked) > 1:
            return None
        if self._spot.hunt is None:
            return "mark two reports first: the first one marked is the base"
        return None if len(self._spot.hunt.measured) > 1 else "a comparison needs two rounds with a report"

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
        """What is marked; else the hunt's rounds, kept beside the later one."""
        hunt = self._spot.hunt
        if len(self._marked) > 1:
            self.post_message(intents.Compare(ComparisonAsk(sides=tuple(self._marked), names=self._names)))
        elif hunt is not None:
            flags = () if hunt.current else ("--hunt", str(hunt.n))
            folder = self._spot.root / ".echolot" / "out"
            self.post_message(intents.Compare(ComparisonAsk(sides=(), first_flags=flags, folder=str(folder))))

    @property
    def _profile_ask(self) -> ProfileAsk | str:
        """The marked rounds, else the hunt's last two with a report; why not, where there are none."""
        return rounds_ask(self._spot.hunt, self._marked, self._spot.round_paths, self._spot.root)

    def do_profile(self) -> None:
        """Their stacks, laid over each other."""
        asked = self._profile_ask
        if not isinstance(asked, str):
            self.post_message(intents.CompareProfiles(asked))

    @property
    def _names(self) -> tuple[str, ...]:
        """What the marked sides are called, where every one is a round of the hunt that is shown."""
        hunt = self._spot.hunt
        named = dict(zip(self._spot.round_paths, hunt.rounds if hunt is not None else (), strict=True))
        called = [named[path].name.replace(",", " ") for path in self._marked if path in named]
        return tuple(called) if len(set(called)) == len(self._marked) else ()

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
        self.ask(
            "traces to measure as repeats of one scenario: a file, a pattern, a folder",
            "traces",
            lambda text: self.post_message(intents.Analyze((text.strip(),))) if text.strip() else None,
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
        self.ask(
            "what was it? enter closes the hunt with this answer, esc does not",
            "answer",
            lambda text: self.post_message(intents.ConcludeHunt(text.strip())) if text.strip() else None,
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
        self.ask(
            f"note about {about}; enter keeps it, esc does not",
            "note",
            lambda text: (
                self.post_message(intents.WriteNote(hunt.n, k, text.strip())) if text.strip() else None
            ),
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
        """The round's first trace."""
        of = self._spot.round
        if of is not None and of.traces:
            self.post_message(intents.OpenInPerfetto(str(self._spot.root / of.traces[0].path)))

    def do_history(self) -> None:
        """The history screen."""
        self.post_message(intents.OpenHistory())

    def do_watch(self) -> None:
        """Ask for a folder."""
        self.ask(
            "folder to watch; each trace is measured when it is complete",
            "folder",
            lambda text: self.post_message(intents.Watch(text.strip())) if text.strip() else None,
        )

    def do_doctor(self) -> None:
        """The doctor's screen."""
        self.post_message(intents.OpenDoctor())

    def do_reload(self) -> None:
        """Look again."""
        self.post_message(intents.LookAround())
