"""Do the traces have the temporary markers of the sources, and the sources those of the traces?"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from echolot_tui.checkout.markers import TemporaryMarkers
from echolot_tui.report.code_model import RemovedMarkers, UnbuiltMarkers
from echolot_tui.report.model import MarkersReport


def compare_markers(
    report: MarkersReport, markers: TemporaryMarkers, *, mode: str, install: Sequence[str]
) -> MarkersReport:
    """The markers of the set, with what the sources have that no trace has, and the other way round.

    One marker of the sources in one trace is enough: the build had them, the others did not run.

    Args:
        report: Merged; ``in_trace`` has the names of any process.
        markers: Of the sources.
        mode: How the config records.
        install: Gradle tasks that install the measured variant.
    """
    tasks = tuple(install)
    seen = any(marker.makes(name) for marker in markers.named for name in report.in_trace)
    unbuilt = UnbuiltMarkers(
        names=tuple(dict.fromkeys(marker.name for marker in markers.named)),
        files=tuple(sorted({path for marker in markers.named for path in marker.files})),
        mode=mode,
        install=tasks,
    )
    gone = tuple(name for name in report.in_trace if not markers.make(name))
    return replace(
        report,
        unbuilt=unbuilt if markers.named and not seen else None,
        removed=RemovedMarkers(names=gone, mode=mode, install=tasks) if gone else None,
    )
