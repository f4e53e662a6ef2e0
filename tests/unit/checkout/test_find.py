"""From names in traces to files and lines: the package decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from checkouts import JAVA, KOTLIN, checkout
from echolot_tui.checkout.find import Frame, SourceFinder, Spot
from echolot_tui.checkout.sources import Sources

CACHE = "package com.example.app\n\nclass Cache {\n    fun read() {\n    }\n}\n"


def find(root: Path, symbol: str, file: str | None = None, line: int | None = None) -> Spot | None:
    return SourceFinder(Sources(root)).find(Frame(symbol=symbol, file=file, line=line))


def test_a_frame_with_a_line_is_there(tmp_path: Path) -> None:
    checkout(tmp_path, {f"{KOTLIN}/Cache.kt": CACHE})
    spot = find(tmp_path, "com.example.app.Cache.read", "Cache.kt", 4)
    assert spot == Spot(file=f"{KOTLIN}/Cache.kt", line=4, exact=True)


@pytest.mark.parametrize(
    ("symbol", "line"),
    [
        ("com.example.app.Cache.read", 4),
        ("com.example.app.Cache", 3),
        ("com.example.app.Cache.gone", 3),
        ("com.example.app.Cache$read$1.invoke", 4),
    ],
)
def test_a_frame_without_a_line_gets_its_declaration_s(tmp_path: Path, symbol: str, line: int) -> None:
    checkout(tmp_path, {f"{KOTLIN}/Cache.kt": CACHE})
    assert find(tmp_path, symbol) == Spot(file=f"{KOTLIN}/Cache.kt", line=line, exact=True)


def test_the_package_decides_among_files_of_one_name(tmp_path: Path) -> None:
    other = CACHE.replace("com.example.app", "com.example.feed")
    checkout(tmp_path, {"a/Cache.kt": other, "z/Cache.kt": CACHE})
    for line in (4, None):
        assert find(tmp_path, "com.example.app.Cache.read", "Cache.kt", line) == Spot(
            file="z/Cache.kt", line=4
        )
        assert find(tmp_path, "com.example.feed.Cache.read", "Cache.kt", line) == Spot(
            file="a/Cache.kt", line=4
        )


@pytest.mark.parametrize("symbol", ["com.example.moved.Cache.read", "a.b.c"])
def test_only_the_name_says_a_file_of_another_package(tmp_path: Path, symbol: str) -> None:
    """A class that moved, and one R8 renamed."""
    checkout(tmp_path, {f"{KOTLIN}/Cache.kt": CACHE})
    assert find(tmp_path, symbol, "Cache.kt", 4) == Spot(file=f"{KOTLIN}/Cache.kt", line=4, exact=False)


@pytest.mark.parametrize(
    "symbol", ["okhttp3.Cache.get", "java.util.concurrent.Cache.read", "androidx.a.Cache"]
)
def test_a_file_of_an_unrelated_package_is_not_meant(tmp_path: Path, symbol: str) -> None:
    checkout(tmp_path, {f"{KOTLIN}/Cache.kt": CACHE})
    assert find(tmp_path, symbol, "Cache.kt", 4) is None
    assert find(tmp_path, symbol) is None


def test_one_class_in_two_source_sets_is_not_exact(tmp_path: Path) -> None:
    checkout(tmp_path, {"src/debug/Cache.kt": CACHE, "src/release/Cache.kt": CACHE})
    found = find(tmp_path, "com.example.app.Cache.read", "Cache.kt", 4)
    assert found == Spot(file="src/debug/Cache.kt", line=4, exact=False)


def test_a_file_that_is_too_short_is_another_version(tmp_path: Path) -> None:
    checkout(tmp_path, {f"{KOTLIN}/Cache.kt": CACHE})
    found = find(tmp_path, "com.example.app.Cache.read", "Cache.kt", 88)
    assert found == Spot(file=f"{KOTLIN}/Cache.kt", line=88, exact=False)


def test_top_level_functions_are_in_the_file_their_class_is_called_after(tmp_path: Path) -> None:
    checkout(tmp_path, {f"{KOTLIN}/Feed.kt": "package com.example.app\n\nfun refreshAll() {\n}\n"})
    assert find(tmp_path, "com.example.app.FeedKt.refreshAll") == Spot(file=f"{KOTLIN}/Feed.kt", line=3)


def test_a_class_in_a_file_of_another_name_is_found_in_its_package(tmp_path: Path) -> None:
    files = {
        f"{KOTLIN}/Models.kt": "package com.example.app\n\nclass Row\n",
        f"{JAVA}/Rows.java": "class Rows {}",
    }
    assert find(checkout(tmp_path, files), "com.example.app.Row") == Spot(file=f"{KOTLIN}/Models.kt", line=3)


def test_a_composable_is_in_the_file_of_its_package(tmp_path: Path) -> None:
    files = {
        "app/Home.kt": "package com.example.app\n" * 60,
        "app/ui/Home.kt": "package com.example.app.ui\n" * 60,
    }
    checkout(tmp_path, files)
    assert find(tmp_path, "com.example.app.ui.HomeScreen", "Home.kt", 42) == Spot(
        file="app/ui/Home.kt", line=42
    )
    assert find(tmp_path, "com.example.app.rememberFeed", "Home.kt", 9) == Spot(file="app/Home.kt", line=9)


def test_an_app_that_is_called_like_the_platform_has_its_places(tmp_path: Path) -> None:
    checkout(tmp_path, {"Cache.kt": CACHE.replace("com.example.app", "com.android.settings")})
    assert find(tmp_path, "com.android.settings.Cache.read", "Cache.kt", 4) == Spot(file="Cache.kt", line=4)
    assert find(tmp_path, "com.android.systemui.Cache.read", "Cache.kt", 4) is None
