"""Every action once: its keys, its words, and where it works.

Footer, help, palette, key bindings and docs/keys.md all come from this table.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from textual.binding import Binding, BindingType

from echolot_tui.tui.action import EVERYWHERE, TITLES, Action, Where, on
from echolot_tui.tui.loop_actions import LOOP_ACTIONS
from echolot_tui.tui.profile_actions import PROFILE_ACTIONS

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

ACTIONS: Final[tuple[Action, ...]] = (
    *LOOP_ACTIONS,
    *PROFILE_ACTIONS,
    Action(
        id="filter",
        keys=("slash",),
        words="filter",
        help="Only rows whose name, thread, evidence or detector holds a text",
        where=on("comparison", "report"),
    ),
    Action(
        id="direction",
        keys=("d",),
        words="slower side",
        help="Only rows slower on one side: next choice",
        where=on("comparison"),
    ),
    Action(
        id="verdict",
        keys=("v",),
        words="verdict",
        help="Only rows of one verdict: next choice",
        where=on("comparison"),
    ),
    Action(
        id="detector",
        keys=("t",),
        words="detector",
        help="Only rows of one detector: next choice",
        where=on("comparison"),
    ),
    Action(
        id="impact",
        keys=("i",),
        words="impact",
        help="Least move as share of the window: next step",
        where=on("comparison"),
    ),
    Action(
        id="chips",
        keys=("f",),
        words="all filters",
        help="All filters with their counts: arrows move, space chooses, any number of them",
        where=on("comparison"),
    ),
    Action(
        id="unfilter",
        keys=("0",),
        words="no filter",
        help="Take all filters away",
        where=on("comparison"),
        footer=False,
    ),
    Action(
        id="order",
        keys=("b",),
        words="order by",
        help="Order of the rows: next column",
        where=on("comparison"),
        footer=False,
    ),
    Action(
        id="follow",
        keys=("g",),
        words="group",
        help="Fold rows that only follow the whole run, or show them",
        where=on("comparison"),
        footer=False,
    ),
    Action(
        id="steady",
        keys=("z",),
        words="steady",
        help="Show rows that did not move, or put them back on one line",
        where=on("comparison"),
        footer=False,
    ),
    Action(
        id="warnings",
        keys=("w",),
        words="warnings",
        help="Every warning in full, or one line each",
        where=on("comparison", "report"),
        footer=False,
    ),
    Action(
        id="also",
        keys=("a",),
        words="what else",
        help="What else moved: main thread, start-up, markers, coverage, environment; or back to the spread",
        where=on("comparison"),
        footer=False,
    ),
    Action(
        id="swap",
        keys=("s",),
        words="swap",
        help="Swap the two sides and compare again",
        where=on("comparison"),
    ),
    Action(
        id="names",
        keys=("n",),
        words="names",
        help="Give the sides other names",
        where=on("comparison"),
        footer=False,
    ),
    Action(
        id="collect",
        keys=("c",),
        words="more runs",
        help="Collect the runs that would settle this row, on top of the set recorded last",
        where=on("comparison", "spread"),
        footer=False,
    ),
    Action(
        id="before_report",
        keys=("1",),
        words="report before",
        help="Open the report of the side before",
        where=on("comparison"),
        footer=False,
    ),
    Action(
        id="after_report",
        keys=("2",),
        words="report after",
        help="Open the report of the side after",
        where=on("comparison"),
        footer=False,
    ),
    Action(
        id="next_row",
        keys=("right",),
        words="next row",
        help="The spread of the next row",
        where=on("spread"),
    ),
    Action(
        id="previous_row",
        keys=("left",),
        words="previous row",
        help="The spread of the row before",
        where=on("spread"),
    ),
    Action(
        id="copy",
        keys=("y",),
        words="copy row",
        help="Copy the row as Markdown, through the terminal",
        where=on("comparison", "spread", "report"),
    ),
    Action(
        id="copy_table",
        keys=("Y",),
        words="copy table",
        help="Copy the whole table as Markdown, through the terminal",
        where=on("comparison", "report"),
        footer=False,
    ),
    Action(
        id="export",
        keys=("e",),
        words="export",
        help="Write comparison.md and comparison.json and say where",
        where=on("comparison"),
    ),
    Action(
        id="next_detector",
        keys=("tab",),
        words="next detector",
        help="Jump to the next detector's rows",
        where=on("report"),
    ),
    Action(
        id="previous_detector",
        keys=("shift+tab",),
        words="previous detector",
        help="Jump to the rows of the detector before",
        where=on("report"),
        footer=False,
    ),
    Action(
        id="sql",
        keys=("s",),
        words="SQL",
        help="The query behind the row, or its numbers",
        where=on("report"),
    ),
    Action(
        id="next_parameter",
        keys=("tab",),
        words="next parameter",
        help="The next parameter of this detector",
        where=on("detectors"),
    ),
    Action(
        id="lower",
        keys=("left", "minus"),
        words="lower",
        help="Lower the threshold by a tenth",
        where=on("detectors"),
    ),
    Action(
        id="raise",
        keys=("right", "plus"),
        words="raise",
        help="Raise the threshold by a tenth",
        where=on("detectors"),
    ),
    Action(
        id="set",
        keys=("enter",),
        words="set",
        help="Type the parameter's value",
        where=on("detectors"),
    ),
    Action(
        id="reset",
        keys=("0",),
        words="reset",
        help="Put this detector's parameters back to what the report was made with",
        where=on("detectors"),
    ),
    Action(
        id="yaml",
        keys=("e",),
        words="YAML",
        help="The settings as YAML to paste into echolot.yml, copied through the terminal",
        where=on("detectors"),
    ),
    Action(
        id="back",
        keys=("escape",),
        words="back",
        help="Back to the screen before; takes a filter away first",
        where=EVERYWHERE,
    ),
    Action(
        id="help",
        keys=("question_mark",),
        words="help",
        help="The keys of this screen",
        where=EVERYWHERE,
    ),
    Action(
        id="palette",
        keys=("ctrl+p",),
        words="all actions",
        help="Every action of this screen, by name",
        where=EVERYWHERE,
        footer=False,
    ),
    Action(
        id="theme",
        keys=("T",),
        words="theme",
        help="Next theme: dark, light, high contrast, the terminal's own 16 colours",
        where=EVERYWHERE,
        footer=False,
    ),
    Action(
        id="glyphs",
        keys=("G",),
        words="signs",
        help="Next set of signs for plots: ASCII, blocks, braille",
        where=EVERYWHERE,
        footer=False,
    ),
    Action(
        id="mouse",
        keys=("M",),
        words="mouse",
        help="Take the mouse from the terminal, or give it back so that its own selection works",
        where=EVERYWHERE,
        footer=False,
    ),
    Action(
        id="quit",
        keys=("q",),
        words="quit",
        help="Leave; work that goes on in its own process goes on",
        where=EVERYWHERE,
    ),
)

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
