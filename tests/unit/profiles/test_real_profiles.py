"""Real recordings: what the engine reads, what this program reads itself, and an unchanged pair."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from echolot_tui.engine.model import EngineChoice
from echolot_tui.engine.open import open_trace
from echolot_tui.profiles.diff import compare_profiles
from echolot_tui.profiles.formats import profile_kind, read_profile
from echolot_tui.profiles.from_trace import record_of
from echolot_tui.profiles.model import ProfileDiff
from echolot_tui.profiles.noise import formula_floor, share_error
from echolot_tui.profiles.sides import ProfileOptions, SideRecordings
from echolot_tui.profiles.stacks import Frame, ProfileError, Recording, Selection, select
from echolot_tui.profiles.union import unite

FOLDER = Path(os.environ.get("ECHOLOT_TRACES", Path(__file__).parents[4] / "shared" / "traces"))
pytestmark = [
    pytest.mark.traces,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="the real recordings are not beside the checkout"),
]


def traced(name: str, **selection: object) -> Recording:
    with open_trace(FOLDER / name, EngineChoice()) as session:
        return record_of(session, Selection(**selection))  # type: ignore[arg-type]


def addressed(name: str) -> Recording:
    """The recording with every frame named by its address in its file."""
    with open_trace(FOLDER / name, EngineChoice()) as session:
        recording = record_of(session, Selection())
        places = session.query(
            "SELECT m.name AS module, f.rel_pc AS at FROM stack_profile_callsite AS c"
            " JOIN stack_profile_frame AS f ON c.frame_id = f.id"
            " JOIN stack_profile_mapping AS m ON f.mapping = m.id ORDER BY c.id"
        )
    names = [Frame("(no stack)"), *(Frame(f"at {at}", str(module)) for module, at in places.tuples())]
    frames = {frame: number for number, frame in enumerate(dict.fromkeys(names))}
    return replace(recording, frames=tuple(frames), frame=np.array([frames[name] for name in names]))


def pair(before: Recording, after: Recording, **options: object) -> ProfileDiff:
    return compare_profiles(
        SideRecordings("before", (before,)),
        SideRecordings("after", (after,)),
        ProfileOptions(**options),  # type: ignore[arg-type]
    )


def weights(recording: Recording) -> dict[str, float]:
    """Samples with callees by path, above a handful."""
    tree = unite([recording])
    total = tree.with_callees(tree.own([0], 1))[:, 0]
    return {
        ";".join(tree.name(at) for at in tree.path(node)): total[node]
        for node in range(tree.nodes)
        if total[node]
    }


@pytest.fixture(scope="module")
def repeats() -> tuple[Recording, Recording]:
    return traced("samples/simpleperf-repeat1.data"), traced("samples/simpleperf-repeat2.data")


def test_repeats_of_one_build_are_told_apart_by_nothing(repeats: tuple[Recording, Recording]) -> None:
    profile = pair(*repeats)
    assert (profile.judged_by, profile.columns_before, profile.columns_after) == ("bins", 7, 7)
    assert profile.findings == ()
    assert not any(node.share.state in ("grew", "shrank") for node in profile.nodes)
    assert {one.name: one.status for one in profile.preconditions}["rate"] == "ok"


def test_the_binomial_floor_alone_flags_most_of_them_so_it_only_shades(
    repeats: tuple[Recording, Recording],
) -> None:
    profile = pair(*repeats, bin_ms=0.0)
    nodes = profile.nodes[1:]
    assert (profile.judged_by, profile.count_floor) == ("floor", 10)
    assert (sum(node.share.state in ("grew", "shrank") for node in nodes), len(nodes)) == (262, 387)
    assert not any(finding.confirmed for finding in profile.findings)


def test_the_same_formula_over_single_addresses_flags_165_of_274() -> None:
    """Paths of addresses with at least twenty samples a side on average; ours folds nameless frames to files.

    An address is the same code in one build only, so it is no identity for two.
    """
    tree = unite([addressed(f"samples/simpleperf-repeat{run}.data") for run in (1, 2)])
    count = tree.with_callees(tree.own([0, 1], 2))
    whole = count[0]
    listed = count[1:][count[1:].sum(axis=1) >= 40] / whole
    floor = formula_floor(share_error(listed[:, 0], whole[0], listed[:, 1], whole[1])).least
    assert (int((np.abs(listed[:, 1] - listed[:, 0]) > floor).sum()), len(listed)) == (165, 274)


def test_a_control_pair_takes_most_of_that_back(repeats: tuple[Recording, Recording]) -> None:
    first, second = repeats
    assert first.ts is not None
    middle = np.median(first.ts)
    parts = [select_moments(first, first.ts < middle), select_moments(first, first.ts >= middle)]
    profile = compare_profiles(
        SideRecordings("before", (parts[0],)),
        SideRecordings("after", (second,)),
        ProfileOptions(bin_ms=0.0),
        control=SideRecordings("control", (parts[1],)),
    )
    plain = pair(parts[0], second, bin_ms=0.0)
    flagged, before = (
        sum(node.share.state in ("grew", "shrank") for node in one.nodes) for one in (profile, plain)
    )
    assert profile.ruler == "control"
    assert flagged < before / 4


def select_moments(recording: Recording, kept: np.ndarray) -> Recording:
    assert recording.ts is not None
    return replace(
        recording,
        leaf=recording.leaf[kept],
        weight=recording.weight[kept],
        count=recording.count[kept],
        ts=recording.ts[kept],
        thread=recording.thread[kept],
    )


def test_simpleperf_says_event_rate_and_unwinding(repeats: tuple[Recording, Recording]) -> None:
    facts = repeats[0].facts
    assert (facts.event, facts.hz, facts.unwinding) == ("cpu-cycles", 4000.0, "-g")
    assert repeats[0].samples == 13_452
    assert repeats[0].seen_hz() == pytest.approx(4000, rel=0.1)


def test_our_gecko_reader_agrees_with_the_engines() -> None:
    name = "samples/simpleperf-endless-tunnel.gecko.json"
    content = (FOLDER / name).read_bytes()
    assert profile_kind(content) == "gecko"
    own, engine = read_profile(content, "gecko", path=name), traced(name)
    assert own.samples == engine.samples == 4032
    assert weights(own) == weights(engine)


@pytest.mark.parametrize(("name", "samples"), [("simple", 137), ("forks", 561)])
def test_perf_script(name: str, samples: int) -> None:
    recording = traced(f"samples/perf-script-{name}.txt")
    assert recording.samples == samples
    assert recording.facts.source == "perf script"
    found = weights(recording)
    assert any(path.endswith(("main [forks]", "main [simple-terminates]")) for path in found)
    assert recording.seen_hz() == pytest.approx(1000, rel=0.1)


def test_a_chrome_cpu_profile_names_anonymous_functions() -> None:
    recording = traced("chrome/chrome-69-simple.json")
    assert recording.samples == 2051
    found = weights(recording)
    assert found["(root)"] == 2051
    assert found["(root);(anonymous);alpha"] == 260
    assert not any("[unknown]" in path for path in found)


def test_the_samplers_own_threads_are_left_out_of_a_system_wide_trace() -> None:
    recording = traced("android/cpu-sampling-emulator.pftrace")
    assert recording.left_out > 100
    assert recording.samples + recording.left_out == 742
    only = traced("android/cpu-sampling-emulator.pftrace", process="com.android.chrome")
    assert 0 < only.samples < recording.samples
    assert {only.threads[at].process for at in set(only.thread.tolist())} == {"com.android.chrome"}


def test_a_linux_tracers_samples() -> None:
    recording = traced("samples/systing-linux.pb")
    assert recording.samples == 355
    assert weights(recording)["ret_from_fork_asm;ret_from_fork;kthread"] > 300


def test_a_trace_without_samples_is_compared_by_its_slices() -> None:
    before, after = traced("repeats/clang-10-main.json"), traced("repeats/clang-19-main.json")
    assert (before.facts.exact, before.facts.unit) == (True, "ms")
    profile = pair(before, after)
    assert profile.unit == "ms"
    assert weights(before)["Total ExecuteCompiler"] == pytest.approx(1865, rel=0.01)
    assert weights(after)["Total ExecuteCompiler"] == pytest.approx(569, rel=0.01)
    assert profile.judged_by == "floor"
    assert profile.ruler == "material"


def test_slices_between_anchors_weigh_the_window() -> None:
    found = traced("android/app-startup-before.pftrace", start="bindApplication", end="bindApplication")
    assert weights(found)["bindApplication"] == pytest.approx(2616, rel=0.01)
    with pytest.raises(ProfileError, match="no slice matches"):
        traced("android/app-startup-before.pftrace", start="nothing*")


def test_another_process_than_there_is_says_who_is_there(repeats: tuple[Recording, Recording]) -> None:
    with pytest.raises(ProfileError, match="no sample is left"):
        select(repeats[0], Selection(process="nobody"))
