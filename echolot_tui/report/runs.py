"""The runs of a set: every measured occurrence of every trace, in order, with its label."""

from __future__ import annotations

from collections.abc import Sequence

from echolot_tui.frozen import Frozen
from echolot_tui.measure.model import Measurement, Occurrence


class Run(Frozen, frozen=True, kw_only=True):
    """One occurrence of the scenario: what every ``by_run`` list has one value of."""

    label: str
    """``3`` for the third trace; ``3.2`` for its second occurrence where several are measured."""
    trace_index: int
    """Position of the trace in the set, from 0; statistics relabel traces, never single occurrences."""
    measurement: Measurement
    occurrence: Occurrence


def runs_of(measurements: Sequence[Measurement]) -> tuple[Run, ...]:
    """Return the runs of ``measurements``: by trace, then by occurrence.

    Labels count traces from 1. A trace with one measured occurrence is labelled by its number alone.
    """
    return tuple(
        Run(
            label=f"{index + 1}.{occurrence.number}" if len(measurement.occurrences) > 1 else f"{index + 1}",
            trace_index=index,
            measurement=measurement,
            occurrence=occurrence,
        )
        for index, measurement in enumerate(measurements)
        for occurrence in measurement.occurrences
    )
