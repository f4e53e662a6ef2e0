"""Hold a device still for the length of a set: fixed clock, no radio, one brightness."""

from __future__ import annotations

from typing import Final

from echolot_tui.collect.device import Device, Said
from echolot_tui.collect.held import Held
from echolot_tui.collect.runner import WARNING, Control
from echolot_tui.project.model import Runner as RunnerSettings

_CLOCK_LIMITS: Final = (
    "cat /sys/devices/system/cpu/cpufreq/policy*/scaling_min_freq "
    "/sys/devices/system/cpu/cpufreq/policy*/scaling_max_freq"
)
_AIRPLANE: Final = "cmd connectivity airplane-mode"


def hold_still(device: Device, settings: RunnerSettings, held: Held, control: Control) -> None:
    """Change what the settings ask for; a knob the device refuses is said and recorded without.

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
    held.changed("fixed performance mode", _fixed("false"))
    said = device.shell(_fixed("true"))
    if said.code:
        held.unchanged()
        _refused("runner.fixed_performance", said, control)
        return
    after = _clock_limits(device)
    if before is None or after is None:
        control.say("fixed performance mode is on; the device does not show whether that changed the clock")
    elif before == after:
        control.say(
            f"{WARNING}fixed performance mode changed no clock limit of this device: it holds nothing"
        )


def _fixed(enabled: str) -> str:
    return f"cmd power set-fixed-performance-mode-enabled {enabled}"


def _clock_limits(device: Device) -> str | None:
    """Lowest and highest frequency of every cluster, as one text; ``None`` when they cannot be read."""
    said = device.shell(_CLOCK_LIMITS)
    return said.out if said.code == 0 and said.out.strip() else None


def _leave_network(device: Device, held: Held, control: Control) -> None:
    if ":" in device.serial or "._adb-tls" in device.serial:
        control.say(f"{WARNING}runner.airplane_mode left alone: this device is reached over the network")
        return
    said = device.shell(_AIRPLANE)
    if said.code:
        _refused("runner.airplane_mode", said, control)
        return
    if said.out.strip() == "enabled":
        return
    held.changed("airplane mode", f"{_AIRPLANE} disable")
    said = device.shell(f"{_AIRPLANE} enable")
    if said.code:
        held.unchanged()
        _refused("runner.airplane_mode", said, control)


def _set_brightness(device: Device, level: int, held: Held, control: Control) -> None:
    for key, value in (("screen_brightness_mode", 0), ("screen_brightness", level)):
        old = device.shell(f"settings get system {key}")
        if old.code:
            _refused("runner.brightness", old, control)
            return
        held.changed(key.replace("_", " "), _restoring(key, old.out.strip()))
        said = device.shell(f"settings put system {key} {value}")
        if said.code:
            held.unchanged()
            _refused("runner.brightness", said, control)
            return


def _restoring(key: str, old: str) -> str:
    """Put the old number back; a setting nobody had made answers ``null`` and is deleted again."""
    if old.isdecimal():
        return f"settings put system {key} {old}"
    return f"settings delete system {key}"


def _refused(key: str, said: Said, control: Control) -> None:
    control.say(f"{WARNING}{key}: the device refuses ({said.reason}); recording without it")
