"""The only caller of the core: starts named work, cancels it, turns results and errors into state.

Whatever needs numpy, an engine or more than a moment is a verb run in a process of its own; what is
left here is reading files and filtering models, milliseconds each.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import traceback
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from echolot_tui.compare.codec import encode_comparison
from echolot_tui.compare.model import Comparison, Row
from echolot_tui.compare.view import ViewOptions, view
from echolot_tui.errors import EcholotError
from echolot_tui.measure.detector_file import Setting
from echolot_tui.measure.plan import Decision
from echolot_tui.present.comparison_markdown import comparison_markdown
from echolot_tui.project.files import write_atomic
from echolot_tui.report.view import sections
from echolot_tui.tui.decoding import decode_in_pieces
from echolot_tui.tui.process import run_verb
from echolot_tui.tui.reading import judge_again, read_report
from echolot_tui.tui.store import (
    ComparisonAsk,
    Failed,
    ProfileAsk,
    Ready,
    ShownComparison,
    ShownProfile,
    ShownReport,
    Store,
    Working,
)

T = TypeVar("T")


class Workers(Protocol):
    """Where work is started: the app."""

    def run_worker(
        self, work: Coroutine[Any, Any, None], *, name: str, group: str, exclusive: bool, exit_on_error: bool
    ) -> object:
        """Run a coroutine beside the event loop's other work."""


