"""The app: what it opens with, theme, signs, and the actions that work on every screen."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final, cast

from textual.app import SystemCommand
from textual.command import CommandPalette
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.screen import Screen

from echolot_tui.present.glyphs import GLYPHS, LEVELS, Glyphs, Level
from echolot_tui.present.opening import Opening
from echolot_tui.text import visible
from echolot_tui.tui import intents
from echolot_tui.tui.actions import TITLES, Where
from echolot_tui.tui.answering import AnsweringApp
from echolot_tui.tui.help import HelpScreen
from echolot_tui.tui.loop import LoopBridge
from echolot_tui.tui.screens.base import BaseScreen
from echolot_tui.tui.screens.collect import CollectScreen
from echolot_tui.tui.screens.comparison import ComparisonScreen
from echolot_tui.tui.screens.home import HomeScreen
from echolot_tui.tui.screens.report import ReportScreen
from echolot_tui.tui.store import ComparisonAsk, Failed, ProfileAsk, Ready, Store, Working
from echolot_tui.tui.terminal import Capabilities, MouseDriver, switch_mouse
from echolot_tui.tui.themes import DEFAULT_VARIABLES, PREFIX, THEMES
from echolot_tui.tui.thin_driver import ThinDriver
from echolot_tui.tui.widgets.roles import RoleWidget

_GIVEN_UP: Final[frozenset[Where]] = frozenset(
    {"comparison", "report", "calibration", "history", "profile", "doctor"}
)
"""Screens, and their slots, whose work is done for whoever looks at them."""

_NAMES: Final = tuple(theme.name for theme in THEMES)


class EcholotApp(AnsweringApp):
    """The workbench."""

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
        # Without colours everything is in the terminal's own two, whatever they are: Textual would choose
        # greys on black, and black on black for colours that have no value of their own.
        super().__init__(ansi_color=True if terminal.colours == "none" else None)
        self.animation_level = "none"
        self.terminal = terminal
        self.glyph_level: Level = terminal.glyphs
        self._opening = opening
        self._mouse_on = terminal.mouse
        self._leaving = False
        """q was pressed once and said what would be lost."""
        self.store = Store(self.set_timer, time.monotonic)
        self.bridge = LoopBridge(
            self,
            self.store,
            self.tell,
            copy=self.copy_to_clipboard,
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

    def get_driver_class(self) -> type[Driver]:
        """Ours in the place of Textual's own; another one that was asked for stays."""
        found = super().get_driver_class()
        return ThinDriver if found is LinuxDriver else found

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

    def on_resize(self) -> None:
        """The terminal may have moved or cut what is on it, even where it has its old size again."""
        self._forget_painted()

    def _forget_painted(self) -> None:
        if isinstance(self._driver, ThinDriver):
            self._driver.forget()

    @property
    def glyphs(self) -> Glyphs:
        """The signs in force."""
        return GLYPHS[self.glyph_level]

    # Actions that work everywhere.

    def do_back(self) -> None:
        """The screen before."""
        if isinstance(self.screen, HomeScreen):
            self.tell("this is the first screen; q leaves", "muted")
            return
        left = self.screen
        self.pop_screen()
        if isinstance(left, BaseScreen) and left.WHERE in _GIVEN_UP:
            self._give_up(left.WHERE)

    def _give_up(self, slot: Where) -> None:
        """Work for a screen that was left before it was done ends: nobody waits for it any more."""
        working = getattr(self.store.state, slot)
        if isinstance(working, Working):
            self.workers.cancel_group(self, slot)
            self.store.put(**{slot: Failed(sentence=f"given up when it was left: {working.text}")})
            self.call_after_refresh(self.tell, f"given up: {working.text}", "muted")

    def do_help(self) -> None:
        """The keys of this screen."""
        screen = self.screen
        if isinstance(screen, BaseScreen):
            self.push_screen(HelpScreen(TITLES[screen.WHERE], screen.available()))

    def do_palette(self) -> None:
        """Every action by name."""
        if not isinstance(self.screen, CommandPalette):
            self.push_screen(CommandPalette(id="--command-palette", placeholder="an action, by its name"))

    def do_theme(self) -> None:
        """The next theme."""
        if self.terminal.colours == "none":
            self.tell("NO_COLOR is set: every theme looks the same")
            return
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

    def do_repaint(self) -> None:
        """Everything again, whatever is on the terminal."""
        self._forget_painted()
        self.screen.refresh()

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

    def do_suspend(self) -> None:
        """Back to the shell, which can bring the app to the front again."""
        self.action_suspend_process()

    def do_quit(self) -> None:
        """Leave; what would be lost is said first, and a second press leaves all the same."""
        lost = [text for text in self._would_be_lost() if text]
        if lost and not self._leaving:
            self._leaving = True
            self.tell(f"{' and '.join(lost)}; q again leaves", "warning")
        else:
            self.exit()

    async def action_quit(self) -> None:
        """ctrl+q, which Textual binds, asks as q does."""
        self.do_quit()

    def action_help_quit(self) -> None:
        """ctrl+c, which Textual binds: how to leave, where everything else is said."""
        self.tell("q leaves, ctrl+z goes back to the shell", "muted")

    def stay(self) -> None:
        """Something else was done: the next q is the first one."""
        self._leaving = False

    def _would_be_lost(self) -> Iterable[str | None]:
        """What ends with the app and is nowhere else. A recording is a process of its own and goes on."""
        slot = self.store.state.collect
        if isinstance(slot, Ready) and slot.value.watching is not None and slot.value.running:
            yield f"watching {visible(slot.value.watching, 60)} ends with this app"
        for screen in self.screen_stack:
            yield screen.would_be_lost() if isinstance(screen, BaseScreen) else None

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What the palette offers: the actions of this screen."""
        if not isinstance(screen, BaseScreen):
            return
        for action, reason in screen.available():
            if action.id != "palette":
                text = action.help if reason is None else f"not now: {reason}"
                yield SystemCommand(action.words, text, lambda chosen=action.id: screen.action_do(chosen))
