from __future__ import annotations

import pytest

from echolot_tui.collect.device import Attached, choose_device
from echolot_tui.collect.runner import CollectError


def attached(*pairs):
    return [Attached(serial=serial, state=state) for serial, state in pairs]


def test_the_single_ready_one_is_taken_whatever_else_is_plugged_in():
    assert choose_device(attached(("a", "offline"), ("b", "device")), None).serial == "b"


def test_the_named_one_is_taken():
    assert choose_device(attached(("a", "device"), ("b", "device")), "b").serial == "b"


@pytest.mark.parametrize(
    ("there", "wanted", "sentence"),
    [
        ([], None, "no device is attached; plug one in"),
        ([("b", "device"), ("a", "device")], None, r"2 devices are ready \(a, b\); name one with --device"),
        ([("a", "unauthorized")], None, "device a: is unauthorized; unlock it and accept"),
        ([("a", "offline")], None, "device a: is offline; plug it in again"),
        (
            [("a", "no permissions (user in plugdev group; are your udev rules wrong?)")],
            None,
            r"device a: this user may not open its USB port \(no permissions\); add a udev rule",
        ),
        ([("a", "recovery")], None, "boot it into Android"),
        ([("a", "strange")], None, "is strange; adb devices shows it"),
        (
            [("a", "offline"), ("b", "unauthorized")],
            None,
            "none of 2 devices is ready: a is offline, b is unauth",
        ),
        ([("a", "device")], "z", "device z: is not attached; attached: a"),
        ([], "z", "device z: is not attached; no device is attached"),
        ([("a", "unauthorized"), ("b", "device")], "a", "device a: is unauthorized"),
    ],
)
def test_every_refusal_says_what_helps(there, wanted, sentence):
    with pytest.raises(CollectError, match=sentence):
        choose_device(attached(*there), wanted)


def test_a_hostile_serial_is_made_visible():
    with pytest.raises(CollectError) as raised:
        choose_device(attached(("\x1b[31m", "offline")), None)
    assert "\x1b" not in raised.value.sentence
