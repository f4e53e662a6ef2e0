"""Temporary markers of the sources against those of the traces."""

from __future__ import annotations

import pytest

from echolot_tui.checkout.markers import TemporaryMarker, TemporaryMarkers
from echolot_tui.report.code_model import RemovedMarkers, UnbuiltMarkers
from echolot_tui.report.model import MarkersReport
from echolot_tui.report.temporary_markers import compare_markers

LOAD = TemporaryMarker(name="T_load", files=("b/B.kt", "a/A.kt"))
ROW = TemporaryMarker(name="T_row", continues=True, files=("a/A.kt",))
BARE = TemporaryMarker(name="T_", continues=True, files=("a/A.kt",))


def compared(in_trace: tuple[str, ...], *markers: TemporaryMarker) -> MarkersReport:
    return compare_markers(
        MarkersReport(in_trace=in_trace),
        TemporaryMarkers(prefix="T_", markers=markers),
        mode="launch",
        install=[":app:installBenchmark"],
    )


def test_markers_no_trace_has_are_not_built() -> None:
    found = compared((), LOAD, ROW)
    assert found.unbuilt == UnbuiltMarkers(
        names=("T_load", "T_row"),
        files=("a/A.kt", "b/B.kt"),
        mode="launch",
        install=(":app:installBenchmark",),
    )
    assert found.removed is None


def test_one_marker_in_a_trace_is_enough() -> None:
    found = compared(("T_row17",), LOAD, ROW)
    assert (found.unbuilt, found.removed) == (None, None)


def test_names_no_text_makes_were_removed() -> None:
    found = compared(("T_load", "T_old", "T_older"), LOAD)
    assert found.unbuilt is None
    assert found.removed == RemovedMarkers(
        names=("T_old", "T_older"), mode="launch", install=(":app:installBenchmark",)
    )
    both = compared(("T_old",), LOAD)
    assert both.unbuilt is not None
    assert both.removed is not None


@pytest.mark.parametrize("in_trace", [(), ("T_anything",)])
def test_a_helper_that_puts_the_prefix_before_any_name_says_nothing(in_trace: tuple[str, ...]) -> None:
    found = compared(in_trace, BARE)
    assert (found.unbuilt, found.removed) == (None, None)
