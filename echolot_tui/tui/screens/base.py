"""What all screens share: actions with reasons, the status line, the keys line, news from the store."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.message import Message
from textual.screen import Screen

from echolot_tui.present.spans import Line, Role, Span, line, wrapped
from echolot_tui.tui.actions import TITLES, Action, Where, actions_on
from echolot_tui.tui.store import Failed, State, Store, Working
from echolot_tui.tui.widgets.grid import Grid
from echolot_tui.tui.widgets.lines import Lines
from echolot_tui.tui.widgets.prompt import Prompt
from echolot_tui.tui.widgets.roles import RoleWidget
from echolot_tui.tui.widgets.status_line import KeysLine, StatusLine

if TYPE_CHECKING:
    from echolot_tui.tui.app import EcholotApp


class BaseScreen(Screen[None]):
    """A screen: composes its middle, renders the state, does its actions.

    An action ``x`` of ``actions.py`` is done by ``do_x``; ``why_not`` says why it cannot be done now.
    """

    WHERE: ClassVar[Where]
    AUTO_FOCUS = "Grid"

    def __init__(self) -> None:
        super().__init__()
        self._refused = False
        """What the status line says is why an action could not be done."""
        self._cursors: dict[Grid, int] = {}

    def compose(self) -> ComposeResult:
        """The screen's middle, then the two lines at the bottom."""
        yield from self.compose_middle()
        yield Prompt(id="prompt")
        yield StatusLine(id="status")
        yield KeysLine(actions_on(self.WHERE), self.why_not, id="keys")

    def compose_middle(self) -> ComposeResult:
        """The screen's own widgets."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Begin to listen."""
        self._unsubscribe: Callable[[], None] = self.store.subscribe(self._hear)

    def _hear(self, state: State) -> None:
        """A screen that is being taken down loses its widgets before it can stop listening."""
        if self.query(KeysLine):
            self.on_state(state)

    def on_unmount(self) -> None:
        """Stop listening."""
        self._unsubscribe()

    @property
    def echolot(self) -> EcholotApp:
        """The app."""
        return cast("EcholotApp", self.app)

    @property
    def store(self) -> Store:
        """Where the models are."""
        return self.echolot.store

    @property
    def status(self) -> StatusLine:
        """The line that says what is going on."""
        return self.query_one("#status", StatusLine)

    def on_state(self, state: State) -> None:
        """Show what is new."""
        raise NotImplementedError

    def why_not(self, action_id: str) -> str | None:  # noqa: ARG002
        """Why an action cannot be done now; ``None`` when it can."""
        return None

    def would_be_lost(self) -> str | None:
        """What this screen holds that is nowhere else; ``None`` where leaving costs nothing."""
        return None

    def action_do(self, action_id: str) -> None:
        """Do an action, or say why not."""
        reason = self.why_not(action_id)
        self._take_back()
        if action_id != "quit":
            self.echolot.stay()
        if reason is not None:
            self.say(reason, "warning")
            self._refused = True
            return
        do = getattr(self, f"do_{action_id}", None) or getattr(self.echolot, f"do_{action_id}")
        do()

    def on_grid_moved(self, message: Grid.Moved) -> None:
        """Another row: why something could not be done on the one before is no news any more."""
        if self._cursors.get(message.grid) not in {None, message.at}:
            self._take_back()
        self._cursors[message.grid] = message.at

    def _take_back(self) -> None:
        """Say no longer why the last action could not be done."""
        if self._refused:
            self._refused = False
            self.say("")

    def available(self) -> list[tuple[Action, str | None]]:
        """Every action of this screen, with the reason why it cannot be done now."""
        return [(action, self.why_not(action.id)) for action in actions_on(self.WHERE)]

    def say(self, text: str, role: Role = "plain") -> None:
        """Say something on the status line."""
        self._refused = False
        self.status.say(line(Span(text, role)), whole=True)

    def ask(self, sentence: str, what: str, answer: Callable[[str], object], *, value: str = "") -> None:
        """Ask one thing; afterwards the keys go where they went before.

        Args:
            sentence: Said on the status line while it is asked.
            what: Shown in the line to type into while nothing is typed.
            answer: Told what was typed.
            value: What is there to begin with.
        """
        before = self.focused

        def leave() -> None:
            self.say("")
            if before is not None:
                before.focus()

        def answered(text: str) -> None:
            leave()
            answer(text)

        self.say(sentence, "muted")
        self.query_one(Prompt).ask(what, value, answered, cancel=leave)

    def ask_for(self, sentence: str, what: str, intent: Callable[[str], Message], *, value: str = "") -> None:
        """Ask one thing, as :meth:`ask` does, and send it up; nothing typed, nothing sent."""

        def answered(text: str) -> None:
            if text.strip():
                self.post_message(intent(text.strip()))

        self.ask(sentence, what, answered, value=value)

    def say_slot(self, slot: object) -> None:
        """Say what a slot that is not ready has to say."""
        if isinstance(slot, Working):
            self.status.say(line(Span("… ", "muted"), slot.text))
        elif isinstance(slot, Failed):
            log = f"; details in {slot.log}" if slot.log else ""
            self.status.say(line(Span("! ", "error"), f"{slot.sentence}{log}"), whole=True)

    def refresh_keys(self) -> None:
        """Actions became possible or impossible."""
        self.query_one("#keys", KeysLine).remake()

    def on_resize(self) -> None:
        """What is shown depends on the height as well, which no widget is told of."""
        self.redraw()

    def redraw(self) -> None:
        """The screen's size or its signs changed: make every line again."""
        for widget in self.query(RoleWidget):
            remake = getattr(widget, "remake", widget.refresh)
            remake()

    def on_keys_line_pressed(self, message: KeysLine.Pressed) -> None:
        """A click on the keys line."""
        self.action_do(message.action_id)

    def open_head(self, *, opened: bool) -> None:
        """The head in full takes the keys, so that it can be scrolled; closed, the rows have them again."""
        head = self.query_one("#head", Lines)
        head.can_focus = opened
        head.remake()
        (head if opened else self.query_one(Grid)).focus()

    def failure_lines(self, failed: Failed | None, width: int) -> list[Line]:
        """Why there is nothing to show, and what to do."""
        if failed is None:
            return []
        lines = [(), *wrapped(line(Span("! ", "error"), Span(failed.sentence, "strong")), width, indent=2)]
        if failed.log:
            lines += wrapped(line(Span(f"details in {failed.log}", "muted")), width, indent=2)
        return [*lines, (), line(Span("r tries again, esc goes back", "muted"))]

    def title_line(self) -> Line:
        """The screen's name."""
        return line(Span(TITLES[self.WHERE], "heading"))
