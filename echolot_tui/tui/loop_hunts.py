"""The bridge's part of the hunts: what Home shows, the record's verbs, measuring traces that are here."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.investigate.model import Hunt
from echolot_tui.tui.bridge import no_talk
from echolot_tui.tui.clock import now
from echolot_tui.tui.loop_history import HistoryBridge
from echolot_tui.tui.process import run_verb
from echolot_tui.tui.project_reading import Place, read_hunts
from echolot_tui.tui.reading import find_reports
from echolot_tui.tui.store import HomeView, Ready, Working

LOOSE_REPORT: Final = "echolot-report"
"""Where reports go in a place without a config."""


class HuntsBridge(HistoryBridge):
    """Adds hunts and their rounds to what :class:`HistoryBridge` does."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.place = Place(self._config_flags)
        self._hunt: int | None = None

    def look_around(self) -> None:
        """Find out where the project stands, which hunts and reports there are, and what is recorded.

        A look that is still under way is given up: what it read may be older than what changed since.
        """
        self._start("home", self._look_around())

    def look_at_hunt(self, n: int | None) -> None:
        """Whose rounds the next look around shows; ``None`` means the current one's."""
        self._hunt = n

    def show_hunt(self, n: int) -> None:
        """Look at another hunt's rounds."""
        self._hunt = n
        self._start("hunt", self._show_hunt())

    def ask_hunt(self, question: str, since: str) -> None:
        """Open a hunt and look at it."""
        self._hunt = None
        about = ("--since", since) if since else ()
        self._step("hunt opened", ("hunt", *about, *self._config_flags, "--", question))

    def resume_hunt(self, n: int, *, closed: bool) -> None:
        """Go on with a hunt."""
        self._hunt = n
        how = "--reopen" if closed else "--resume"
        self._step(f"hunt {n} is the current one", ("hunt", how, str(n), *self._config_flags))

    def conclude_hunt(self, answer: str) -> None:
        """Close the current hunt."""
        self._step("hunt concluded", ("hunt", "--done", answer, *self._config_flags))

    def write_note(self, n: int, k: int | None, text: str) -> None:
        """Write a note."""
        about = ("--round", str(k)) if k is not None else ()
        self._step("noted", ("note", "--hunt", str(n), *about, *self._config_flags, "--", text))

    def label_round(self, n: int, k: int, text: str) -> None:
        """Name a round."""
        arguments = ("round", str(k), "--hunt", str(n), "--label", text, *self._config_flags)
        self._step(f"round {k} is called {text}" if text.strip() else f"round {k} has no label", arguments)

    def analyze(self, traces: Sequence[str]) -> None:
        """Measure traces and open their report."""
        self._start("report", self._analyze(tuple(traces)))

    def _step(self, said: str, arguments: Sequence[str]) -> None:
        """A verb that changes the record, then another look at it."""
        self._start("step", self._step_and_look(said, tuple(arguments)))

    async def _step_and_look(self, said: str, arguments: Sequence[str]) -> None:
        await run_verb((*self._root_flags, *arguments), no_talk)
        self._say(said)
        self.look_around()

    async def _look_around(self) -> None:
        before = self._store.state.home
        if not isinstance(before, Ready):
            self._store.put(home=Working(text="looking at the project"))
        trouble: tuple[tuple[str, str], ...] = ()
        try:
            hunts, shown = await asyncio.to_thread(read_hunts, self.place, self._hunt)
        except EcholotError as error:  # the record is damaged: everything else still works
            hunts, shown, trouble = (), None, (("warning", error.sentence),)
        home = HomeView(standing=trouble, next_step="", reports=(), hunts=hunts, shown=shown, at=now())
        if hunts and not isinstance(before, Ready):
            self._store.put(home=Ready(value=home))
        printed = await run_verb((*self._root_flags, "status", "--json", *self._config_flags), no_talk)
        status = msgspec.json.decode(printed, type=_Status)
        layout = self.place.layout
        root = Path.cwd() if layout is None else layout.root
        reports = await asyncio.to_thread(find_reports, root)
        self._store.put(
            home=Ready(
                value=replace(
                    home,
                    standing=(*trouble, *_standing(status, hunts)),
                    next_step=status.todo,
                    next_word=status.next,
                    config=status.config,
                    has_config=layout is not None,
                    reports=reports,
                )
            )
        )

    async def _show_hunt(self) -> None:
        hunts, shown = await asyncio.to_thread(read_hunts, self.place, self._hunt)
        slot = self._store.state.home
        if isinstance(slot, Ready):
            self._store.put(home=Ready(value=replace(slot.value, hunts=hunts, shown=shown, at=now())))

    async def _analyze(self, traces: tuple[str, ...]) -> None:
        out = () if self.place.config is not None else ("-o", LOOSE_REPORT)
        arguments = ("analyze", "--json", *out, *self._config_flags, "--", *traces)
        await self._verb("report", arguments, f"measuring {' '.join(traces)}")
        path = await asyncio.to_thread(self._latest_report)
        await self._open_report(str(path))
        self.look_around()

    def _open_sides(self, opened: Path) -> list[tuple[str, Path]]:
        """Without a comparison: the round before the report's in the shown hunt, else the one after."""
        home, layout = self._store.state.home, self.place.layout
        sides = super()._open_sides(opened)
        if sides or not isinstance(home, Ready) or home.value.shown is None or layout is None:
            return sides
        rounds = [
            (of.name, layout.root / of.report.path)
            for of in home.value.shown.hunt.measured
            if of.report is not None
        ]
        at = next((at for at, (_, path) in enumerate(rounds) if path.resolve() == opened), None)
        return [] if at is None else rounds[at - 1 : at] or rounds[at + 1 : at + 2]

    def _latest_report(self) -> Path:
        """Where ``analyze`` has just put its report."""
        layout = self.place.layout
        if layout is None:
            return Path(LOOSE_REPORT) / "report.json"
        hunts, _ = read_hunts(self.place, None)
        preferred = next((hunt.scenario for hunt in hunts if hunt.current), None)
        return layout.out(self.place.scenario(self.place.load(), preferred)) / "report.json"


class _Status(Frozen, frozen=True, kw_only=True):
    """What ``echolot status --json`` prints, as far as Home shows it."""

    config: str | None = None
    config_error: str | None = None
    warnings: tuple[str, ...] = ()
    engine: str = ""
    traces: int = 0
    collect: str | None = None
    scenarios: tuple[str, ...] = ()
    reports: dict[str, str] = {}
    next: str = ""
    todo: str = ""


def _standing(status: _Status, hunts: Sequence[Hunt]) -> tuple[tuple[str, str], ...]:
    """Where the project stands; the last report is a round's where none was made outside the hunts."""
    lines = [("config", status.config or status.config_error or "none: no echolot.yml here or above")]
    lines += [("warning", text) for text in status.warnings]
    lines.append(("engine", status.engine))
    if status.config:
        lines.append(("traces", str(status.traces)))
        lines += [("collect", status.collect)] if status.collect else []
        reports = [f"{name}: {text}" for name, text in status.reports.items()]
        lines += [("report", text) for text in reports or [_last_report(hunts)]]
    return tuple(lines)


def _last_report(hunts: Sequence[Hunt]) -> str:
    """Of the round touched last; of two touched in one second, the later round."""
    measured = [
        (of.touched_at, hunt.n, of.k, of.name, of.report.generated_at)
        for hunt in hunts
        for of in hunt.rounds
        if of.report is not None
    ]
    if not measured:
        return "none yet"
    touched, n, _, name, made = max(measured, key=lambda each: each[:3])
    return f"hunt {n}, {name} · {made or touched}"
