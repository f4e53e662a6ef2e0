"""From shipped values, config, scenario and ``--set`` to what is asked and what is decided."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.measure.catalogue import Catalogue
from echolot_tui.measure.detector_file import DetectorFile, Setting
from echolot_tui.measure.spec import PlannedDetector
from echolot_tui.measure.sql import substitute
from echolot_tui.text import visible

T = TypeVar("T")
Layer = Literal["config", "scenario", "cli"]
LayerSettings = Mapping[str, Literal[False] | Mapping[str, Setting] | None]
"""Detector to ``False`` (off), its parameters, or nothing said."""


class SettingError(EcholotError):
    """A setting that names nothing, or has a value of another kind.

    Attributes:
        layer: Where it was said.
        key: Detector, or detector and parameter.
    """

    layer: Layer = "config"
    key: tuple[str, ...] = ()


class Override(Frozen, frozen=True, kw_only=True):
    """One ``--set DETECTOR.PARAM=VALUE``."""

    detector: str
    param: str
    text: str


class Decision(Frozen, frozen=True, kw_only=True):
    """How one detector's rows are judged: its resolved parameters, and where they come from."""

    detector: DetectorFile
    params: dict[str, Setting]
    params_source: str = "default"
    """``default``, or ``config``, ``scenario``, ``cli`` joined by ``+``."""
    overridden: dict[str, Setting] | None = None
    """Shipped values of the parameters some layer set; ``None`` when none did."""
    on: bool = True
    sources: dict[str, Layer] = {}
    """Parameters some layer set, and the layer whose value counts; the others are as shipped."""


class Plan(Frozen, frozen=True, kw_only=True):
    """What to ask and how to decide."""

    detectors: tuple[PlannedDetector, ...]
    """Asked: every shipped one, so that turning one on costs nothing, and the project's own that are on."""
    claimed_globs: tuple[str, ...]
    decisions: tuple[Decision, ...]
    """One per detector of the catalogue, in its order."""
    defaults: bool = False
    set: dict[str, Setting] = {}
    """``detector.param`` of every ``--set``, with its value."""
    notes: tuple[str, ...] = ()

    @property
    def off_ids(self) -> tuple[str, ...]:
        """Detectors turned off."""
        return tuple(decision.detector.id for decision in self.decisions if not decision.on)

    def decision(self, detector_id: str) -> Decision | None:
        """The decision about one detector."""
        return next((found for found in self.decisions if found.detector.id == detector_id), None)


def plan(
    catalogue: Catalogue,
    *,
    config: LayerSettings | None = None,
    scenario: LayerSettings | None = None,
    overrides: Sequence[Override] = (),
    defaults: bool = False,
) -> Plan:
    """Resolve every detector's parameters: shipped < config < scenario < ``--set``.

    Args:
        catalogue: All detectors.
        config: The config's ``detectors:``.
        scenario: The scenario's ``detectors:``; a mapping there turns on what the config turned off.
        overrides: ``--set`` values; one turns its detector on.
        defaults: Leave config and scenario out.

    Raises:
        SettingError: An unknown detector or parameter, a value of another kind, or everything off.
    """
    drafts = {detector.id: _Draft(detector) for detector in catalogue.detectors}
    layers: list[tuple[Layer, LayerSettings]] = [("config", config or {}), ("scenario", scenario or {})]
    for layer, settings in layers:
        checked = check_settings(catalogue, settings, layer)  # a wrong name is refused under --defaults too
        for detector_id, params in checked.items() if not defaults else ():
            draft = drafts[detector_id]
            for param, value in params.items():
                draft.put(layer, param, value)
            if settings[detector_id] is not None:
                draft.on = settings[detector_id] is not False and (draft.on or bool(params))
    for override in overrides:
        draft = _find(drafts, override.detector, "cli")
        shipped = _parameter(draft.detector, override.param, "cli")
        value = _parse(override.text) if not isinstance(shipped, str) else _unquoted(override.text)
        draft.put("cli", override.param, _checked(draft.detector, override.param, value, "cli"))
        draft.on = True
    if not any(draft.on for draft in drafts.values()):
        raise SettingError("every detector is turned off", where="detectors", todo="leave at least one on")
    decisions = tuple(draft.decision() for draft in drafts.values())
    asked = tuple(_planned(decision) for decision in decisions if decision.on or decision.detector.shipped)
    return Plan(
        detectors=asked,
        claimed_globs=_claimed(decisions),
        decisions=decisions,
        defaults=defaults,
        set={
            f"{override.detector}.{override.param}": drafts[override.detector].params[override.param]
            for override in overrides
        },
        notes=_notes(decisions, catalogue),
    )


