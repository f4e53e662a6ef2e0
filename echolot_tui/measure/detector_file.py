"""A detector file: header, query, coverage query.

The format is described in ARCHITECTURE.md, "Detector files".
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.measure.gate import GateError, parse_gate
from echolot_tui.measure.sources import SOURCES

Setting = int | float | str
"""A parameter's value."""

_IDENTIFIER: Final = r"[a-z][a-z0-9_]*"
_KEY_LINE: Final = re.compile(r"--\s*@(?P<key>[A-Za-z_]+)\s*(?::\s*(?P<value>.*))?$")
_CONTINUED: Final = re.compile(r"--\s{3,}(?P<text>\S.*)$")
_PARAM: Final = re.compile(rf"(?P<name>{_IDENTIFIER})\s*=\s*(?P<value>.+)$")
_RULE: Final = re.compile(
    rf"(?P<param>{_IDENTIFIER})\s*=\s*(?:top(?P<top>[1-9]\d*)|p(?P<percentile>[1-9]\d?(?:\.\d+)?))"
    rf"\((?P<column>{_IDENTIFIER})\)\s*\*\s*(?P<factor>\d+(?:\.\d+)?)$"
)
_MODULE: Final = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*$")
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?$")
PLACEHOLDER: Final = re.compile(rf"\$({_IDENTIFIER})")
"""A parameter inside a query."""

COVERS_SELF: Final = "self"
"""In the place of a coverage query: the main thread's slices named like the location, less their children."""

COVERS_WHOLE: Final = "whole"
"""In the place of a coverage query: the main thread's slices named like the location."""

_ONCE: Final = ("id", "title", "why", "needs", "record", "gate", "identity", "rank")
_REPEATED: Final = ("module", "param", "calibrate")
_PARTS: Final = ("query", "covers")
"""Lines that begin the query and the coverage query, where something stands before them."""
_REQUIRED: Final = ("id", "title", "rank")


class DetectorFileError(EcholotError):
    """A detector file that does not parse; ``where`` is its name and line."""


class Parameter(Frozen, frozen=True, kw_only=True):
    """A parameter and the value it is shipped with, which fixes its kind."""

    name: str
    default: Setting


class CalibrateRule(Frozen, frozen=True, kw_only=True):
    """``param = topN(column) * factor``, or ``pNN``: a statistic of healthy runs; one of the two is set."""

    param: str
    top: int | None = None
    """The N-th largest value of a run."""
    percentile: float | None = None
    """Above 0 and below 100, interpolated linearly."""
    column: str
    factor: float

    @property
    def statistic(self) -> str:
        """As the file writes it: ``top10(self_ms)``."""
        name = f"top{self.top}" if self.top is not None else f"p{self.percentile:g}"
        return f"{name}({self.column})"


class DetectorFile(Frozen, frozen=True, kw_only=True):
    """One detector as its file says it."""

    id: str
    title: str
    why: str = ""
    needs: tuple[str, ...] = ()
    """Sources without which it has no data; see ``measure.sources``."""
    record: str = ""
    """How to record what is missing; empty = what the missing source itself says."""
    modules: tuple[str, ...] = ()
    """Stdlib modules, included only when every source is there."""
    params: tuple[Parameter, ...] = ()
    gate: str | None = None
    calibrate: tuple[CalibrateRule, ...] = ()
    identity: tuple[str, ...] = ("location",)
    rank: str
    query: str
    covers: str | None = None
    """Coverage query, ``COVERS_SELF`` or ``COVERS_WHOLE``."""
    shipped: bool = True

    @property
    def defaults(self) -> dict[str, Setting]:
        """Shipped value of each parameter."""
        return {param.name: param.default for param in self.params}

    @property
    def measured_params(self) -> tuple[str, ...]:
        """Parameters inside a query: changing one measures again; in order of declaration."""
        used = set(PLACEHOLDER.findall(f"{self.query}\n{self.covers or ''}"))
        return tuple(param.name for param in self.params if param.name in used)

    @property
    def gate_params(self) -> tuple[str, ...]:
        """Parameters the gate uses: changing one decides again; in order of declaration."""
        used = set(parse_gate(self.gate).names) if self.gate is not None else set()
        return tuple(param.name for param in self.params if param.name in used)


