"""The tables, and how a database of an earlier version becomes one of this."""

from __future__ import annotations

from typing import Final

_FIRST: Final = """
CREATE TABLE hunts (
  n INTEGER PRIMARY KEY,
  question TEXT NOT NULL,
  since TEXT,
  scenario TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'concluded', 'abandoned')),
  opened_at TEXT NOT NULL,
  touched_at TEXT NOT NULL,
  closed_at TEXT,
  conclusion TEXT,
  config_sha TEXT,
  confirmed TEXT NOT NULL DEFAULT '{}',
  anchors TEXT NOT NULL DEFAULT '{}',
  imported_from TEXT
);

-- The one hunt verbs mean when they name none.
CREATE TABLE current (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  hunt INTEGER REFERENCES hunts (n)
);
INSERT INTO current VALUES (1, NULL);

CREATE TABLE rounds (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hunt INTEGER REFERENCES hunts (n),
  k INTEGER NOT NULL,
  scenario TEXT NOT NULL,
  label TEXT,
  state TEXT NOT NULL CHECK (state IN ('planned', 'recording', 'partial', 'interrupted', 'complete')),
  opened_at TEXT NOT NULL,
  touched_at TEXT NOT NULL,
  pid INTEGER,
  plan TEXT NOT NULL DEFAULT '{}',
  UNIQUE (hunt, k)
);

CREATE TABLE runs (
  round INTEGER NOT NULL REFERENCES rounds (id),
  run INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (
    state IN ('waiting', 'cooling', 'recording', 'pulling', 'analyzing', 'done', 'failed')
  ),
  reason TEXT,
  since TEXT NOT NULL,
  PRIMARY KEY (round, run)
) WITHOUT ROWID;

CREATE TABLE traces (
  round INTEGER NOT NULL,
  run INTEGER NOT NULL,
  path TEXT NOT NULL,
  sha256 TEXT,
  PRIMARY KEY (round, run),
  FOREIGN KEY (round, run) REFERENCES runs (round, run)
) WITHOUT ROWID;
CREATE INDEX traces_by_content ON traces (sha256);

CREATE TABLE reports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  round INTEGER NOT NULL REFERENCES rounds (id),
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  generated_at TEXT,
  config_sha TEXT
);
CREATE INDEX reports_of_round ON reports (round, id);

-- Which traces a report was made from: the content then, whatever lies at the path now.
CREATE TABLE report_traces (
  report INTEGER NOT NULL REFERENCES reports (id),
  run INTEGER NOT NULL,
  path TEXT NOT NULL,
  sha256 TEXT,
  PRIMARY KEY (report, run)
) WITHOUT ROWID;

CREATE TABLE comparisons (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  before_report INTEGER NOT NULL REFERENCES reports (id),
  after_report INTEGER NOT NULL REFERENCES reports (id),
  path TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX comparisons_of_after ON comparisons (after_report, id);

CREATE TABLE notes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hunt INTEGER NOT NULL REFERENCES hunts (n),
  round INTEGER REFERENCES rounds (id),
  at TEXT NOT NULL,
  text TEXT NOT NULL
);

CREATE TABLE journal (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  subject TEXT NOT NULL,
  event TEXT NOT NULL,
  hunt INTEGER,
  k INTEGER,
  run INTEGER,
  source TEXT,
  target TEXT,
  detail TEXT NOT NULL DEFAULT '{}'
);
CREATE TRIGGER journal_is_not_rewritten BEFORE UPDATE ON journal
BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_is_not_shortened BEFORE DELETE ON journal
BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
"""

_CALIBRATIONS: Final = """
-- The document as JSON; report and rows are those of its runs with open bars, compressed.
CREATE TABLE calibrations (
  name TEXT PRIMARY KEY,
  scenario TEXT NOT NULL,
  made_at TEXT,
  document BLOB NOT NULL,
  report BLOB NOT NULL,
  rows BLOB NOT NULL
);
CREATE INDEX calibrations_of_scenario ON calibrations (scenario);

CREATE TABLE calibration_traces (
  calibration TEXT NOT NULL REFERENCES calibrations (name) ON DELETE CASCADE,
  run INTEGER NOT NULL,
  label TEXT NOT NULL,
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY (calibration, run)
) WITHOUT ROWID;
CREATE INDEX calibration_traces_by_content ON calibration_traces (sha256);
"""

MIGRATIONS: Final[tuple[str, ...]] = (_FIRST, _CALIBRATIONS)
"""Script ``i`` makes a database of version ``i`` one of version ``i + 1``. Only ever add to the end."""

VERSION: Final = len(MIGRATIONS)
