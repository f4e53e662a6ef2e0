"""What changed under a hunt since it opened, and what a person had confirmed then."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from echolot_tui.errors import ConfigError
from echolot_tui.frozen import Frozen
from echolot_tui.investigate.model import Hunt
from echolot_tui.investigate.moments import DAY_S, MINUTE_S, seconds_between
from echolot_tui.project.load import LoadedConfig
from echolot_tui.project.scenario import Scenario, resolve_scenario
from echolot_tui.text import visible

FRESH_S: Final = 30 * MINUTE_S
"""Worked on this recently is the same sitting."""
STALE_S: Final = 7 * DAY_S

CONFIRMED: Final = "confirmed_by_user"
"""The ``_source`` of a block whose values a person chose."""

_ABSENT: Final = object()
_MISSING_WORD: Final = "nothing"


class Drift(Frozen, frozen=True, kw_only=True):
    """One reason to look twice before going on."""

    id: Literal["scenario_gone", "scenario_changed", "confirmed_changed", "config_changed", "untouched"]
    text: str


def is_fresh(hunt: Hunt, now: str) -> bool:
    """Whether it was worked on within the last half hour."""
    return seconds_between(hunt.touched_at, now) <= FRESH_S


def drift(hunt: Hunt, loaded: LoadedConfig | None, now: str) -> tuple[Drift, ...]:
    """What is not as it was when the hunt opened.

    Args:
        hunt: The hunt.
        loaded: The config in force; ``None`` when there is none or it does not load.
        now: The present moment.
    """
    return (*(_of_config(hunt, loaded) if loaded else ()), *_of_time(hunt, now))


def confirmed_drift(hunt: Hunt, loaded: LoadedConfig) -> tuple[Drift, ...]:
    """One line for each confirmed value that is another one now."""
    now = confirmed_values(loaded.values, hunt.scenario, everything=True)
    return tuple(
        Drift(
            id="confirmed_changed",
            text=f"{visible(key, 80)} was confirmed as {_shown(then)} when hunt {hunt.n} opened "
            f"and is {_shown(now.get(key, _ABSENT))} now",
        )
        for key, then in hunt.confirmed.items()
        if now.get(key, _ABSENT) != then
    )


def confirmed_values(values: Mapping[str, Any], scenario: str, *, everything: bool = False) -> dict[str, Any]:
    """Values a person confirmed, by dotted key: those in blocks that carry ``_source: confirmed_by_user``.

    Args:
        values: The config's plain values.
        scenario: Blocks of other scenarios are left out.
        everything: Also values nobody confirmed, for looking up what a key is now.
    """
    found: dict[str, Any] = {}
    for key, value in values.items():
        if key == "scenarios" and isinstance(value, Mapping):
            own = {name: block for name, block in value.items() if name == scenario}
            found |= dict(_leaves(own, key, wanted=everything, everything=everything))
        elif not str(key).startswith("_"):
            found |= dict(_leaves(value, str(key), wanted=everything, everything=everything))
    return found


def anchors_of(scenario: Scenario) -> dict[str, str | None]:
    """What decides which part of a trace counts."""
    return {"process": scenario.process, "start": scenario.start, "end": scenario.end}


def _leaves(value: object, at: str, *, wanted: bool, everything: bool) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        inside = everything or wanted or value.get("_source") == CONFIRMED
        for key, item in value.items():
            if not str(key).startswith("_"):
                yield from _leaves(item, f"{at}.{key}", wanted=inside, everything=everything)
    elif isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
        for index, item in enumerate(value):
            yield from _leaves(item, f"{at}.{index}", wanted=wanted, everything=everything)
    elif wanted:
        yield at, value


def _of_config(hunt: Hunt, loaded: LoadedConfig) -> Iterator[Drift]:
    try:
        scenario = resolve_scenario(loaded, hunt.scenario)
    except ConfigError as error:
        yield Drift(
            id="scenario_gone",
            text=f'the config has no scenario "{visible(hunt.scenario, 60)}" any more; {error.todo}',
        )
    else:
        yield from _changed_anchors(hunt, anchors_of(scenario))
    confirmed = confirmed_drift(hunt, loaded)
    yield from confirmed
    if not confirmed and hunt.config_sha and hunt.config_sha != loaded.sha:
        yield Drift(
            id="config_changed",
            text=f"the config is another one than when it opened ({hunt.config_sha} → {loaded.sha})",
        )


def _changed_anchors(hunt: Hunt, now: Mapping[str, str | None]) -> Iterator[Drift]:
    for key, then in hunt.anchors.items():
        if now.get(key) != then:
            yield Drift(
                id="scenario_changed",
                text=f"the scenario's {key} was {_shown(then)} and is {_shown(now.get(key))}: "
                "older rounds measured another window",
            )


def _of_time(hunt: Hunt, now: str) -> Iterator[Drift]:
    untouched = seconds_between(hunt.touched_at, now)
    if untouched >= STALE_S:
        yield Drift(id="untouched", text=f"nobody worked on it for {untouched / DAY_S:.0f} days")


def _shown(value: object) -> str:
    if value is _ABSENT or value is None:
        return _MISSING_WORD
    return visible(json.dumps(value, ensure_ascii=False, default=str), 80)