def parse_detector(text: str, where: str, *, shipped: bool = False) -> DetectorFile:
    """Parse the text of one detector file.

    Args:
        text: The file's content.
        where: Its name, for messages.
        shipped: Whether it comes with the program.

    Raises:
        DetectorFileError: Header, gate or parameters are not as the format says.
    """
    header, query, covers, query_line = _split(text, where)
    fields = _Fields(where)
    for line, key, value in header:
        fields.add(line, key, value)
    return fields.build(query=query, covers=covers, query_line=query_line, shipped=shipped)


def _split(text: str, where: str) -> tuple[list[tuple[int, str, str]], str, str | None, int]:
    """Header entries with their line numbers, query, coverage query, the query's first line."""
    header: list[tuple[int, str, str]] = []
    parts: dict[str, list[str]] = {"begin": []}
    query_line = 0
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        key = _KEY_LINE.match(stripped)
        if key is not None and key["key"] in _PARTS:
            _check_place(key["key"], parts, f"{where}:{number}")
            parts[key["key"]] = [key["value"] or ""]
        elif query_line or (stripped and not stripped.startswith("--")):
            query_line = query_line or number
            if key is not None:
                raise DetectorFileError(f"@{key['key']} stands after the query", where=f"{where}:{number}")
            next(reversed(parts.values())).append(line)
        elif key is not None:
            header.append((number, key["key"], (key["value"] or "").strip()))
        elif header and (more := _CONTINUED.match(stripped)):
            start, name, value = header[-1]
            header[-1] = (start, name, f"{value} {more['text']}")
    return header, *_bodies({name: _body(lines) for name, lines in parts.items()}), query_line or 1


def _check_place(part: str, before: Mapping[str, list[str]], where: str) -> None:
    if part in before:
        raise DetectorFileError(f"@{part} stands twice", where=where)
    if part == "query" and ("covers" in before or not _body(before["begin"])):
        raise DetectorFileError("@query parts the query from what both queries begin with", where=where)


def _body(lines: Iterable[str]) -> str:
    return "\n".join(lines).strip().rstrip(";").rstrip()


def _bodies(parts: Mapping[str, str]) -> tuple[str, str | None]:
    """The query and the coverage query; with ``@query``, what stands before it begins both."""
    covers = parts.get("covers")
    if "query" not in parts:
        return parts["begin"], covers
    if covers and covers not in (COVERS_SELF, COVERS_WHOLE):
        covers = f"{parts['begin']}\n{covers}"
    return parts["query"] and f"{parts['begin']}\n{parts['query']}", covers


