"""Install tasks read off build scripts, in both of their languages."""

from __future__ import annotations

import pytest

from echolot_tui.checkout.gradle_scripts import app_variants, install_tasks

KOTLIN = """
plugins {
    alias(libs.plugins.android.application)
    // id("com.android.library")
}
android {
    namespace = "com.example"
    defaultConfig {
        applicationId = "com.example.app"
    }
    signingConfigs { create("shared") { storeFile = file("x") } }
    buildTypes {
        debug { applicationIdSuffix = ".debug" }
        val release by getting {
            isMinifyEnabled = true
            proguardFiles(getDefaultProguardFile("a.txt"))
        }
        create("benchmark") {
            initWith(getByName("release"))
            signingConfig = signingConfigs.getByName("debug")
        }
        create("nightly") {
            initWith(buildTypes.getByName("debug"))
        }
    }
}
"""

GROOVY = """
plugins { id 'com.android.application' }
android {
    defaultConfig { applicationId "com.example.app" }
    flavorDimensions "store", "content"
    productFlavors {
        play { dimension "store" }
        free { dimension "store"; applicationIdSuffix ".free" }
        demo { dimension "content"; applicationIdSuffix ".demo" }
        full { dimension "content" }
    }
    buildTypes {
        benchmark { initWith buildTypes.release }
    }
}
"""


def packages(script: str) -> dict[str, str | None]:
    return {variant.task_name: variant.package for variant in app_variants(script)}


def test_build_types_of_a_kotlin_script() -> None:
    assert packages(KOTLIN) == {
        "Debug": "com.example.app.debug",
        "Release": "com.example.app",
        "Benchmark": "com.example.app",
        "Nightly": "com.example.app.debug",
    }


@pytest.mark.parametrize(
    ("default", "release", "package", "base"),
    [
        ('applicationId = "com.example.app"', "", "com.example.app", "com.example.app"),
        (
            'applicationId = "com.example.app"',
            "applicationIdSuffix = Suffix.RELEASE",
            None,
            "com.example.app",
        ),
        ("applicationId = Ids.app", "", None, None),
        ("", "", "com.example", "com.example"),
        ('applicationId.set("com.set")', 'applicationIdSuffix = ".r"', "com.set.r", "com.set"),
    ],
)
def test_an_id_a_script_computes_is_not_told(
    default: str, release: str, package: str | None, base: str | None
) -> None:
    script = f"""plugins {{ id("com.android.application") }}
android {{
    namespace = "com.example"
    defaultConfig {{ {default} }}
    buildTypes {{ release {{ {release} }} }}
}}"""
    (found,) = [variant for variant in app_variants(script) if variant.build_type == "release"]
    assert (found.package, found.base) == (package, base)


def test_the_plugin_for_baseline_profiles_makes_a_type_to_measure() -> None:
    plugins = 'plugins { id("com.android.application"); alias(libs.plugins.baselineprofile) }\n'
    script = plugins + 'android { namespace = "a.b"; buildTypes { release { applicationIdSuffix = ".r" } } }'
    assert packages(script) == {"Debug": "a.b", "Release": "a.b.r", "BenchmarkRelease": "a.b.r"}
    assert install_tasks({"app/build.gradle": script}, "a.b.r") == (":app:installBenchmarkRelease",)


def test_flavors_of_every_dimension_of_a_groovy_script() -> None:
    found = packages(GROOVY)
    assert len(found) == 12
    assert found["PlayFullBenchmark"] == "com.example.app"
    assert found["FreeDemoDebug"] == "com.example.app.free.demo"
    assert found["FreeFullRelease"] == "com.example.app.free"


@pytest.mark.parametrize(
    ("package", "task", "tasks"),
    [
        ("com.example.app", None, (":app:installBenchmark",)),
        ("com.example.app", ":bench:connectedBenchmarkAndroidTest", (":app:installBenchmark",)),
        ("com.example.app", ":bench:connectedReleaseAndroidTest", (":app:installRelease",)),
        ("com.example.app", ":bench:connectedCheck", (":app:installBenchmark",)),
        ("com.example.app.debug", None, (":app:installNightly", ":app:installDebug")),
        ("com.example.other", None, ()),
    ],
)
def test_the_task_of_the_measured_variant(package: str, task: str | None, tasks: tuple[str, ...]) -> None:
    assert install_tasks({"app/build.gradle.kts": KOTLIN}, package, task) == tasks


def test_the_module_is_the_script_s_folder_and_others_build_no_app() -> None:
    scripts = {
        "build.gradle.kts": "plugins { alias(libs.plugins.android.application) apply false }",
        "feed/build.gradle": GROOVY.replace(".application'", ".library'"),
        "apps/phone/build.gradle": GROOVY,
    }
    assert install_tasks(scripts, "com.example.app.free") == (":apps:phone:installFreeFullBenchmark",)
    assert install_tasks({"build.gradle": GROOVY}, "com.example.app") == (":installPlayFullBenchmark",)


def test_an_id_that_is_no_literal_leaves_the_suffix_to_decide() -> None:
    script = KOTLIN.replace('"com.example.app"', "Ids.APP").replace('namespace = "com.example"', "")
    assert packages(script)["Debug"] is None
    assert install_tasks({"app/build.gradle.kts": script}, "org.real") == (":app:installBenchmark",)
    tasks = install_tasks({"app/build.gradle.kts": script}, "org.real.debug")
    assert tasks == (":app:installNightly", ":app:installDebug")


def test_without_an_id_the_namespace_is_it() -> None:
    script = 'plugins { id("com.android.application") }\nandroid { namespace = "com.example" }'
    assert packages(script) == {"Debug": "com.example", "Release": "com.example"}
    assert install_tasks({"app/build.gradle": script}, "com.example") == (
        ":app:installRelease",
        ":app:installDebug",
    )


@pytest.mark.parametrize(
    "script",
    ["", "{" * 9999, "plugins { id 'com.android.application' } buildTypes { x { y {", "buildTypes { {}{} }"],
)
def test_what_is_no_script_is_read_to_its_end(script: str) -> None:
    app_variants(script + "\nid 'com.android.application'")


def test_build_types_that_start_from_each_other_end() -> None:
    script = "id 'com.android.application'\nbuildTypes {\n a { initWith b\n }\n b { initWith a\n }\n}"
    assert packages(script)["A"] is None
