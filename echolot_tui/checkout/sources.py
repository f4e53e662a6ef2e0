"""The Kotlin and Java files of a checkout: listed once, read only as far as somebody asks."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

_SUFFIXES: Final = (".kt", ".java")
_BUILD_SCRIPTS: Final = frozenset({"build.gradle", "build.gradle.kts"})
_OUTPUTS: Final = frozenset({"build", "node_modules", "out"})
"""Folders of generated files; inside ``src`` a folder of that name is a package."""
_SOURCE_ROOT: Final = "src"

FOLDERS_LISTED: Final = 100_000
"""A config in somebody's home folder must not list the whole disk."""

_READ_BYTES: Final = 4 << 20
_HEAD_BYTES: Final = 4096
_PACKAGE: Final = re.compile(rb"^[ \t]*package[ \t]+([\w.`]+)[ \t]*;?[ \t]*(?://.*)?\r?$", re.MULTILINE)


class Sources:
    """The sources under a folder.

    Nothing is read before it is asked for: listing 20,000 files takes a tenth of a second, reading their
    heads three. What cannot be read is not there. Links to folders are not followed, so nothing is met twice.

    Args:
        root: The checkout; every path is relative to it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.cut = False
        """Listing stopped at the bound of folders."""
        self._base = f"{root}/"
        self._packages: dict[str, str] = {}

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[str]]:
        """File name to the sorted relative paths of the files that carry it."""
        found: dict[str, list[str]] = defaultdict(list)
        for folder, names in self._folders_listed:
            for name in names:
                if name not in _BUILD_SCRIPTS:
                    found[name].append(f"{folder}{name}")
        return {name: tuple(sorted(paths)) for name, paths in sorted(found.items())}

    @cached_property
    def paths(self) -> Sequence[str]:
        """Every source, relative to the root, sorted."""
        return tuple(sorted(path for paths in self.by_name.values() for path in paths))

    @cached_property
    def build_scripts(self) -> Sequence[str]:
        """Every Gradle build script, relative to the root, sorted."""
        scripts = (
            f"{folder}{name}"
            for folder, names in self._folders_listed
            for name in names
            if name in _BUILD_SCRIPTS
        )
        return tuple(sorted(scripts))

    def of_package(self, package: str) -> Sequence[str]:
        """The sources in folders that are called as the package's sources usually are, sorted."""
        ending = f"/{package.replace('.', '/')}/"
        folders = self._folders.get(package.rpartition(".")[2], {})
        return [path for folder, paths in folders.items() if f"/{folder}".endswith(ending) for path in paths]

    @cached_property
    def packages(self) -> frozenset[str]:
        """Every package some source declares."""
        return frozenset(map(self.package_of, self.paths)) - {""}

    def declares(self, package: str) -> bool:
        """Whether some source declares this package; the likely ones are looked at first."""
        return (
            any(self.package_of(path) == package for path in self.of_package(package))
            or package in self.packages
        )

    def has(self, folder: str, name: str) -> bool:
        """Whether a source of that name is of a package.

        Args:
            folder: The package's usual folder, like ``com/example/app``.
            name: The file's.
        """
        paths = self.by_name.get(name, ())
        package = folder.replace("/", ".")
        return any(f"/{path}".endswith(f"/{folder}/{name}") for path in paths) or any(
            self.package_of(path) == package for path in paths
        )

    def package_of(self, path: str) -> str:
        """The package a source declares; empty when it declares none."""
        if path not in self._packages:
            head = self._content(path, _HEAD_BYTES)
            found = _PACKAGE.search(head)
            if found is None and len(head) == _HEAD_BYTES:  # a long licence comes first
                found = _PACKAGE.search(self._content(path, _READ_BYTES))
            self._packages[path] = found[1].decode("utf-8", "replace").replace("`", "") if found else ""
        return self._packages[path]

    def content(self, path: str) -> bytes:
        """A source's bytes, the first 4 MiB of a longer one; nothing when it cannot be read."""
        return self._content(path, _READ_BYTES)

    def text(self, path: str) -> str:
        """A source's text; what is no UTF-8 becomes replacement characters."""
        return self.content(path).decode("utf-8", "replace")

    @cached_property
    def _folders(self) -> Mapping[str, Mapping[str, Sequence[str]]]:
        """By a folder's own name: its path, with a slash at its end, and the sources right in it."""
        found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for path in self.paths:
            folder = path[: path.rfind("/") + 1]
            found[folder[:-1].rpartition("/")[2]][folder].append(path)
        return found

    def _content(self, path: str, most: int) -> bytes:
        try:
            # Twice as fast as a file object; a checkout has twenty thousand files.
            handle = os.open(f"{self._base}{path}", os.O_RDONLY)
            try:
                return os.read(handle, min(os.fstat(handle).st_size, most))
            finally:
                os.close(handle)
        except OSError:
            return b""

    @cached_property
    def _folders_listed(self) -> Sequence[tuple[str, Sequence[str]]]:
        """Each folder's path, with a slash at its end, and the sources and build scripts in it."""
        listed: list[tuple[str, Sequence[str]]] = []
        waiting = [("", False)]
        while waiting:
            if len(listed) == FOLDERS_LISTED:
                self.cut = True
                break
            folder, in_source_root = waiting.pop()
            names: list[str] = []
            for entry in _entries(f"{self._base}{folder}"):
                if entry.name.endswith(_SUFFIXES) or entry.name in _BUILD_SCRIPTS:
                    if entry.is_file():
                        names.append(entry.name)
                elif _is_listed(entry, in_source_root=in_source_root):
                    inside = in_source_root or entry.name == _SOURCE_ROOT
                    waiting.append((f"{folder}{entry.name}/", inside))
            listed.append((folder, names))
        return listed


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _is_listed(entry: os.DirEntry[str], *, in_source_root: bool) -> bool:
    if entry.name.startswith(".") or (entry.name in _OUTPUTS and not in_source_root):
        return False
    return entry.is_dir(follow_symlinks=False)
