"""What a verb works with, resolved from flags and config: scenario, plan, engine, folders."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from echolot_tui.checkout.sources import Sources
from echolot_tui.errors import ConfigError, EcholotError
from echolot_tui.headless.diagnostics import talk
from echolot_tui.project.layout import Layout, find_config
from echolot_tui.project.load import LoadedConfig, load_config
from echolot_tui.project.scenario import Scenario, engine_binary, resolve_scenario

if TYPE_CHECKING:
    from echolot_tui.engine.model import EngineChoice
    from echolot_tui.measure.catalogue import Catalogue
    from echolot_tui.measure.plan import LayerSettings, Override, Plan
    from echolot_tui.measure.spec import MeasureSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Flags:
    """The flags verbs share, as given."""

    config: str | None = None
    local: str | None = None
    scenario: str | None = None
    process: str | None = None
    start: str | None = None
    end: str | None = None
    overrides: tuple[str, ...] = ()
    defaults: bool = False
    tp_binary: str | None = None
    jobs: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """The config in force, if any, and the scenario chosen in it."""

    loaded: LoadedConfig | None
    scenario: Scenario

    @property
    def layout(self) -> Layout | None:
        """Folders of the project; ``None`` without a config."""
        return Layout(root=self.loaded.folder) if self.loaded else None

    def sources(self) -> Sources | None:
        """The app's sources as they are now: those in the config's folder; ``None`` without a config."""
        return Sources(self.loaded.folder) if self.loaded else None

    def output_folder(self, given: str | None) -> Path | None:
        """Where results go: ``-o`` relative to the config's folder, else the project's own, else nowhere."""
        if given is not None:
            base = self.loaded.folder if self.loaded else Path.cwd()
            folder = base / Path(given).expanduser()
            _check_writable(folder)
            return folder
        return self.layout.out(self.scenario) if self.layout else None


def _check_writable(folder: Path) -> None:
    """Refuse before any trace is read what could not be written after all of them were.

    Raises:
        EcholotError: The folder is a file, or cannot be made or written.
    """
    there = next(path for path in (folder, *folder.parents) if path.exists())
    if not there.is_dir():
        raise EcholotError("is a file", where=str(there), todo="name a folder with -o")
    if not os.access(there, os.W_OK | os.X_OK):
        raise EcholotError("cannot be written to", where=str(there), todo="name another folder with -o")


def open_project(flags: Flags, *, preferred: str | None = None) -> Project:
    """Find and load the config, pick the scenario, lay the window flags over it.

    Args:
        flags: As given.
        preferred: The scenario meant when none was named, if the config has it.

    Raises:
        ConfigError: The config does not load, or has no such scenario.
    """
    path = Path(flags.config) if flags.config else find_config(Path.cwd())
    if path is None:
        if flags.local:
            raise EcholotError("--local needs a config to lie over", todo="name it with -c")
        return Project(loaded=None, scenario=_with_flags(Scenario(name=flags.scenario or "run"), flags))
    loaded = load_config(path, Path(flags.local) if flags.local else None)
    for warning in loaded.warnings:
        talk.warn(warning)
    if loaded.local:
        talk.note(f"{loaded.local} is laid over the config")
    names = loaded.config.scenarios or ()
    scenario = resolve_scenario(loaded, flags.scenario or (preferred if preferred in names else None))
    if flags.scenario is None and len(names) > 1:
        talk.note(f'several scenarios in the config: this is "{scenario.name}"; --scenario picks another')
    scenario = _with_flags(scenario, flags)
    if scenario.window == "each" and not scenario.start:
        talk.warn(
            f"{scenario.name}: window: each needs a start anchor; without one a trace is one occurrence"
        )
    return Project(loaded=loaded, scenario=scenario)


def _with_flags(scenario: Scenario, flags: Flags) -> Scenario:
    given: dict[str, Any] = {"process": flags.process, "start": flags.start, "end": flags.end}
    return replace(scenario, **{key: value for key, value in given.items() if value is not None})


def engine_choice(flags: Flags, project: Project) -> EngineChoice:
    """``--tp-binary`` first, then the config, else the embedded engine; a bare name is a command on PATH."""
    from echolot_tui.engine.model import EngineChoice  # noqa: PLC0415 - not on the way of two report files

    if flags.tp_binary:
        given = _on_path(Path(flags.tp_binary).expanduser())
        return EngineChoice(tp_binary=given, tp_binary_source="--tp-binary")
    named = engine_binary(project.loaded)
    return EngineChoice(
        tp_binary=_on_path(named) if named else None,
        tp_binary_source="toolchain.tp_binary" if named else None,
    )


def _on_path(named: Path) -> Path:
    """The command of that bare name, where no file of that name is there; else the path as it is."""
    if len(named.parts) != 1 or named.exists():
        return named
    found = shutil.which(named)
    return Path(found) if found else named


def make_plan(flags: Flags, project: Project) -> Plan:
    """Detectors, their parameters and where those come from.

    Raises:
        EcholotError: A setting names nothing or has the wrong kind.
    """
    from echolot_tui.measure.catalogue import load_catalogue  # noqa: PLC0415 - not for two report files
    from echolot_tui.measure.plan import plan  # noqa: PLC0415

    loaded, scenario = project.loaded, project.scenario
    catalogue = load_catalogue(_detectors_dir(loaded))
    try:
        with _placed(loaded, scenario.name):
            made = plan(
                catalogue,
                config=_settings(scenario.detectors),
                scenario=_settings(scenario.own_detectors),
                overrides=[_override(text) for text in flags.overrides],
                defaults=flags.defaults,
            )
        _check_scenarios(loaded, catalogue)
    except EcholotError:
        for note in catalogue.left_out:  # a detector that is not there may be one of these
            talk.note(note)
        raise
    for note in made.notes:
        talk.note(note)
    return made


def _check_scenarios(loaded: LoadedConfig | None, catalogue: Catalogue) -> None:
    """Settings of the scenarios that are not measured now are refused now, too."""
    from echolot_tui.measure.plan import check_settings  # noqa: PLC0415 - not for two report files

    for name, block in (loaded.config.scenarios or {}).items() if loaded else ():
        with _placed(loaded, name):
            check_settings(catalogue, _settings((block and block.detectors) or {}), "scenario")


@contextmanager
def _placed(loaded: LoadedConfig | None, scenario: str) -> Iterator[None]:
    """Tell a wrong setting of the config by its file and line."""
    from echolot_tui.measure.plan import SettingError  # noqa: PLC0415 - not for two report files

    try:
        yield
    except SettingError as error:
        if loaded is None or error.layer == "cli":
            raise
        section = ("scenarios", scenario) if error.layer == "scenario" else ()
        place = loaded.place((*section, "detectors", *error.key))
        raise ConfigError(error.what, where=place, todo=error.todo) from error


def _detectors_dir(loaded: LoadedConfig | None) -> Path | None:
    own = loaded.config.detectors_dir if loaded else None
    if loaded is None or not own:
        return None
    folder = loaded.folder / Path(own).expanduser()
    if not folder.is_dir():
        raise ConfigError(f"{folder} is no folder", where=loaded.place(("detectors_dir",)))
    return folder


def make_spec(project: Project, made: Plan) -> MeasureSpec:
    """What every trace is asked."""
    from echolot_tui.measure.spec import MeasureSpec  # noqa: PLC0415 - not for two report files

    scenario, config = project.scenario, project.loaded.config if project.loaded else None
    spec = MeasureSpec(
        process=scenario.process,
        start=scenario.start,
        end=scenario.end,
        window=scenario.window,
        package=scenario.package,
        detectors=made.detectors,
        claimed_globs=made.claimed_globs,
    )
    if config is None:
        return spec
    return replace(
        spec,
        marker_prefix=config.instrumentation.temp_prefix,
        domain_globs=tuple(domain.slice for domain in config.domains),
    )


def _settings(section: Mapping[str, Any]) -> LayerSettings:
    return {name: setting for name, setting in section.items() if setting is not True}


def _override(text: str) -> Override:
    from echolot_tui.measure.plan import Override  # noqa: PLC0415 - not for two report files

    key, equals, value = text.partition("=")
    detector, dot, param = key.strip().partition(".")
    if not (equals and dot and detector and param):
        raise EcholotError(f'--set "{text}" is not of the form DETECTOR.PARAM=VALUE')
    return Override(detector=detector, param=param, text=value)
