-- The tables of a store. `runs` and its satellites are the outcomes, `owners` and `leases` who does which run just now;
-- the views are for people:
--
--   sqlite3 out/quick.db "SELECT verdict, count(*) FROM runs GROUP BY verdict"
--   sqlite3 out/quick.db "SELECT s.value, avg(r.value) FROM settings s JOIN results r USING (run)
--                         WHERE s.key = 'faults.count' AND r.name = 'accepted' GROUP BY s.value"

CREATE TABLE runs (
  run       INTEGER PRIMARY KEY,
  id        TEXT NOT NULL UNIQUE, -- hash of `canonical`
  canonical TEXT NOT NULL,        -- "key=value" lines, sorted
  version   TEXT NOT NULL,        -- of the program that did the run
  verdict   TEXT NOT NULL,
  reason    TEXT,                 -- witness, or why there are no results
  faults    TEXT NOT NULL,        -- the fault set by name
  seconds   REAL NOT NULL,        -- processor time
  digest    TEXT NOT NULL         -- hash of all the above but `run` and `id`, and of the run's numbers and windows
) STRICT;

CREATE TABLE quantities (
  quantity INTEGER PRIMARY KEY,
  name     TEXT NOT NULL,
  unit     TEXT NOT NULL
) STRICT;

CREATE TABLE numbers (
  run      INTEGER NOT NULL REFERENCES runs,
  position INTEGER NOT NULL, -- in the run's own order
  quantity INTEGER NOT NULL REFERENCES quantities,
  value    REAL,             -- NULL: not a number
  half     REAL,             -- half width of the confidence interval; NULL: none
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE windows ( -- the time series: counts of packets and flits from `cycle` to the next row
  run             INTEGER NOT NULL REFERENCES runs,
  cycle           INTEGER NOT NULL,
  generated       INTEGER NOT NULL,
  injected        INTEGER NOT NULL,
  delivered       INTEGER NOT NULL,
  lost            INTEGER NOT NULL,
  delivered_flits INTEGER NOT NULL,
  latency         REAL, -- mean of the delivered packets, cycles
  PRIMARY KEY (run, cycle)
) STRICT, WITHOUT ROWID;

CREATE TABLE owners ( -- processes that have claimed runs
  owner   INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice
  host    TEXT NOT NULL,
  machine TEXT NOT NULL,    -- start of it and PID namespace, within which `process` and `born` tell a process
  process INTEGER NOT NULL,
  born    INTEGER NOT NULL,
  until   INTEGER NOT NULL  -- seconds since 1970: taken for dead then, if it has not renewed it
) STRICT;

CREATE TABLE leases ( -- runs that somebody does just now
  id    TEXT PRIMARY KEY, -- as in `runs`
  owner INTEGER NOT NULL REFERENCES owners
) STRICT, WITHOUT ROWID;

CREATE VIEW results AS
  SELECT run, id, verdict, name, unit, value, half
  FROM runs JOIN numbers USING (run) JOIN quantities USING (quantity);

CREATE VIEW settings AS
  WITH RECURSIVE split (run, line, rest) AS (
    SELECT run, '', canonical FROM runs
    UNION ALL
    SELECT run, substr(rest, 1, instr(rest, char(10)) - 1), substr(rest, instr(rest, char(10)) + 1)
    FROM split WHERE rest <> '')
  SELECT run, substr(line, 1, instr(line, '=') - 1) AS key, substr(line, instr(line, '=') + 1) AS value
  FROM split WHERE line <> '';
