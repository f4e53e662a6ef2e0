"""A scanned build as lines, and the config it leads to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import yaml

from echolot_tui.checkout.build_scan import BuildScan, ScannedApp, ScannedBenchmark, ScannedVariant
from echolot_tui.collect.device import READY, Attached
from echolot_tui.present.numbers import listed
from echolot_tui.present.spans import Line, Span, line, wrapped
from echolot_tui.text import visible

_VARIANTS_SHOWN: Final = 12
_ITERATIONS: Final = 10


def scan_lines(scan: BuildScan, devices: Sequence[Attached] | None, width: int) -> list[Line]:
    """Apps with their variants, benchmarks with their tests, devices.

    Args:
        scan: The build.
        devices: Those attached; ``None`` when nobody asked or could say.
        width: Terminal columns.
    """
    lines = []
    for app in scan.apps:
        lines += _app(app)
    if not scan.apps:
        lines.append(line(Span("! ", "warning"), "no build script says that it builds an app"))
    for benchmark in scan.benchmarks:
        lines += _benchmark(benchmark)
    if devices is not None:
        said = listed(f"{one.serial} ({'ready' if one.state == READY else one.state})" for one in devices)
        lines.append(line(Span("devices    ", "muted"), said or "none attached"))
    return [part for each in lines for part in wrapped(each, width, indent=11)]


def _app(app: ScannedApp) -> list[Line]:
    lines = [line(Span("app        ", "muted"), Span(app.module, "heading"))]
    if app.problem:
        lines.append(line(Span("! ", "warning"), app.problem))
    for variant in app.variants[:_VARIANTS_SHOWN]:
        sign = "→ " if variant.name == app.measure else "  "
        lines.append(line("           ", sign, Span(variant.name, "name"), _facts(variant)))
    if len(app.variants) > _VARIANTS_SHOWN:
        lines.append(line(f"           and {len(app.variants) - _VARIANTS_SHOWN} more"))
    return [*lines, line(Span("measure    ", "muted"), f"{app.measure}: {app.why}")]


def _facts(variant: ScannedVariant) -> str:
    begins = f"{variant.package_begins} and a suffix the script computes" if variant.package_begins else None
    words = [variant.package or begins or "application id not in the script as text"]
    words += [name for name in ("debuggable", "profileable", "minified") if getattr(variant, name)]
    return f"  {' · '.join(words)}"


def _benchmark(benchmark: ScannedBenchmark) -> list[Line]:
    target = f" measures {benchmark.target}" if benchmark.target else ""
    return [
        line(Span("benchmark  ", "muted"), Span(benchmark.module, "heading"), target),
        line(f"           task {benchmark.task}"),
        *(
            line(f"           {test.name}  ", Span(f"{test.file}:{test.line}", "muted"))
            for test in benchmark.tests
        ),
    ]


def draft_yaml(scan: BuildScan) -> str:
    """An ``echolot.yml`` for the build, with its reasons as comments; it loads as it is."""
    app = next(iter(scan.apps), None)
    chosen = app.chosen if app is not None else None
    parts = ["# Drafted from the build scripts; nothing was built or run."]
    if app is not None and chosen is not None:
        parts.append(
            f"# Measure {visible(chosen.name)} of {visible(app.module)}: {app.install_task} installs it."
        )
    package = chosen.package or chosen.package_begins if chosen else None
    if chosen is not None and chosen.package_begins:
        parts.append("# Its application id may go on with a suffix that the script computes: check it.")
    if package is None:
        parts.append("# project: {package: ...}   the application id is not in the scripts as text")
    else:
        project: dict[str, Any] = {"package": package}
        if app is not None and app.mapping is not None:
            project["mapping"] = app.mapping
        parts.append(_dump({"project": project}))
    parts.append(_scenario(scan))
    parts.append(_dump({"runner": {"mode": "launch", "iterations": _ITERATIONS}}))
    parts += [_gradle(each) for each in scan.benchmarks]
    return "\n".join(part.rstrip("\n") for part in parts) + "\n"


def _scenario(scan: BuildScan) -> str:
    end = "reportFullyDrawn*" if scan.says_drawn else "activityResume"
    text = _dump({"scenario": {"name": "coldStart", "start": "bindApplication", "end": end}})
    if scan.says_drawn:
        return text
    return f"# The sources never call reportFullyDrawn(), which would say when the start is over.\n{text}"


def _gradle(benchmark: ScannedBenchmark) -> str:
    """The benchmark that is there already, as the other way to record, in comments."""
    settings: dict[str, Any] = {"mode": "gradle", "gradle_task": benchmark.task}
    if benchmark.tests:
        key = "-Pandroid.testInstrumentationRunnerArguments.class="
        settings["gradle_args"] = [f"{key}{visible(benchmark.tests[0].name)}"]
    text = _dump({"runner": settings})
    return "\n".join(["# Or the macrobenchmark:", *(f"# {each}" for each in text.splitlines())])


def _dump(values: object) -> str:
    text: str = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=1000)
    return text