def check_settings(
    catalogue: Catalogue, settings: LayerSettings, layer: Layer
) -> dict[str, dict[str, Setting]]:
    """Each detector's parameters in one section, in the kinds of the shipped ones.

    Raises:
        SettingError: An unknown detector or parameter, or a value of another kind.
    """
    known = {detector.id: detector for detector in catalogue.detectors}
    checked = {}
    for detector_id, setting in settings.items():
        detector = _find(known, detector_id, layer)
        params = (setting or {}).items()
        checked[detector_id] = {param: _checked(detector, param, value, layer) for param, value in params}
    return checked


@dataclass
class _Draft:
    """A detector's settings while the layers are laid over each other."""

    detector: DetectorFile
    on: bool = True
    params: dict[str, Setting] = field(default_factory=dict)
    sources: dict[Layer, None] = field(default_factory=dict)
    touched: dict[str, Layer] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.params = self.detector.defaults

    def put(self, layer: Layer, param: str, value: Setting) -> None:
        self.params[param] = value
        self.touched[param] = layer
        self.sources[layer] = None

    def decision(self) -> Decision:
        overridden = {name: value for name, value in self.detector.defaults.items() if name in self.touched}
        return Decision(
            detector=self.detector,
            params=self.params,
            params_source="+".join(self.sources) or "default",
            overridden=overridden or None,
            on=self.on,
            sources=dict(sorted(self.touched.items())),
        )


def _planned(decision: Decision) -> PlannedDetector:
    detector = decision.detector
    return PlannedDetector(
        id=detector.id,
        sql=substitute(detector.query, decision.params),
        covers_sql=substitute(detector.covers, decision.params) if detector.covers is not None else None,
        needs=detector.needs,
        record=detector.record,
        modules=detector.modules,
        identity=detector.identity,
        rank=detector.rank,
    )


def _claimed(decisions: Iterable[Decision]) -> tuple[str, ...]:
    """Globs of slice names that some shipped detector answers for, whether it is on or not."""
    globs = {
        str(value)
        for decision in decisions
        if decision.detector.shipped
        for name, value in decision.params.items()
        if "name_glob" in name
    }
    return tuple(sorted(globs))


def _notes(decisions: Iterable[Decision], catalogue: Catalogue) -> tuple[str, ...]:
    notes = list(catalogue.left_out)
    running = [decision for decision in decisions if decision.on]
    tuned = [decision for decision in running if decision.params_source != "default"]
    if tuned and len(tuned) < len(running):
        names = ", ".join(decision.detector.id for decision in tuned)
        notes.append(f"settings tune {names}; the other {len(running) - len(tuned)} run on shipped values")
    return tuple(notes)


def _find(known: Mapping[str, T], detector_id: str, layer: Layer) -> T:
    if detector_id in known:
        return known[detector_id]
    raise _error(f"there is no detector {visible(str(detector_id), 60)}", layer, (detector_id,), known)


def _parameter(detector: DetectorFile, param: str, layer: Layer) -> Setting:
    shipped = detector.defaults
    if param in shipped:
        return shipped[param]
    what = f"{detector.id} has no parameter {visible(str(param), 60)}"
    raise _error(what, layer, (detector.id, param), shipped)


def _checked(detector: DetectorFile, param: str, value: object, layer: Layer) -> Setting:
    """``value`` in the kind of the shipped one; a whole number stays one, a fraction's parameter a float."""
    shipped = _parameter(detector, param, layer)
    if isinstance(shipped, str):
        if isinstance(value, str):
            return value
        expected = f"text, like '{visible(shipped, 40)}'"
    else:
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return float(value) if isinstance(shipped, float) or value % 1 else int(value)
        expected = f"a number, like {shipped}"
    what = f"{detector.id}.{param} is {visible(repr(value), 60)}"
    raise _error(what, layer, (detector.id, param), (), f"it must be {expected}")


def _error(
    what: str, layer: Layer, key: tuple[str, ...], known: Iterable[str], todo: str = ""
) -> SettingError:
    names = sorted(known)
    near = difflib.get_close_matches(str(key[-1]), names, n=1)
    offer = f"did you mean {near[0]}?" if near else f"there is {', '.join(names)}" if names else "it has none"
    where = "--set" if layer == "cli" else "detectors" if layer == "config" else "detectors of the scenario"
    error = SettingError(what, where=where, todo=todo or offer)
    error.layer, error.key = layer, tuple(str(part) for part in key)
    return error


def _parse(text: str) -> Setting:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _unquoted(text: str) -> str:
    quoted = len(text) >= 2 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if quoted else text
