"""The file of the record: made, migrated, shared, and what is said when it cannot be used."""

from __future__ import annotations

import os
import sqlite3
import threading
from pathlib import Path

import pytest

from echolot_tui.investigate.database import Database, DatabaseError
from echolot_tui.investigate.schema import MIGRATIONS
from echolot_tui.investigate.store import Store
from echolot_tui.project.layout import Layout
from unit.investigate.project import Clock, store_in


def file_of(root: Path) -> Path:
    return root / ".echolot" / "echolot.db"


def refusal(root: Path, busy_s: float = 0.1) -> DatabaseError:
    with pytest.raises(DatabaseError) as error, store_in(root, busy_s=busy_s) as store:
        store.hunts.open("why?", scenario="cold")
    assert error.value.exit_code == 2
    assert error.value.where == str(file_of(root))
    assert "\n" not in error.value.sentence
    return error.value


def test_nothing_is_made_for_looking(tmp_path: Path) -> None:
    assert Store.existing(Layout(root=tmp_path), Clock()) is None
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    file_of(tmp_path).parent.mkdir()
    file_of(tmp_path).write_bytes(b"this is no database, it only says so\n" * 100)
    assert refusal(tmp_path).what == "is no record of hunts"
    assert file_of(tmp_path).read_bytes().startswith(b"this is no")


def test_a_damaged_database(tmp_path: Path) -> None:
    with store_in(tmp_path) as store:
        for at in range(200):
            store.hunts.open(f"question {at} {'x' * 200}", scenario="cold")
    data = bytearray(file_of(tmp_path).read_bytes())
    data[4096:] = b"\xaa" * (len(data) - 4096)
    file_of(tmp_path).write_bytes(data)
    error = refusal(tmp_path)
    assert error.what.startswith("is damaged")
    assert "traces and reports stay" in error.todo


def test_a_database_of_something_else(tmp_path: Path) -> None:
    file_of(tmp_path).parent.mkdir()
    connection = sqlite3.connect(file_of(tmp_path))
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    connection.execute("CREATE TABLE songs (name)")
    connection.close()
    assert "no such table" in refusal(tmp_path).what


def test_a_newer_version(tmp_path: Path) -> None:
    with store_in(tmp_path):
        pass
    connection = sqlite3.connect(file_of(tmp_path))
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    error = refusal(tmp_path)
    assert error.what.startswith("was written by a newer echolot")
    assert error.todo == "update echolot"


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / ".echolot").write_text("a file")
    assert refusal(tmp_path).what == "cannot be opened for writing"


def test_a_folder_in_its_place(tmp_path: Path) -> None:
    file_of(tmp_path).mkdir(parents=True)
    assert refusal(tmp_path).what == "cannot be opened for writing"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_read_only_database(tmp_path: Path) -> None:
    with store_in(tmp_path):
        pass
    file_of(tmp_path).chmod(0o400)
    file_of(tmp_path).parent.chmod(0o500)
    try:
        assert refusal(tmp_path).what == "cannot be opened for writing"
    finally:
        file_of(tmp_path).parent.chmod(0o700)


def test_read_only_errors_are_told_as_such(tmp_path: Path) -> None:
    with store_in(tmp_path) as store:
        store._database._connection.execute("PRAGMA query_only = ON")
        with pytest.raises(DatabaseError) as error:
            store.hunts.open("why?", scenario="cold")
    assert error.value.what == "cannot be opened for writing"


def test_a_full_disk(tmp_path: Path) -> None:
    with store_in(tmp_path) as store:
        store._database._connection.execute("PRAGMA max_page_count = 1")
        many = [lambda: store.hunts.open("x" * 3000, scenario="cold")] * 100
        with pytest.raises(DatabaseError) as error:
            [fill() for fill in many]
    assert "disk is full" in error.value.what


def test_a_database_somebody_else_holds(tmp_path: Path) -> None:
    with store_in(tmp_path):
        pass
    other = sqlite3.connect(file_of(tmp_path), isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        error = refusal(tmp_path)
        assert error.what == "another process has held it for 0.1 s"
        with store_in(tmp_path, busy_s=0.1) as store:
            assert store.hunts.all() == ()  # reading waits for nobody
    finally:
        other.close()


def test_a_write_waits_for_the_other(tmp_path: Path) -> None:
    with store_in(tmp_path):
        pass
    other = sqlite3.connect(file_of(tmp_path), isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.3, lambda: other.execute("COMMIT"))
    timer.start()
    try:
        with store_in(tmp_path) as store:
            assert store.hunts.open("why?", scenario="cold").n == 1
    finally:
        timer.join()
        other.close()


def test_our_own_mistakes_are_not_told_as_damage(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.db", Clock())
    with pytest.raises(sqlite3.IntegrityError), database.change() as change:
        change.run("INSERT INTO hunts (n) VALUES (1)")
    database.close()


def test_what_fails_inside_a_change_undoes_all_of_it(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.db", Clock())

    def breaks() -> None:
        with database.change() as change:
            change.say("hunt", "open", hunt=1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        breaks()
    assert database.rows("SELECT * FROM journal") == []
    with database.change() as change:  # and the next one works
        change.say("hunt", "open", hunt=1)
    assert len(database.rows("SELECT * FROM journal")) == 1
    database.close()


def test_an_older_file_is_brought_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with store_in(tmp_path) as store:
        store.hunts.open("why?", scenario="cold")
    later = (*MIGRATIONS, "ALTER TABLE hunts ADD COLUMN mood TEXT;", "UPDATE hunts SET mood = 'good';")
    monkeypatch.setattr(Database, "migrations", later)
    with store_in(tmp_path) as store:
        (row,) = store._database.rows("SELECT question, mood FROM hunts")
    assert tuple(row) == ("why?", "good")


def test_a_migration_that_fails_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store_in(tmp_path) as store:
        store.hunts.open("why?", scenario="cold")
    with monkeypatch.context() as patch:
        patch.setattr(Database, "migrations", (*MIGRATIONS, "DROP TABLE notes; SELECT broken;"))
        with pytest.raises(DatabaseError), store_in(tmp_path):
            pass
    with store_in(tmp_path) as store:
        assert store.hunts.note(1, "still here").notes[0].text == "still here"
