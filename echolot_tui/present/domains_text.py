"""Domains as YAML to paste into the config."""

from __future__ import annotations

from typing import Final

import yaml

from echolot_tui.checkout.domains import Domains, FoundDomain
from echolot_tui.present.numbers import plural
from echolot_tui.text import visible

_UNNAMED_SHOWN: Final = 5
_NAMES_SHOWN: Final = 4
_ONE_LINE: Final = 1_000_000


def domains_yaml(found: Domains, top: int) -> str:
    """The section, with what it leaves out and what it does not know as comments.

    Args:
        found: The domains.
        top: How many are listed.
    """
    lines = [f"# {visible(text)}" for text in _coverage(found)]
    if not found.domains:
        return "\n".join(lines) + "\n"
    shown, rest = found.domains[:top], found.domains[top:]
    lines += ["domains:", *(line for one in shown for line in _entry(one))]
    if rest:
        lines.append(f"# {len(rest)} more: --top {len(found.domains)} lists them")
    return "\n".join(lines) + "\n"


def _coverage(found: Domains) -> list[str]:
    if not found.calls:
        return [
            "no tracing call in these sources: no beginSection, no trace(...);",
            "echolot mark proposes first ones, and echolot names TRACE shows what the system names itself",
        ]
    named = found.calls - len(found.unnamed)
    modules = f"{found.traced_modules} of {plural(found.modules, 'module')}"
    lines = [f"{plural(found.calls, 'tracing call')} in {modules}; the names of {named} are in the sources"]
    places = [f"{one.file}:{one.line}" for one in found.unnamed[:_UNNAMED_SHOWN]]
    if places:
        more = len(found.unnamed) - len(places)
        lines.append(f"names out of variables: {', '.join(places)}{f' and {more} more' if more else ''}")
    return lines


def _entry(one: FoundDomain) -> list[str]:
    shown = ", ".join(visible(name, 60) for name in one.names[:_NAMES_SHOWN])
    more = len(one.names) - _NAMES_SHOWN
    names = "" if one.names == (one.slice,) else f"  # {shown}{f' and {more} more' if more > 0 else ''}"
    return [
        f"  - slice: {_scalar(one.slice)}{names}",
        f"    module: {_scalar(one.module)}",
        f"    hint: {_scalar(one.hint)}",
    ]


def _scalar(text: str) -> str:
    """A text as YAML that reads back as it was."""
    return yaml.safe_dump(text, default_style='"', width=_ONE_LINE, allow_unicode=True).rstrip("\n")
