"""Listing a checkout: what is a source, what is left out, and what cannot be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from checkouts import checkout
from echolot_tui.checkout import sources as listing
from echolot_tui.checkout.sources import Sources


def test_kotlin_and_java_of_every_module_are_listed_in_order(tmp_path: Path) -> None:
    names = ("feed/src/main/java/B.java", "app/src/main/kotlin/A.kt", "A.kt", "app/notes.txt", "app/x.kts")
    sources = Sources(checkout(tmp_path, dict.fromkeys(names, "")))
    assert sources.paths == ("A.kt", "app/src/main/kotlin/A.kt", "feed/src/main/java/B.java")
    assert sources.by_name["A.kt"] == ("A.kt", "app/src/main/kotlin/A.kt")


def test_build_scripts_are_listed_apart(tmp_path: Path) -> None:
    names = ("build.gradle.kts", "app/build.gradle", "app/build/build.gradle", "settings.gradle", "A.kt")
    sources = Sources(checkout(tmp_path, dict.fromkeys(names, "")))
    assert sources.build_scripts == ("app/build.gradle", "build.gradle.kts")
    assert sources.paths == ("A.kt",)


def test_generated_and_hidden_folders_are_left_out_but_a_package_may_be_called_like_one(
    tmp_path: Path,
) -> None:
    out = ("app/build/generated/G.kt", ".git/H.kt", ".gradle/I.kt", "web/node_modules/x/J.java", "out/K.kt")
    kept = "app/src/main/kotlin/com/example/build/Plan.kt"
    sources = Sources(checkout(tmp_path, dict.fromkeys((*out, kept), "")))
    assert sources.paths == (kept,)


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    checkout(tmp_path, {"a/src/A.kt": "package a"})
    (tmp_path / "a" / "again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "B.kt").symlink_to(tmp_path / "a/src/A.kt")
    (tmp_path / "gone.kt").symlink_to(tmp_path / "nowhere.kt")
    sources = Sources(tmp_path)
    assert sources.paths == ("B.kt", "a/src/A.kt")
    assert sources.packages == {"a"}


def test_what_is_no_file_is_no_source(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "Pipe.kt")
    (tmp_path / "Folder.kt").mkdir()
    (tmp_path / "Null.java").symlink_to("/dev/zero")
    assert Sources(tmp_path).paths == ()


def test_what_cannot_be_read_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout(tmp_path, {"locked/A.kt": "package a", "B.kt": "package b"})
    scandir = os.scandir

    def refuse(folder: Path) -> object:
        if Path(folder).name == "locked":
            raise PermissionError(13, "Permission denied")
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", refuse)
    sources = Sources(tmp_path)
    assert sources.paths == ("B.kt",)
    (tmp_path / "B.kt").unlink()
    assert sources.content("B.kt") == b""
    assert sources.package_of("B.kt") == ""
    assert Sources(tmp_path / "nowhere").paths == ()


def test_hostile_names_are_names(tmp_path: Path) -> None:
    names = ["a\nb.kt", "[red]x[\\].kt", os.fsdecode(b"\xff.kt"), " .java"]
    for name in names:
        (tmp_path / name).write_text("package p")
    sources = Sources(tmp_path)
    assert sorted(sources.paths) == sorted(names)
    assert {sources.package_of(path) for path in sources.paths} == {"p"}


@pytest.mark.parametrize(
    ("text", "package"),
    [
        ("package com.example.app\n", "com.example.app"),
        ("/*\n * package com.other\n */\n@file:A\n\npackage com.example.app // here\n", "com.example.app"),
        ("package com.example.app;\r\nclass A {}\r\n", "com.example.app"),
        ("package com.`in`.app\n", "com.in.app"),
        ("// package com.example\nclass A", ""),
        ("", ""),
        ("/*" + "long licence\n" * 1000 + "*/\npackage com.example.app\n", "com.example.app"),
    ],
    ids=["plain", "after an annotation", "java", "quoted", "commented", "empty", "far down"],
)  # fmt: skip
def test_the_package_a_source_declares(tmp_path: Path, text: str, package: str) -> None:
    assert Sources(checkout(tmp_path, {"A.kt": text})).package_of("A.kt") == package


def test_listing_stops_at_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout(tmp_path, {f"m{number}/A.kt": "" for number in range(5)})
    assert not Sources(tmp_path).cut
    whole = Sources(tmp_path)
    assert len(whole.paths) == 5
    assert not whole.cut
    monkeypatch.setattr(listing, "FOLDERS_LISTED", 3)
    bounded = Sources(tmp_path)
    assert len(bounded.paths) == 2
    assert bounded.cut


def test_sources_in_folders_called_like_a_package(tmp_path: Path) -> None:
    inside = ("app/src/main/kotlin/com/example/app/A.kt", "feed/src/debug/java/com/example/app/B.java")
    outside = ("app/src/main/kotlin/com/example/myapp/C.kt", "app/src/main/kotlin/com/example/app/ui/D.kt")
    sources = Sources(checkout(tmp_path, dict.fromkeys((*inside, *outside), "")))
    assert sources.of_package("com.example.app") == list(inside)
    assert sources.of_package("com.other") == []
