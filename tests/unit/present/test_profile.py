"""What is said about a differential profile, in Markdown and on a terminal."""

from __future__ import annotations

import pytest

from echolot_tui.present.profile_markdown import profile_markdown
from echolot_tui.present.profile_table import bar, shown_nodes
from echolot_tui.present.profile_text import profile_lines
from echolot_tui.present.spans import columns, plain
from echolot_tui.profiles.model import ProfileDiff
from profiles_by_hand import diff, sampled

BASE = {"main;parse": 4_000.0, "main;parse;token": 2_000.0, "main;render": 4_000.0}


def text(profile: ProfileDiff, width: int = 160) -> str:
    return "\n".join(plain(line) for line in profile_lines(profile, width))


def test_a_whole_program_change_is_said() -> None:
    told = text(diff(BASE, {stack: 1.2 * samples for stack, samples in BASE.items()}))
    assert "10000 samples → 12000 samples (+20.0 %)" in told
    assert "a change of the whole program" in told
    assert "No frame's share moved" in told


def test_a_finding_names_the_frame_what_contains_it_and_what_it_rests_on() -> None:
    runs = [sampled(BASE, seed) for seed in range(5)]
    slow = [sampled(BASE | {"main;parse;token": 3_000.0}, 50 + seed) for seed in range(5)]
    told = text(diff(runs, slow))
    assert "token rose from" in told
    assert "its own body" in told
    assert "in main › parse" in told
    assert "5 against 5 runs" in told
    assert "over the whole tree" in told


def test_single_runs_are_never_called_judged() -> None:
    told = text(diff(BASE, BASE | {"main;parse;token": 3_000.0}))
    assert "but not judged" in told
    assert "Judged by: nothing" in told


@pytest.mark.parametrize("refused", [True, False])
def test_preconditions_are_printed_passed_or_not(refused: bool) -> None:
    profile = diff(BASE, BASE)
    told, page = text(profile), profile_markdown(profile, flame=None if refused else "flame.svg")
    for one in profile.preconditions:
        assert one.name in told
        assert one.name in page
    assert ("flame.svg" in page) is not refused


@pytest.mark.parametrize("width", [40, 80, 200])
def test_lines_fit_the_width(width: int) -> None:
    names = {"main;" + "x" * 400 + ";[/]": 500.0, "main;\x1b[31mred": 500.0}
    for line in profile_lines(diff(names, {"main;new|pipe": 900.0}), width):
        assert columns(plain(line)) <= width
        assert "\x1b" not in plain(line)


def test_a_name_cannot_break_the_page() -> None:
    page = profile_markdown(diff({"main;a|b\n# head": 500.0}, {"main;<img src=x>": 500.0}))
    assert "\n# head" not in page
    assert page.count("<img") == page.count("\\<img") > 0
    assert "a\\|b" in page


def test_suspects_stand_apart() -> None:
    renamed = {stack.replace("token", "lexer"): samples for stack, samples in BASE.items()}
    told = text(diff(BASE, renamed))
    assert "Perhaps no change at all" in told
    assert "probably the same code under two names" in told


def test_parts_are_a_table_that_adds_up() -> None:
    runs = [sampled(BASE, seed, 0.02) for seed in range(6)]
    slow = [sampled(BASE | {"main;parse;token": 3_000.0}, 50 + seed, 0.02) for seed in range(6)]
    profile = diff(runs, slow, buckets=True)
    assert "deltas add up to" in text(profile)
    assert "## Parts" in profile_markdown(profile)


def test_a_little_is_never_an_empty_bar() -> None:
    assert [bar(share, 8) for share in (0, 0.01, 50, 100, 120)] == ["", "▏", "████", "████████", "████████"]


def test_a_long_chain_of_callers_is_passed_over_and_the_finding_kept() -> None:
    chain = ";".join(f"f{at}" for at in range(60))
    profile = diff({chain: 2_000.0, "main": 2_000.0}, {chain: 4_000.0, "main": 2_000.0})
    shown = shown_nodes(profile, 20)
    labels = [node.label for node, _ in shown]
    assert "f59" in labels
    assert "main" in labels
    assert len(labels) < 10
    assert max(indent for _, indent in shown) <= 4
