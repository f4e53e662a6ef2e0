"""Hold a device still for the length of a set, and put everything back in reverse order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from echolot_tui.collect.device import Device, Said
from echolot_tui.collect.runner import CollectError, Control
from echolot_tui.project.model import Runner as RunnerSettings

_CLOCK_LIMITS: Final = (
    "cat /sys/devices/system/cpu/cpufreq/policy*/scaling_min_freq "
    "/sys/devices/system/cpu/cpufreq/policy*/scaling_max_freq"
)

Undo = Callable[[], Said]


class Held:
    """What was changed on a device, and how each change is undone."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._undo: list[tuple[str, Undo]] = []

    def changed(self, what: str, undo: Undo) -> None:
        """Remember a change **before** it is made, so that none is forgotten when making it breaks off."""
        self._undo.append((what, undo))

    def unchanged(self) -> None:
        """Forget the latest change: the device refused it."""
        self._undo.pop()

    def release(self, control: Control) -> None:
        """Undo every change, the latest first; one that cannot be undone is said and stops nothing."""
        while self._undo:
            what, undo = self._undo.pop()
            try:
                said = undo()
            except CollectError as error:
                control.say(f"warning: {what} could not be put back ({error.what}); do it by hand")
                continue
            if said.code:
                control.say(f"warning: {what} could not be put back ({said.reason}); do it by hand")


def hold_still(device: Device, settings: RunnerSettings, held: Held, control: Control) -> None:
    """Fixed clock, no radio, one brightness: what the settings ask for; a knob refused is said.

    Raises:
        CollectError: The device is gone.
        Stopped: Somebody asked to stop.
    """
    if settings.fixed_performance:
        control.check()
        _fix_clock(device, held, control)
    if settings.airplane_mode:
        control.check()
        _leave_network(device, held, control)
    if settings.brightness is not None:
        control.check()
        _set_brightness(device, settings.brightness, held, control)


def _fix_clock(device: Device, held: Held, control: Control) -> None:
    before = _clock_limits(device)
    held.changed("fixed performance mode", lambda: device.shell(_fixed("false")))
    said = device.shell(_fixed("true"))
    if said.code:
        held.unchanged()
        _refused("runner.fixed_performance", said, control)
        return
    after = _clock_limits(device)
    if before is None or after is None:
        control.say("fixed performance mode is on; the device does not show whether it changed the clock")
    elif before == after:
        control.say(
            "warning: fixed performance mode changed no clock limit on this device, so it holds nothing still"
        )


def _fixed(enabled: str) -> str:
    return f"cmd power set-fixed-performance-mode-enabled {enabled}"


def _clock_limits(device: Device) -> str | None:
    """Lowest and highest frequency of every cluster, as one text; ``None`` when they cannot be read."""
    said = device.shell(_CLOCK_LIMITS)
    return said.out if said.code == 0 and said.out.strip() else None


def _leave_network(device: Device, held: Held, control: Control) -> None:
    if ":" in device.serial or "._adb-tls" in device.serial:
        control.say("warning: runner.airplane_mode left alone: this device is reached over the network")
        return
    mode = "cmd connectivity airplane-mode"
    said = device.shell(mode)
    if said.code:
        _refused("runner.airplane_mode", said, control)
        return
    if said.out.strip() == "enabled":
        return
    held.changed("airplane mode", lambda: device.shell(f"{mode} disable"))
    said = device.shell(f"{mode} enable")
    if said.code:
        held.unchanged()
        _refused("runner.airplane_mode", said, control)


def _set_brightness(device: Device, level: int, held: Held, control: Control) -> None:
    for key, value in (("screen_brightness_mode", "0"), ("screen_brightness", str(level))):
        old = device.shell(f"settings get system {key}")
        if old.code:
            _refused("runner.brightness", old, control)
            return
        held.changed(key.replace("_", " "), _restoring(device, key, old.out.strip()))
        said = device.shell(f"settings put system {key} {value}")
        if said.code:
            held.unchanged()
            _refused("runner.brightness", said, control)
            return


def _restoring(device: Device, key: str, old: str) -> Undo:
    """Put the old number back; a setting nobody had made answers ``null`` and is deleted again."""
    if old.lstrip("-").replace(".", "", 1).isdecimal():
        return lambda: device.shell(f"settings put system {key} {old}")
    return lambda: device.shell(f"settings delete system {key}")


def _refused(key: str, said: Said, control: Control) -> None:
    control.say(f"warning: {key}: the device refuses ({said.reason}); recording without it")
