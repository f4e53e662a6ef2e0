"""The project on disk as Home and Collect need it; called by the bridge, in a thread."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from echolot_tui.collect.control import leave_request, read_request
from echolot_tui.collect.files import CollectFiles
from echolot_tui.collect.live import facts_of, notes_on
from echolot_tui.collect.model import Progress, Request, RunRecord
from echolot_tui.collect.progress import is_lost, is_running, read_progress
from echolot_tui.collect.recipe import commands_of
from echolot_tui.collect.run_line import lines_of, lines_of_report, seconds_left
from echolot_tui.errors import ConfigError, EcholotError
from echolot_tui.investigate.model import Hunt
from echolot_tui.investigate.store import Store as Record
from echolot_tui.investigate.view import HuntView, hunt_view
from echolot_tui.measure.inputs import resolve_traces
from echolot_tui.project.files import read_bytes
from echolot_tui.project.layout import Layout, find_config
from echolot_tui.project.load import LoadedConfig, load_config
from echolot_tui.project.scenario import Scenario, resolve_scenario
from echolot_tui.report.codec import decode_report
from echolot_tui.text import visible
from echolot_tui.tui.clock import now
from echolot_tui.tui.store import CollectPlan, ShownCollect

_LOG_LINES: Final = 200
_LOG_BYTES: Final = 1 << 16


class Place:
    """Where the project is, as the flags name it, else by looking for it.

    Args:
        config_flags: ``-c FILE``, ``--local FILE``, ``--scenario NAME``, as they were given.
    """

    def __init__(self, config_flags: Sequence[str]) -> None:
        given = dict(zip(config_flags[::2], config_flags[1::2], strict=False))
        named = given.get("-c") or given.get("--config")
        self._named = Path(named) if named else None
        self._local = Path(given["--local"]) if "--local" in given else None
        self._scenario = given.get("--scenario")

    @property
    def config(self) -> Path | None:
        """The config file; ``None`` without one."""
        path = self._named or find_config(Path.cwd())
        return path if path is not None and path.is_file() else None

    @property
    def layout(self) -> Layout | None:
        """The project's folders."""
        config = self.config
        return Layout(root=config.parent.resolve()) if config is not None else None

    def load(self) -> LoadedConfig:
        """The config in force.

        Raises:
            ConfigError: There is none, or it does not load.
        """
        config = self.config
        if config is None:
            raise ConfigError("there is no echolot.yml here or above", todo="n on the first screen makes one")
        return load_config(config, self._local)

    def scenario(self, loaded: LoadedConfig, preferred: str | None) -> Scenario:
        """The scenario meant: the one named, else the current hunt's, else the first."""
        known = preferred if preferred in (loaded.config.scenarios or ()) else None
        return resolve_scenario(loaded, self._scenario or known)


def read_hunts(place: Place, wanted: int | None) -> tuple[tuple[Hunt, ...], HuntView | None]:
    """Every hunt, the newest first, and one of them with what its reports say.

    Args:
        place: The project.
        wanted: Its number; without one the current hunt, else the one touched last.

    Raises:
        EcholotError: The record cannot be read.
    """
    layout = place.layout
    record = Record.existing(layout, now) if layout is not None else None
    if layout is None or record is None:
        return (), None
    with record:
        hunts = sorted(record.hunts.all(), key=lambda hunt: -hunt.n)
    if not hunts:
        return (), None
    usual = max(hunts, key=lambda hunt: (hunt.current, hunt.touched_at, hunt.n))
    chosen = next((hunt for hunt in hunts if hunt.n == wanted), usual)
    try:
        loaded = place.load()
    except ConfigError:  # what is wrong with it, the line about the config says
        loaded = None
    return tuple(hunts), hunt_view(chosen, hunts, layout, loaded, now())


def read_collect(place: Place) -> ShownCollect:
    """The collect in flight or the last one, and what the next would record."""
    plan, problem = _plan(place)
    layout = place.layout
    if layout is None:
        return ShownCollect(problem=problem)
    files = CollectFiles(layout=layout)
    try:
        progress = read_progress(files.progress)
    except EcholotError as error:
        return ShownCollect(plan=plan, problem=error.sentence)
    shown = ShownCollect(plan=plan, problem=problem)
    return shown if progress is None else with_progress(shown, progress, files)


