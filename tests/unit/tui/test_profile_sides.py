"""Which stacks a row's profile is made of: the traces of both sides, the thread the row is about."""

from __future__ import annotations

import pytest

from echolot_tui.tui.profile_sides import profile_ask
from echolot_tui.tui.store import ProfileAsk

SIDES = (["r1/a.pftrace", "r1/b.pftrace"], ["r2/a.pftrace"])


@pytest.mark.parametrize(
    ("thread", "flags"),
    [
        (None, ()),
        ("main", ("--thread", "main")),
        ("RenderThread", ("--thread", "RenderThread")),
        ("background", ()),
        ("background: OkHttp Dispatch", ("--thread", "OkHttp Dispatch")),
        ("pool-#-thread-#", ("--thread", "pool-*-thread-*")),
        ("what? [x]*", ("--thread", "what[?] [[]x[]][*]")),
    ],
)
def test_the_thread_a_detector_names_is_one_the_verb_knows(
    thread: str | None, flags: tuple[str, ...]
) -> None:
    assert profile_ask(*SIDES, thread=thread) == ProfileAsk(before="r1", after="r2/a.pftrace", flags=flags)


def test_the_sides_keep_their_names_where_those_tell_them_apart() -> None:
    def names(*given: str) -> tuple[str, ...]:
        asked = profile_ask(*SIDES, names=(given[0], given[1]))
        assert isinstance(asked, ProfileAsk)
        return asked.names

    assert names("before", "after, hot") == ("before", "after hot")
    assert names("a", "a") == ()
    assert names("a", " , ") == ()


def test_sides_whose_traces_lie_about_or_together_are_refused_in_words() -> None:
    assert "each side's in a folder of its own" in str(profile_ask(["a/1", "b/2"], ["c/1"]))
    assert str(profile_ask(["a/1", "a/2"], ["a/3", "a/4"])).startswith("the traces of both sides lie in a")
