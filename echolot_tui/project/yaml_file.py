"""A YAML file as plain values, with the line every key stands on."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Final

import yaml
from yaml.reader import Reader

from echolot_tui.errors import ConfigError
from echolot_tui.frozen import Frozen

KeyPath = tuple[str | int, ...]

_MOST_VALUES: Final = 100_000
"""More than anybody writes; a file of a few lines gets there when its aliases multiply each other."""
_KEY_TAG: Final = "tag:yaml.org,2002:str"
_MERGE_TAG: Final = "tag:yaml.org,2002:merge"
_DATE_TAG: Final = "tag:yaml.org,2002:timestamp"
_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc]
    """Plain YAML, but what looks like a date stays text: no setting is a date, a name may look like one."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != _DATE_TAG]
        for first, resolvers in _Base.yaml_implicit_resolvers.items()
    }

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """The value of a node; one that cannot be read is an error at its place."""
        try:
            return super().construct_object(node, deep)
        except ValueError as error:
            raise yaml.constructor.ConstructorError(
                None, None, "found a value that is none", node.start_mark
            ) from error


class _TooManyValuesError(Exception):
    """A file's aliases multiply each other."""


class YamlFile(Frozen, frozen=True, kw_only=True):
    """A mapping read from a file."""

    path: Path
    data: bytes
    values: dict[str, Any]
    lines: dict[KeyPath, int]
    """Line of each key or list item, counted from 1."""
    duplicates: tuple[tuple[KeyPath, int], ...] = ()
    """Keys that stand twice in one mapping; the last one counts."""


def read_yaml(path: Path) -> YamlFile:
    """Read a YAML mapping. Keys are text as they are written, also ``1`` and ``on``.

    Raises:
        ConfigError: Not found, not a file, not UTF-8, unreadable, does not parse, or not a mapping.
    """
    data = _read(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"is not UTF-8 (byte {error.start})", where=str(path), todo="save it as UTF-8"
        ) from error
    if control := Reader.NON_PRINTABLE.search(text):
        line, column = (
            text.count("\n", 0, control.start()) + 1,
            control.start() - text.rfind("\n", 0, control.start()),
        )
        what = f"does not parse: line {line}, column {column}: found a control character"
        raise ConfigError(what, where=str(path), todo="remove it")
    lines: dict[KeyPath, int] = {}
    duplicates: list[tuple[KeyPath, int]] = []
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is not None:
            _collect_lines(node, (), lines, duplicates, frozenset())
        values = loader.construct_document(node) if node is not None else None
    except yaml.MarkedYAMLError as error:
        raise ConfigError(_parse_problem(error), where=str(path)) from error
    except _TooManyValuesError:
        raise ConfigError(f"its aliases make more than {_MOST_VALUES} values", where=str(path)) from None
    finally:
        loader.dispose()
    values = {} if values is None else values
    if not isinstance(values, dict):
        raise ConfigError("must be a mapping of keys to values", where=str(path))
    return YamlFile(path=path, data=data, values=values, lines=lines, duplicates=tuple(duplicates))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise ConfigError("not found", where=str(path)) from None
    except IsADirectoryError:
        raise ConfigError("is not a file", where=str(path)) from None
    except OSError as error:
        raise ConfigError(f"cannot be read ({error.strerror or error})", where=str(path)) from error


def _parse_problem(error: yaml.MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
    return f"does not parse: {place}{error.problem}"


def _collect_lines(
    node: yaml.Node,
    at: KeyPath,
    lines: dict[KeyPath, int],
    duplicates: list[tuple[KeyPath, int]],
    above: frozenset[int],
) -> None:
    """Note where every key and item stands, and make every key text."""
    if len(lines) > _MOST_VALUES:
        raise _TooManyValuesError
    if id(node) in above:  # an alias may point at a mapping it stands in
        return
    inside = above | {id(node)}
    if isinstance(node, yaml.MappingNode):
        own: set[KeyPath] = set()
        for key_node, value_node in node.value:
            if isinstance(key_node, yaml.ScalarNode) and key_node.tag != _MERGE_TAG:
                key_node.tag = _KEY_TAG
            here = (*at, str(key_node.value))
            if here in own:
                duplicates.append((here, key_node.start_mark.line + 1))
            own.add(here)
            lines[here] = key_node.start_mark.line + 1
            _collect_lines(value_node, here, lines, duplicates, inside)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            here = (*at, index)
            lines[here] = item.start_mark.line + 1
            _collect_lines(item, here, lines, duplicates, inside)
