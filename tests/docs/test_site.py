"""The site's builder: links adapted, broken ones found, every key of every file described."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from echolot_tui.headless.verbs.schema import NAMES, schema_of

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_site", ROOT / "docs" / "build_site.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_links_of_the_repository_become_links_of_the_site(builder: ModuleType, tmp_path: Path) -> None:
    text = (
        "[a](../ARCHITECTURE.md#detector-files) [b](config.md) [c](https://x.org/y.md) [d](#here) "
        "[e](../README.md#try-it) [f](../bench/engine.py) [g](absent.md)"
    )
    assert builder.adapt(text, ROOT / "docs" / "page.md", tmp_path) == (
        "[a](architecture.md#detector-files) [b](config.md) [c](https://x.org/y.md) [d](#here) "
        "[e](index.md#try-it) [f](engine.py) [g](absent.md)"
    )
    assert (tmp_path / "engine.py").read_bytes() == (ROOT / "bench" / "engine.py").read_bytes()
    assert builder.adapt("[x](docs/config.md)", ROOT / "README.md", tmp_path) == "[x](config.md)"


def test_broken_links_are_found(builder: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<h1 id="top"></h1><a href="b.html#there"></a><a href="#top"></a>')
    (tmp_path / "b.html").write_text(
        '<h1 id="there"></h1><a href="c.html"></a><a href="a.html#no"></a><img src="p.png"><a href="http://x.y"></a>'
    )
    assert sorted(builder.broken_links(tmp_path)) == [
        "b.html: a.html#no leads to no heading",
        "b.html: c.html leads to no file",
        "b.html: p.png leads to no file",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_has_every_key_and_every_model(name: str, builder: ModuleType) -> None:
    page = builder.reference(name)
    for model, schema in schema_of(name)["$defs"].items():
        described = page.partition(f"## {model}\n")[2].partition("\n## ")[0]
        assert described, model
        keys = re.findall(r"^\| `([^`]+)` \|", described, re.MULTILINE)
        assert set(keys) == set(schema.get("properties", {})), model


def test_what_the_code_says_below_a_field_is_its_meaning(builder: ModuleType) -> None:
    assert "| `holds` | true or false or null" in builder.reference("comparison")
    assert (
        "Smallest move these runs could call real on the bar that applies to this row."
        in builder.reference("comparison")
    )
    assert "`exact` or `family`" in builder.reference("comparison")


def test_every_page_has_its_place(builder: ModuleType) -> None:
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    placed = {page for section in builder.NAVIGATION.values() for page in section}
    assert pages <= placed, "put the new page into docs/build_site.py's NAVIGATION"


@pytest.mark.slow
def test_the_site_is_built_without_a_broken_link(tmp_path: Path) -> None:
    pytest.importorskip("zensical", reason="the docs extra is not installed")
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "build_site.py"), str(tmp_path / "site")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site" / "index.html").is_file()
