"""The bridge's part of a set that fills: recorded by a process of its own, or by another tool in a folder."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from echolot_tui.collect.files import CollectFiles
from echolot_tui.collect.progress import read_progress
from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.tui.bridge import no_talk
from echolot_tui.tui.loop_hunts import LOOSE_REPORT, HuntsBridge
from echolot_tui.tui.process import run_verb
from echolot_tui.tui.project_reading import ask_collect, read_collect, read_watched, with_progress
from echolot_tui.tui.store import Ready, ShownCollect, Working

_POLL_S: Final = 0.3


class CollectBridge(HuntsBridge):
    """Adds recording and watching to what :class:`HuntsBridge` does."""

    async def _look_around(self) -> None:
        """What is recorded is part of where the project stands."""
        await super()._look_around()
        if not self._is_busy_collecting:
            await self._read_collect()

    def open_collect(self) -> None:
        """Read what is recorded, or would be, and follow it."""
        self._start("collect", self._read_collect(follow=True))

    def begin_collect(self, *, label: str, runs: int | None, resume: bool) -> None:
        """Start recording in a process of its own, and follow it."""
        arguments = ["collect", "--detach", "--trust", *self._config_flags]
        arguments += ["--resume"] if resume else []
        arguments += ["-n", str(runs)] if runs is not None else []
        arguments += ["--label", label] if label else []
        self._start("collect", self._begin(arguments))

    def stop_collect(self, *, at_once: bool) -> None:
        """Ask the collect in flight to end."""
        self._start("ask", self._ask(stop="now" if at_once else "after run"))

    def more_runs(self) -> None:
        """Ask the collect in flight for one run more."""
        self._start("ask", self._ask(more=1))

    def watch(self, folder: str, flags: Sequence[str] = ()) -> None:
        """Follow a folder that another tool fills, until something else is shown; ``flags`` of the verb."""
        self._start("collect", self._watch(folder, tuple(flags)))

    @property
    def _is_busy_collecting(self) -> bool:
        """Whether the collect's slot is kept up to date by somebody already."""
        slot = self._store.state.collect
        return isinstance(slot, Working) or (isinstance(slot, Ready) and slot.value.running)

    async def _begin(self, arguments: Sequence[str]) -> None:
        before = self._store.state.collect
        self._store.put(collect=Working(text="starting the recorder"))
        try:
            await run_verb((*self._root_flags, *arguments), no_talk)
        except EcholotError as error:
            shown = before.value if isinstance(before, Ready) else ShownCollect()
            self._store.put(collect=Ready(value=replace(shown, problem=error.sentence)))
            return
        await self._read_collect(follow=True)

    async def _read_collect(self, *, follow: bool = False) -> None:
        shown = await asyncio.to_thread(read_collect, self.place)
        self._store.put(collect=Ready(value=shown))
        if shown.running and not follow:
            self._start("collect", self._follow(shown))
        elif shown.running:
            await self._follow(shown)

    async def _follow(self, shown: ShownCollect) -> None:
        """Tell every change until the collect ended; it does not mind whether anybody looks."""
        layout = self.place.layout
        assert layout is not None
        files = CollectFiles(layout=layout)
        while shown.running:
            await asyncio.sleep(_POLL_S)
            progress = await asyncio.to_thread(read_progress, files.progress)
            if progress is None:
                return
            latest = await asyncio.to_thread(with_progress, shown, progress, files)
            if not latest.running:
                await self._show_hunt()  # so that the new round can be compared at once
            if latest != shown:
                shown = latest
                self._store.put(collect=Ready(value=shown))
        self.look_around()

    async def _ask(self, *, stop: str | None = None, more: int = 0) -> None:
        said = await asyncio.to_thread(lambda: ask_collect(self.place, stop=stop, more=more))
        self._say(said)

    async def _watch(self, folder: str, flags: tuple[str, ...]) -> None:
        layout = self.place.layout
        out = Path(LOOSE_REPORT) if layout is None else layout.root / ".echolot" / "watch"
        shown = ShownCollect(watching=folder, running=True)
        self._store.put(collect=Ready(value=shown))
        report = out.absolute() / "report.json"

        async def told(line: bytes) -> None:
            update = msgspec.json.decode(line, type=_Update)
            nonlocal shown
            if update.problem is None:
                shown = await asyncio.to_thread(read_watched, folder, report)
            else:
                shown = replace(shown, notes=(update.problem,))
            self._store.put(collect=Ready(value=shown))

        given = flags or self._config_flags
        arguments = ("watch", "--json", "-o", str(out.absolute()), *given, "--", folder)
        await run_verb((*self._root_flags, *arguments), no_talk, on_output=told)


class _Update(Frozen, frozen=True, kw_only=True):
    """What ``echolot watch --json`` prints, as far as the screen needs it."""

    problem: str | None = None
