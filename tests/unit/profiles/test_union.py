"""The union tree against a plain dictionary of paths."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echolot_tui.profiles.union import unite
from profiles_by_hand import recording

STACKS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=6).map(";".join)
RUN = st.dictionaries(STACKS, st.integers(1, 9), min_size=1, max_size=12)


def collapsed(path: tuple[str, ...]) -> tuple[str, ...]:
    kept: list[str] = []
    for label in path:
        if not kept or kept[-1] != label:
            kept.append(label)
    return tuple(kept)


@settings(max_examples=60, deadline=None)
@given(st.lists(RUN, min_size=1, max_size=4), st.booleans())
def test_it_holds_what_dictionaries_of_paths_hold(runs: list[dict[str, int]], collapse: bool) -> None:
    tree = unite([recording(run) for run in runs], collapse=collapse)
    own = tree.own(list(range(len(runs))), len(runs))
    total = tree.with_callees(own)
    expected_own = [Counter[tuple[str, ...]]() for _ in runs]
    expected_total = [Counter[tuple[str, ...]]() for _ in runs]
    for number, run in enumerate(runs):
        for stack, samples in run.items():
            path = tuple(stack.split(";"))
            path = collapsed(path) if collapse else path
            expected_own[number][path] += samples
            for depth in range(len(path) + 1):
                expected_total[number][path[:depth]] += samples
    paths = [tuple(tree.name(at) for at in tree.path(node)) for node in range(tree.nodes)]
    assert len(set(paths)) == tree.nodes
    assert set(paths) == {path for counted in expected_total for path in counted}
    for node, path in enumerate(paths):
        for number in range(len(runs)):
            assert own[node, number] == expected_own[number][path]
            assert total[node, number] == expected_total[number][path]


def test_the_layout_does_not_depend_on_the_order_of_the_runs() -> None:
    one, other = recording({"a;b": 1, "c": 2}), recording({"b;x": 1, "a;a;z": 4})
    first, second = unite([one, other]), unite([other, one])
    assert [first.name(at) for at in range(first.nodes)] == [second.name(at) for at in range(second.nodes)]
    assert first.parent.tolist() == second.parent.tolist()


def test_callees_stand_side_by_side_in_the_order_of_their_names() -> None:
    tree = unite([recording({"m;zeta": 1, "m;Alpha": 1, "m;beta": 1})])
    assert [tree.name(at) for at in range(2, 5)] == ["Alpha", "beta", "zeta"]


def test_direct_recursion_is_one_node_and_is_counted_once() -> None:
    tree = unite([recording({"f;f;f;g": 3, "f;f": 2, "f;g;f": 4})])
    total = tree.with_callees(tree.own([0], 1))
    names = {
        ";".join(tree.name(at) for at in tree.path(node)): total[node, 0] for node in range(1, tree.nodes)
    }
    assert names == {"f": 9, "f;g": 7, "f;g;f": 4}


def test_a_tripled_callee_shows_in_its_caller() -> None:
    tree = unite(
        [recording({"main;slow": 20, "main;other": 20}), recording({"main;slow": 60, "main;other": 20})]
    )
    total = tree.with_callees(tree.own([0, 1], 2))
    main = next(at for at in range(tree.nodes) if tree.name(at) == "main")
    assert (total[main, 1] - total[main, 0]) == 40


@pytest.mark.parametrize("columns_of", [-1, np.array([-1, -1])])
def test_samples_of_no_column_are_in_none(columns_of: object) -> None:
    tree = unite([recording({"a": 1, "b": 2}), recording({"a": 5})])
    assert tree.own([columns_of, 0], 1).sum() == 5  # type: ignore[list-item]
