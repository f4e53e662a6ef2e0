"""Build the documentation site out of the pages as they lie in the repository, and check its links.

``python docs/build_site.py OUT``. The pages are written to be read on GitHub; here they are gathered into one
folder with their links adapted, a reference of every JSON file is generated from the models, zensical makes
the site, and every link of the result is followed.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

import msgspec

from echolot_tui.headless.verbs.schema import MODELS, NAMES, schema_of

ROOT = Path(__file__).parents[1]
NAVIGATION: dict[str, tuple[str, ...]] = {
    "": ("index.md", "start.md"),
    "Recording": ("collecting.md", "collecting-android.md", "sources.md"),
    "Reading": ("report.md", "comparison.md", "how-sure.md", "profiles.md"),
    "Working": ("workbench.md", "keys.md", "hunts.md", "history.md", "ci.md"),
    "Settings": ("config.md", "calibrating.md", "detectors.md"),
    "Reference": ("json.md", *(f"reference-{name}.md" for name in NAMES)),
    "Project": ("architecture.md", "contributing.md", "changelog.md"),
}
GATHERED = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "LICENSE": "license.txt",
}
_LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s]+)(\))")


def main(out: Path) -> int:
    """Build into ``out``; 1 when a link leads nowhere."""
    with tempfile.TemporaryDirectory() as name:
        source = Path(name)
        pages = gather(source / "docs")
        (source / "zensical.toml").write_text(settings(pages), encoding="utf-8")
        subprocess.run([sys.executable, "-m", "zensical", "build", "--clean"], cwd=source, check=True)
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(source / "site", out)
    broken = sorted(broken_links(out))
    for line in broken:
        sys.stderr.write(f"{line}\n")
    sys.stdout.write(f"{len(list(out.rglob('*.html')))} pages, {len(broken)} broken links\n")
    return 1 if broken else 0


# ── gathering ──


def gather(folder: Path) -> set[str]:
    """Every page into one folder; the names of those that are pages."""
    folder.mkdir(parents=True)
    sources = [ROOT / name for name in GATHERED] + sorted((ROOT / "docs").glob("*.md"))
    for path in sources:
        text = path.read_text(encoding="utf-8")
        target = folder / site_name(path)
        target.write_text(adapt(text, path, folder) if path.suffix == ".md" else text, encoding="utf-8")
    for name in NAMES:
        (folder / f"reference-{name}.md").write_text(reference(name), encoding="utf-8")
        schema = json.dumps(schema_of(name), indent=2, ensure_ascii=False)
        (folder / f"{name}.schema.json").write_text(f"{schema}\n", encoding="utf-8")
    return {path.name for path in folder.glob("*.md")}


def site_name(path: Path) -> str:
    """Where a file of the repository lies on the site."""
    return GATHERED.get(path.relative_to(ROOT).as_posix(), path.name)


def adapt(text: str, page: Path, folder: Path) -> str:
    """Links between files of the repository become links of the site; pictures and code come along."""

    def link(match: re.Match[str]) -> str:
        before, target, after = match.groups()
        path, sharp, fragment = target.partition("#")
        if not path or ":" in path:
            return match[0]
        file = ROOT / posixpath.normpath((page.parent / unquote(path)).relative_to(ROOT).as_posix())
        if file.is_dir() or not file.exists():
            return match[0]
        name = site_name(file).replace("[", "-").replace("]", "")
        if file.suffix != ".md" and not (folder / name).exists():
            shutil.copy(file, folder / name)
        return f"{before}{name}{sharp}{fragment}{after}"

    return _LINK.sub(link, text)


def settings(pages: set[str]) -> str:
    """The site's settings; a page nobody has put anywhere is listed at the end."""
    placed = {page for section in NAVIGATION.values() for page in section}
    sections = {**NAVIGATION, "More": tuple(sorted(pages - placed))}
    lines = ["[project]", 'site_name = "echolot"', "use_directory_urls = false", "nav = ["]
    for title, section in sections.items():
        names = [f'"{page}"' for page in section if page in pages]
        if names:
            lines.append(f'  {{ "{title}" = [{", ".join(names)}] }},' if title else f"  {', '.join(names)},")
    return "\n".join([*lines, "]", ""])


