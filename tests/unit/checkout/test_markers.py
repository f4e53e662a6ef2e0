"""Temporary markers in sources: which names a section may get from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from checkouts import checkout
from echolot_tui.checkout.markers import TemporaryMarkers, temporary_markers
from echolot_tui.checkout.sources import Sources


def read(root: Path, code: str, prefix: str = "AGENTTMP_") -> TemporaryMarkers:
    return temporary_markers(Sources(checkout(root, {"app/src/main/A.kt": code})), prefix)


@pytest.mark.parametrize(
    ("code", "made", "not_made"),
    [
        ('trace("AGENTTMP_load") {', "AGENTTMP_load", "AGENTTMP_load2"),
        ('trace("AGENTTMP_load feed") {', "AGENTTMP_load feed", "AGENTTMP_load"),
        ('trace("AGENTTMP_row$index") {', "AGENTTMP_row12", "AGENTTMP_ro"),
        ('trace("AGENTTMP_row" + index) {', "AGENTTMP_row12", "AGENTTMP_ro"),
        ('const val MARK = "AGENTTMP_"', "AGENTTMP_anything", "OTHER_anything"),
    ],
)
def test_a_text_of_the_sources_makes_names(tmp_path: Path, code: str, made: str, not_made: str) -> None:
    markers = read(tmp_path, code)
    assert markers.make(made)
    assert not markers.make(not_made)


def test_comments_and_tests_make_nothing(tmp_path: Path) -> None:
    for source_set in ("test", "androidTest", "testDebug"):
        checkout(tmp_path, {f"app/src/{source_set}/T.kt": 'trace("AGENTTMP_t")'})
    assert read(tmp_path, '// trace("AGENTTMP_a")\n/* "AGENTTMP_b" */').markers == ()


def test_each_marker_knows_its_files_and_the_bare_prefix_is_none(tmp_path: Path) -> None:
    checkout(tmp_path, {"z/B.java": '"AGENTTMP_b" "AGENTTMP_a" "AGENTTMP_"'})
    markers = read(tmp_path, '"AGENTTMP_b" "AGENTTMP_b"')
    found = [(marker.name, marker.files) for marker in markers.named]
    assert found == [("AGENTTMP_a", ("z/B.java",)), ("AGENTTMP_b", ("app/src/main/A.kt", "z/B.java"))]
    assert len(markers.markers) == 3


def test_a_prefix_is_no_pattern(tmp_path: Path) -> None:
    assert [one.name for one in read(tmp_path, '"t.*x" "tmpx"', prefix="t.*").markers] == ["t.*x"]