def with_progress(shown: ShownCollect, progress: Progress, files: CollectFiles) -> ShownCollect:
    """How far the collect is, as it is shown."""
    running = is_running(progress)
    return replace(
        shown,
        progress=progress,
        running=running,
        lost=is_lost(progress),
        lines=lines_of(progress),
        notes=progress.notes,
        left_s=seconds_left(progress) if running else None,
        log=_log_tail(progress),
        report=_report_of(progress),
        asked=_asked(progress, files) if running else None,
    )


def ask_collect(place: Place, *, stop: str | None = None, more: int = 0) -> str:
    """Ask the collect in flight for something; what it was asked, in words.

    Raises:
        EcholotError: No collect is running, or the request cannot be written.
    """
    layout = place.layout
    files = CollectFiles(layout=layout) if layout is not None else None
    progress = read_progress(files.progress) if files is not None else None
    if files is None or progress is None or not is_running(progress):
        raise EcholotError("no collect is running in this project")
    first = progress.sets[0]
    if stop is not None:
        request = Request(collect=first.collect, stop="now" if stop == "now" else "after run")
        leave_request(files.request, request)
        return "it stops now; finished traces are kept" if stop == "now" else "it stops after this run"
    earlier = read_request(files.request)
    so_far = earlier.iterations if earlier is not None and earlier.collect == first.collect else None
    wanted = (so_far or first.iterations or 0) + more
    leave_request(files.request, Request(collect=first.collect, iterations=wanted))
    return f"{wanted} runs{' a side' if len(progress.sets) > 1 else ''} now"


def read_watched(folder: str, report: Path) -> ShownCollect:
    """A folder that another tool fills, as its report knows it.

    Raises:
        EcholotError: The report cannot be read.
    """
    found = decode_report(read_bytes(report), where=str(report))
    facts = facts_of(found)
    runs = [
        RunRecord(k=at, state="done", facts=facts.get(each.sha256 or ""))
        for at, each in enumerate(found.repeats)
    ]
    return ShownCollect(
        watching=folder,
        running=True,
        lines=lines_of_report(found, facts),
        notes=notes_on(runs),
        report=str(report),
    )


def first_trace(given: str) -> str:
    """The trace to look into: the file itself, or the first of a folder.

    Raises:
        EcholotError: Nothing there is a trace.
    """
    return str(resolve_traces([str(Path(given).expanduser())]).paths[0])


def _plan(place: Place) -> tuple[CollectPlan | None, str | None]:
    """What a collect would record here, or why nothing can be."""
    try:
        loaded = place.load()
        layout = place.layout
        record = Record.existing(layout, now) if layout is not None else None
        hunt = None
        if record is not None:
            with record:
                hunt = record.hunts.current()
        scenario = place.scenario(loaded, hunt.scenario if hunt is not None else None)
    except EcholotError as error:
        return None, error.sentence
    runner = scenario.runner
    plan = CollectPlan(
        config=str(loaded.path),
        scenario=scenario.name,
        mode=runner.mode,
        iterations=None if runner.mode == "gradle" else runner.iterations,
        commands=commands_of(runner),
        hunt=hunt.question if hunt is not None else None,
    )
    if runner.mode in {"host", "command"} and not runner.command:
        return plan, f"the config's runner has mode {runner.mode} and no command"
    return plan, None


def _log_tail(progress: Progress) -> tuple[str, ...]:
    """The last lines of the recorder's log; its folder may have been cleared meanwhile."""
    path = Path(progress.log) if progress.log else None
    if path is None or not path.is_file():
        return ()
    with path.open("rb") as handle:
        size = path.stat().st_size
        handle.seek(max(size - _LOG_BYTES, 0))
        text = handle.read().decode("utf-8", "replace")
    return tuple(visible(each, 500) for each in text.splitlines()[-_LOG_LINES:] if each.strip())


def _report_of(progress: Progress) -> str | None:
    """The report of the set recorded last, once it is written."""
    folder = next((each.folder for each in reversed(progress.sets) if each.folder), None)
    path = Path(folder).parent / "report.json" if folder else None
    return str(path) if path is not None and path.is_file() else None


def _asked(progress: Progress, files: CollectFiles) -> str | None:
    """What it was asked and has not done yet."""
    request = read_request(files.request)
    if request is None or request.collect != progress.sets[0].collect:
        return None
    if request.stop is not None:
        return "stopping now" if request.stop == "now" else "stopping after this run"
    if request.iterations in {None, progress.sets[0].iterations}:
        return None
    return f"{request.iterations} runs once this one is done"