# ── reference ──


def reference(name: str) -> str:
    """One page about a file: every model in it, every key with its meaning as the code documents it."""
    module, model = MODELS[name]
    kind = getattr(importlib.import_module(f"echolot_tui.{module}"), model)
    schema = schema_of(name)
    lines = [
        f"# {name}: every key",
        "",
        f"Version {schema['$id'].rpartition(':')[2]}; as [JSON Schema]({name}.schema.json).",
        "",
    ]
    for struct in structs_of(kind, {}).values():
        lines += [f"## {struct.__name__}", "", inspect.getdoc(struct) or "", ""]
        lines += ["| key | type | meaning |", "|---|---|---|"]
        meanings = documented(struct)
        required = schema["$defs"].get(struct.__name__, {}).get("required", ())
        for field in msgspec.structs.fields(struct):
            kind_text = type_text(field.type).replace("|", "\\|")
            needed = "" if field.encode_name in required else ", may be absent"
            meaning = " ".join(meanings.get(field.name, "").split()).replace("|", "\\|")
            lines.append(f"| `{field.encode_name}` | {kind_text}{needed} | {meaning} |")
        lines.append("")
    return "\n".join(lines)


def structs_of(kind: Any, found: dict[str, type[msgspec.Struct]]) -> dict[str, type[msgspec.Struct]]:
    """The model and every one inside it, in the order they are met."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        if kind.__name__ not in found:
            found[kind.__name__] = kind
            for field in msgspec.structs.fields(kind):
                structs_of(field.type, found)
    else:
        for part in getattr(kind, "__args__", ()):
            structs_of(part, found)
    return found


def documented(kind: type[msgspec.Struct]) -> dict[str, str]:
    """The text below each field, of the model and those it extends."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("echolot_tui"):
            (tree,) = ast.parse(inspect.getsource(base)).body
            assert isinstance(tree, ast.ClassDef)
            for field, text in zip(tree.body, tree.body[1:], strict=False):
                if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
                    value = text.value
                    if isinstance(value, ast.Constant) and isinstance(value.value, str):
                        assert isinstance(field.target, ast.Name)
                        found[field.target.id] = value.value
    return found


_WORDS = {str: "text", int: "whole number", float: "number", bool: "true or false", type(None): "null"}


def type_text(kind: Any) -> str:
    """A type as a reader of JSON would say it."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return f"[{kind.__name__}](#{kind.__name__.lower()})"
    parts = [part for part in getattr(kind, "__args__", ()) if part is not msgspec.UnsetType]
    if not parts:
        return _WORDS.get(kind, "anything")
    origin = getattr(kind, "__origin__", None)
    if origin is Literal:
        return " or ".join(f"`{part}`" for part in parts)
    if origin is tuple:
        return f"list of {type_text(parts[0])}"
    if origin is dict:
        return f"object of {type_text(parts[1])}"
    return " or ".join(map(type_text, parts))


# ── checking ──


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember where it leads and what leads to it."""
        for name, value in attrs:
            if name in ("href", "src") and value and tag != "base":
                self.links.append(value)
            if name in ("id", "name") and value:
                self.anchors.add(value)


def broken_links(site: Path) -> Iterator[str]:
    """Links inside the site that lead to no file or no anchor."""
    pages = {}
    for path in site.rglob("*.html"):
        pages[path] = page = _Page()
        page.feed(path.read_text(encoding="utf-8"))
    for path, page in pages.items():
        if path.name == "404.html":
            continue
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                yield f"{path.relative_to(site)}: {link} leads to no file"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                yield f"{path.relative_to(site)}: {link} leads to no heading"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
