"""Opening, steering and closing hunts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from echolot_tui.errors import FAILED, EcholotError
from echolot_tui.investigate import states
from echolot_tui.investigate.database import Change, Database
from echolot_tui.investigate.model import Hunt
from echolot_tui.investigate.reading import read_hunts
from echolot_tui.text import visible

TEXT_LIMIT: Final = 4000
"""Most characters of a question, conclusion, label or note."""


class Hunts:
    """All hunts of a project."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> tuple[Hunt, ...]:
        """Every hunt, by number."""
        return read_hunts(self._database)

    def get(self, n: int) -> Hunt:
        """One hunt.

        Raises:
            EcholotError: There is none of that number.
        """
        for hunt in self.all():
            if hunt.n == n:
                return hunt
        raise no_hunt(n)

    def current(self) -> Hunt | None:
        """The hunt verbs mean when they name none; it is always open."""
        return next((hunt for hunt in self.all() if hunt.current), None)

    def open(
        self,
        question: str,
        *,
        scenario: str,
        since: str | None = None,
        config_sha: str | None = None,
        confirmed: Mapping[str, Any] | None = None,
        anchors: Mapping[str, str | None] | None = None,
    ) -> Hunt:
        """Open a hunt and make it the current one; others that are open stay open.

        Args:
            question: What the person wants to know.
            scenario: Name of the scenario it is about.
            since: The change it is about.
            config_sha: Of the config in force.
            confirmed: Config values a person confirmed, by dotted key.
            anchors: The scenario's process, start and end.

        Raises:
            EcholotError: The question is blank or too long.
        """
        question = worded(question, "a question")
        with self._database.change() as change:
            n = (change.one("SELECT MAX(n) FROM hunts") or 0) + 1
            step = states.TRANSITIONS[0]
            change.run(
                "INSERT INTO hunts (n, question, since, scenario, state, opened_at, touched_at, config_sha,"
                " confirmed, anchors) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                n,
                question,
                since,
                scenario,
                step.target,
                change.at,
                change.at,
                config_sha,
                json.dumps(confirmed or {}, sort_keys=True, default=str),
                json.dumps(anchors or {}, sort_keys=True),
            )
            _make_current(change, n)
            detail = {"question": question, "since": since, "scenario": scenario}
            change.say("hunt", step.event, hunt=n, target=step.target, detail=detail)
        return self.get(n)

    def conclude(self, n: int, conclusion: str) -> Hunt:
        """Close a hunt with its answer.

        Raises:
            EcholotError: There is no such hunt, it is not open, a round is being recorded, or no answer.
        """
        return self._close(n, "concluded", worded(conclusion, "a conclusion"))

    def abandon(self, n: int) -> Hunt:
        """Close a hunt without an answer.

        Raises:
            EcholotError: There is no such hunt, it is not open, or a round is being recorded.
        """
        return self._close(n, "abandoned", None)

    def reopen(self, n: int) -> Hunt:
        """Open a closed hunt again and make it the current one; its conclusion stays in the journal.

        Raises:
            EcholotError: There is no such hunt, or it is open.
        """
        with self._database.change() as change:
            source = _state(change, n)
            step = states.check("hunt", f"hunt {n}", source, "open", n=n)
            change.run("UPDATE hunts SET state = 'open', closed_at = NULL, conclusion = NULL WHERE n = ?", n)
            _make_current(change, n)
            touch(change, n)
            change.say("hunt", step.event, hunt=n, source=source, target=step.target)
        return self.get(n)

    def choose(self, n: int) -> Hunt:
        """Make an open hunt the current one, and fresh.

        Raises:
            EcholotError: There is no such hunt, or it is not open.
        """
        with self._database.change() as change:
            require_open(change, n, "cannot be the current hunt")
            _make_current(change, n)
            touch(change, n)
            change.say("hunt", "choose", hunt=n)
        return self.get(n)

    def note(self, n: int, text: str, k: int | None = None) -> Hunt:
        """Write something down, about the hunt or about one of its rounds; also of a closed hunt.

        Raises:
            EcholotError: There is no such hunt or round, or no text.
        """
        text = worded(text, "a note")
        with self._database.change() as change:
            _state(change, n)
            round_id = None if k is None else _round_id(change, n, k)
            change.run(
                "INSERT INTO notes (hunt, round, at, text) VALUES (?, ?, ?, ?)", n, round_id, change.at, text
            )
            touch(change, n)
            change.say("note", "note", hunt=n, k=k, detail={"text": text})
        return self.get(n)

    def label(self, n: int, k: int, label: str) -> Hunt:
        """Name a round; a blank label takes the name away.

        Raises:
            EcholotError: There is no such hunt or round, or the label is too long.
        """
        words = worded(label, "a label") if label.strip() else None
        with self._database.change() as change:
            _state(change, n)
            change.run("UPDATE rounds SET label = ? WHERE id = ?", words, _round_id(change, n, k))
            touch(change, n)
            change.say("label", "label", hunt=n, k=k, detail={"label": words})
        return self.get(n)

    def _close(self, n: int, target: str, conclusion: str | None) -> Hunt:
        with self._database.change() as change:
            source = _state(change, n)
            step = states.check("hunt", f"hunt {n}", source, target, n=n)
            recording = change.one(
                "SELECT k FROM rounds WHERE hunt = ? AND state = 'recording' ORDER BY k DESC LIMIT 1", n
            )
            if recording is not None:
                raise EcholotError(
                    f"round {recording} of hunt {n} is being recorded",
                    todo="let it finish, or stop it with echolot collect --stop",
                )
            change.run(
                "UPDATE hunts SET state = ?, closed_at = ?, conclusion = ? WHERE n = ?",
                target,
                change.at,
                conclusion,
                n,
            )
            change.run("UPDATE current SET hunt = NULL WHERE hunt = ?", n)
            touch(change, n)
            detail = {"conclusion": conclusion} if conclusion else None
            change.say("hunt", step.event, hunt=n, source=source, target=target, detail=detail)
        return self.get(n)


