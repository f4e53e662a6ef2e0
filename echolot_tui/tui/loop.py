"""The whole bridge: with the first config, calibration, the doctor and Perfetto's viewer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from echolot_tui.calibrate.model import Calibration
from echolot_tui.errors import EcholotError
from echolot_tui.measure.probe import Probe
from echolot_tui.project.files import write_atomic
from echolot_tui.project.load import CONFIG_NAME
from echolot_tui.selfcheck.model import Doctor
from echolot_tui.text import visible
from echolot_tui.tui.loop_collect import CollectBridge
from echolot_tui.tui.perfetto import PerfettoAsk
from echolot_tui.tui.process import run_verb
from echolot_tui.tui.project_reading import first_trace
from echolot_tui.tui.store import Ready, SetupView, ShownCalibration, Working

_CALIBRATED: Final = "echolot.calibrated.yml"


class LoopBridge(CollectBridge):
    """Adds the first config, calibration, doctor and Perfetto to what :class:`CollectBridge` does."""

    def __init__(self, *args: Any, copy: Callable[[str], None], **named: Any) -> None:
        super().__init__(*args, **named)
        self._copy = copy

    # The machine.

    def examine(self) -> None:
        """Let the machine check itself."""
        self._start("doctor", self._examine())

    async def _examine(self) -> None:
        arguments = ("doctor", "--json", *self._config_flags)
        printed = await self._verb("doctor", arguments, "checking this machine; it takes a few seconds")
        self._store.put(doctor=Ready(value=msgspec.json.decode(printed, type=Doctor)))

    def open_in_perfetto(self, ask: PerfettoAsk) -> None:
        """Serve a trace and Perfetto's UI to this machine, until nobody asks for it or another is shown."""
        self._start("perfetto", self._open_in_perfetto(ask))

    async def _open_in_perfetto(self, ask: PerfettoAsk) -> None:
        """Say what is shown and how to get there; the link is long, so it comes last and is copied."""
        link = ""
        shown: list[str] = []

        async def told(printed: bytes) -> None:
            nonlocal link
            link = printed.decode().strip()
            self._copy(link)
            self._say(" · ".join((*shown, f"the link is copied: {link}")))

        def hear(text: str) -> None:
            if link:
                self._say(" · ".join((*shown, f"the link is copied, {text}: {link}")))
            else:
                shown.append(text)

        self._say(f"looking for {visible(ask.row or 'the window')} in the trace")
        arguments = ("open", *self._config_flags, *ask.arguments)
        await run_verb((*self._root_flags, *arguments), hear, on_output=told)

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
        if found.process is None:
            raise EcholotError(found.nothing)
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
