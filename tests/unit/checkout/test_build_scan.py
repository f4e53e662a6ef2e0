"""A build read as text: which variant is measured, which benchmarks there are, and a config that loads."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from checkouts import checkout
from echolot_tui.checkout.build_scan import BuildScan, scan_build
from echolot_tui.checkout.sources import Sources
from echolot_tui.collect.device import Attached
from echolot_tui.present.scan_text import draft_yaml, scan_lines
from echolot_tui.present.spans import plain
from echolot_tui.project.load import load_config

TYPES = """
        release { isMinifyEnabled = true }
        create("benchmark") {
            initWith(getByName("release"))
            isProfileable = true
        }
"""
BENCHMARK = """plugins { alias(libs.plugins.android.test) }
android {
    targetProjectPath = ":app"
    buildTypes { create("benchmark") { isDebuggable = true } }
}
"""
TEST = """package com.example.bench
// @Test fun notThis() = MacrobenchmarkRule()
class Startup {
    @get:Rule val rule = MacrobenchmarkRule()
    @Test fun cold() = rule.measureRepeated("a") { }
    @Test
    @LargeTest
    fun `warm start`() {
    }
    fun helper() {}
}
class Other { @Test fun hot() {} }
"""


def app(types: str, more: str = "") -> str:
    return f"""plugins {{ id("com.android.application") }}
