"""What another threshold would list: a detector's gate on the rows a report already has. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Cell, Frozen
from echolot_tui.measure.gate import GateError, parse_gate
from echolot_tui.report.model import DetectorReport, Row


class JudgedRow(Frozen, frozen=True, kw_only=True):
    """A row and whether the gate lists it, run by run."""

    row: Row
    passes: bool
    """In at least one run, which is what lists a row."""
    by_run: tuple[bool | None, ...]
    """``None`` where the run lacks the row."""


class Passing(Frozen, frozen=True, kw_only=True):
    """What a detector's gate lists under given parameters."""

    rows: tuple[JudgedRow, ...]
    """In the order of the section."""
    listed: int
    """Rows of the set."""
    by_run: tuple[int, ...]
    """Rows over the bar in each run."""


def passing(
    section: DetectorReport, gate: str | None, params: Mapping[str, int | float | str], runs: int
) -> Passing:
    """Judge every stored row of a detector again.

    Values are those of ``rows.json``, to 2 decimals.

    Args:
        section: The detector's section in ``rows.json``: rows on both sides of the bar.
        gate: The detector's ``@gate``; ``None`` lists every row.
        params: Value of each of its parameters.
        runs: Runs of the report.

    Raises:
        EcholotError: The gate does not fit the rows, or names a column the file does not keep.
    """
    judged = tuple(_judge(row, section, gate, params, runs) for row in section.rows)
    return Passing(
        rows=judged,
        listed=sum(one.passes for one in judged),
        by_run=tuple(sum(one.by_run[at] is True for one in judged) for at in range(runs)),
    )


def _judge(
    row: Row, section: DetectorReport, gate: str | None, params: Mapping[str, int | float | str], runs: int
) -> JudgedRow:
    seen = _columns_by_run(row, runs)
    if gate is None:
        by_run = tuple(None if columns is None else True for columns in seen)
    else:
        parsed = parse_gate(gate)
        try:
            by_run = tuple(
                None if columns is None else parsed.evaluate([columns], params)[0] for columns in seen
            )
        except GateError as error:
            raise EcholotError(
                f"{section.id}: {error.what}", todo="analyze again: this rows.json is of an earlier version"
            ) from error
    return JudgedRow(row=row, passes=any(by_run), by_run=by_run)


def _columns_by_run(row: Row, runs: int) -> Sequence[Mapping[str, Cell] | None]:
    """What the gate sees of a row in each run; ``None`` where the run lacks it."""
    kept = row.by_run or {}
    texts = {"location": row.location, "thread": row.thread, "detail": row.detail}
    found: list[Mapping[str, Cell] | None] = []
    for at in range(runs):
        numbers = {name: values[at] for name, values in kept.items() if at < len(values)}
        here = any(value is not None for value in numbers.values())
        found.append({**_NO_NUMBERS, **texts, **numbers} if here else None)
    return found


_NO_NUMBERS: dict[str, Cell] = dict.fromkeys(
    ("count", "self_ms", "total_ms", "max_ms", "covered_ms", "full_ms")
)
"""Columns of the contract a row may lack: NULL, as in the query."""
