"""What is found in pairs whose truth is known."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec
import pytest

from echolot_tui.profiles.codec import decode_profile, encode_profile
from echolot_tui.profiles.model import ProfileDiff
from echolot_tui.profiles.stacks import Facts, Frame, ProfileError, Selection, StackBuilder, Thread, select
from profiles_by_hand import FACTS, diff, node, recording, sampled

BASE = {
    "main": 200.0,
    "main;parse": 1_500.0,
    "main;parse;token": 2_500.0,
    "main;render;layout": 2_000.0,
    "main;render;paint": 3_000.0,
    "main;idle": 800.0,
}


def scaled(factor: float, **stacks: float) -> dict[str, float]:
    """All stacks times ``factor``; ``main__parse`` names one that gets its own."""
    own = {name.replace("__", ";"): value for name, value in stacks.items()}
    return {stack: samples * own.get(stack, factor) for stack, samples in BASE.items()}


def runs(rates: Mapping[str, float], count: int, seed: int, spread: float = 0.03) -> list:
    return [sampled(rates, seed * 100 + at, spread) for at in range(count)]


def states(profile: ProfileDiff) -> set[str]:
    return {one.share.state for one in profile.nodes[1:]}


@pytest.mark.parametrize("count", [1, 6])
def test_a_uniform_slowdown_is_grey_in_shares_and_said_in_totals(count: int) -> None:
    profile = diff(runs(BASE, count, 1, 0.0), runs(scaled(1.3), count, 2, 0.0))
    assert not states(profile) & {"grew", "shrank"}
    assert profile.findings == ()
    assert profile.totals.ratio == pytest.approx(1.3, abs=0.03)
    assert profile.totals.whole_program
    assert profile.totals.verdict == (None if count == 1 else "slower")


def test_a_uniform_slowdown_read_from_amounts_is_the_program_as_a_whole() -> None:
    profile = diff(runs(BASE, 6, 1), runs(scaled(1.3), 6, 2), absolute=True)
    (finding,) = (one for one in profile.findings if one.direction == "rise")
    assert (finding.label, finding.cause, finding.confirmed) == ("main", "even", True)


@pytest.mark.parametrize("count", [1, 6])
def test_a_slower_body_is_found_at_that_function(count: int) -> None:
    after = scaled(1.0, main__parse__token=1.8)
    profile = diff(BASE, after) if count == 1 else diff(runs(BASE, count, 1), runs(after, count, 2))
    finding = profile.findings[0]
    assert (finding.label, finding.direction, finding.cause) == ("token", "rise", "own")
    assert finding.path == ("main", "parse")
    assert finding.confirmed is (count == 6)
    assert [profile.nodes[at].label for at in profile.follow] == ["parse", "token"]
    assert not any(one.direction == "fall" for one in profile.findings), "others only lost share"
    if count == 6:
        assert finding.p_family is not None
        assert finding.p_family <= 0.05


def test_a_callers_own_body_is_found_beside_quiet_callees() -> None:
    profile = diff(runs(BASE, 6, 1), runs(scaled(1.0, main__parse=2.5), 6, 2))
    (finding,) = (one for one in profile.findings if one.direction == "rise")
    assert (finding.label, finding.cause) == ("parse", "own")
    assert node(profile, "main;parse").self_share.state == "grew"
    assert node(profile, "main;parse;token").share.state != "grew"


def test_a_function_that_is_called_more_often_is_named_once() -> None:
    deep = {f"main;work;a{at};b{at}": 400.0 for at in range(4)} | {"main;rest": 3_000.0, "main;work": 400.0}
    after = {stack: rate * (2.0 if "work" in stack else 1.0) for stack, rate in deep.items()}
    profile = diff(runs(deep, 6, 1), runs(after, 6, 2))
    assert [(one.label, one.cause) for one in profile.findings] == [("work", "even")]


def test_two_changes_in_two_places_are_two_findings() -> None:
    after = scaled(1.0, main__parse__token=1.6, main__render__paint=1.6)
    profile = diff(runs(BASE, 8, 1, 0.01), runs(after, 8, 2, 0.01))
    assert {one.label for one in profile.findings if one.direction == "rise"} == {"token", "paint"}


@pytest.mark.parametrize("count", [1, 6])
def test_a_new_path_is_one_finding_with_a_before_of_zero(count: int) -> None:
    after = BASE | {"main;parse;audit": 300.0, "main;parse;audit;hash": 700.0, "main;parse;audit;log": 500.0}
    profile = diff(runs(BASE, count, 1), runs(after, count, 2))
    (finding,) = (one for one in profile.findings if one.direction == "rise")
    assert (finding.label, finding.cause, finding.share_before) == ("audit", "new", 0.0)
    back = diff(runs(after, count, 2), runs(BASE, count, 1))
    (gone,) = (one for one in back.findings if one.direction == "fall")
    assert (gone.label, gone.cause, gone.share_after) == ("audit", "gone", 0.0)
    assert node(back, "main;parse;audit;hash").after.total == 0


@pytest.mark.parametrize("count", [1, 6])
def test_a_rename_is_one_suspect_and_no_finding(count: int) -> None:
    renamed = {stack.replace("token", "next_token"): rate for stack, rate in BASE.items()}
    profile = diff(BASE, renamed) if count == 1 else diff(runs(BASE, count, 1), runs(renamed, count, 2))
    (suspect,) = profile.suspects
    assert (suspect.kind, suspect.before_label, suspect.after_label) == ("rename", "token", "next_token")
    assert profile.findings == ()
    assert node(profile, "main;parse;token").suspect == "rename"
    assert node(profile, "main;parse;next_token").after.total > 0, "it is not hidden"


def test_a_renamed_caller_takes_its_callees_along() -> None:
    renamed = {stack.replace("render", "draw"): rate for stack, rate in BASE.items()}
    profile = diff(BASE, renamed)
    assert [(one.before_label, one.after_label) for one in profile.suspects] == [("render", "draw")]
    assert profile.findings == ()


def test_a_function_that_moved_to_another_caller_is_known_by_its_callees() -> None:
    moved = {stack.replace("main;render", "main;idle;view"): rate for stack, rate in BASE.items()}
    profile = diff(BASE, moved)
    assert ("render", "view") in {(one.before_label, one.after_label) for one in profile.suspects}


def test_a_new_function_as_heavy_as_an_unrelated_loss_elsewhere_is_no_rename() -> None:
    after = {stack: rate for stack, rate in BASE.items() if stack != "main;parse;token"}
    profile = diff(BASE, after | {"main;render;paint;shadow": 2_500.0})
    assert profile.suspects == ()
    assert {one.label for one in profile.findings} >= {"token", "shadow"}


def test_an_inlined_callee_is_suspected_and_no_finding() -> None:
    inlined = {stack: rate for stack, rate in BASE.items() if stack != "main;parse;token"}
    inlined["main;parse"] += BASE["main;parse;token"]
    profile = diff(runs(BASE, 6, 1, 0.01), runs(inlined, 6, 2, 0.01))
    (suspect,) = profile.suspects
    assert (suspect.kind, suspect.before_label, suspect.after_label) == ("inlining", "token", "parse")
    assert suspect.fall == pytest.approx(suspect.rise, rel=0.1)
    assert profile.findings == ()
    back = diff(runs(inlined, 6, 2, 0.01), runs(BASE, 6, 1, 0.01))
    assert [(one.before_label, one.after_label) for one in back.suspects] == [("parse", "token")]
    assert back.findings == ()


def test_an_inlined_function_leaves_its_callees_to_its_caller() -> None:
    before = BASE | {"main;step;inner": 900.0, "main;step;inner;leaf": 1_500.0}
    after = BASE | {"main;step": 900.0, "main;step;leaf": 1_500.0}
    profile = diff(before, after)
    assert [(one.kind, one.before_label, one.after_label) for one in profile.suspects] == [
        ("inlining", "inner", "step")
    ]
    assert profile.findings == ()


def test_truncated_stacks_withhold_what_lies_below_the_cut() -> None:
    deep = {f"a;b;c;d;e{at};f{at}": 1_000.0 for at in range(5)}
    cut = {f"a;b;c;d;e{at}": 1_000.0 for at in range(5)}
    profile = diff(deep, cut)
    assert profile.withheld_below == 5
    assert profile.findings == ()
    assert node(profile, "a;b;c;d;e1;f1").share.state == "withheld"
    assert node(profile, "a;b;c;d").share.state == "quiet"
    assert {one.name: one.status for one in profile.preconditions}["whole stacks"] == "differs"


def test_stacks_that_lost_their_callers_withhold_everything() -> None:
    whole = {"main;loop;work": 3_000.0, "main;loop;rest": 2_000.0}
    lost = {"main;loop;work": 1_500.0, "work": 1_500.0, "main;loop;rest": 2_000.0}
    profile = diff(whole, lost)
    assert profile.withheld_below == 0
    assert states(profile) == {"withheld"}
    assert profile.findings == ()


def test_a_deeper_new_path_is_no_truncation() -> None:
    after = BASE | {"main;parse;token;a;b;c;d;e": 1_500.0}
    profile = diff(BASE, after)
    assert profile.withheld_below is None
    assert profile.findings[0].cause == "new"


def test_t07_children_that_triple_show_in_the_parent() -> None:
    profile = diff({"main;work": 20.0, "main;other": 180.0}, {"main;work": 60.0, "main;other": 180.0})
    assert node(profile, "main").delta == 40
    assert node(profile, "main;work").delta == 40
    assert profile.nodes[0].delta == 40


def test_t08_two_rates_compare_as_time_and_shares_and_never_as_counts() -> None:
    fast = [recording(BASE, facts=FACTS)]
    slow_facts = msgspec.structs.replace(FACTS, hz=100.0)
    slow = [recording({stack: rate / 10 for stack, rate in BASE.items()}, facts=slow_facts)]
    profile = diff(fast, slow)
    rate = next(one for one in profile.preconditions if one.name == "rate")
    assert (rate.status, rate.before, rate.after) == ("differs", "1000 Hz", "100 Hz")
    assert not states(profile) & {"grew", "shrank"}
    assert profile.unit == "ms"
    assert profile.totals.ratio == pytest.approx(1.0)
    assert profile.findings == ()


def test_counts_of_an_unknown_rate_are_not_turned_into_time() -> None:
    profile = diff(BASE, [recording({"main": 5.0}, facts=Facts(source="x", unit="ms"))])
    assert profile.totals.ratio is None or profile.unit == "ms"
    unknown = Facts(source="x")
    mixed = diff(
        [recording(BASE, facts=unknown)], [recording({"main": 500.0}, facts=Facts(source="x", unit="ms"))]
    )
    assert mixed.totals.ratio is None
    assert all(one.absolute is None for one in mixed.nodes)


def test_different_events_are_refused_and_the_rows_kept() -> None:
    wall = msgspec.structs.replace(FACTS, event="wall time")
    profile = diff([recording(BASE)], [recording(scaled(1.0, main__parse=3.0), facts=wall)])
    assert profile.refused
    assert profile.findings == ()
    assert profile.follow == ()
    assert len(profile.nodes) > 5


def test_t15_one_sample_against_none_is_under_the_floor_and_never_red() -> None:
    profile = diff(BASE | {"main;rare": 0.0}, BASE | {"main;rare": 1.0})
    assert "rare" not in {one.label for one in profile.nodes}
    assert profile.count_floor == 10
    assert node(profile, "main").folded_nodes == 1
    low = diff(BASE, BASE | {"main;rare": 1.0}, count_floor=1.0)
    assert node(low, "main;rare").share.state == "unresolved"


def test_folding_drops_nothing() -> None:
    stacks = BASE | {f"main;small{at}": 3.0 for at in range(50)}
    profile = diff(stacks, stacks)
    for side_of in ("before", "after"):
        total = 0.0
        for one in profile.nodes:
            mine = getattr(one, side_of)
            total += mine.own + mine.folded
        assert total == pytest.approx(sum(stacks.values()))


def test_t15_an_empty_side_is_a_message() -> None:
    with pytest.raises(ProfileError, match="no samples"):
        recording({"main": 0.0})
    empty = recording({"main": 1.0})
    empty.weight[:] = 0
    with pytest.raises(ProfileError, match="weigh nothing"):
        diff([recording(BASE)], [empty])


def test_quiet_and_unresolved_are_told_apart_by_counts() -> None:
    stacks = {"main;big": 50_000.0, "main;small": 40.0}
    profile = diff(stacks, stacks)
    assert node(profile, "main;big").share.state == "quiet"
    assert node(profile, "main;small").share.state == "unresolved"


def test_a_control_raises_the_floor_and_says_that_it_ruled() -> None:
    after = scaled(1.0, main__parse__token=1.12)
    assert diff(BASE, after).findings
    control = scaled(1.0, main__parse__token=0.85, main__render__paint=1.15)
    profile = diff(BASE, after, control)
    assert (profile.ruler, profile.findings) == ("control", ())
    assert profile.stretch > 2
    assert profile.control is not None


def test_runs_to_split_give_the_floor() -> None:
    quiet = diff(runs(BASE, 6, 1, 0.0), runs(BASE, 6, 2, 0.0))
    loud = diff(runs(BASE, 6, 1, 0.2), runs(BASE, 6, 2, 0.2))
    assert quiet.stretch < 1.6
    assert loud.ruler == "split-half"
    assert loud.stretch > 4


@pytest.mark.parametrize("seed", range(8))
def test_unchanged_runs_with_a_spread_show_nothing_where_the_floor_would(seed: int) -> None:
    before, after = runs(BASE, 6, 10 + seed, 0.2), runs(BASE, 6, 50 + seed, 0.2)
    profile = diff(before, after)
    assert profile.judged_by == "runs"
    shaded = diff(before[:1], after[:1])
    assert sum(one.share.state in ("grew", "shrank") for one in shaded.nodes) >= 2
    assert len([one for one in profile.findings if one.p_family is not None and one.p_family <= 0.05]) <= 1


def test_unchanged_runs_are_rarely_reported() -> None:
    reported = sum(
        bool(diff(runs(BASE, 5, 300 + at, 0.15), runs(BASE, 5, 600 + at, 0.15)).findings) for at in range(60)
    )
    assert reported <= 7


def test_three_runs_a_side_are_not_judged() -> None:
    profile = diff(runs(BASE, 3, 1), runs(scaled(1.0, main__parse=2.0), 3, 2))
    assert profile.judged_by == "floor"
    assert profile.findings
    assert not profile.findings[0].confirmed


def test_values_of_every_run_are_kept() -> None:
    profile = diff(runs(BASE, 4, 1), runs(BASE, 5, 2))
    paint = node(profile, "main;render;paint")
    assert paint.values_before is not None
    assert paint.values_after is not None
    assert (len(paint.values_before), len(paint.values_after)) == (4, 5)
    assert sum(paint.values_before) / 4 == pytest.approx(paint.before.total, abs=0.01)


def test_buckets_add_up_to_the_whole() -> None:
    after = scaled(1.0, main__parse__token=1.5, main__render__paint=0.7)
    profile = diff(runs(BASE, 8, 1), runs(after, 8, 2), buckets=True)
    assert profile.buckets is not None
    assert profile.buckets.sum_of_deltas == pytest.approx(profile.buckets.total_delta, abs=1e-5)
    moved = {row.verdict: row.delta for row in profile.buckets.rows if row.verdict in ("slower", "faster")}
    assert moved["slower"] == pytest.approx(1_250, rel=0.15)
    assert moved["faster"] == pytest.approx(-900, rel=0.15)


def test_the_same_inputs_give_the_same_bytes_and_come_back() -> None:
    sides = runs(BASE, 5, 1), runs(scaled(1.0, main__parse=1.5), 5, 2)
    first, second = (encode_profile(diff(*sides, buckets=True)) for _ in range(2))
    assert first == second
    assert encode_profile(decode_profile(first, where="x")) == first
    assert b"NaN" not in first
    assert not re.search(rb"-0(\.0+)?[,\s]", first)


def test_a_diff_without_findings_still_lists_them() -> None:
    written = msgspec.json.decode(encode_profile(diff(runs(BASE, 5, 1), runs(BASE, 5, 2))))
    assert written["findings"] == []
    assert written["suspects"] == []


def test_what_makes_a_pair_doubtful_is_noted() -> None:
    assert diff(BASE, scaled(1.0, main__parse=1.2)).notes == ("a file is on both sides",)
    heavy = diff([recording(BASE, path="one")], [recording(scaled(1.0, main__parse=9.0), path="two")])
    assert any("one flag toggled" in note for note in heavy.notes)
    hashed = [recording({f"main;f::h{at:016x}": 100.0}, path=f"run{at}") for at in range(2)]
    (note,) = diff(hashed[:1], hashed[1:]).notes
    assert note.startswith("2 names lost a part")


def test_another_file_is_refused_with_a_sentence() -> None:
    with pytest.raises(ProfileError, match="is no profile"):
        decode_profile(b'{"kind": "report"}', where="x.json")


def test_the_samplers_own_threads_are_left_out() -> None:
    builder = StackBuilder()
    for process, samples in (("app", 30), ("/system/bin/traced_perf", 12)):
        builder.add(builder.stack([Frame("f")]), samples, count=samples, thread=Thread(process, "t"))
    chosen = select(builder.build("run", FACTS), Selection())
    assert (chosen.samples, chosen.left_out) == (30, 12)
    assert diff([chosen], [chosen]).before.left_out == 12


def test_main_is_the_main_thread_whatever_it_is_called() -> None:
    builder = StackBuilder()
    for name, is_main in (("com.app", True), ("main loop", False), ("main", False), ("worker", False)):
        thread = Thread("com.app", name, 7, is_main=is_main)
        builder.add(builder.stack([Frame(name)]), 1, count=1, thread=thread)
    made = builder.build("run", FACTS)
    kept = select(made, Selection(thread="main"))
    assert {kept.threads[at].name for at in kept.thread} == {"com.app", "main"}
    with pytest.raises(ProfileError, match="no sample is left of thread Render"):
        select(made, Selection(thread="Render"))
