"""The terminal policy: where the app runs, and how."""

from __future__ import annotations

import pytest

from echolot_tui.errors import EcholotError
from echolot_tui.tui.terminal import Capabilities, Streams, capabilities, policy, switch_mouse

TERMINAL = {"TERM": "xterm-256color"}


def decide(env: dict[str, str] | None = None, **streams: object) -> Capabilities:
    given = {"stdin_tty": True, "stdout_tty": True, "stderr_tty": True, "encoding": "utf-8"} | streams
    return capabilities(TERMINAL | (env or {}), Streams(**given), (80, 24))


def test_a_plain_terminal_runs_the_app() -> None:
    found = decide()
    assert found.refusal is None
    assert (found.colours, found.glyphs, found.theme, found.mouse) == ("256", "blocks", "dark", True)


@pytest.mark.parametrize(
    ("env", "streams", "said"),
    [
        ({}, {"stdout_tty": False}, "not a terminal"),
        ({}, {"stdin_tty": False}, "not a terminal"),
        ({}, {"stderr_tty": False}, "stderr is redirected"),
        ({"TERM": "dumb"}, {}, "dumb"),
        ({"TERM": ""}, {}, "TERM is not set"),
        ({"CI": "true"}, {}, "CI"),
    ],
)
def test_where_it_cannot_run_it_says_why(env: dict[str, str], streams: dict[str, object], said: str) -> None:
    assert said in (decide(env, **streams).refusal or "")


@pytest.mark.parametrize("variable", ["SSH_CONNECTION", "SSH_TTY", "TMUX", "STY"])
def test_over_ssh_and_in_tmux_the_mouse_stays_the_terminals(variable: str) -> None:
    found = decide({variable: "1"})
    assert not found.mouse
    assert found.remote == variable.startswith("SSH")
    assert decide({variable: "1", "ECHOLOT_MOUSE": "on"}).mouse


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "no such encoding"])
def test_without_utf8_signs_are_ascii(encoding: str) -> None:
    assert decide(encoding=encoding).glyphs == "ascii"
    assert decide({"ECHOLOT_GLYPHS": "braille"}, encoding=encoding).glyphs == "braille"


@pytest.mark.parametrize(
    ("env", "colours", "theme"),
    [
        ({"NO_COLOR": ""}, "none", "dark"),
        ({"COLORTERM": "truecolor"}, "true", "dark"),
        ({"TERM": "linux"}, "16", "ansi"),
        ({"TERM": "linux", "ECHOLOT_THEME": "contrast"}, "16", "contrast"),
    ],
)
def test_colours_and_theme(env: dict[str, str], colours: str, theme: str) -> None:
    found = decide(env)
    assert (found.colours, found.theme) == (colours, theme)


def test_a_setting_that_means_nothing_is_refused_with_the_choices() -> None:
    with pytest.raises(
        EcholotError, match="ECHOLOT_GLYPHS is 'fancy'; set it to one of ascii, blocks, braille"
    ):
        decide({"ECHOLOT_GLYPHS": "fancy"})


def test_switching_the_mouse_reaches_the_driver_and_stays() -> None:
    class Driver:
        _mouse = True

        def __init__(self) -> None:
            self.told: list[tuple[str, bool]] = []

        def _enable_mouse_support(self) -> None:
            self.told.append(("on", self._mouse))

        def _disable_mouse_support(self) -> None:
            self.told.append(("off", self._mouse))

    driver = Driver()
    switch_mouse(driver, on=False)
    switch_mouse(driver, on=True)
    assert driver.told == [("off", True), ("on", True)], "Textual writes nothing while _mouse is false"


def test_the_policy_is_said_in_one_line() -> None:
    assert policy(decide()) == (
        "screens · xterm-256color · 256 colours · blocks signs · dark theme · mouse on · 80×24 · utf-8"
    )
    plain = policy(decide({"NO_COLOR": "", "TMUX": "x", "SSH_TTY": "y"}, stdout_tty=False, encoding="ascii"))
    assert plain == (
        "printed views, no screens: this is not a terminal · xterm-256color · over ssh · in a multiplexer"
        " · no colours (NO_COLOR) · ascii signs · dark theme · mouse off · 80×24 · ascii"
    )
