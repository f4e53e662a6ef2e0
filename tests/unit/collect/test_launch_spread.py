from __future__ import annotations

import pytest

from echolot_tui.collect.launch_spread import spread_lines


def test_the_spread_is_of_the_smallest():
    assert spread_lines([500, 520, 510]) == ("am start -W: from 500 to 520 ms (spread 4%)",)


def test_launches_without_a_time_are_counted_and_left_out():
    assert spread_lines([0, 400, 0, 410]) == (
        "am start -W: from 400 to 410 ms (spread 2%); 2 launches said TotalTime 0 and are left out",
    )
    assert spread_lines([0]) == ("am start -W: 1 launch said TotalTime 0 and is left out",)


@pytest.mark.parametrize(("slowest", "lines"), [(130, 1), (131, 2)])
def test_above_thirty_percent_the_device_has_not_settled(slowest, lines):
    said = spread_lines([100, slowest])
    assert len(said) == lines
    assert any("has not settled" in line for line in said) == (lines == 2)


def test_nothing_launched():
    assert spread_lines([]) == ()


def test_one_launch_has_no_spread():
    assert spread_lines([500]) == ()
