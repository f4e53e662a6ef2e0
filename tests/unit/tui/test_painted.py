"""Only what differs is written, and the terminal looks the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echolot_tui.tui.painted import Painted
from terminal_model import TerminalModel

SIZE = (32, 2)
BEGIN, END = "\x1b[?2026h", "\x1b[?2026l"
LOOKS = ["", "1", "2;31", "4", "7;31", "9;38;5;7", "48;2;1;2;3", "1;38;2;9;9;9;48;2;1;2;3"]


def painted(text: str, codes: str) -> str:
    """A text as Textual writes it: every look begins anew."""
    return f"\x1b[{codes}m{text}\x1b[0m" if codes else text


def update(*parts: tuple[int, int, str]) -> str:
    """An update: what is painted at a column of a line; the cursor comes to rest in the corner."""
    return "".join(f"\x1b[{y + 1};{x + 1}H{text}" for x, y, text in parts) + "\x1b[1;1H"


texts = st.lists(
    st.tuples(st.text(st.sampled_from("aab  é漢\u0301"), max_size=5), st.sampled_from(LOOKS)), max_size=3
).map(lambda pieces: "".join(painted(text, codes) for text, codes in pieces if text))
places = st.tuples(st.integers(0, 2), st.integers(0, SIZE[1] - 1), texts)
an_update = st.lists(places, min_size=1, max_size=2, unique_by=lambda place: place[1])
updates = st.lists(an_update.map(lambda parts: update(*parts)), max_size=8)


@settings(max_examples=100)
@given(updates)
def test_the_terminal_looks_as_if_everything_had_been_written(written: list[str]) -> None:
    plain, thin, known = TerminalModel(*SIZE), TerminalModel(*SIZE), Painted()
    for data in written:
        plain.feed(data)
        thin.feed(known.difference(data, SIZE))
        assert thin.cells == plain.cells


@settings(max_examples=100)
@given(updates)
def test_what_is_there_is_not_written_again(written: list[str]) -> None:
    known = Painted()
    for data in written:
        known.difference(data, SIZE)
        if data.isascii():
            assert known.difference(data, SIZE) in {"", "\x1b[1;1H"}


def test_one_character_costs_one_character() -> None:
    known = Painted()
    red = "38;2;255;0;0;48;2;0;0;0"
    known.difference(update((0, 1, painted("12 of 5000", red))), SIZE)
    assert known.difference(update((0, 1, painted("13 of 5000", red))), SIZE) == (
        "\x1b[2;2H\x1b[38;2;255;0;0;48;2;0;0;0m3\x1b[0m\x1b[1;1H"
    )


def test_of_two_looks_only_the_codes_that_differ_are_written() -> None:
    ground = "48;2;0;0;0"
    pieces = [("name", f"1;31;{ground}"), (" ", ground), ("dim", f"2;32;{ground}")]
    written = Painted().difference(update((0, 0, "".join(painted(*piece) for piece in pieces))), SIZE)
    assert written == f"\x1b[1;1H\x1b[1;31;{ground}mname \x1b[22;2;32mdim\x1b[0m\x1b[1;1H"


def test_a_look_is_kept_from_line_to_line() -> None:
    data = update((0, 0, painted("ab", "31")), (0, 1, painted("cd", "31")))
    assert Painted().difference(data, SIZE) == "\x1b[1;1H\x1b[31mab\x1b[2;1Hcd\x1b[0m\x1b[1;1H"


LINE = update((0, 0, "abc"))


@pytest.mark.parametrize(
    "between",
    [
        "\x1b[?1049h",
        "\x1b[2J",
        "\x1bc",
        "plain text",
        "\x1b[1;1H\x1b[2J",
        "\x1b[1;1H\x1b[53mover",
        "\x1b[1;1H\x1b[38;7mx",
    ],
)
def test_after_what_is_not_understood_everything_is_written(between: str) -> None:
    known = Painted()
    known.difference(LINE, SIZE)
    assert known.difference(between, SIZE) == between, "as it is"
    assert "abc" in known.difference(LINE, SIZE)


@pytest.mark.parametrize("between", ["\x1b]52;c;YQ==\x07", "\x1b]22;default\x07"])
def test_what_paints_nothing_changes_nothing(between: str) -> None:
    known = Painted()
    known.difference(LINE, SIZE)
    assert known.difference(between, SIZE) == between
    assert "abc" not in known.difference(LINE, SIZE)


def test_an_update_that_changes_nothing_writes_nothing() -> None:
    known = Painted()
    first = "".join(known.difference(data, SIZE) for data in (BEGIN, LINE, END))
    assert first == f"{BEGIN}\x1b[1;1Habc\x1b[1;1H{END}"
    assert [known.difference(data, SIZE) for data in (BEGIN, LINE, END)] == ["", "", ""]
    assert [known.difference(data, SIZE) for data in (BEGIN, "odd", END)] == ["", f"{BEGIN}odd", END]


def test_a_terminal_of_another_size_is_unknown_and_so_is_one_that_was_forgotten() -> None:
    known = Painted()
    known.difference(LINE, SIZE)
    assert "abc" in known.difference(LINE, (31, 2))
    known.forget()
    assert "abc" in known.difference(LINE, (31, 2))


def test_nothing_is_written_beyond_the_edges() -> None:
    thin = TerminalModel(5, 2)
    thin.feed(Painted().difference(update((3, 0, "abcd"), (0, 3, "below"), (7, 0, "right")), (5, 2)))
    assert thin.text == "   ab\n"
