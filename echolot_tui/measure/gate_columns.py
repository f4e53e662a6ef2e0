"""A gate over whole columns of numbers at once: the same answer as row by row, some thirty times sooner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from echolot_tui.frozen import Cell
from echolot_tui.measure.gate import ARITHMETIC, COMPARE, Evaluator, Gate, Parser, Scope

Column = npt.NDArray[np.float64]
"""A column's numbers; NaN is NULL."""

_LARGEST_EXACT: Final = 2.0**53


def column_of(cells: Sequence[Cell]) -> Column | None:
    """A column as numbers; ``None`` when a cell is text, or a whole number a float cannot hold exactly."""
    if any(isinstance(cell, str) for cell in cells):
        return None
    column = np.array(cells, dtype=np.float64)
    return None if bool((np.abs(column) >= _LARGEST_EXACT).any()) else column


def columns_of(rows: Sequence[Scope], names: Iterable[str]) -> dict[str, Column]:
    """Of the named columns those that are numbers in every row; one that a row lacks is none."""
    found = {}
    for name in names:
        cells = [row[name] for row in rows if name in row]
        column = column_of(cells) if len(cells) == len(rows) else None
        if column is not None:
            found[name] = column
    return found


def evaluate(gate: Gate, rows: Sequence[Scope], params: Scope) -> list[bool]:
    """What :meth:`Gate.evaluate` answers, of many rows sooner.

    Raises:
        GateError: As there.
    """
    flags = evaluate_columns(gate.text, columns_of(rows, gate.names), len(rows), params)
    return gate.evaluate(rows, params) if flags is None else flags.tolist()


def evaluate_columns(
    text: str, columns: Mapping[str, Column], rows: int, params: Scope
) -> npt.NDArray[np.bool_] | None:
    """Which rows a gate lists.

    Args:
        text: The gate.
        columns: Columns that are numbers, each with one entry a row.
        rows: How many rows there are.
        params: The detector's parameters; they win over a column of their name.

    Returns:
        One flag per row; ``None`` when text takes part or a name is missing: :meth:`Gate.evaluate` then
        answers, or says what is wrong.

    Raises:
        GateError: The gate does not parse.
    """
    names, has_text, evaluator = _parsed(text)
    scope: dict[str, Any] = {**columns, **params}
    if has_text or any(isinstance(scope.get(name), str | None) for name in names):
        return None
    with np.errstate(all="ignore"):
        return np.broadcast_to(_truth(evaluator(scope)), (rows,))


@lru_cache(maxsize=256)
def _parsed(text: str) -> tuple[tuple[str, ...], bool, Evaluator]:
    parser = Parser(text, _Columns())
    evaluator = parser.whole()
    return tuple(sorted(parser.names)), parser.has_text, evaluator


class _Columns:
    """Operations on columns; a constant is a column of one entry."""

    def either(self, terms: Sequence[Evaluator]) -> Evaluator:
        return lambda scope: np.logical_or.reduce(_aligned([_truth(term(scope)) for term in terms]))

    def every(self, terms: Sequence[Evaluator]) -> Evaluator:
        return lambda scope: np.logical_and.reduce(_aligned([_truth(term(scope)) for term in terms]))

    def negated(self, term: Evaluator) -> Evaluator:
        return lambda scope: ~_truth(term(scope))

    def compared(self, sign: str, left: Evaluator, right: Evaluator, text: str) -> Evaluator:  # noqa: ARG002
        compare = COMPARE[sign]

        def flags(scope: Any) -> Any:
            a, b = np.asarray(left(scope)), np.asarray(right(scope))
            return compare(a, b) & ~(_null(a) | _null(b))

        return flags

    def combined(self, sign: str, left: Evaluator, right: Evaluator, text: str) -> Evaluator:  # noqa: ARG002
        operation = ARITHMETIC[sign]

        def value(scope: Any) -> Any:
            a = np.asarray(left(scope), dtype=np.float64)
            b = np.asarray(right(scope), dtype=np.float64)
            return operation(a, np.where(b == 0, np.nan, b) if sign == "/" else b)

        return value


def _null(values: Any) -> Any:
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros((), dtype=np.bool_)


def _truth(value: Any) -> Any:
    """True for numbers that are neither 0 nor NULL."""
    values = np.asarray(value)
    return values if values.dtype == np.bool_ else (values != 0) & ~_null(values)


def _aligned(terms: Sequence[Any]) -> Any:
    return np.stack(np.broadcast_arrays(*terms))
