"""The screen: on and unlocked, or no frame is drawn and no launch ends."""

from __future__ import annotations

import re
from typing import Final

from echolot_tui.collect.device import Device
from echolot_tui.collect.runner import CollectError, Control
from echolot_tui.frozen import Frozen

_AWAKE: Final = re.compile(r"^\s*mWakefulness=(\w+)", re.MULTILINE)
_SHOWING: Final = re.compile(r"^\s*(?:showing|mIsShowing)=(true|false)", re.MULTILINE)
_SECURE: Final = re.compile(r"^\s*(?:secure|mIsSecure)=(true|false)", re.MULTILINE)
_SETTLE_S: Final = 1.0
_LOOKS: Final = 5
"""How often the state is read after the wake-up key; a screen takes a moment to come on."""


class Screen(Frozen, frozen=True, kw_only=True):
    """State of the screen; ``None`` where the device does not tell."""

    awake: bool | None
    locked: bool | None
    secured: bool | None
    """The lock wants a PIN, a pattern, a password or a face."""

    @property
    def usable(self) -> bool:
        """Nothing says that it is dark or locked."""
        return self.awake is not False and self.locked is not True


def read_screen(device: Device) -> Screen:
    """Read the state, without changing it."""
    power = device.shell("dumpsys power").out
    policy = device.shell("dumpsys window policy").out
    wakefulness = _AWAKE.search(power)
    return Screen(
        awake=None if wakefulness is None else wakefulness[1] == "Awake",
        locked=_flag(_SHOWING, policy),
        secured=_flag(_SECURE, policy),
    )


def ready_screen(device: Device, control: Control) -> None:
    """Wake the screen and dismiss a lock without a secret.

    Raises:
        CollectError: It stays dark, or the lock wants a secret.
    """
    screen = read_screen(device)
    if screen.usable:
        return
    device.shell("input keyevent KEYCODE_WAKEUP")
    device.shell("wm dismiss-keyguard")
    for _ in range(_LOOKS):
        control.sleep(_SETTLE_S)
        screen = read_screen(device)
        if screen.usable:
            return
        if screen.awake and screen.locked and screen.secured:
            break
    raise _unusable(device, screen)


def _unusable(device: Device, screen: Screen) -> CollectError:
    where = f"device {device.serial}"
    if screen.awake is False:
        return CollectError(
            "its screen stays dark, so nothing would be drawn", where=where, todo="wake it and try again"
        )
    if screen.secured:
        return CollectError(
            "its screen is locked with a PIN, pattern or password",
            where=where,
            todo="unlock it, and set the screen lock to none or swipe while recording",
        )
    return CollectError("its lock screen does not go away", where=where, todo="unlock it by hand")


def _flag(pattern: re.Pattern[str], text: str) -> bool | None:
    found = pattern.search(text)
    return None if found is None else found[1] == "true"
