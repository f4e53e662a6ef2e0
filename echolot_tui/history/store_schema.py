"""The tables of the history store, and how a store of an earlier version becomes one of this."""

from __future__ import annotations

from typing import Final

_FIRST: Final = """
-- One report, or one result of another tool, at one commit.
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  commit_id TEXT NOT NULL,
  dirty INTEGER NOT NULL,
  branch TEXT,
  scenario TEXT NOT NULL,
  model TEXT NOT NULL,
  engine TEXT NOT NULL,
  source TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  added_at TEXT NOT NULL,
  UNIQUE (commit_id, dirty, sha256, scenario, model, engine)
);

CREATE TABLE series (
  id INTEGER PRIMARY KEY,
  scenario TEXT NOT NULL,
  model TEXT NOT NULL,
  engine TEXT NOT NULL,
  segments TEXT NOT NULL,
  metric TEXT NOT NULL,
  unit TEXT,
  better TEXT NOT NULL,
  UNIQUE (scenario, model, engine, segments, metric)
);

CREATE TABLE points (
  series INTEGER NOT NULL REFERENCES series (id),
  run INTEGER NOT NULL REFERENCES runs (id),
  value REAL NOT NULL,
  runs TEXT NOT NULL,
  listed INTEGER NOT NULL,
  PRIMARY KEY (series, run)
) WITHOUT ROWID;

CREATE TABLE blessings (
  id INTEGER PRIMARY KEY,
  commit_id TEXT NOT NULL,
  prefix TEXT NOT NULL,
  reason TEXT NOT NULL,
  at TEXT NOT NULL,
  scenario TEXT NOT NULL,
  model TEXT NOT NULL,
  engine TEXT NOT NULL
);
"""

MIGRATIONS: Final = (_FIRST,)
"""Statement scripts; the file's ``user_version`` counts those that ran."""
