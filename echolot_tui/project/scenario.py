"""One scenario of a config, resolved: what is measured and with which settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from echolot_tui.errors import ConfigError
from echolot_tui.frozen import Frozen
from echolot_tui.project.load import LoadedConfig
from echolot_tui.project.model import Anchor, DetectorSetting, Runner, ScenarioBlock
from echolot_tui.project.validate import did_you_mean


class Scenario(Frozen, frozen=True, kw_only=True):
    """Everything a verb needs to know of the config, for one scenario."""

    name: str
    start: str | None = None
    end: str | None = None
    window: Literal["first", "each"] = "first"
    process: str | None = None
    package: str | None = None
    detectors: dict[str, DetectorSetting] = {}
    """The top-level section."""
    own_detectors: dict[str, DetectorSetting] = {}
    """The scenario's section, laid over the top-level one parameter by parameter."""
    runner: Runner = Runner()
    several: bool = False
    """The config names several scenarios, so each has its own output folder."""


def resolve_scenario(loaded: LoadedConfig, name: str | None = None) -> Scenario:
    """Pick a scenario of a config.

    Raises:
        ConfigError: The config has no scenario of that name.
    """
    config = loaded.config
    if config.scenarios:
        if name is not None and name not in config.scenarios:
            raise ConfigError(
                f'has no scenario "{name}"', where=str(loaded.path), todo=did_you_mean(name, config.scenarios)
            )
        chosen = name or next(iter(config.scenarios))
        block = config.scenarios[chosen] or ScenarioBlock()
        return _resolved(loaded, chosen, block, several=True)
    block = config.scenario or ScenarioBlock()
    if name is not None and name != block.name:
        raise ConfigError(
            f'has no scenario "{name}"', where=str(loaded.path), todo=f'its only one is "{block.name}"'
        )
    return _resolved(loaded, block.name, block, several=False)


def _resolved(loaded: LoadedConfig, name: str, block: ScenarioBlock, *, several: bool) -> Scenario:
    config = loaded.config
    return Scenario(
        name=name,
        start=_glob(block.start),
        end=_glob(block.end),
        window=block.window,
        process=config.project.process or config.project.package,
        package=config.project.package,
        detectors=config.detectors,
        own_detectors=block.detectors or {},
        runner=_runner(config.runner, block.runner),
        several=several,
    )


def _glob(anchor: str | Anchor | None) -> str | None:
    name = anchor.name if isinstance(anchor, Anchor) else anchor
    return name if name and name.strip() else None


def _runner(base: Runner, overlay: dict[str, Any] | None) -> Runner:
    """Lists of the overlay replace, mappings merge key by key."""
    if not overlay:
        return base
    merged: dict[str, Any] = msgspec.to_builtins(base)
    for key, value in overlay.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = {**merged[key], **value} if both else value
    return msgspec.convert(merged, Runner)


def engine_binary(loaded: LoadedConfig | None) -> Path | None:
    """The native engine the config names: ``~`` expanded, relative to the config's folder.

    A bare name is a command on PATH unless a file of that name lies in the folder.
    """
    if loaded is None:
        return None
    named = loaded.config.toolchain.tp_binary or loaded.config.tp_binary
    if not named:
        return None
    path = Path(named).expanduser()
    beside = loaded.folder / path
    return path if len(path.parts) == 1 and not beside.exists() else beside
