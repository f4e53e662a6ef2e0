"""The action's steps: each reads the inputs, does what a verb does, and leaves outputs for the next."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from echolot_tui.ci import baseline as baselines
from echolot_tui.ci.baseline import Baseline
from echolot_tui.ci.comment import put_comment
from echolot_tui.ci.github import ApiError, GitHub
from echolot_tui.ci.inputs import Inputs, Job, find_traces, read_inputs, read_job
from echolot_tui.ci.runner import Runner, RunnerError, work_folder
from echolot_tui.compare.codec import decode_comparison, encode_comparison
from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.headless import pipeline
from echolot_tui.headless.clock import now
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.self_check import examine_machine
from echolot_tui.headless.setup import Flags, open_project
from echolot_tui.headless.verbs.compare import compare, save
from echolot_tui.measure.inputs import TracesInput
from echolot_tui.present.numbers import plural
from echolot_tui.present.report_markdown import report_markdown
from echolot_tui.project.files import read_bytes, write_atomic
from echolot_tui.text import escape_cell, visible

TITLE: Final = "echolot"
_STATE: Final = "state.json"
_REPORT: Final = "report.json"


class State(Frozen, frozen=True, kw_only=True):
    """What one step of a call leaves for the next."""

    baseline: Baseline
    compared: bool = False
    refused: str = ""
    """Why the two reports may not be compared."""


class Step:
    """One step of the action, in the environment the runner gives it."""

    def __init__(self, environ: Mapping[str, str], *, jobs: int | None = None) -> None:
        """Read the inputs."""
        self._environ = environ
        self._jobs = jobs
        self._runner = Runner(environ, sys.stdout)
        self._inputs: Inputs = read_inputs(environ)
        self._root = Path(environ.get("GITHUB_WORKSPACE") or Path.cwd())

    def doctor(self) -> int:
        """Whether this runner computes correctly; its exit code is the self-check's."""
        with self._runner.without_commands():
            found = examine_machine(self._flags)
        for check in found.failures:
            self._runner.annotate("error", f"{TITLE} doctor: {check.id}", f"{check.text} → {check.todo}")
        talk.note(f"{plural(len(found.checks), 'check')}, {len(found.failures)} failed")
        return found.exit_code

    def analyze(self) -> int:
        """Measure the traces; outputs ``folder``, ``artifact`` and ``report``."""
        folder = work_folder(self._environ)
        artifact = folder / "artifact"
        with self._runner.without_commands():
            paths = find_traces(self._inputs.traces, self._root)
            project = open_project(self._flags)
            traces = TracesInput(given=", ".join(self._inputs.traces), paths=paths)
            analysis = pipeline.analyze(traces, project, self._flags)
            pipeline.save(analysis, artifact, report_markdown(analysis.report))
        for one in analysis.report.unreadable:
            self._runner.annotate("warning", TITLE, f"{visible(one.path)} is left out: {visible(one.reason)}")
        self._outputs(folder=str(folder), artifact=str(artifact), report=str(artifact / _REPORT))
        return 0

    def baseline(self) -> int:
        """Find what to compare with; output ``baseline``, empty when there is nothing."""
        folder = self._folder / "artifact" / "baseline"
        if self._inputs.baseline is not None:
            found = self._named(self._inputs.baseline, folder)
        else:
            found = baselines.look_up(self._hub, self._job, self._inputs, folder)
        self._keep(State(baseline=found))
        self._tell(found.text, warning=found.warning)
        self._outputs(baseline=str(found.path or ""))
        return 0

    def compare(self) -> int:
        """Compare with the baseline; outputs ``comparison``, ``moved``, ``appeared``, ``vanished``.

        Exits 0 whatever moved, and when the two may not be compared.
        """
        state, artifact = self._state(), self._folder / "artifact"
        values = dict.fromkeys(("comparison", "moved", "appeared", "vanished"), "")
        if state.baseline.path is not None:
            try:
                with self._runner.without_commands():
                    values = self._compared(state.baseline, artifact)
                self._keep(msgspec.structs.replace(state, compared=True))
            except EcholotError as error:
                self._keep(msgspec.structs.replace(state, refused=error.sentence))
                self._tell(f"not compared: {error.sentence}", warning=True)
        self._outputs(**values)
        return 0

    def summary(self) -> int:
        """Write the comparison, with the report under it, to the job's summary."""
        self._runner.summary(self._markdown())
        return 0

    def comment(self) -> int:
        """Put the comparison on the pull request, where there is one and the token may."""
        job = self._job
        if job.pull_request is None:
            talk.note("no pull request: no comment")
            return 0
        try:
            put_comment(self._hub, job.pull_request, self._inputs.artifact, self._comparison_markdown())
        except ApiError as error:
            self._tell(
                f"no comment could be written ({error.what}): give the job permissions: pull-requests: "
                "write; on pull requests from forks the token may not, and the summary has it all",
                warning=True,
            )
        return 0

    @property
    def _flags(self) -> Flags:
        config = str(self._root / self._inputs.config) if self._inputs.config else None
        return Flags(config=config, scenario=self._inputs.scenario, jobs=self._jobs)

    @property
    def _job(self) -> Job:
        return read_job(self._environ)

    @property
    def _hub(self) -> GitHub:
        job = self._job
        return GitHub(job.api, job.repository, job.token)

    @property
    def _folder(self) -> Path:
        named = self._environ.get("ECHOLOT_FOLDER")
        if not named:
            raise RunnerError("ECHOLOT_FOLDER is not set", todo="run the step analyze first")
        return Path(named)

    def _state(self) -> State:
        return msgspec.json.decode(read_bytes(self._folder / _STATE), type=State, dec_hook=_as_path)

    def _keep(self, state: State) -> None:
        write_atomic(self._folder / _STATE, msgspec.json.encode(state, enc_hook=str))

    def _named(self, given: str, folder: Path) -> Baseline:
        """A named baseline becomes part of the artifact like one that was fetched."""
        found = baselines.named(given, self._root)
        if found.path is None:
            return found
        for name, source in ((_REPORT, found.path), ("rows.json", found.path.with_name("rows.json"))):
            if source.is_file():
                write_atomic(folder / name, read_bytes(source))
        return msgspec.structs.replace(found, path=folder / _REPORT)

    def _compared(self, baseline: Baseline, artifact: Path) -> dict[str, str]:
        flags = self._flags
        comparison = compare(
            (str(baseline.path), str(artifact / _REPORT)),
            open_project(flags),
            flags,
            names=(baseline.branch or "baseline", "this run"),
            generated_at=now(),
        )
        save(comparison, encode_comparison(comparison), artifact)
        counts = comparison.summary
        return {
            "comparison": str(artifact / "comparison.json"),
            "moved": str(counts.moved),
            "appeared": str(counts.appeared),
            "vanished": str(counts.vanished),
        }

    def _markdown(self) -> str:
        report = read_bytes(self._folder / "artifact" / "report.md").decode()
        return (
            f"{self._comparison_markdown()}\n\n<details><summary>Report</summary>\n\n{report}\n\n</details>\n"
        )

    def _comparison_markdown(self) -> str:
        """The comparison, or in its place why there is none."""
        state = self._state()
        if state.compared:
            path = self._folder / "artifact" / "comparison.json"
            decode_comparison(read_bytes(path), where=str(path))
            text = read_bytes(path.with_suffix(".md")).decode()
            return f"{text}\n\nCompared with {escape_cell(state.baseline.text)}."
        why = state.refused or state.baseline.text
        return f"# echolot\n\nNo comparison: {escape_cell(why)}"

    def _tell(self, text: str, *, warning: bool) -> None:
        if warning:
            self._runner.annotate("warning", TITLE, text)
        else:
            talk.note(text)

    def _outputs(self, **values: str) -> None:
        for name, value in values.items():
            self._runner.output(name, value)


STEPS: Final[dict[str, Callable[[Step], int]]] = {
    "doctor": Step.doctor,
    "analyze": Step.analyze,
    "baseline": Step.baseline,
    "compare": Step.compare,
    "summary": Step.summary,
    "comment": Step.comment,
}


def run_step(name: str) -> int:
    """Run one step; a refusal becomes an annotation too.

    Raises:
        EcholotError: The runner cannot compute or the traces are missing.
    """
    try:
        return STEPS[name](Step(os.environ))
    except EcholotError as error:
        Runner(os.environ, sys.stdout).annotate("error", TITLE, error.sentence)
        raise


def _as_path(kind: type, value: object) -> object:
    return Path(str(value)) if kind is Path else value
