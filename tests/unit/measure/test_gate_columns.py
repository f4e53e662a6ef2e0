"""Whole columns give what row by row gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echolot_tui.measure.catalogue import load_catalogue
from echolot_tui.measure.gate import GateError, parse_gate
from echolot_tui.measure.gate_columns import column_of, evaluate_columns

NAMES = ("a", "b", "p")

numbers = st.one_of(st.none(), st.integers(-3, 3), st.sampled_from([-0.5, 0.0, 0.25, 1e9, 2.0]))


def expressions() -> st.SearchStrategy[str]:
    leaf = st.one_of(st.sampled_from(NAMES), st.sampled_from(["0", "1", "2.5", "0.25"]))
    signs = st.sampled_from(["+", "-", "*", "/", "<", "<=", ">", ">=", "=", "==", "!=", "<>", "and", "or"])
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.tuples(inner, signs, inner).map(lambda part: f"({part[0]} {part[1]} {part[2]})"),
            inner.map(lambda one: f"(not {one})"),
            inner.map(lambda one: f"(-{one})"),
            inner.map(lambda one: f"(not not {one})"),
        ),
        max_leaves=8,
    )


@given(
    text=expressions(),
    rows=st.lists(st.tuples(numbers, numbers), min_size=1, max_size=6),
    param=st.one_of(st.integers(-3, 3), st.sampled_from([0.25, 2.0])),
)
def test_the_same_as_row_by_row(
    text: str, rows: list[tuple[float | None, float | None]], param: float
) -> None:
    by_row = parse_gate(text).evaluate([{"a": a, "b": b} for a, b in rows], {"p": param})
    columns = {name: column_of([row[at] for row in rows]) for at, name in enumerate(("a", "b"))}
    assert all(column is not None for column in columns.values())
    found = evaluate_columns(text, columns, len(rows), {"p": param})  # type: ignore[arg-type]
    assert found is not None
    assert found.tolist() == by_row


def test_a_column_is_numbers_or_none() -> None:
    column = column_of([1, None, 2.5])
    assert column is not None
    assert column.tolist()[::2] == [1.0, 2.5]
    assert column_of([1.0, "x"]) is None
    assert column_of([2**53 + 1]) is None
    assert column_of([]) is not None


def test_where_text_takes_part_or_a_name_is_missing_rows_have_to_say_it() -> None:
    column = column_of([1.0, 2.0])
    assert column is not None
    assert evaluate_columns("thread = 'main'", {"thread": column}, 2, {}) is None
    assert evaluate_columns("a > p", {"a": column}, 2, {"p": "text"}) is None
    assert evaluate_columns("a > b", {"a": column}, 2, {}) is None
    with pytest.raises(GateError):
        evaluate_columns("a >", {"a": column}, 2, {})


def test_every_shipped_gate_of_numbers_is_answered_by_columns() -> None:
    gates = {one.id: one for one in load_catalogue().detectors if one.gate is not None}
    assert gates
    for detector in gates.values():
        assert detector.gate is not None
        names = set(parse_gate(detector.gate).names) - set(detector.defaults)
        column = column_of([1.0, None, 50.0])
        assert column is not None
        found = evaluate_columns(detector.gate, dict.fromkeys(names, column), 3, detector.defaults)
        assert found is not None, detector.id
