"""Nothing said on stderr can write to the terminal."""

from __future__ import annotations

import pytest

from echolot_tui.errors import EcholotError
from echolot_tui.headless.diagnostics import Talk

HOSTILE = "no\x1b[31m\n\u202efile\x9b2J"
SHOWN = r"no\x1b[31m\n\u202efile\x9b2J"


def test_what_is_said_is_made_visible(capsys: pytest.CaptureFixture[str]) -> None:
    talk = Talk()
    talk.note(HOSTILE)
    talk.warn(HOSTILE)
    talk.wrote(HOSTILE)
    talk.progress(HOSTILE, milestone=True)
    talk.error(EcholotError("is gone", where=HOSTILE))
    assert capsys.readouterr().err.splitlines() == [
        f"[i] {SHOWN}",
        f"[!] {SHOWN}",
        f"→ {SHOWN}",
        f"[i] {SHOWN}",
        f"error: {SHOWN}: is gone",
    ]


def test_progress_on_a_terminal_is_one_harmless_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("echolot_tui.headless.diagnostics._LIVE_AFTER_S", 0)
    talk = Talk()
    talk.progress(HOSTILE * 20)
    said = capsys.readouterr().err
    assert said.startswith("\r\x1b[K" + SHOWN)
    assert said.count("\x1b") == 1
    assert len(said.removeprefix("\r\x1b[K")) == 78
