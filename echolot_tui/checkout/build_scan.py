"""A build as its scripts describe it: apps and their variants, macrobenchmarks and their tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from echolot_tui.checkout.declarations import only_code, without_comments
from echolot_tui.checkout.gradle_scripts import (
    Variant,
    app_variants,
    build_types,
    flag,
    flavor_choices,
    value,
)
from echolot_tui.checkout.manifest import AppModule, app_modules
from echolot_tui.checkout.modules import gradle_name
from echolot_tui.checkout.sources import Sources
from echolot_tui.frozen import Frozen, always

_BENCHMARK: Final = re.compile(
    r"^(?!.*\bapply[ (]false).*(?:android[.-]?[tT]est\b|\bbenchmark[.-]macro)", re.MULTILINE
)
_TEST: Final = re.compile(r"@Test\b[^{;=]{0,400}?\b(?:fun|void)\s+`?(?P<name>[^`(\n]+?)`?\s*\(")
_CLASS: Final = re.compile(r"\bclass\s+(\w+)")
_RULE: Final = b"MacrobenchmarkRule"
_SAYS_DRAWN: Final = (b"reportFullyDrawn", b"ReportDrawn")


class ScannedVariant(Frozen, frozen=True, kw_only=True):
    """One way to build the app, and how fit it is to be measured."""

    name: str
    """As Gradle writes it: ``playBenchmark``."""
    package: str | None = None
    """Application id; ``None`` when the script does not say it as a literal."""
    package_begins: str | None = None
    """What it begins with, where only a suffix is no literal."""
    debuggable: bool = always(False)  # noqa: FBT003 - a key readers count on
    profileable: bool = always(False)  # noqa: FBT003
    minified: bool = always(False)  # noqa: FBT003


class ScannedApp(Frozen, frozen=True, kw_only=True):
    """One module that builds an app."""

    module: str
    variants: tuple[ScannedVariant, ...]
    measure: str | None = None
    """The variant to measure."""
    why: str = ""
    install_task: str | None = None
    mapping: str | None = None
    """Where R8 leaves the names of that variant, relative to the checkout."""
    problem: str | None = None
    """What is wrong with its manifest."""

    @property
    def chosen(self) -> ScannedVariant | None:
        """The variant to measure."""
        return next((one for one in self.variants if one.name == self.measure), None)


class BenchmarkTest(Frozen, frozen=True, kw_only=True):
    """One test that measures the app."""

    name: str
    """``com.example.StartupBenchmark#coldStart``."""
    file: str
    line: int


class ScannedBenchmark(Frozen, frozen=True, kw_only=True):
    """One macrobenchmark module."""

    module: str
    target: str | None = None
    """The app module it measures."""
    task: str
    """The Gradle task that runs it."""
    tests: tuple[BenchmarkTest, ...] = always(())


class BuildScan(Frozen, frozen=True, kw_only=True):
    """What the build scripts say."""

    apps: tuple[ScannedApp, ...] = always(())
    benchmarks: tuple[ScannedBenchmark, ...] = always(())
    says_drawn: bool = always(False)  # noqa: FBT003
    """The sources tell the system when they are fully drawn."""


def scan_build(sources: Sources) -> BuildScan:
    """Read a build's scripts, manifests and benchmarks as text; nothing is run.

    Args:
        sources: The folder of the build.
    """
    apps = {app.script: app for app in app_modules(sources)}
    return BuildScan(
        apps=tuple(_app(sources, app) for app in apps.values()),
        benchmarks=tuple(
            _benchmark(sources, script)
            for script in sources.build_scripts
            if script not in apps and _BENCHMARK.search(without_comments(sources.text(script)))
        ),
        says_drawn=any(
            word in content for content in map(sources.content, sources.paths) for word in _SAYS_DRAWN
        ),
    )


