"""The app's own code: its package, else what the checkout holds; and when a measurement depends on that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from checkouts import checkout
from detectors_asked import PID, Asked, app, put
from echolot_tui.checkout.sources import Sources
from echolot_tui.engine.model import EngineChoice, TraceSession
from echolot_tui.engine.open import open_trace
from echolot_tui.engine.pool import Finished, Job, Outcome
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.measure.cache import MeasurementCache
from echolot_tui.measure.catalogue import load_catalogue
from echolot_tui.measure.measure_set import Kind, measure_set
from echolot_tui.measure.own_code import OwnCode, answer
from echolot_tui.measure.plan import plan
from echolot_tui.measure.spec import MeasureSpec

Load = Callable[[TraceBuilder], TraceSession]

HOME = "app.ui.Home (Home.kt:4)"
CARD = "com.feature.card.Card (Card.kt:9)"
LIBRARY = "androidx.compose.Row (Row.kt:1)"
CARD_FILE = {"feature/src/main/kotlin/com/feature/card/Card.kt": ""}


def own(root: Path, files: dict[str, str]) -> OwnCode:
    return OwnCode(Sources(checkout(root / "checkout", files)))


@pytest.mark.parametrize(
    ("name", "files", "is_own"),
    [
        (HOME, {}, True),
        ("application.Home (Home.kt:4)", {}, False),
        (CARD, {}, False),
        (CARD, CARD_FILE, True),
        (CARD, {"Card.kt": "package com.feature.card\n"}, True),
        (CARD, {"com/feature/Card.kt": "", "x/com/feature/card/Other.kt": ""}, False),
        (CARD, {"mycom/feature/card/Card.kt": ""}, False),
        ("com.feature.card.rememberCard (Card.kt:9)", CARD_FILE, True),
        ("com.feature.card.Card.Content (Card.kt:9)", CARD_FILE, True),
        (LIBRARY, CARD_FILE, False),
        ("app.Home", {}, False),
        ("draw (fast)", {}, False),
    ],
)
def test_a_composable_is_of_the_package_or_of_a_file_of_the_checkout(
    tmp_path: Path, name: str, files: dict[str, str], *, is_own: bool
) -> None:
    assert own(tmp_path, files).has_composable(name, "app") == is_own


def test_without_a_package_and_a_checkout_everything_but_the_platform_s_is_own(tmp_path: Path) -> None:
    assert OwnCode().has_composable(CARD, "")
    assert not OwnCode().has_composable(LIBRARY, "")
    assert not own(tmp_path, {"A.kt": "package a\n"}).has_composable(CARD, "")


APK = "/data/app/~~x==/app-1==/base.apk"


@pytest.mark.parametrize(
    ("method", "mapping", "package", "files", "is_own"),
    [
        ("com.feature.Feed.load", APK, "app", {}, True),
        ("com.feature.Feed.load", "/system/lib64/x.so", "app", {}, False),
        ("com.feature.Feed.load", APK, "app", {"A.kt": "package com.feature\n"}, True),
        ("com.feature.Feed.load", "", "app", {"A.kt": "package com.feature\n"}, True),
        ("com.feature.ui.Feed.load", APK, "app", {"A.kt": "package com.feature\n"}, False),
        ("app.Feed.load", APK, "app", {"A.kt": "package com.feature\n"}, True),
        ("a1.b", APK, "app", {"A.kt": "package com.feature\n"}, True),
        ("com.android.lib.A.b", APK, "app", {"A.kt": "package com.android.lib\n"}, True),
        ("com.android.lib.A.b", APK, "app", {}, False),
        ("android.view.View.draw", APK, "app", {"A.kt": "package android.view\n"}, False),
    ],
)
def test_a_method_is_of_a_declared_package(
    tmp_path: Path, method: str, mapping: str, package: str, files: dict[str, str], *, is_own: bool
) -> None:
    assert own(tmp_path, files).has_method(method, mapping, package) == is_own


def test_what_was_asked_is_kept_once_with_its_answer(tmp_path: Path) -> None:
    code = own(tmp_path, CARD_FILE)
    for _ in range(2):
        code.has_composable(CARD, "app")
        code.has_method("com.other.A.b", APK, "app")
    assert code.asked == {"file com/feature/card/Card.kt": True, "sources": True, "package com.other": False}
    sources = Sources(tmp_path / "checkout")
    assert all(answer(question, sources) == known for question, known in code.asked.items())
    assert not any(answer(question, None) for question in code.asked)
    assert not answer("nonsense", sources)


@pytest.mark.parametrize(
    ("files", "expected"),
    [({}, {HOME: (30.0, 30.0)}), (CARD_FILE, {HOME: (20.0, 30.0), CARD: (10.0, 10.0)})],
    ids=["not in the checkout", "in the checkout"],
)
def test_own_time_is_less_the_own_composables_inside(
    load: Load, tmp_path: Path, files: dict[str, str], expected: dict[str, tuple[float, float]]
) -> None:
    builder = app()
    put(builder, PID, 0, 100, "Compose:recompose")
    put(builder, PID, 10, 40, HOME)
    put(builder, PID, 12, 30, LIBRARY)
    put(builder, PID, 15, 25, CARD)
    asked = Asked(load(builder), PID, 0, 1_000_000_000, only="composables", own=own(tmp_path, files))
    rows = {row["location"]: (row["self_ms"], row["total_ms"]) for row in asked.rows("composables")}
    assert rows == expected
    assert set(asked.covered("composables")) == set(expected)


def here(jobs: Sequence[Job[Any, Any]], *, choice: EngineChoice, on_event: Any, **_: Any) -> list[Any]:
    """Run jobs in this process: a worker takes half a second to start."""
    outcomes = []
    for index, job in enumerate(jobs):
        with open_trace(job.path, choice) as session:
            outcomes.append(Outcome(path=job.path, result=job.run(session, job.payload)))
        on_event(Finished(index=index, outcome=outcomes[-1]))
    return outcomes


def test_a_stored_measurement_is_used_while_the_checkout_says_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("echolot_tui.measure.measure_set.run_jobs", here)
    builder = app()
    put(builder, PID, 0, 40, HOME)
    put(builder, PID, 5, 25, CARD)
    trace = tmp_path / "a.trace"
    trace.write_bytes(builder.build())
    root = checkout(tmp_path / "checkout", {"A.kt": "package a\n"})
    made = plan(load_catalogue())
    only = tuple(one for one in made.detectors if one.id == "composables")
    spec = MeasureSpec(process="app", package="app", detectors=only)

    def measured() -> tuple[list[Kind], list[float]]:
        heard: list[Kind] = []
        found = measure_set(
            [trace],
            spec,
            EngineChoice(),
            jobs=1,
            cache=MeasurementCache(tmp_path / "cache", sources=Sources(root)),
            checkout=root,
            on_event=lambda event: heard.append(event.kind),
        )
        (detector,) = found.measurements[0].occurrences[0].detectors
        return heard[-1:], [float(row.columns["self_ms"] or 0) for row in detector.rows]

    assert measured() == (["measured"], [40.0])
    checkout(root, {"B.kt": "package b\n"})
    assert measured() == (["cached"], [40.0])
    checkout(root, CARD_FILE)
    assert measured() == (["measured"], [20.0, 20.0])
    assert measured() == (["cached"], [20.0, 20.0])