def worded(text: str, what: str) -> str:
    """A person's text without blanks around it.

    Raises:
        EcholotError: Nothing is left, or more than :data:`TEXT_LIMIT` characters.
    """
    found = text.strip()
    if not found:
        raise EcholotError(f"{what} needs words")
    if len(found) > TEXT_LIMIT:
        raise EcholotError(f"{what} of {len(found)} characters is too long", todo=f"at most {TEXT_LIMIT}")
    return found


def no_hunt(which: int | str) -> EcholotError:
    """The refusal of a hunt that is not there."""
    shown = visible(str(which), 60)
    return EcholotError(f"there is no hunt {shown}", todo="echolot hunt --list shows them", exit_code=FAILED)


def touch(change: Change, n: int) -> None:
    """The hunt was worked on."""
    change.run("UPDATE hunts SET touched_at = ? WHERE n = ?", change.at, n)


def require_open(change: Change, n: int, cannot: str) -> None:
    """Refuse what only an open hunt takes.

    Raises:
        EcholotError: There is no such hunt, or it is closed.
    """
    state = _state(change, n)
    if state != "open":
        raise states.refused("hunt", f"hunt {n}", state, cannot, n=n)


def _state(change: Change, n: int) -> str:
    state: str | None = change.one("SELECT state FROM hunts WHERE n = ?", n)
    if state is None:
        raise no_hunt(n)
    return state


def _round_id(change: Change, n: int, k: int) -> int:
    found: int | None = change.one("SELECT id FROM rounds WHERE hunt = ? AND k = ?", n, k)
    if found is None:
        last = change.one("SELECT MAX(k) FROM rounds WHERE hunt = ?", n)
        has = f"its last is {last}" if last else "it has none yet"
        raise EcholotError(f"hunt {n} has no round {k}", todo=has, exit_code=FAILED)
    return found


def _make_current(change: Change, n: int) -> None:
    change.run("UPDATE current SET hunt = ?", n)
