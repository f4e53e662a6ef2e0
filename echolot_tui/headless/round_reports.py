"""Reports of the rounds a collect fills: written as the traces land, and linked when the set ends."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from echolot_tui.collect.model import SetRecord
from echolot_tui.collect.record import traces_of
from echolot_tui.compare.codec import encode_comparison
from echolot_tui.compare.compare import compare_reports
from echolot_tui.compare.inputs import SideInput
from echolot_tui.compare.model import Comparison
from echolot_tui.headless import pipeline
from echolot_tui.headless.clock import now
from echolot_tui.headless.comparing import options_of
from echolot_tui.headless.setup import Flags, Project
from echolot_tui.headless.sides import load_side
from echolot_tui.headless.verbs import compare
from echolot_tui.investigate.store import Store
from echolot_tui.measure.inputs import TracesInput
from echolot_tui.present.report_markdown import report_markdown
from echolot_tui.project.files import sha256_of
from echolot_tui.project.layout import Layout
from echolot_tui.report.model import Report
from echolot_tui.stats.labels import ALPHA


class RoundReports:
    """Measures what a set has, writes its report into the round's folder and as the latest, and compares.

    Args:
        project: Config and scenario.
        flags: As given to ``collect``.
        layout: The project's folders.
        against: The side a single set is compared with, if any.
    """

    def __init__(self, project: Project, flags: Flags, layout: Layout, against: str | None) -> None:
        self._project = project
        self._flags = flags
        self._layout = layout
        self._saved: dict[str, tuple[Report, bytes]] = {}
        self._against = load_side(against, "", project, flags) if against is not None else None
        self._comparison: Comparison | None = None

    def analyze(self, record: SetRecord) -> Report:
        """The report of the traces the set has so far.

        Raises:
            EcholotError: None of them can be measured.
        """
        analysis = self._analysis(record, len(record.done))
        text = report_markdown(analysis.report)
        for folder in (_round_folder(record), self._layout.out(self._project.scenario)):
            pipeline.save(analysis, folder, text)
        self._saved[record.folder] = analysis.report, analysis.data
        return analysis.report

    def compare(self, sets: Sequence[SetRecord], each: int | None, level: float) -> Comparison:
        """Two arms, or the other side and the one set.

        Args:
            sets: What was recorded.
            each: Only the first so many runs of each set; ``None`` takes all.
            level: Family-wise p up to which a row is a finding.

        Raises:
            EcholotError: A side cannot be measured, or they cannot be compared.
        """
        sides = [self._side(record, len(record.done) if each is None else each) for record in sets]
        before, after = (self._against, sides[0]) if self._against is not None else sides
        self._comparison = compare_reports(
            before, after, options_of(self._project, generated_at=now(), level=level)
        )
        return self._comparison

    def finish(self, sets: Sequence[SetRecord], store: Store) -> None:
        """Link the final reports to their rounds; write the comparison where there is one to make."""
        for record in sets:
            self._link(record, store)
        both = all(record.folder in self._saved for record in sets)
        if self._comparison is None and len(sets) == 2 and both:
            self.compare(sets, None, ALPHA)
        if self._comparison is not None:
            self._save_comparison(self._comparison, sets, store)

    def _analysis(self, record: SetRecord, each: int) -> pipeline.Analysis:
        traces = TracesInput(given=record.folder, paths=traces_of(record)[:each])
        return pipeline.analyze(traces, self._project, self._flags)

    def _side(self, record: SetRecord, each: int) -> SideInput:
        analysis = self._analysis(record, each)
        path = str(_round_folder(record) / pipeline.REPORT)
        return SideInput(name=record.arm or "", path=path, report=analysis.report, all_rows=analysis.rows)

    def _link(self, record: SetRecord, store: Store) -> None:
        if record.folder not in self._saved or record.round is None:
            return
        report, data = self._saved[record.folder]
        store.rounds.report_saved(
            record.round,
            path=self._layout.relative(_round_folder(record) / pipeline.REPORT),
            sha256=sha256_of(data),
            traces=[run.sha256 for run in record.done if run.sha256 is not None],
            generated_at=report.generated_at,
            config_sha=report.config.sha,
        )

    def _save_comparison(self, comparison: Comparison, sets: Sequence[SetRecord], store: Store) -> None:
        data = encode_comparison(comparison)
        folder = _round_folder(sets[-1])
        for place in (folder, self._layout.out(self._project.scenario)):
            compare.save(comparison, data, place)
        reports = [store.rounds.get(record.round).report for record in sets if record.round is not None]
        if len(reports) == 2 and reports[0] is not None and reports[1] is not None:
            path = self._layout.relative(folder / "comparison.json")
            store.rounds.compared(reports[0].id, reports[1].id, path)


def _round_folder(record: SetRecord) -> Path:
    return Path(record.folder).parent
