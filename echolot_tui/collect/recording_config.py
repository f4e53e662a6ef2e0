"""The recording config a device gets: protobuf text for ``perfetto -c - --txt``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from echolot_tui.collect.runner import CollectError
from echolot_tui.project.model import Runner as RunnerSettings
from echolot_tui.text import visible

_EVENTS: Final = (
    "sched/sched_switch",
    "sched/sched_waking",
    "sched/sched_process_exit",
    "sched/sched_process_free",
    "task/task_newtask",
    "task/task_rename",
)
_ENVIRONMENT_EVENTS: Final = (
    # power/cpu_idle is left out: it doubles the event rate and no question is asked of it
    "power/cpu_frequency",
    "sched/sched_blocked_reason",
    "thermal/thermal_temperature",
    "thermal/cdev_update",
)
_ENVIRONMENT_PERIOD_MS: Final = 1000
_SAMPLING_HZ: Final = 100
_MANY_HZ: Final = 200
_COMPOSE_CATEGORY: Final = "rendering"
_CATEGORY: Final = re.compile(r"[A-Za-z0-9_]+")
_PACKAGE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+")


def check_package(package: str | None) -> str:
    """The application id, checked to be one: it goes into shell lines and the config.

    Raises:
        CollectError: There is none, or it is no application id.
    """
    if package is None:
        raise CollectError(
            "recording on a device needs the application id", where="project.package", todo="set it"
        )
    if not _PACKAGE.fullmatch(package):
        raise CollectError(
            f'is "{visible(package, 80)}", which is no application id',
            where="project.package",
            todo="write it as the build has it, com.example.app",
        )
    return package


def check_categories(categories: Sequence[str]) -> None:
    """Whether every atrace category looks like one.

    Raises:
        CollectError: Names the first that does not.
    """
    for category in categories:
        if not _CATEGORY.fullmatch(category):
            raise CollectError(
                f'"{visible(category, 60)}" is no category name',
                where="runner.atrace_categories",
                todo="adb shell atrace --list_categories shows them",
            )


def sampling_hz(sampling: bool | float) -> float | None:
    """Samples per second asked for; ``None`` when off."""
    if sampling is False:
        return None
    return float(_SAMPLING_HZ) if sampling is True else float(sampling)


def sampling_warning(settings: RunnerSettings) -> str | None:
    """Said before recording when the rate slows the app noticeably."""
    hz = sampling_hz(settings.sampling)
    if hz is None or hz <= _MANY_HZ:
        return None
    return f"sampling at {hz:g} Hz slows the app; above {_MANY_HZ} Hz compare only with sets of the same rate"


def recording_config(settings: RunnerSettings, package: str) -> str:
    """The config as protobuf text (``perfetto.protos.TraceConfig``).

    Args:
        settings: ``duration_ms``, ``buffer_kb``, ``environment``, ``sampling``, ``compose_names`` and
            ``atrace_categories`` count.
        package: Application id whose own trace sections are recorded.

    Raises:
        CollectError: A category or the package does not look like one.
    """
    check_categories(settings.atrace_categories)
    check_package(package)
    hz = sampling_hz(settings.sampling)
    buffer = _block("buffers", [f"size_kb: {settings.buffer_kb}", "fill_policy: DISCARD"])
    sources = [
        _source("linux.ftrace", _ftrace(settings, package)),
        _source("linux.process_stats", _block("process_stats_config", ["scan_all_processes_on_start: true"])),
        _source("android.surfaceflinger.frametimeline", []),
    ]
    if settings.environment:
        sources.append(_source("linux.sys_stats", _sys_stats()))
    if hz is not None:
        # stacks come in bursts: their own buffer, so that they push nothing out of the first
        sources.append(_source("linux.perf", _perf(hz), target_buffer=1))
    if settings.compose_names:
        categories = ['disabled_categories: "*"', f'enabled_categories: "{_COMPOSE_CATEGORY}"']
        sources.append(_source("track_event", _block("track_event_config", categories)))
    lines = [*buffer * (1 if hz is None else 2), *(line for source in sources for line in source)]
    return "\n".join([*lines, f"duration_ms: {settings.duration_ms}"]) + "\n"


def _ftrace(settings: RunnerSettings, package: str) -> list[str]:
    events = (*_EVENTS, *(_ENVIRONMENT_EVENTS if settings.environment else ()))
    return _block(
        "ftrace_config",
        [
            *(f'ftrace_events: "{event}"' for event in events),
            *(f'atrace_categories: "{category}"' for category in settings.atrace_categories),
            f'atrace_apps: "{package}"',
        ],
    )


def _sys_stats() -> list[str]:
    period = _ENVIRONMENT_PERIOD_MS
    return _block("sys_stats_config", [f"meminfo_period_ms: {period}", f"vmstat_period_ms: {period}"])


def _perf(hz: float) -> list[str]:
    timebase = _block("timebase", [f"frequency: {round(hz)}"])
    return _block("perf_event_config", [*timebase, *_block("callstack_sampling", ["kernel_frames: false"])])


def _source(name: str, config: Iterable[str], target_buffer: int | None = None) -> list[str]:
    target = [] if target_buffer is None else [f"target_buffer: {target_buffer}"]
    return _block("data_sources", _block("config", [f'name: "{name}"', *target, *config]))


def _block(name: str, lines: Iterable[str]) -> list[str]:
    return [f"{name} {{", *(f"  {line}" for line in lines), "}"]
