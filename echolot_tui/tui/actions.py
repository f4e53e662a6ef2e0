"""What follows from the table of actions: key bindings, names of keys, docs/keys.md."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from textual.binding import Binding, BindingType

from echolot_tui.tui.action import TITLES, Action, Where
from echolot_tui.tui.action_table import ACTIONS

__all__ = [
    "ACTIONS",
    "MOVES",
    "TITLES",
    "Action",
    "Where",
    "actions_on",
    "bindings",
    "key_words",
    "keys_page",
]

_KEY_WORDS: Final = {
    "slash": "/",
    "question_mark": "?",
    "escape": "esc",
    "plus": "+",
    "minus": "-",
    "left": "left",
    "right": "right",
}

MOVES: Final = (
    ("up, down, k, j", "Move the cursor by a row; on Home only the arrows do"),
    ("page up, page down", "Move it by a page"),
    ("home, end", "First and last row"),
)
"""Keys of every table, which need no action."""


def actions_on(where: Where) -> tuple[Action, ...]:
    """Actions of a screen, in the order they are listed."""
    return tuple(action for action in ACTIONS if where in action.where)


def bindings(where: Where) -> list[BindingType]:
    """Key bindings of a screen; each calls ``action_do`` with the action's id."""
    return [
        Binding(key, f"do('{action.id}')", action.words, show=False)
        for action in actions_on(where)
        for key in action.keys
    ]


def key_words(keys: Iterable[str]) -> str:
    """Keys as people name them."""
    return ", ".join(_KEY_WORDS.get(key, key) for key in keys)


def keys_page() -> str:
    """docs/keys.md."""
    lines = ["# Keys", "", "`?` shows the keys of the screen you are on, `ctrl+p` every action by name.", ""]
    lines += ["## In every table", "", "| Key | What it does |", "|---|---|"]
    lines += [f"| {keys} | {words} |" for keys, words in MOVES]
    for where, title in TITLES.items():
        lines += ["", f"## {title}", "", "| Key | What it does |", "|---|---|"]
        lines += [f"| `{key_words(action.keys)}` | {action.help} |" for action in actions_on(where)]
    return "\n".join(lines) + "\n"
