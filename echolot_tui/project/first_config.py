"""The first ``echolot.yml``: what somebody chose, as text that loads. Pure."""

from __future__ import annotations

import re
from typing import Final

import yaml

from echolot_tui.frozen import Frozen

_APPLICATION_ID: Final = re.compile(r"[a-z]\w*(\.[A-Za-z]\w*)+", re.ASCII)
_SCENARIO: Final = "run"
_LONG_NUMBER: Final = re.compile(r"\d{3,}")


class FirstChoice(Frozen, frozen=True, kw_only=True):
    """What the first config is made from."""

    process: str | None = None
    """Its name, which also says what to launch on a device; ``None`` lets every trace choose its own."""
    start: str | None = None
    """Name of the slice the window starts with; ``None`` starts it with the process."""
    end: str | None = None
    command: str | None = None
    """Shell line that records one trace on this machine; ``None`` when something else records."""


def first_config(choice: FirstChoice) -> str:
    """The config as YAML.

    Names become GLOBs that match only them. Without a command there is no runner: traces come from
    elsewhere.
    """
    parts = ["# Written by echolot; every key is explained in docs/config.md.\n"]
    if choice.process is not None:
        is_app = _APPLICATION_ID.fullmatch(choice.process) is not None
        project = {"package": choice.process} if is_app else {"process": exactly(choice.process)}
        parts.append(_dump({"project": project}))
    scenario: dict[str, object] = {"name": _SCENARIO}
    for key, name in (("start", choice.start), ("end", choice.end)):
        if name is not None:
            scenario[key] = {"name": exactly(name), "_source": "confirmed_by_user"}
    parts.append(_dump({"scenario": scenario}))
    if choice.command is not None:
        parts.append(_dump({"runner": {"mode": "host", "iterations": 5, "command": choice.command}}))
    return "\n".join(parts)


def exactly(name: str) -> str:
    """A GLOB that matches only this name; a long number in it, which differs from run to run, matches any."""
    escaped = "".join(f"[{sign}]" if sign in "*?[" else sign for sign in name)
    return _LONG_NUMBER.sub("*", escaped)


def _dump(values: object) -> str:
    text: str = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=1000)
    return text
