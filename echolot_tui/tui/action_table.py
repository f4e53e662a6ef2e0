"""Every action once: its keys, its words, and where it works.

Key bindings, footer, help, palette and docs/keys.md all come from this table.
"""

from __future__ import annotations

from typing import Final

from echolot_tui.tui.action import EVERYWHERE, Action, On

_setup = On("setup")
_collect = On("collect")
_home = On("home")
_calibration = On("calibration")
_history = On("history")
_comparison = On("comparison")
_profile = On("profile")
_spread = On("spread")
_report = On("report")
_detectors = On("detectors")
_everywhere = On(*EVERYWHERE)

ACTIONS: Final[tuple[Action, ...]] = (
    On("home", "comparison", "report")("open", "enter", "open", "Open what the cursor is on"),
    _setup(
        "take", "enter", "take", "Take this answer and go to the next step; on the last one, write the config"
    ),
    _collect(
        "begin",
        "enter",
        "record/open",
        "Record a set with the commands that are shown; once there is a report, open it",
    ),
    _home("new", "n", "new hunt", "Ask a new question; without a config, make one first"),
    _home("collect", "c", "collect", "Record a round, or look at the one that is being recorded"),
    _home("analyze", "a", "analyze", "Measure traces that are here already"),
    _home(
        "compare",
        "d",
        "compare",
        "Compare the two marked sides, the first one marked being the base; else the last two rounds",
    ),
    _home("mark", "space", "mark", "Mark a round, or a report, as a side of a comparison"),
    _home("other_list", "tab", "hunts/rounds", "From the hunts to the rounds, and back"),
    _home(
        "calibrate", "k", "calibrate", "Thresholds from the runs of this round, which should be healthy ones"
    ),
    On("home", "report")(
        "detectors",
        "t",
        "detectors",
        "All detectors, their state in this report, and what other thresholds would list",
    ),
    _home("conclude", "C", "conclude", "Close the current hunt with an answer"),
    _home(
        "resume", "R", "go on", "Make this hunt the current one; a closed one is opened again", footer=False
    ),
    _home("note", "N", "note", "Write something down about this round, or about the hunt"),
    _home("label", "L", "label", "Name this round: before, after the tab redesign", footer=False),
    On("home", "comparison", "spread", "report")(
        "perfetto",
        "o",
        "Perfetto",
        "Open the trace in Perfetto's UI: a row's longest slice in its run, a round's first run",
        footer=False,
    ),
    _spread("next_run", "tab", "next run", "The next run, which o opens"),
    _spread("previous_run", "shift+tab", "previous run", "The run before, which o opens", footer=False),
    _home("history", "h", "history", "Levels over commits", footer=False),
    _home("profile", "p", "profile", "Sampled stacks of two sides, frame by frame", footer=False),
    On("home", "collect")("watch", "w", "watch", "Follow a folder that another tool fills", footer=False),
    _home("doctor", "D", "doctor", "What this terminal and this machine can do", footer=False),
    _collect("stop", "s", "stop after run", "Stop after this run"),
    _collect("stop_now", "x", "stop now", "Stop now, keeping the runs that are done"),
    _collect("more", "plus", "one more", "One run more; of a set that has ended, record it"),
    _collect(
        "redo", "r", "redo failed", "Record what the last set lacks: runs that failed, or were never begun"
    ),
    _collect("again", "n", "new set", "Another set from the start, after this one"),
    _collect("compare", "d", "compare", "Compare the last two rounds of the current hunt"),
    _collect("label", "L", "label", "What the next set will be called"),
    On("home", "report", "comparison", "calibration", "history", "doctor")(
        "reload", "r", "reload", "Look again at what is on disk", footer=False
    ),
    _calibration("write", "e", "write", "Write echolot.calibrated.yml beside the config, to merge by hand"),
    _calibration(
        "by_size", "b", "by size", "Bars under which a healthy run lists at most some number of rows"
    ),
    _calibration("yaml", "v", "YAML", "The section that would be written, or the table again"),
    _calibration("copy", "y", "copy YAML", "Copy the section that would be written, through the terminal"),
    _history("file", "o", "file", "Judge a file of series"),
    _history(
        "bless",
        "b",
        "bless",
        "Accept what series that begin with this name have at this commit, with a reason",
    ),
    _history(
        "unbless",
        "u",
        "unbless",
        "Take back the blessing of series that begin with this name, at this commit",
        footer=False,
    ),
    _history("ladder", "enter", "gates", "How the series was judged, gate by gate; again shows the list"),
    _history("filter", "slash", "filter", "Only series whose name, metric or set holds a text"),
    _comparison("profile", "p", "profile", "Sampled stacks of the two sides, frame by frame", footer=False),
    _profile("fold", "enter space", "fold", "Fold what a frame calls, or show it"),
    _profile(
        "open_frame",
        "right",
        "open",
        "Show what a frame calls; where that is shown, go to the first of it",
        footer=False,
    ),
    _profile(
        "close_frame",
        "left",
        "close",
        "Fold what a frame calls; where that is folded, go to its caller",
        footer=False,
    ),
    _profile("descend", "f", "largest rise", "Follow the largest rise to the deepest frame that explains it"),
    _profile("absolute", "n", "share/amount", "Shares of the run, or amounts"),
    _profile("filter", "slash", "filter", "Only frames whose name holds a text"),
    _profile(
        "also",
        "a",
        "findings",
        "Findings, renames and inlining, late against early, parts; or back to the tree",
    ),
    _profile(
        "warnings",
        "w",
        "preconditions",
        "What the figures rest on and every precondition in full, or a line each",
        footer=False,
    ),
    _profile("export", "e", "export", "Write profile.md, profile.json and flame.svg and say where"),
    _profile("copy", "y", "copy frame", "Copy the frame, through the terminal"),
    _profile("reload", "r", "again", "Compare the two sides again", footer=False),
    On("comparison", "report")(
        "filter", "slash", "filter", "Only rows whose name, thread, evidence or detector holds a text"
    ),
    _comparison("direction", "d", "slower side", "Only rows slower on one side: next choice"),
    _comparison("verdict", "v", "verdict", "Only rows of one verdict: next choice"),
    _comparison("detector", "t", "detector", "Only rows of one detector: next choice"),
    _comparison("impact", "i", "impact", "Least move as share of the window: next step"),
    _comparison(
        "chips",
        "f",
        "all filters",
        "All filters with their counts: arrows move, space chooses, any number of them",
    ),
    _comparison("unfilter", "0", "no filter", "Take all filters away", footer=False),
    _comparison("order", "b", "order by", "Order of the rows: next column", footer=False),
    _comparison(
        "follow", "g", "group", "Fold rows that only follow the whole run, or show them", footer=False
    ),
    _comparison(
        "steady", "z", "steady", "Show rows that did not move, or put them back on one line", footer=False
    ),
    On("comparison", "report")(
        "warnings", "w", "warnings", "Every warning in full, or one line each", footer=False
    ),
    _comparison(
        "also",
        "a",
        "what else",
        "What else moved: main thread, start-up, markers, coverage, environment; or back to the spread",
        footer=False,
    ),
    _comparison("swap", "s", "swap", "Swap the two sides and compare again"),
    _comparison("names", "n", "names", "Give the sides other names", footer=False),
    On("comparison", "spread")(
        "collect",
        "c",
        "more runs",
        "Collect the runs that would settle this row, on top of the set recorded last",
        footer=False,
    ),
    _comparison("before_report", "1", "report before", "Open the report of the side before", footer=False),
    _comparison("after_report", "2", "report after", "Open the report of the side after", footer=False),
    _spread("next_row", "right", "next row", "The spread of the next row"),
    _spread("previous_row", "left", "previous row", "The spread of the row before"),
    On("comparison", "spread", "report")(
        "copy", "y", "copy row", "Copy the row as Markdown, through the terminal"
    ),
    On("comparison", "report")(
        "copy_table",
        "Y",
        "copy table",
        "Copy the whole table as Markdown, through the terminal",
        footer=False,
    ),
    _comparison("export", "e", "export", "Write comparison.md and comparison.json and say where"),
    _report("next_detector", "tab", "next detector", "Jump to the next detector's rows"),
    _report(
        "previous_detector",
        "shift+tab",
        "previous detector",
        "Jump to the rows of the detector before",
        footer=False,
    ),
    _report("sql", "s", "SQL", "The query behind the row, or its numbers"),
    _detectors("next_parameter", "tab", "next parameter", "The next parameter of this detector"),
    _detectors("lower", "left minus", "lower", "Lower the threshold by a tenth"),
    _detectors("raise", "right plus", "raise", "Raise the threshold by a tenth"),
    _detectors("set", "enter", "set", "Type the parameter's value"),
    _detectors("reset", "0", "reset", "Put this detector's parameters back to what the report was made with"),
    _detectors(
        "yaml", "e", "YAML", "The settings as YAML to paste into echolot.yml, copied through the terminal"
    ),
    _everywhere("back", "escape", "back", "Back to the screen before; takes a filter away first"),
    _everywhere("help", "question_mark", "help", "The keys of this screen"),
    _everywhere("palette", "ctrl+p", "all actions", "Every action of this screen, by name", footer=False),
    _everywhere(
        "theme",
        "T",
        "theme",
        "Next theme: dark, light, high contrast, the terminal's own 16 colours",
        footer=False,
    ),
    _everywhere("glyphs", "G", "signs", "Next set of signs for plots: ASCII, blocks, braille", footer=False),
    _everywhere(
        "mouse",
        "M",
        "mouse",
        "Take the mouse from the terminal, or give it back so that its own selection works",
        footer=False,
    ),
    _everywhere("suspend", "ctrl+z", "suspend", "Back to the shell; fg comes back here", footer=False),
    _everywhere(
        "repaint",
        "ctrl+l",
        "repaint",
        "Paint the screen again, where something else wrote on it",
        footer=False,
    ),
    _everywhere("quit", "q", "quit", "Leave; work that goes on in its own process goes on"),
)
"""In the order in which they are listed."""
