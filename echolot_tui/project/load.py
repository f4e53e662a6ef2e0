"""Load ``echolot.yml`` with ``local.yml`` over it, validated."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from echolot_tui.errors import ConfigError
from echolot_tui.frozen import Frozen
from echolot_tui.project import model, scenario_names
from echolot_tui.project.files import is_there, sha256_of
from echolot_tui.project.validate import (
    check_finite,
    convert,
    did_you_mean,
    said,
    shown_value,
    unknown_keys,
)
from echolot_tui.project.yaml_file import KeyPath, YamlFile, read_yaml
from echolot_tui.text import visible

CONFIG_NAME = "echolot.yml"
LOCAL_NAME = "local.yml"

_SCENARIO_KEYS = ("start", "end", "window", "budget_ms", "runner", "detectors")


class LoadedConfig(Frozen, frozen=True, kw_only=True):
    """A validated config and where it came from."""

    config: model.Config
    path: Path
    sha: str
    """First 12 hex digits of the SHA-256 of the config file's bytes; ``local.yml`` is not part of it."""
    local: Path | None = None
    warnings: tuple[str, ...] = ()
    values: dict[str, Any] = {}
    """The merged plain values, for overlays and confirmed keys."""
    files: tuple[YamlFile, ...] = ()
    """What it was read from, the overlay first."""

    @property
    def folder(self) -> Path:
        """The folder relative paths of the config start from."""
        return self.path.parent

    def place(self, at: KeyPath) -> str:
        """Where a key stands: ``echolot.yml line 12, runner.iterations``; else where its parent does."""
        return _Places(self.files)(at)


def load_config(path: Path, local: Path | None = None) -> LoadedConfig:
    """Load and validate a config.

    Args:
        path: ``echolot.yml``.
        local: Overlay that has to be there; without it ``local.yml`` beside the config, if present.

    Raises:
        ConfigError: Names file, line, key, what is allowed and the nearest valid name.
    """
    base = read_yaml(path)
    overlay_path = local or path.with_name(LOCAL_NAME)
    overlay = read_yaml(overlay_path) if local or is_there(overlay_path) else None
    values = _merge(base.values, overlay.values) if overlay else base.values
    files = (overlay, base) if overlay else (base,)
    where = _Places(files)
    check_finite(values, where)
    warnings = [*where.duplicates(), *unknown_keys(values, model.Config, (), where)]
    config = _convert(values, where, warnings)
    return LoadedConfig(
        config=config,
        path=path,
        sha=sha256_of(base.data)[:12],
        local=overlay_path if overlay else None,
        warnings=tuple(warnings),
        values=values,
        files=files,
    )


class _Places:
    """Says in which file and line a key stands; the overlay wins where both have it."""

    def __init__(self, files: tuple[YamlFile, ...]) -> None:
        self._files = files

    def __call__(self, at: KeyPath) -> str:
        dotted = _dotted(at)
        for length in range(len(at), 0, -1):
            for file in self._files:
                if at[:length] in file.lines:
                    return f"{file.path} line {file.lines[at[:length]]}, {dotted}"
        file = self._files[-1]
        return f"{file.path}, {dotted}" if dotted else str(file.path)

    def duplicates(self) -> list[str]:
        return [
            f"{file.path} line {line}, {_dotted(key)}: stands twice; the last one counts"
            for file in reversed(self._files)
            for key, line in file.duplicates
        ]


def _dotted(at: KeyPath) -> str:
    return visible(".".join(map(str, at)), 120)


def _merge(base: Any, over: Any) -> Any:
    """``local.yml`` rule: mappings merge key by key, anything else is replaced."""
    if isinstance(base, Mapping) and isinstance(over, Mapping):
        return {**base, **{key: _merge(base.get(key), value) for key, value in over.items()}}
    return over


