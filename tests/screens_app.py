"""The app without a terminal and without the core: given a state, told keys, looked at."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.screen import Screen

from echolot_tui.compare.view import ViewOptions
from echolot_tui.present.opening import Opening
from echolot_tui.tui.app import EcholotApp
from echolot_tui.tui.loop import LoopBridge
from echolot_tui.tui.perfetto import PerfettoAsk
from echolot_tui.tui.store import QUIET_S, ComparisonAsk, ProfileAsk
from echolot_tui.tui.terminal import Capabilities

OpenApp = Callable[..., Any]
Same = Callable[[Pilot[None]], None]

MOST_FRAMES = 50


class RecordingBridge(LoopBridge):
    """Filters and judges as ever; what would start a process, or write a file, is only written down."""

    def __init__(self, app: PlainApp, log: Path) -> None:
        super().__init__(app, app.store, app.tell, copy=app.copy_to_clipboard, log_folder=log)
        self.asked: list[tuple[object, ...]] = []

    def compare(self, ask: ComparisonAsk, options: ViewOptions | None = None) -> None:
        self.asked.append(("compare", ask))

    def compare_again(self) -> None:
        self.asked.append(("compare again",))

    def export(self) -> None:
        self.asked.append(("export",))

    def open_report(self, path: str | None) -> None:
        self.asked.append(("report", path))

    def look_around(self) -> None:
        self.asked.append(("look around",))

    def _step(self, said: str, arguments: Sequence[str]) -> None:
        self.asked.append(tuple(arguments))

    def show_hunt(self, n: int) -> None:
        self.asked.append(("show hunt", n))

    def analyze(self, traces: Sequence[str]) -> None:
        self.asked.append(("analyze", *traces))

    def open_collect(self) -> None:
        self.asked.append(("open collect",))

    def begin_collect(self, **given: Any) -> None:
        self.asked.append(("begin", given))

    def stop_collect(self, *, at_once: bool) -> None:
        self.asked.append(("stop", "now" if at_once else "after this run"))

    def more_runs(self) -> None:
        self.asked.append(("more",))

    def watch(self, folder: str, flags: Sequence[str] = ()) -> None:
        self.asked.append(("watch", folder))

    def look_into(self, trace: str, process: str | None) -> None:
        self.asked.append(("look into", trace, process))
        self._store.put(setup=self._store.state.setup)  # what the test gave is the answer

    def write_config(self, text: str) -> None:
        self.asked.append(("write config", text))

    def calibrate(self, traces: Sequence[str], report_size: int | None) -> None:
        self.asked.append(("calibrate", tuple(traces), report_size))

    def write_calibration(self) -> None:
        self.asked.append(("write calibration",))

    def analyze_history(self) -> None:
        self.asked.append(("analyze history",))

    def bless_history(self, flags: tuple[str, ...], prefix: str, reason: str | None) -> None:
        self.asked.append(("bless", flags, prefix, reason))

    def judge_history(self, file: str) -> None:
        self.asked.append(("judge", file))

    def profile(self, ask: ProfileAsk | None) -> None:
        self.asked.append(("profile", ask))

    def export_profile(self) -> None:
        self.asked.append(("export profile",))

    def open_in_perfetto(self, ask: PerfettoAsk) -> None:
        self.asked.append(("perfetto", *ask.arguments))

    def examine(self) -> None:
        self.asked.append(("examine",))


class PlainApp(EcholotApp):
    """The app with a given state instead of what the core would make; nothing runs beside it."""

    def __init__(
        self,
        state: dict[str, Any],
        screens: Sequence[Callable[[], Screen[None]]],
        terminal: Capabilities,
        log: Path,
    ) -> None:
        super().__init__(terminal, Opening(), log_folder=log)
        self.given_state = state
        self.given_screens = screens
        self.recorded = RecordingBridge(self, log)
        self.bridge = self.recorded
        self.repaints = 0

    def do_repaint(self) -> None:
        """As ever, and counted."""
        self.repaints += 1
        super().do_repaint()

    def action_suspend_process(self) -> None:
        """A test must not be stopped."""
        self.recorded.asked.append(("suspend",))

    def open_first(self) -> None:
        """Show the given screens."""
        self.store.put(**self.given_state)
        for screen in self.given_screens:
            self.push_screen(screen())

    @property
    def text(self) -> str:
        """What is on the screen."""
        lines = [
            "".join(segment.text for segment in strip) for strip in self.screen._compositor.render_strips()
        ]
        return "\n".join(line.rstrip() for line in lines) + "\n"

    @property
    def svg(self) -> str:
        """A picture of the screen, without what differs from run to run."""
        return re.sub(r"terminal-\d+", "terminal", self.export_screenshot())


def terminal(**fields: Any) -> Capabilities:
    """A plain terminal."""
    given: dict[str, Any] = {
        "refusal": None,
        "term": "xterm-256color",
        "encoding": "utf-8",
        "colours": "true",
        "glyphs": "blocks",
        "theme": "dark",
        "mouse": False,
        "remote": False,
        "multiplexed": False,
        "width": 80,
        "height": 24,
    }
    return Capabilities(**(given | fields))


async def settle(pilot: Pilot[None]) -> None:
    """Wait until no work runs and two frames in a row are equal.

    "Is it idle?" alone takes a process that gets no processor for an idle one.
    """
    before = None
    for _ in range(MOST_FRAMES):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        if pilot.app.store._waiting:
            await pilot.pause(QUIET_S)
        frame = [tuple(strip) for strip in pilot.app.screen._compositor.render_strips()]
        if frame == before:
            return
        before = frame
    raise AssertionError(f"the screen does not come to rest in {MOST_FRAMES} frames")


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys one by one, waiting for the screen to come to rest after each."""
    for key in keys:
        await pilot.press(key)
        await settle(pilot)
