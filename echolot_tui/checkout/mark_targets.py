"""Where first temporary markers tell most: what a cold start passes through in every app."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final, NamedTuple

from msgspec.structs import replace

from echolot_tui.checkout.declarations import declared_at, names_in, only_code
from echolot_tui.checkout.find import Frame, SourceFinder
from echolot_tui.checkout.functions import (
    Function,
    Lines,
    body_lines,
    declared_with,
    functions_in,
    innermost,
    statement_at,
)
from echolot_tui.checkout.manifest import AppModule
from echolot_tui.checkout.markers import TESTS
from echolot_tui.checkout.marking import Mark, MarkKind, section_name
from echolot_tui.checkout.sources import Sources
from echolot_tui.frozen import Frozen, always

_ON_CREATE: Final = "onCreate"
_SETS_CONTENT: Final = re.compile(r"(?<![\w.])(?P<call>setContent|setContentView)\s*[({]")
_ENTRY: Final = re.compile(
    r"(?<![\w.])(?:androidx\.room\.)?(?P<call>Room\.(?:databaseBuilder|inMemoryDatabaseBuilder)|startKoin|"
    r"Dagger\w+\.(?:builder|create|factory))\b(?=\s*[({<])"
)
_ENTRY_WORDS: Final = (b"Room.", b"startKoin", b"Dagger")
_CALL: Final = re.compile(r"(?<![\w.])(?P<name>[a-z]\w*)\s*\(")


class Skipped(Frozen, frozen=True, kw_only=True):
    """A place that would be marked and is not."""

    what: str
    """A function, or ``file:line``."""
    reason: str


class MarkPlan(Frozen, frozen=True, kw_only=True):
    """Markers to put in."""

    marks: tuple[Mark, ...] = always(())
    """By file and line."""
    skipped: tuple[Skipped, ...] = always(())


class _Place(NamedTuple):
    path: str
    code: str
    functions: list[Function]

    @property
    def java(self) -> bool:
        return self.path.endswith(".java")

    @property
    def stem(self) -> str:
        return self.path.rpartition("/")[2].partition(".")[0]


class Marker:
    """Finds the places.

    Args:
        sources: The checkout.
        prefix: What the sections' names begin with.
        allowed: Path globs that may be edited; none allows every path.
    """

    def __init__(self, sources: Sources, *, prefix: str, allowed: Sequence[str]) -> None:
        self._sources = sources
        self._finder = SourceFinder(sources)
        self._prefix = prefix
        self._allowed = allowed
        self._read = lru_cache(maxsize=64)(self._place)
        self._marks: list[Mark] = []
        self._skipped: list[Skipped] = []

    def starts(self, apps: Iterable[AppModule]) -> MarkPlan:
        """A cold start: application and launcher activity, their content and one call hop, Room and DI."""
        for app in apps:
            if app.application is not None:
                self._callback(app.application, "the application's start")
            for launcher in app.launchers:
                self._callback(launcher, "the activity the launcher starts")
        self._entry_points()
        return self._plan()

    def functions(self, symbols: Iterable[str], why: str) -> MarkPlan:
        """Functions by their qualified names."""
        for symbol in symbols:
            self._function(symbol, why, whole=False)
        return self._plan()

    def _callback(self, owner: str, why: str) -> None:
        found = self._function(f"{owner}.{_ON_CREATE}", why, whole=True)
        if found is None:
            return
        place, function = found
        for call in _SETS_CONTENT.finditer(place.code, function.start, function.end):
            self._statement(place, function, call, "its content")
        for callee in self._called(place, function):
            self._body(place, callee, f"{place.stem}.{callee.name}", f"called by {place.stem}.{_ON_CREATE}")

    def _called(self, place: _Place, function: Function) -> Iterator[Function]:
        """Functions of the same file that a body calls, each once, where the name leaves one."""
        names = (found["name"] for found in _CALL.finditer(place.code, function.start, function.end))
        for name in dict.fromkeys(names):
            named = [one for one in place.functions if one.name == name]
            if len(named) == 1 and named[0] != function:
                yield named[0]

    def _entry_points(self) -> None:
        for path in self._sources.paths:
            content = self._sources.content(path)
            if TESTS.search(path) or not any(word in content for word in _ENTRY_WORDS):
                continue
            place = self._read(path)
            for call in _ENTRY.finditer(place.code):
                function = innermost(place.functions, call.start())
                if function is None:
                    self._skip(place, call.start(), f"{call['call']} is not in a function with a body")
                else:
                    self._statement(place, function, call, "makes a database or a graph of dependencies")

    def _function(self, symbol: str, why: str, *, whole: bool) -> tuple[_Place, Function] | None:
        """Mark the function of a name; returns it also when it cannot be marked itself.

        Args:
            symbol: Qualified.
            why: What it is.
            whole: Every part of the name has to be declared; else the innermost that is counts.
        """
        spot = self._finder.find(Frame(symbol=symbol))
        if spot is None or not spot.exact:
            reason = "the sources do not have it" if spot is None else "several files could hold it"
            self._skipped.append(Skipped(what=symbol, reason=reason))
            return None
        place = self._read(spot.file)
        rest = symbol.removeprefix(f"{self._sources.package_of(spot.file)}.")
        at = declared_at(place.code, names_in(rest), java=place.java, all_of_them=whole)
        function = next((one for one in place.functions if one.named_at == at), None)
        if function is None:
            self._skipped.append(Skipped(what=symbol, reason=f"{spot.file} has no body in braces for it"))
            return None
        self._body(place, function, f"{place.stem}.{function.name}", why)
        return place, function

    def _body(self, place: _Place, function: Function, name: str, why: str) -> None:
        lines = body_lines(place.code, function)
        words = declared_with(place.code, function)
        reason = ""
        if "suspend" in words:
            reason = "it may end on another thread than it began (suspend)"
        elif "Composable" in words:
            reason = "Compose allows no try around composables; runner.compose_names records their names"
        elif lines is None:
            reason = "its body does not stand on lines of its own"
        if reason or lines is None:
            self._skip(place, function.named_at, f"{function.name}: {reason}")
            return
        self._add(place, lines, "function", name, why)

    def _statement(self, place: _Place, function: Function, call: re.Match[str], why: str) -> None:
        """Mark a call's statement; one that lines cannot be put around, by the function it is in."""
        lines = statement_at(place.code, call.start(), function, java=place.java)
        if lines is not None:
            self._add(place, lines, "statement", f"{place.stem}.{call['call']}", why)
            return
        body = body_lines(place.code, function)
        if body is None or not self._has(place.path, body):
            self._body(place, function, f"{place.stem}.{function.name}", f"{call['call']}: {why}")

    def _has(self, path: str, lines: Lines) -> bool:
        wanted = (path, lines.first + 1, lines.last + 1)
        return any((one.file, one.line, one.last_line) == wanted for one in self._marks)

    def _add(self, place: _Place, lines: Lines, kind: MarkKind, name: str, why: str) -> None:
        if self._has(place.path, lines):
            return
        if self._allowed and not any(fnmatchcase(place.path, glob) for glob in self._allowed):
            self._skipped.append(
                Skipped(
                    what=f"{place.path}:{lines.first + 1}", reason="instrumentation.allowed leaves it out"
                )
            )
            return
        self._marks.append(
            Mark(
                file=place.path,
                line=lines.first + 1,
                last_line=lines.last + 1,
                kind=kind,
                section=section_name(self._prefix, name),
                why=why,
            )
        )

    def _skip(self, place: _Place, at: int, reason: str) -> None:
        line = place.code.count("\n", 0, at) + 1
        self._skipped.append(Skipped(what=f"{place.path}:{line}", reason=reason))

    def _plan(self) -> MarkPlan:
        marks = sorted(self._marks, key=lambda one: (one.file, one.line, -one.last_line))
        taken: dict[str, int] = {}
        named = []
        for mark in marks:
            taken[mark.section] = taken.get(mark.section, 0) + 1
            again = taken[mark.section]
            named.append(mark if again == 1 else replace(mark, section=f"{mark.section[:120]} {again}"))
        return MarkPlan(marks=tuple(named), skipped=tuple(dict.fromkeys(self._skipped)))

    def _place(self, path: str) -> _Place:
        code = only_code(self._sources.text(path))
        return _Place(path, code, functions_in(code, java=path.endswith(".java")))
