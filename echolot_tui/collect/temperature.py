"""How warm a device is, and waiting until it has cooled down."""

from __future__ import annotations

import re
from typing import Final

from echolot_tui.collect.device import Device
from echolot_tui.collect.runner import WARNING, CollectError, Control
from echolot_tui.project.model import Cooldown

_POLL_S: Final = 10.0
_BATTERY: Final = re.compile(r"^\s*temperature:\s*(-?\d+)\s*$", re.MULTILINE)
_FROM_HAL: Final = re.compile(r"Current temperatures from HAL:(?P<section>.*?)(?:\n\S[^\n]*:|\Z)", re.DOTALL)
_TEMPERATURE: Final = re.compile(r"mValue=(?P<value>-?[\d.]+),\s*mType=(?P<type>-?\d+)")
_TYPES: Final = {"cpu": 0, "gpu": 1, "skin": 3}
"""``android.os.Temperature.TYPE_*``."""


def read_celsius(device: Device, sensor: str) -> float | None:
    """Temperature of a sensor in Celsius; ``None`` when the device has no such sensor.

    Args:
        device: Asked with ``dumpsys battery`` (tenths of a degree) or ``dumpsys thermalservice``.
        sensor: ``battery``, ``cpu``, ``gpu`` or ``skin``; of several sensors of a type the warmest counts,
            and one that says exactly 0.0 is taken for unconnected.
    """
    if sensor == "battery":
        tenths = _BATTERY.search(device.shell("dumpsys battery").out)
        return None if tenths is None else int(tenths[1]) / 10
    hal = _FROM_HAL.search(device.shell("dumpsys thermalservice").out)
    if hal is None:
        return None
    found = [
        float(one["value"])
        for one in _TEMPERATURE.finditer(hal["section"])
        if int(one["type"]) == _TYPES[sensor] and float(one["value"]) != 0.0
    ]
    return max(found, default=None)


def check_sensor(device: Device, cooldown: Cooldown | None) -> None:
    """Whether the sensor a cooldown waits for is there.

    Raises:
        CollectError: It is not.
    """
    if cooldown is not None and read_celsius(device, cooldown.sensor) is None:
        raise _missing(device, cooldown)


def cool_down(device: Device, cooldown: Cooldown | None, control: Control) -> None:
    """Wait until the device is cool enough, or the patience is over, which is said.

    Raises:
        CollectError: The sensor stopped answering.
    """
    if cooldown is None:
        return
    waited = 0.0
    while (celsius := _celsius(device, cooldown)) > cooldown.max_c:
        if waited == 0.0:
            control.state("cooling")
            control.say(f"{cooldown.sensor} is at {celsius:.1f} °C, waiting for {cooldown.max_c:g} °C")
        left = cooldown.timeout_s - waited
        if left <= 0:
            control.say(
                f"{WARNING}{cooldown.sensor} is still at {celsius:.1f} °C after {cooldown.timeout_s:g} s, "
                "recording anyway"
            )
            return
        control.sleep(min(_POLL_S, left))
        waited += min(_POLL_S, left)


def _celsius(device: Device, cooldown: Cooldown) -> float:
    celsius = read_celsius(device, cooldown.sensor)
    if celsius is None:
        raise _missing(device, cooldown)
    return celsius


def _missing(device: Device, cooldown: Cooldown) -> CollectError:
    return CollectError(
        f"has no {cooldown.sensor} temperature to wait for",
        where=f"device {device.serial}",
        todo="choose another runner.cooldown.sensor: battery, cpu, gpu, skin",
    )
