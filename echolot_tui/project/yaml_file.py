"""A YAML file as plain values, with the line every key stands on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from echolot_tui.errors import ConfigError
from echolot_tui.frozen import Frozen

KeyPath = tuple[str | int, ...]

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


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
    """Read a YAML mapping.

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
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        values = loader.construct_document(node) if node is not None else {}
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(_parse_problem(error), where=str(path)) from error
    finally:
        loader.dispose()
    if not isinstance(values, dict):
        raise ConfigError("must be a mapping of keys to values", where=str(path))
    lines: dict[KeyPath, int] = {}
    duplicates: list[tuple[KeyPath, int]] = []
    if node is not None:
        _collect_lines(node, (), lines, duplicates, frozenset())
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


def _parse_problem(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    if mark is None:
        return f"does not parse: {problem}"
    return f"does not parse: line {mark.line + 1}, column {mark.column + 1}: {problem}"


def _collect_lines(
    node: yaml.Node,
    at: KeyPath,
    lines: dict[KeyPath, int],
    duplicates: list[tuple[KeyPath, int]],
    above: frozenset[int],
) -> None:
    if id(node) in above:  # an alias may point at a mapping it stands in
        return
    inside = above | {id(node)}
    if isinstance(node, yaml.MappingNode):
        own: set[KeyPath] = set()
        for key_node, value_node in node.value:
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