def _convert(values: dict[str, Any], where: _Places, warnings: list[str]) -> model.Config:
    single, several = values.get("scenario"), values.get("scenarios")
    if single is not None and several is not None:
        raise ConfigError("stands beside scenarios", where=where(("scenario",)), todo="keep one of the two")
    if isinstance(single, Mapping) and "detectors" in single:
        raise ConfigError(
            "thresholds of a single scenario live at top level",
            where=where(("scenario", "detectors")),
            todo="move the section to the top-level key detectors",
        )
    plain = {key: value for key, value in values.items() if key != "scenarios"}
    plain["detectors"] = _detectors(values.get("detectors"), ("detectors",), where)
    config = convert(plain, model.Config, (), where)
    if config.scenario is not None:
        scenario_names.check(config.scenario.name, where(("scenario", "name")))
        runner = _runner(values, config.scenario.runner, ("scenario", "runner"), where, warnings)
        config = replace(config, scenario=replace(config.scenario, runner=runner))
    return replace(config, scenarios=_scenarios(values, where, warnings))


def _scenarios(
    values: dict[str, Any], where: _Places, warnings: list[str]
) -> dict[str, model.ScenarioBlock | None] | None:
    several = values.get("scenarios")
    if several is None:
        return None
    blocks = several if isinstance(several, Mapping) else {}
    named = {name: block for name, block in blocks.items() if not name.startswith("_")}
    if not named:
        raise ConfigError("must be a mapping of names to scenarios", where=where(("scenarios",)))
    return {name: _scenario_block(name, block, values, where, warnings) for name, block in named.items()}


def _scenario_block(
    name: str, block: Any, values: dict[str, Any], where: _Places, warnings: list[str]
) -> model.ScenarioBlock | None:
    at: KeyPath = ("scenarios", name)
    scenario_names.check(name, where(at))
    if block is None:
        return None
    if not isinstance(block, Mapping):
        raise ConfigError("must be a mapping, or empty for the whole trace", where=where(at))
    for key in block:
        if key not in _SCENARIO_KEYS and not key.startswith("_"):
            hint = "the name is the key above it" if key == "name" else did_you_mean(key, _SCENARIO_KEYS)
            raise ConfigError("is not allowed in a scenario", where=where((*at, key)), todo=hint)
    own = _detectors(block.get("detectors"), (*at, "detectors"), where)
    converted = convert({**block, "detectors": own}, model.ScenarioBlock, at, where)
    runner = _runner(values, converted.runner, (*at, "runner"), where, warnings)
    return replace(converted, runner=runner)


def _runner(
    values: dict[str, Any], overlay: dict[str, Any] | None, at: KeyPath, where: _Places, warnings: list[str]
) -> dict[str, Any] | None:
    """A scenario's overlay, checked as it will be used: over the top-level block."""
    if overlay is None:
        return None
    warnings += unknown_keys(overlay, model.Runner, at, where)
    own: dict[str, Any] = said(overlay, model.Runner)
    convert(_merge(values.get("runner"), own), model.Runner, at, where)
    return own


def _detectors(section: Any, at: KeyPath, where: _Places) -> dict[str, model.DetectorSetting] | None:
    """The section without its free keys.

    Shape only; names and kinds are checked against the detectors themselves before a trace is opened.
    """
    if section is None:
        return None
    if not isinstance(section, Mapping):
        raise ConfigError("must be a mapping of detectors", where=where(at))
    settings: dict[str, model.DetectorSetting] = {}
    for name, setting in section.items():
        if name.startswith("_"):
            continue
        here = (*at, name)
        if setting is None or setting is False:
            settings[name] = setting
        elif isinstance(setting, Mapping):
            settings[name] = _parameters(setting, here, where)
        else:
            todo = "write false, nothing, or its parameters"
            raise ConfigError(f"is {shown_value(setting)}", where=where(here), todo=todo)
    return settings


def _parameters(setting: Mapping[str, Any], at: KeyPath, where: _Places) -> dict[str, Any]:
    free = {name: value for name, value in setting.items() if not name.startswith("_")}
    for name, value in free.items():
        if not isinstance(value, bool | int | float | str):
            raise ConfigError(f"is {shown_value(value)}, expected a number or text", where=where((*at, name)))
    return free
