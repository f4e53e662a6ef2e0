"""What the app does with an intent: it opens the screen that is meant and has the bridge do the work."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable

from textual.app import App
from textual.screen import Screen

from echolot_tui.present.spans import Role
from echolot_tui.tui import intents
from echolot_tui.tui.clipboard import fits, write_aside
from echolot_tui.tui.loop import LoopBridge
from echolot_tui.tui.screens.base import BaseScreen
from echolot_tui.tui.screens.collect import CollectScreen
from echolot_tui.tui.screens.comparison import ComparisonScreen
from echolot_tui.tui.screens.detectors import DetectorsScreen
from echolot_tui.tui.screens.doctor import DoctorScreen
from echolot_tui.tui.screens.report import ReportScreen
from echolot_tui.tui.screens.setup import SetupScreen


class AnsweringApp(App[None]):
    """Screens send intents up; the bridge answers them through the store."""

    bridge: LoopBridge

    def tell(self, text: str, role: Role = "plain") -> None:
        """Say something on the screen that is open."""
        screen = self.screen
        if isinstance(screen, BaseScreen):
            screen.say(text, role)

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
        """A trace in Perfetto's UI."""
        self.bridge.open_in_perfetto(message.ask)

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