def _app(sources: Sources, app: AppModule) -> ScannedApp:
    text = sources.text(app.script)
    code = without_comments(text)
    types = build_types(code)
    pairs = [(variant, _scanned(variant, types, app)) for variant in app_variants(text)]
    variant, chosen = min(pairs, key=lambda pair: _unfit(pair[0], pair[1]))
    folder = app.script.rpartition("/")[0]
    outputs = f"{folder}/build/outputs" if folder else "build/outputs"
    module = "" if app.module == ":" else app.module
    return ScannedApp(
        module=app.module,
        variants=tuple(scanned for _, scanned in pairs),
        measure=chosen.name,
        why=_why(variant, chosen),
        install_task=f"{module}:install{variant.task_name}",
        mapping=f"{outputs}/mapping/{chosen.name}/mapping.txt" if chosen.minified else None,
        problem=app.problem,
    )


def _scanned(variant: Variant, types: dict[str, str], app: AppModule) -> ScannedVariant:
    debuggable = flag(types, variant.build_type, "Debuggable")
    task = variant.task_name
    return ScannedVariant(
        name=task[:1].lower() + task[1:],
        package=variant.package,
        package_begins=variant.base if variant.package is None else None,
        debuggable=variant.build_type == "debug" if debuggable is None else debuggable,
        profileable=bool(flag(types, variant.build_type, "Profileable")) or app.profileable,
        minified=bool(flag(types, variant.build_type, "MinifyEnabled")),
    )


def _unfit(variant: Variant, scanned: ScannedVariant) -> tuple[bool, bool, bool, bool]:
    """The smaller the fitter: not debuggable, built for benchmarks, profileable, released."""
    return (
        scanned.debuggable,
        "benchmark" not in variant.build_type.lower(),
        not scanned.profileable,
        variant.build_type != "release",
    )


def _why(variant: Variant, scanned: ScannedVariant) -> str:
    if scanned.debuggable:
        return "the only kind there is; a debuggable build is slower in other places than the released one"
    what = "built for benchmarks" if "benchmark" in variant.build_type.lower() else "not debuggable"
    if scanned.profileable:
        return f"{what}, and profileable"
    return (
        f'{what}; not profileable as far as the scripts say: <profileable android:shell="true"/> in its '
        "manifest lets its own sections and call stacks be recorded"
    )


def _benchmark(sources: Sources, script: str) -> ScannedBenchmark:
    code = without_comments(sources.text(script))
    folder = script.rpartition("/")[0]
    module = gradle_name(folder)
    target = re.search(r"""targetProjectPath\s*(?:=|\s|\.set\()\s*["']([\w:.-]+)["']""", code)
    kind = _build_type(code)
    flavors = next(flavor_choices(code), ())
    variant = Variant(tuple(name for name, _ in flavors), kind, None, "").task_name
    paths = [path for path in sources.paths if path.startswith(f"{folder}/")]
    return ScannedBenchmark(
        module=module,
        target=target[1] if target else value(code, "targetProjectPath"),
        task=f"{'' if module == ':' else module}:connected{variant}AndroidTest",
        tests=tuple(_tests(sources, paths)),
    )


def _build_type(code: str) -> str:
    """What a benchmark module builds to measure: a type of its own for it, else the plugin's, else debug."""
    return next((name for name in build_types(code) if "benchmark" in name.lower()), "debug")


def _tests(sources: Sources, paths: Iterable[str]) -> Iterator[BenchmarkTest]:
    for path in paths:
        if _RULE not in sources.content(path):
            continue
        code = only_code(sources.text(path))
        classes = [(found.start(), found[1]) for found in _CLASS.finditer(code)]
        package = sources.package_of(path)
        for test in _TEST.finditer(code):
            owner = next((name for at, name in reversed(classes) if at < test.start()), None)
            if owner is not None:
                yield BenchmarkTest(
                    name=f"{package}.{owner}#{test['name']}" if package else f"{owner}#{test['name']}",
                    file=path,
                    line=code.count("\n", 0, test.start("name")) + 1,
                )