android {{
    namespace = "com.example"
    defaultConfig {{ applicationId = "com.example.app" }}
    buildTypes {{ {types} }}
    {more}
}}
"""


def scan(root: Path, script: str, files: dict[str, str] | None = None) -> BuildScan:
    base = {
        "app/build.gradle.kts": script,
        "app/src/main/AndroidManifest.xml": "<manifest/>",
        "app/src/A.kt": "",
    }
    return scan_build(Sources(checkout(root, base | (files or {}))))


@pytest.mark.parametrize(
    ("types", "measured", "why"),
    [
        (TYPES, "benchmark", "built for benchmarks, and profileable"),
        ("", "release", "not profileable"),
        (
            'create("fast") { initWith(buildTypes.getByName("release")); profileable = true }',
            "fast",
            "profileable",
        ),
        ('create("benchmark") { isDebuggable = true }', "release", "not debuggable"),
        ("release { isDebuggable = true }", "release", "the only kind there is"),
    ],
)
def test_the_variant_to_measure(tmp_path: Path, types: str, measured: str, why: str) -> None:
    (found,) = scan(tmp_path, app(types)).apps
    assert found.measure == measured
    assert why in found.why
    assert found.chosen is not None


def test_variants_have_what_they_start_from(tmp_path: Path) -> None:
    (found,) = scan(tmp_path, app(TYPES)).apps
    facts = [(one.name, one.debuggable, one.profileable, one.minified) for one in found.variants]
    assert facts == [
        ("debug", True, False, False),
        ("release", False, False, True),
        ("benchmark", False, True, True),
    ]
    assert found.install_task == ":app:installBenchmark"
    assert found.mapping == "app/build/outputs/mapping/benchmark/mapping.txt"


def test_a_manifest_makes_every_variant_profileable(tmp_path: Path) -> None:
    manifest = """<manifest xmlns:android="http://schemas.android.com/apk/res/android"><application>
      <profileable android:shell="true"/></application></manifest>"""
    (found,) = scan(tmp_path, app(""), {"app/src/main/AndroidManifest.xml": manifest}).apps
    assert all(one.profileable for one in found.variants)


def test_flavors_are_part_of_a_variant(tmp_path: Path) -> None:
    flavors = """flavorDimensions += "store"
    productFlavors { create("play") { }
      create("free") { applicationIdSuffix = ".free" } }"""
    (found,) = scan(tmp_path, app(TYPES, flavors)).apps
    assert (found.measure, found.install_task) == ("playBenchmark", ":app:installPlayBenchmark")
    assert {one.name: one.package for one in found.variants}["freeBenchmark"] == "com.example.app.free"


def test_a_benchmark_module_has_its_task_and_tests(tmp_path: Path) -> None:
    path = "bench/src/main/java/com/example/bench/Startup.kt"
    found = scan(tmp_path, app(TYPES), {"bench/build.gradle.kts": BENCHMARK, path: TEST})
    (benchmark,) = found.benchmarks
    assert (benchmark.module, benchmark.target) == (":bench", ":app")
    assert benchmark.task == ":bench:connectedBenchmarkAndroidTest"
    assert [(one.name, one.file, one.line) for one in benchmark.tests] == [
        ("com.example.bench.Startup#cold", path, 5),
        ("com.example.bench.Startup#warm start", path, 8),
        ("com.example.bench.Other#hot", path, 12),
    ]


@pytest.mark.parametrize(
    ("script", "task"),
    [
        (
            'plugins { id("com.android.test"); id("androidx.baselineprofile") }',
            ":b:connectedBenchmarkReleaseAndroidTest",
        ),
        ('plugins { id("com.android.test") }', ":b:connectedDebugAndroidTest"),
        (
            'dependencies { implementation("androidx.benchmark:benchmark-macro-junit4:1") }',
            ":b:connectedDebugAndroidTest",
        ),
        ('plugins { id("com.android.test") apply false }', None),
        ('plugins { id("com.android.library") }', None),
        ("dependencies { androidTestImplementation(libs.junit) }", None),
    ],
)
def test_which_module_is_a_benchmark(tmp_path: Path, script: str, task: str | None) -> None:
    found = scan(tmp_path, app(""), {"b/build.gradle.kts": script})
    assert [one.task for one in found.benchmarks] == ([] if task is None else [task])


@pytest.mark.parametrize("drawn", [True, False])
def test_the_draft_loads(tmp_path: Path, drawn: bool) -> None:
    code = "fun a() = reportFullyDrawn()" if drawn else ""
    test = "bench/src/main/java/Startup.kt"
    files = {"bench/build.gradle.kts": BENCHMARK, test: TEST, "app/src/A.kt": code}
    text = draft_yaml(scan(tmp_path, app(TYPES), files))
    path = tmp_path / "echolot.yml"
    path.write_text(text, encoding="utf-8")
    config = load_config(path, None).config
    assert (config.project.package, config.runner.mode, config.runner.iterations) == (
        "com.example.app",
        "launch",
        10,
    )
    assert config.scenario is not None
    assert config.scenario.end == ("reportFullyDrawn*" if drawn else "activityResume")
    other = "\n".join(line[2:] for line in text.splitlines() if line.startswith("# ") and ":" in line[2:])
    assert ("never call reportFullyDrawn" in text) is not drawn
    assert "gradle_task: :bench:connectedBenchmarkAndroidTest" in other


def test_the_draft_of_a_build_that_says_nothing_loads_too(tmp_path: Path) -> None:
    scanned = scan_build(Sources(checkout(tmp_path, {"src/A.kt": ""})))
    assert yaml.safe_load(draft_yaml(scanned))["runner"] == {"mode": "launch", "iterations": 10}
    (said,) = [plain(each) for each in scan_lines(scanned, None, 100)]
    assert said == "! no build script says that it builds an app"


def test_devices_are_told_with_their_state(tmp_path: Path) -> None:
    devices = [Attached(serial="R58", state="device"), Attached(serial="X1", state="unauthorized")]
    lines = [plain(each) for each in scan_lines(scan(tmp_path, app("")), devices, 100)]
    assert lines[-1] == "devices    R58 (ready), X1 (unauthorized)"
    assert [plain(each) for each in scan_lines(scan(tmp_path, app("")), [], 100)][
        -1
    ] == "devices    none attached"


def test_an_id_with_a_suffix_the_script_computes_is_drafted_as_far_as_it_goes(tmp_path: Path) -> None:
    scanned = scan(tmp_path, app("release { applicationIdSuffix = Kind.RELEASE.suffix }"))
    text = draft_yaml(scanned)
    assert yaml.safe_load(text)["project"] == {"package": "com.example.app"}
    assert "may go on with a suffix" in text
    lines = "\n".join(plain(each) for each in scan_lines(scanned, None, 100))
    assert "→ release  com.example.app and a suffix the script computes" in lines
