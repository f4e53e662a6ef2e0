"""The checkout beside the config, laid under a report: places of rows, temporary markers."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from msgspec.structs import replace

from echolot_tui.checkout.find import SourceFinder
from echolot_tui.checkout.gradle_scripts import install_tasks
from echolot_tui.checkout.markers import temporary_markers
from echolot_tui.checkout.sources import FOLDERS_LISTED, Sources
from echolot_tui.errors import EcholotError
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.setup import Flags, Project, open_project
from echolot_tui.project.model import Instrumentation
from echolot_tui.report.model import AllRows, Report
from echolot_tui.report.places import place_rows
from echolot_tui.report.retraced import BuildMapping
from echolot_tui.report.temporary_markers import compare_markers


def read_checkout(
    report: Report, rows: AllRows, project: Project, mapping: BuildMapping | None = None
) -> tuple[Report, AllRows]:
    """The report and its rows with what the sources in the config's folder say; as they are without a config.

    Args:
        report: Merged and gated.
        rows: Every row behind it.
        project: Whose sources.
        mapping: Of the measured build, where it was minified.
    """
    sources = project.sources()
    if project.loaded is None or sources is None:
        return report, rows
    report, rows = place_rows(report, rows, SourceFinder(sources), mapping)
    markers = temporary_markers(sources, project.loaded.config.instrumentation.temp_prefix)
    compared = compare_markers(
        report.markers,
        markers,
        mode=project.scenario.runner.mode,
        install=_install(sources, project) if markers.named or report.markers.in_trace else (),
    )
    report = replace(report, markers=compared)
    if sources.cut:
        note = f"only the first {FOLDERS_LISTED} folders beside the config were looked at for sources"
        report = replace(report, notes=(*report.notes, note))
    return report, rows


def _install(sources: Sources, project: Project) -> tuple[str, ...]:
    """Gradle tasks that install the measured variant, where the scripts below the build's root say it."""
    runner, package = project.scenario.runner, project.scenario.package
    root = PurePosixPath(runner.project_root or ".")
    scripts = {
        str(PurePosixPath(path).relative_to(root)): sources.text(path)
        for path in sources.build_scripts
        if PurePosixPath(path).is_relative_to(root)
    }
    return install_tasks(scripts, package, runner.gradle_task) if package else ()


def sources_under(root: str) -> Sources:
    """The sources of a checkout somebody named.

    Raises:
        EcholotError: There is no such folder, or no Kotlin or Java in it.
    """
    folder = Path(root).expanduser()
    if not folder.is_dir():
        raise EcholotError("there is no such folder", where=root, todo="name the checkout with --root")
    sources = Sources(folder)
    if not sources.paths:
        raise EcholotError("holds no Kotlin and no Java", where=root, todo="name the checkout with --root")
    if sources.cut:
        talk.warn(f"only the first {FOLDERS_LISTED} folders under {root} were looked at")
    return sources


def instrumentation(config: str | None, local: str | None = None) -> Instrumentation:
    """How temporary markers are named and where they may be: as the config says, else as usual."""
    loaded = open_project(Flags(config=config, local=local)).loaded
    return loaded.config.instrumentation if loaded else Instrumentation()