@dataclass
class _Fields:
    """Collects header entries, each checked where it stands."""

    where: str
    once: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    params: list[Parameter] = field(default_factory=list)
    rules: list[CalibrateRule] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)

    def add(self, line: int, key: str, value: str) -> None:
        if key not in _ONCE + _REPEATED:
            near = difflib.get_close_matches(key, _ONCE + _REPEATED, n=1)
            allowed = ", ".join(f"@{name}" for name in (*_ONCE, *_REPEATED, *_PARTS))
            todo = f"did you mean @{near[0]}? allowed are {allowed}" if near else f"allowed are {allowed}"
            raise self.error(f"@{key} is no key of a detector file", line, todo)
        if not value:
            raise self.error(f"@{key} is empty", line)
        if key in self.once:
            raise self.error(f"@{key} stands twice", line)
        self.lines.setdefault(key, line)
        repeated: dict[str, Callable[[int, str], None]] = {
            "param": self._param,
            "calibrate": self._rule,
            "module": self._module,
        }
        if key in repeated:
            repeated[key](line, value)
        else:
            self.once[key] = value

    def error(self, what: str, line: int, todo: str = "") -> DetectorFileError:
        return DetectorFileError(what, where=f"{self.where}:{line}", todo=todo)

    def _param(self, line: int, value: str) -> None:
        match = _PARAM.match(value)
        if match is None:
            raise self.error(f"@param {value!r} is not name = value", line)
        name, text = match["name"], match["value"].strip()
        if any(param.name == name for param in self.params):
            raise self.error(f"@param {name} stands twice", line)
        self.params.append(Parameter(name=name, default=_setting(text)))

    def _rule(self, line: int, value: str) -> None:
        match = _RULE.match(value)
        if match is None:
            raise self.error(f"@calibrate {value!r} is not param = topN(column) * factor, or pNN", line)
        if any(rule.param == match["param"] for rule in self.rules):
            raise self.error(f"@calibrate names {match['param']} twice", line)
        self.rules.append(
            CalibrateRule(
                param=match["param"],
                top=int(match["top"]) if match["top"] else None,
                percentile=float(match["percentile"]) if match["percentile"] else None,
                column=match["column"],
                factor=float(match["factor"]),
            )
        )

    def _module(self, line: int, value: str) -> None:
        if not _MODULE.match(value):
            raise self.error(f"@module {value!r} is no name of a stdlib module", line)
        self.modules.append(value)

    def build(self, *, query: str, covers: str | None, query_line: int, shipped: bool) -> DetectorFile:
        for key in _REQUIRED:
            if key not in self.once:
                raise self.error(f"@{key} is missing", 1)
        if not query:
            raise self.error("there is no query after the header", query_line)
        if covers is not None and not covers:
            raise self.error("there is no query after @covers", query_line)
        if not re.fullmatch(_IDENTIFIER, self.once["id"]):
            raise self.error(
                f"@id {self.once['id']!r} is not lower case letters, digits and _", self.lines["id"]
            )
        self._check_names(f"{query}\n{covers or ''}", query_line)
        return DetectorFile(
            id=self.once["id"],
            title=self.once["title"],
            why=self.once.get("why", ""),
            needs=self._needs(),
            record=self.once.get("record", ""),
            modules=tuple(self.modules),
            params=tuple(self.params),
            gate=self.once.get("gate"),
            calibrate=tuple(self.rules),
            identity=self._columns("identity", ("location",)),
            rank=self._columns("rank", ())[0],
            query=query,
            covers=covers,
            shipped=shipped,
        )

    def _check_names(self, sql: str, query_line: int) -> None:
        names = [param.name for param in self.params]
        in_query = set(PLACEHOLDER.findall(sql))
        for used in sorted(in_query.difference(names)):
            what = f"the query uses ${used}, which is no @param"
            raise self.error(what, query_line, _nearest(used, names))
        in_gate = self._names_in_gate()
        self._check_rules(in_gate)
        idle = [name for name in names if name not in in_query.union(in_gate)]
        if idle:
            raise self.error(f"@param {idle[0]} is used by neither gate nor query", self.lines["param"])

    def _names_in_gate(self) -> tuple[str, ...]:
        if "gate" not in self.once:
            return ()
        try:
            return parse_gate(self.once["gate"]).names
        except GateError as error:
            raise self.error(error.what, self.lines["gate"], error.todo) from error

    def _check_rules(self, in_gate: Sequence[str]) -> None:
        """A rule sets a number the gate uses: only there a threshold can be opened after measuring."""
        defaults = {param.name: param.default for param in self.params}
        for rule in self.rules:
            what, todo = "", ""
            if rule.param not in defaults:
                what, todo = "is no @param", _nearest(rule.param, defaults)
            elif isinstance(defaults[rule.param], str):
                what = "is text"
            elif rule.param not in in_gate:
                what, todo = "the gate does not use", "move the threshold out of the query into @gate"
            if what:
                line = self.lines["calibrate"]
                raise self.error(f"@calibrate names {rule.param}, which {what}", line, todo)

    def _needs(self) -> tuple[str, ...]:
        needs = tuple(part.strip() for part in self.once.get("needs", "").split(",") if part.strip())
        for need in needs:
            if need not in SOURCES:
                raise self.error(
                    f"@needs {need!r} is no source",
                    self.lines["needs"],
                    f"sources are {', '.join(sorted(SOURCES))}",
                )
        return needs

    def _columns(self, key: str, default: Sequence[str]) -> tuple[str, ...]:
        if key not in self.once:
            return tuple(default)
        columns = tuple(part.strip() for part in self.once[key].split(","))
        for column in columns:
            if not re.fullmatch(_IDENTIFIER, column):
                raise self.error(f"@{key} {column!r} is no column name", self.lines[key])
        if key == "rank" and len(columns) > 1:
            raise self.error("@rank names more than one column", self.lines[key])
        return columns


def _setting(text: str) -> Setting:
    if _NUMBER.match(text):
        return float(text) if "." in text else int(text)
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"" else text


def _nearest(name: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(names), n=1)
    return f"did you mean {near[0]}?" if near else ""
