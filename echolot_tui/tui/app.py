"""The app: which screen is open, theme, signs, and who answers an intent."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, cast

from textual.app import App, SystemCommand
from textual.screen import Screen

from echolot_tui.present.glyphs import GLYPHS, LEVELS, Glyphs, Level
from echolot_tui.present.opening import Opening
from echolot_tui.present.spans import Role
from echolot_tui.tui import intents
from echolot_tui.tui.actions import TITLES
from echolot_tui.tui.clipboard import fits, write_aside
from echolot_tui.tui.help import HelpScreen
from echolot_tui.tui.loop import LoopBridge
from echolot_tui.tui.screens.base import BaseScreen
from echolot_tui.tui.screens.collect import CollectScreen
from echolot_tui.tui.screens.comparison import ComparisonScreen
from echolot_tui.tui.screens.detectors import DetectorsScreen
from echolot_tui.tui.screens.doctor import DoctorScreen
from echolot_tui.tui.screens.home import HomeScreen
from echolot_tui.tui.screens.report import ReportScreen
from echolot_tui.tui.screens.setup import SetupScreen
from echolot_tui.tui.store import ComparisonAsk, ProfileAsk, Store
from echolot_tui.tui.terminal import Capabilities, MouseDriver, switch_mouse
from echolot_tui.tui.themes import DEFAULT_VARIABLES, PREFIX, THEMES
from echolot_tui.tui.widgets.roles import RoleWidget

_NAMES: Final = tuple(theme.name for theme in THEMES)


class EcholotApp(App[None]):
    """Screens send intents up; the bridge answers them through the store."""

    CSS_PATH = Path(__file__).with_name("styles.tcss")
    TITLE = "echolot"
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "f1"
    HORIZONTAL_BREAKPOINTS = [
        (0, "-narrow"),
        (80, "-normal"),
        (120, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-middle"), (32, "-tall")]

    def __init__(self, terminal: Capabilities, opening: Opening, *, log_folder: Path) -> None:
        super().__init__(ansi_color=None)
        self.animation_level = "none"
        self.terminal = terminal
        self.glyph_level: Level = terminal.glyphs
        self._opening = opening
        self._mouse_on = terminal.mouse
        self.store = Store(self.set_timer, time.monotonic)
        self.bridge = LoopBridge(
            self,
            self.store,
            self.tell,
            log_folder=log_folder,
            root_flags=opening.root_flags,
            config_flags=opening.config_flags,
        )
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = PREFIX + terminal.theme

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Colours of our roles under a theme that does not know them."""
        return DEFAULT_VARIABLES

    def on_mount(self) -> None:
        """The first screen."""
        self.open_first()

    def open_first(self) -> None:
        """Home, and over it what was asked for."""
        opening = self._opening
        self.bridge.look_at_hunt(opening.hunt)
        self.push_screen(HomeScreen())
        if opening.screen == "comparison":
            ask = ComparisonAsk(
                sides=opening.sides,
                names=opening.names,
                flags=opening.flags,
                first_flags=opening.first_flags,
                folder=opening.folder,
            )
            self.push_screen(ComparisonScreen())
            self.bridge.compare(ask, opening.view)
        elif opening.screen == "report":
            self.push_screen(ReportScreen())
            self.bridge.open_report(opening.report)
        elif opening.screen == "profile":
            before, after = opening.sides
            asked = ProfileAsk(before=before, after=after, flags=opening.flags, folder=opening.folder)
            self.call_later(self.on_compare_profiles, intents.CompareProfiles(asked))
        elif opening.screen == "watch":
            self.push_screen(CollectScreen())
            self.bridge.watch(opening.watched, opening.flags)

    @property
    def glyphs(self) -> Glyphs:
        """The signs in force."""
        return GLYPHS[self.glyph_level]

    def tell(self, text: str, role: Role = "plain") -> None:
        """Say something on the screen that is open."""
        screen = self.screen
        if isinstance(screen, BaseScreen):
            screen.say(text, role)

    # Intents.

    def on_compare(self, message: intents.Compare) -> None:
        """Compare, on the comparison's screen."""
        self._open(ComparisonScreen)
        self.bridge.compare(message.ask)

    def on_compare_again(self) -> None:
        """The same once more."""
        self.bridge.compare_again()

    def on_look_at(self, message: intents.LookAt) -> None:
        """Other rows of the comparison."""
        self.bridge.look_at(message.options)

    def on_export_comparison(self) -> None:
        """Write the comparison."""
        self.bridge.export()

    def on_open_report(self, message: intents.OpenReport) -> None:
        """Read a report, on its screen."""
        self._open(ReportScreen)
        self.bridge.open_report(message.path)

    def on_filter_report(self, message: intents.FilterReport) -> None:
        """Other rows of the report."""
        self.bridge.filter_report(message.text)

    def on_open_detectors(self, message: intents.OpenDetectors) -> None:
        """The detectors of a report."""
        self._open(DetectorsScreen)
        if message.path is not None:
            self.bridge.open_report(message.path)

    def on_move_threshold(self, message: intents.MoveThreshold) -> None:
        """Judge again."""
        self.bridge.move_threshold(message.detector, message.params)

    def on_look_around(self) -> None:
        """Look again at what is on disk."""
        self.bridge.look_around()

    def on_copy(self, message: intents.Copy) -> None:
        """Through the terminal; a file where that is too long for one."""
        if fits(message.text):
            self.copy_to_clipboard(message.text)
            self.tell(f"copied {message.what} through the terminal ({len(message.text)} characters)")
        else:
            path = write_aside(message.text)
            self.tell(f"{message.what} is too long for the terminal's clipboard; it is in {path}")

    # The loop: Home's intents and those of its screens.

    def on_show_hunt(self, message: intents.ShowHunt) -> None:
        """Another hunt's rounds."""
        self.bridge.show_hunt(message.n)

    def on_ask_hunt(self, message: intents.AskHunt) -> None:
        """A new question."""
        self.bridge.ask_hunt(message.question, message.since)

    def on_resume_hunt(self, message: intents.ResumeHunt) -> None:
        """Go on with a hunt."""
        self.bridge.resume_hunt(message.n, closed=message.closed)

    def on_conclude_hunt(self, message: intents.ConcludeHunt) -> None:
        """The answer."""
        self.bridge.conclude_hunt(message.answer)

    def on_write_note(self, message: intents.WriteNote) -> None:
        """A note."""
        self.bridge.write_note(message.n, message.k, message.text)

    def on_label_round(self, message: intents.LabelRound) -> None:
        """A round's name."""
        self.bridge.label_round(message.n, message.k, message.text)

    def on_analyze(self, message: intents.Analyze) -> None:
        """Measure, on the report's screen."""
        self._open(ReportScreen)
        self.bridge.analyze(message.traces)

    def on_open_collect(self, message: intents.OpenCollect) -> None:
        """The collect's screen."""
        self._open(CollectScreen if not message.more else lambda: CollectScreen(message.more))
        self.bridge.open_collect()

    def on_begin_collect(self, message: intents.BeginCollect) -> None:
        """Record."""
        self.bridge.begin_collect(label=message.label, runs=message.runs, resume=message.resume)

    def on_stop_collect(self, message: intents.StopCollect) -> None:
        """End the collect."""
        self.bridge.stop_collect(at_once=message.at_once)

    def on_more_runs(self) -> None:
        """One run more."""
        self.bridge.more_runs()

    def on_watch(self, message: intents.Watch) -> None:
        """A folder, on the collect's screen."""
        self._open(CollectScreen)
        self.bridge.watch(message.folder)

    def on_open_setup(self) -> None:
        """The way to a first config."""
        self._open(SetupScreen)

    def on_look_into(self, message: intents.LookInto) -> None:
        """What a trace holds."""
        self.bridge.look_into(message.trace, message.process)

    def on_write_config(self, message: intents.WriteConfig) -> None:
        """Write the config."""
        self.bridge.write_config(message.text)

    async def on_calibrate(self, message: intents.Calibrate) -> None:
        """Calibrate, on its screen; its module and what that needs are imported beside the event loop."""
        await self._open_late("calibration", "CalibrationScreen")
        self.bridge.calibrate(message.traces, message.report_size)

    def on_write_calibration(self) -> None:
        """Write the section."""
        self.bridge.write_calibration()

    async def on_open_history(self) -> None:
        """The history's screen."""
        await self._open_late("history", "HistoryScreen")
        self.bridge.analyze_history()

    def on_analyze_history(self) -> None:
        """Judge the store again."""
        self.bridge.analyze_history()

    def on_bless_history(self, message: intents.BlessHistory) -> None:
        """Bless a series, or take that back."""
        self.bridge.bless_history(message.flags, message.prefix, message.reason)

    def on_judge_history(self, message: intents.JudgeHistory) -> None:
        """Judge a file."""
        self.bridge.judge_history(message.file)

    async def on_compare_profiles(self, message: intents.CompareProfiles) -> None:
        """Two profiles, on their screen."""
        await self._open_late("profile", "ProfileScreen")
        self.bridge.profile(message.ask)

    def on_export_profile(self) -> None:
        """Write the profile."""
        self.bridge.export_profile()

    def on_open_in_perfetto(self, message: intents.OpenInPerfetto) -> None:
        """A trace in Perfetto's viewer."""
        self.bridge.open_in_perfetto(message.trace)

    def on_open_doctor(self) -> None:
        """The doctor's screen."""
        self._open(DoctorScreen)
        self.bridge.examine()

    async def _open_late(self, module: str, name: str) -> None:
        """Open a screen whose module needs numpy: 0.2 s that the first paint must not wait for."""
        found = await asyncio.to_thread(importlib.import_module, f"echolot_tui.tui.screens.{module}")
        self._open(getattr(found, name))

    def _open(self, kind: Callable[[], Screen[None]]) -> None:
        """Show a screen, unless it is open already."""
        if type(self.screen) is not kind:
            self.push_screen(kind())

    # Actions that work everywhere.

    def do_back(self) -> None:
        """The screen before."""
        if isinstance(self.screen, HomeScreen):
            self.tell("this is the first screen; q leaves", "muted")
        else:
            self.pop_screen()

    def do_help(self) -> None:
        """The keys of this screen."""
        screen = self.screen
        if isinstance(screen, BaseScreen):
            self.push_screen(HelpScreen(TITLES[screen.WHERE], screen.available()))

    def do_palette(self) -> None:
        """Every action by name."""
        self.action_command_palette()

    def do_theme(self) -> None:
        """The next theme."""
        at = _NAMES.index(self.theme) if self.theme in _NAMES else -1
        self.theme = _NAMES[(at + 1) % len(_NAMES)]
        self.tell(f"theme: {self.theme.removeprefix(PREFIX)}")

    def do_glyphs(self) -> None:
        """The next set of signs."""
        self.glyph_level = LEVELS[(LEVELS.index(self.glyph_level) + 1) % len(LEVELS)]
        for screen in self.screen_stack:
            if isinstance(screen, BaseScreen):
                screen.redraw()
                for widget in screen.query(RoleWidget):
                    widget.refresh()  # also lines that stayed: they look different in other signs
        self.tell(f"signs: {self.glyph_level}")

    def do_mouse(self) -> None:
        """Take the mouse, or give it back."""
        driver = self._driver
        if driver is None or not hasattr(driver, "_enable_mouse_support"):
            self.tell("this terminal has no mouse to take", "warning")
            return
        self._mouse_on = not self._mouse_on
        switch_mouse(cast("MouseDriver", driver), on=self._mouse_on)
        self.tell(
            "the mouse works here" if self._mouse_on else "the mouse is the terminal's: select as usual"
        )

    def do_quit(self) -> None:
        """Leave."""
        self.exit()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What the palette offers: the actions of this screen."""
        if not isinstance(screen, BaseScreen):
            return
        for action, reason in screen.available():
            if action.id != "palette":
                text = action.help if reason is None else f"not now: {reason}"
                yield SystemCommand(action.words, text, lambda chosen=action.id: screen.action_do(chosen))
