"""What the launch times say: a fact, and what to do about it."""

from __future__ import annotations

import pytest

from echolot_tui.collect.launch_spread import launch_range, unsettled


def test_the_spread_is_of_the_smallest():
    assert launch_range([500, 520, 510]) == "am start -W: from 500 to 520 ms (spread 4%)"


def test_launches_without_a_time_are_counted_and_left_out():
    assert launch_range([0, 400, 0, 410]) == (
        "am start -W: from 400 to 410 ms (spread 2%); 2 launches said TotalTime 0 and are left out"
    )
    assert launch_range([0]) == "am start -W: 1 launch said TotalTime 0 and is left out"


@pytest.mark.parametrize(("slowest", "restless"), [(130, False), (131, True)])
def test_above_thirty_percent_the_device_has_not_settled(slowest, restless):
    assert launch_range([100, slowest, 0]) is not None
    told = unsettled([100, slowest, 0])
    assert (told is not None and "has not settled; let it rest" in told) == restless


def test_nothing_launched():
    assert launch_range([]) is None
    assert unsettled([]) is None
    assert unsettled([0]) is None


def test_one_launch_has_no_spread():
    assert launch_range([500]) is None
    assert unsettled([500]) is None
