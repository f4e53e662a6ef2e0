"""The bridge's other half: the investigation loop, from the first config to the conclusion."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from echolot_tui.calibrate.model import Calibration
from echolot_tui.collect.files import CollectFiles
from echolot_tui.collect.progress import read_progress
from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.measure.inventory import Probe
from echolot_tui.project.files import write_atomic
from echolot_tui.project.load import CONFIG_NAME
from echolot_tui.selfcheck.model import Doctor
from echolot_tui.tui.bridge import no_talk
from echolot_tui.tui.clock import now
from echolot_tui.tui.loop_history import HistoryBridge
from echolot_tui.tui.perfetto import PORT, serve
from echolot_tui.tui.process import run_verb
from echolot_tui.tui.project_reading import (
    Place,
    ask_collect,
    first_trace,
    read_collect,
    read_hunts,
    read_watched,
    with_progress,
)
from echolot_tui.tui.reading import find_reports
from echolot_tui.tui.store import (
    HomeView,
    Ready,
    SetupView,
    ShownCalibration,
    ShownCollect,
    Working,
)

_POLL_S: Final = 0.3
_CALIBRATED: Final = "echolot.calibrated.yml"
_LOOSE_REPORT: Final = "echolot-report"


class LoopBridge(HistoryBridge):
    """Adds hunts, collect, setup, calibration to what :class:`HistoryBridge` does."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.place = Place(self._config_flags)
        self._hunt: int | None = None
        self._label: str | None = None

    # Home.

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
                    standing=(*trouble, *_standing(status)),
                    next_step=status.todo,
                    next_word=status.next,
                    config=status.config,
                    has_config=layout is not None,
                    reports=reports,
                )
            )
        )
        if not self._is_busy_collecting:
            await self._read_collect()

    @property
    def _is_busy_collecting(self) -> bool:
        """Whether the collect's slot is kept up to date by somebody already."""
        slot = self._store.state.collect
        return isinstance(slot, Working) or (isinstance(slot, Ready) and slot.value.running)

    async def _show_hunt(self) -> None:
        hunts, shown = await asyncio.to_thread(read_hunts, self.place, self._hunt)
        slot = self._store.state.home
        if isinstance(slot, Ready):
            self._store.put(home=Ready(value=replace(slot.value, hunts=hunts, shown=shown, at=now())))

    async def _analyze(self, traces: tuple[str, ...]) -> None:
        out = () if self.place.config is not None else ("-o", _LOOSE_REPORT)
        arguments = ("analyze", "--json", *out, *self._config_flags, "--", *traces)
        await self._verb("report", arguments, f"measuring {' '.join(traces)}")
        path = await asyncio.to_thread(self._latest_report)
        await self._open_report(str(path))
        self.look_around()

    def _latest_report(self) -> Path:
        """Where ``analyze`` has just put its report."""
        layout = self.place.layout
        if layout is None:
            return Path(_LOOSE_REPORT) / "report.json"
        hunts, _ = read_hunts(self.place, None)
        preferred = next((hunt.scenario for hunt in hunts if hunt.current), None)
        return layout.out(self.place.scenario(self.place.load(), preferred)) / "report.json"

    # Collect.

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
        out = Path(_LOOSE_REPORT) if layout is None else layout.root / ".echolot" / "watch"
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

    def open_in_perfetto(self, trace: str) -> None:
        """Serve a trace to Perfetto's viewer and say what to open."""
        self._start("perfetto", self._open_in_perfetto(trace))

    async def _open_in_perfetto(self, trace: str) -> None:
        loop = asyncio.get_running_loop()

        def fetched(text: str) -> None:
            loop.call_soon_threadsafe(self._say, text)

        opened = await asyncio.to_thread(serve, Path(trace), fetched)
        self._say(f"open {opened} in a browser on this machine (over ssh: ssh -L {PORT}:127.0.0.1:{PORT})")

    # First start.

    def look_into(self, trace: str, process: str | None) -> None:
        """List a trace's processes, or what one of them has for anchors."""
        self._start("setup", self._look_into(trace, process))

    def write_config(self, text: str) -> None:
        """Write the config, unless there is one meanwhile."""
        self._start("step", self._write_config(text))

    async def _look_into(self, trace: str, process: str | None) -> None:
        self._store.put(setup=Working(text=f"looking into {trace}"))
        path = await asyncio.to_thread(first_trace, trace)
        chosen = ("--process", process) if process else ()
        printed = await self._verb(
            "setup", ("probe", "--json", *chosen, "--", path), f"looking into {Path(path).name}"
        )
        found = msgspec.json.decode(printed, type=Probe)
        self._store.put(setup=Ready(value=SetupView(trace=trace, probe=found)))

    async def _write_config(self, text: str) -> None:
        path = Path.cwd() / CONFIG_NAME
        if await asyncio.to_thread(path.exists):
            raise EcholotError("is there already, so nothing was written", where=str(path))
        await asyncio.to_thread(write_atomic, path, text.encode())
        self._say(f"wrote {path}")
        slot = self._store.state.home
        if isinstance(slot, Ready):  # the keys that need a config work at once
            self._store.put(home=Ready(value=replace(slot.value, has_config=True)))
        self.look_around()

    # Calibration.

    def calibrate(self, traces: Sequence[str], report_size: int | None) -> None:
        """Derive thresholds."""
        self._start("calibration", self._calibrate(tuple(traces), report_size))

    def write_calibration(self) -> None:
        """Write the section that is shown, beside the config."""
        slot = self._store.state.calibration
        if isinstance(slot, Ready):
            self._start("step", self._write_calibration(slot.value))

    def examine(self) -> None:
        """Let the machine check itself."""
        self._start("doctor", self._examine())

    async def _examine(self) -> None:
        arguments = ("doctor", "--json", *self._config_flags)
        printed = await self._verb("doctor", arguments, "checking this machine; it takes a few seconds")
        self._store.put(doctor=Ready(value=msgspec.json.decode(printed, type=Doctor)))

    async def _calibrate(self, traces: tuple[str, ...], report_size: int | None) -> None:
        # Deferred: it imports numpy, 0.2 s that only this screen needs.
        from echolot_tui.present.calibration_yaml import section_yaml  # noqa: PLC0415

        size = ("--by", "report-size", str(report_size)) if report_size is not None else ()
        arguments = ("calibrate", "--json", *size, *self._config_flags, "--", *traces)
        printed = await self._verb("calibration", arguments, f"calibrating on {' '.join(traces)}")
        calibration = msgspec.json.decode(printed, type=Calibration)
        layout = self.place.layout
        path = (layout.root if layout is not None else Path.cwd()) / _CALIBRATED
        section = await asyncio.to_thread(section_yaml, calibration)
        shown = ShownCalibration(calibration=calibration, traces=traces, path=str(path), section=section)
        self._store.put(calibration=Ready(value=shown))

    async def _write_calibration(self, shown: ShownCalibration) -> None:
        await asyncio.to_thread(write_atomic, Path(shown.path), shown.section.encode())
        self._say(f"wrote {shown.path}; merge it into the config yourself")


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


class _Update(Frozen, frozen=True, kw_only=True):
    """What ``echolot watch --json`` prints, as far as the screen needs it."""

    problem: str | None = None


def _standing(status: _Status) -> tuple[tuple[str, str], ...]:
    """Where the project stands."""
    lines = [("config", status.config or status.config_error or "none: no echolot.yml here or above")]
    lines += [("warning", text) for text in status.warnings]
    lines.append(("engine", status.engine))
    if status.config:
        lines.append(("traces", str(status.traces)))
        lines += [("collect", status.collect)] if status.collect else []
        lines += [("report", f"{name}: {text}") for name, text in status.reports.items()]
    return tuple(lines)