class Bridge:
    """Does what screens ask for and puts the outcome into the store.

    Args:
        workers: Starts coroutines.
        store: Where outcomes go.
        say: Tells the person something that is no state: where a file went.
        log_folder: Where tracebacks go.
        root_flags: Flags in front of every verb, as they were given.
        config_flags: Flags that name the config and the scenario.
    """

    def __init__(
        self,
        workers: Workers,
        store: Store,
        say: Callable[[str], None],
        *,
        log_folder: Path,
        root_flags: Sequence[str] = (),
        config_flags: Sequence[str] = (),
    ) -> None:
        self._workers = workers
        self._store = store
        self._say = say
        self._log_folder = log_folder
        self._root_flags = tuple(root_flags)
        self._config_flags = tuple(config_flags)
        self._last_opened: str | None = None
        self._last_compared: tuple[ComparisonAsk, ViewOptions] | None = None
        self._last_profiled: ProfileAsk | None = None
        self._read: dict[str, ShownReport] = {}

    def compare(self, ask: ComparisonAsk, options: ViewOptions | None = None) -> None:
        """Compare sides and show the outcome."""
        self._last_compared = ask, options or ViewOptions()
        self.compare_again()

    def compare_again(self) -> None:
        """Compare what was compared last, or failed to be."""
        if self._last_compared is not None:
            self._start("comparison", self._compare(*self._last_compared))

    def look_at(self, options: ViewOptions) -> None:
        """Other filters or another order over the comparison that is open."""
        slot = self._store.state.comparison
        if isinstance(slot, Ready):
            shown = slot.value
            seen = view(shown.comparison, options)
            self._store.answer(comparison=Ready(value=replace(shown, options=options, view=seen)))

    def export(self) -> None:
        """Write the comparison that is open."""
        slot = self._store.state.comparison
        if isinstance(slot, Ready):
            self._start("export", self._export(slot.value))

    def open_report(self, path: str | None) -> None:
        """Read a report, the rows beside it, and the settings of today; the last one again without a path."""
        self._last_opened = path or self._last_opened
        self._read.clear()
        if self._last_opened is not None:
            self._start("report", self._open_report(self._last_opened))

    def filter_report(self, text: str) -> None:
        """Only rows of the report that hold a text."""
        slot = self._store.state.report
        if isinstance(slot, Ready):
            found = sections(slot.value.report, text)
            self._store.answer(report=Ready(value=replace(slot.value, text=text, sections=found)))

    def move_threshold(self, detector_id: str, params: Mapping[str, Setting]) -> None:
        """Judge a detector's stored rows under other parameters, on every side that is open."""
        self._start("what_if", self._move_threshold(detector_id, dict(params)))

    def profile(self, ask: ProfileAsk | None) -> None:
        """Lay two sides' stacks over each other; the last ones again where none are named."""
        self._last_profiled = ask or self._last_profiled
        if self._last_profiled is not None:
            self._start("profile", self._profile(self._last_profiled))

    def export_profile(self) -> None:
        """Write the profile that is open."""
        slot = self._store.state.profile
        if isinstance(slot, Ready):
            self._start("export_profile", self._export_profile(slot.value))

    def _start(self, slot: str, work: Coroutine[Any, Any, None]) -> None:
        """Work of one name replaces what is still running under it."""
        self._workers.run_worker(
            self._guarded(slot, work), name=slot, group=slot, exclusive=True, exit_on_error=False
        )

    async def _guarded(self, slot: str, work: Coroutine[Any, Any, None]) -> None:
        """The one place where failures of the core end: as a sentence, the traceback in a file."""
        try:
            await work
        except EcholotError as error:
            self._fail(slot, Failed(sentence=error.sentence))
        except Exception as error:  # noqa: BLE001 - a bug costs this answer, never the app
            log = write_log(self._log_folder, error)
            self._fail(slot, Failed(sentence=f"this is a bug in echolot ({type(error).__name__})", log=log))

    def _fail(self, slot: str, failed: Failed) -> None:
        if hasattr(self._store.state, slot):
            self._store.put(**{slot: failed})
        else:
            self._say(failed.sentence)

    async def _verb(self, slot: str, arguments: Sequence[str], text: str) -> bytes:
        """Run a verb, its talk being shown while it works."""
        self._store.put(**{slot: Working(text=text)})
        return await run_verb(
            (*self._root_flags, *arguments), lambda said: self._store.put(**{slot: Working(text=said)})
        )

    async def _compare(self, ask: ComparisonAsk, options: ViewOptions) -> None:
        names = ("--names", ",".join(ask.names)) if any(ask.names) else ()
        arguments = (
            "compare",
            "--json",
            "--no-write",
            *ask.flags,
            *ask.first_flags,
            *names,
            "--",
            *ask.sides,
        )
        printed = await self._verb(
            "comparison", arguments, f"comparing {' with '.join(ask.sides) or 'two sides'}"
        )
        comparison = await decode_in_pieces(printed, Comparison, field="rows", item=Row, what="comparison")
        await asyncio.sleep(0)
        seen = view(comparison, options)
        await asyncio.sleep(0)
        asked = replace(ask, sides=_paths(comparison), first_flags=())
        shown = ShownComparison(ask=asked, comparison=comparison, options=options, view=seen)
        self._store.put(comparison=Ready(value=shown))

    async def _export(self, shown: ShownComparison) -> None:
        folder = Path(shown.ask.folder or "echolot-comparison")
        paths = await asyncio.to_thread(_write, folder, _comparison_files, shown.comparison)
        self._say(f"wrote {' and '.join(paths)}")

    async def _profile(self, ask: ProfileAsk) -> None:
        arguments = (
            "profile",
            "--json",
            "--no-write",
            *self._config_flags,
            *(("--names", ",".join(ask.names)) if ask.names else ()),
            *ask.flags,
            "--",
            ask.before,
            ask.after,
        )
        printed = await self._verb(
            "profile", arguments, f"comparing the stacks of {ask.before} and {ask.after}"
        )
        reading = await _late("echolot_tui.tui.profile_reading")
        tree = await reading.read_tree(printed)
        self._store.put(profile=Ready(value=ShownProfile(ask=ask, tree=tree)))

    async def _export_profile(self, shown: ShownProfile) -> None:
        folder = Path(shown.ask.folder or "echolot-profile")
        files = (await _late("echolot_tui.present.profile_files")).profile_files
        paths = await asyncio.to_thread(_write, folder, files, shown.tree.profile)
        self._say(f"wrote {' and '.join(paths)}")

    async def _open_report(self, path: str) -> None:
        self._store.put(report=Working(text=f"reading {path}"))
        found = await asyncio.to_thread(read_report, Path(path))
        self._store.put(report=Ready(value=found))
        self._read[found.path] = found
        try:
            printed = await run_verb((*self._root_flags, "explain", "--json", *self._config_flags), no_talk)
            known: dict[str, object] = {"decisions": msgspec.json.decode(printed, type=tuple[Decision, ...])}
        except EcholotError as error:
            known = {"settings_note": error.sentence}
        slot = self._store.state.report
        if isinstance(slot, Ready):  # a filter may have been typed meanwhile
            self._store.put(report=Ready(value=replace(slot.value, **known)))

    async def _move_threshold(self, detector_id: str, params: dict[str, Setting]) -> None:
        slot = self._store.state.report
        if not isinstance(slot, Ready):
            return
        shown = slot.value
        decision = next((one for one in shown.decisions if one.detector.id == detector_id), None)
        if decision is None:
            raise EcholotError(shown.settings_note or "the settings are still being read")
        sides = [("this report", shown), *await asyncio.to_thread(self._other_sides, shown.path)]
        judged = await asyncio.to_thread(judge_again, sides, decision, params)
        self._store.answer(what_if=Ready(value=judged))

    def _other_sides(self, open_path: str) -> list[tuple[str, ShownReport]]:
        """What else is open beside a report, other than the report itself; each read once."""
        opened = Path(open_path).resolve()
        found = []
        for name, path in self._open_sides(opened):
            if path.name == "report.json" and path.resolve() != opened:
                with contextlib.suppress(EcholotError):  # a side whose file is gone is left out
                    if str(path) not in self._read:
                        self._read[str(path)] = read_report(path)
                    found.append((name, self._read[str(path)]))
        return found

    def _open_sides(self, opened: Path) -> list[tuple[str, Path]]:
        """Name and report of every side of the comparison that is open."""
        del opened
        slot = self._store.state.comparison
        if not isinstance(slot, Ready):
            return []
        comparison = slot.value.comparison
        sides = (comparison.before, comparison.after, *(other.after for other in comparison.others))
        return [(side.name, Path(side.path)) for side in sides]


def _paths(comparison: Comparison) -> tuple[str, ...]:
    """Where every side came from, in order."""
    others = (comparison, *comparison.others)
    return (comparison.before.path, *(other.after.path for other in others))


def no_talk(text: str) -> None:
    """Talk of a verb nobody waits for."""


def write_log(folder: Path, error: Exception) -> str | None:
    """Write a traceback; the file's name, or ``None`` where it cannot be written."""
    path = folder / "tui.log"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as handle:
            handle.write("".join(traceback.format_exception(error)))
    except OSError:  # the sentence on the screen has to do
        return None
    return str(path)


async def _late(module: str) -> Any:
    """A module that imports numpy, 0.2 s that only some screens need."""
    return await asyncio.to_thread(importlib.import_module, module)


def _comparison_files(comparison: Comparison) -> dict[str, bytes]:
    return {
        "comparison.md": comparison_markdown(comparison).encode(),
        "comparison.json": encode_comparison(comparison),
    }


def _write(folder: Path, files: Callable[[T], Mapping[str, bytes]], model: T) -> list[str]:
    """Write a model's files, in order; where they are."""
    contents = {folder / name: content for name, content in files(model).items()}
    for path, content in contents.items():
        write_atomic(path, content)
    return [str(path) for path in contents]
