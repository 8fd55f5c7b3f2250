-- Version 3. What a search was, where each idea of it came from, and what it thought of the rest.

DROP VIEW trial;
DROP VIEW best;

-- For people: `random`, `model`, another size, another device; '': a baseline, or of before version 3.
ALTER TABLE trials ADD COLUMN idea TEXT NOT NULL DEFAULT '' CHECK (length(idea) <= 256);
-- As --strategy took it, settings included; '': unknown.
ALTER TABLE runs ADD COLUMN strategy TEXT NOT NULL DEFAULT '' CHECK (length(strategy) <= 4096);

-- What is known of a contest, fastest first, without a look at the wide rows: what other searches learn from. All trials
-- are in it; the condition keeps it from queries that do not say it too, which have narrower indexes.
CREATE INDEX trials_of_contest ON trials (contest, superseded, median_ns, status, kernel, configuration)
WHERE status <> '';

-- How one run's search of a contest ended. What has been tried since then is for the trials to say: searches of two
-- databases overlap, and trials are forgotten.
CREATE TABLE searches (
  id       BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  contest  BLOB NOT NULL REFERENCES contests (id),
  run      BLOB REFERENCES runs (id),
  strategy TEXT NOT NULL CHECK (length(strategy) <= 4096),
  ending   TEXT NOT NULL CHECK (ending IN ('exhausted', 'until', 'budget', 'interrupted', 'gave_up')),
  tried    INTEGER NOT NULL CHECK (tried >= 0),  -- known by then, by whichever run
  failed   INTEGER NOT NULL CHECK (failed BETWEEN 0 AND tried),
  -- What the strategy expected of the rest, as shares of the best time then; NULL: it could not say.
  gain     REAL,
  low      REAL,
  high     REAL,
  estimate TEXT CHECK (length(estimate) <= 256),
  ended_at TEXT NOT NULL CHECK (length(ended_at) <= 64),
  CHECK ((gain IS NULL) = (low IS NULL) AND (gain IS NULL) = (high IS NULL) AND (gain IS NULL) = (estimate IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX searches_of_contest ON searches (contest);

-- The space it searched. What it says holds for as long as each kernel's spec is this one.
CREATE TABLE search_kernels (
  search     BLOB NOT NULL REFERENCES searches (id),
  kernel     TEXT NOT NULL CHECK (length(kernel) <= 256),
  spec       BLOB NOT NULL CHECK (length(spec) = 16),  -- as in kernel_specs
  candidates INTEGER NOT NULL CHECK (candidates >= 0),  -- configurations that can be launched
  PRIMARY KEY (search, kernel)
) STRICT, WITHOUT ROWID;

-- What could not be launched whatever it was compiled to is no part of the space any more.
UPDATE trials SET superseded = 1
WHERE status = 'unlaunchable' AND entry IS NULL
  AND NOT EXISTS (SELECT 1 FROM binaries AS b WHERE b.id = trials.binary AND (b.compile_ms > 0 OR b.log <> ''));

-- For people. Times in milliseconds; `id` is what `tuner show` takes.
CREATE VIEW trial AS
SELECT lower(hex(t.id)) AS id, p.family, k.name AS kernel, t.role, p.size, p.type, p.row_padding, f.json AS configuration,
       t.status, t.median_ns / 1e6 AS median_ms, t.low_ns / 1e6 AS low_ms, t.high_ns / 1e6 AS high_ms, t.metrics,
       b.registers, b.spill_store_bytes + b.spill_load_bytes AS spill_bytes,
       b.static_shared_bytes + t.dynamic_shared_bytes AS shared_bytes, t.occupancy, t.limited_by,
       t.grid_x || 'x' || t.grid_y || 'x' || t.grid_z AS grid,
       t.block_x || 'x' || t.block_y || 'x' || t.block_z AS block,
       t.is_default, t.superseded, t.competes, t.error_ratio, t.detail, c.device, c.driver, c.toolkit, c.l2, c.method,
       c.inputs, t.idea, t.measured_at, lower(hex(t.run)) AS run
FROM trials AS t
JOIN contests AS n ON n.id = t.contest
JOIN classes AS c ON c.id = n.class
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
LEFT JOIN binary_kernels AS b ON b.binary = t.binary AND b.entry = t.entry;

-- The one to use at each size, class by class. `remeasured`: it was found by a final; `tied`: how many others could
-- then not be told from the fastest.
CREATE VIEW best AS
SELECT p.family, p.size, p.type, p.row_padding, k.name AS kernel, f.json AS configuration,
       t.median_ns / 1e6 AS median_ms, t.low_ns / 1e6 AS low_ms, t.high_ns / 1e6 AS high_ms, t.metrics,
       a.final IS NOT NULL AS remeasured,
       (SELECT sum(e.tied) - 1 FROM final_entries AS e WHERE e.final = a.final) AS tied,
       c.device, c.driver, c.toolkit, c.l2, c.method, c.inputs, t.idea, t.measured_at, lower(hex(t.id)) AS id
FROM winner AS a
JOIN trials AS t ON t.id = a.trial
JOIN contests AS n ON n.id = a.contest
JOIN classes AS c ON c.id = n.class
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
WHERE a.kernel IS NULL;

-- Every search, with the space as it was then.
CREATE VIEW search AS
SELECT p.family, p.size, p.type, p.row_padding,
       (SELECT sum(candidates) FROM search_kernels WHERE search = s.id) AS candidates, s.tried, s.failed, s.strategy,
       s.ending, s.gain, s.low, s.high, s.estimate, c.device, c.driver, c.toolkit, c.l2, c.method, c.inputs, s.ended_at,
       lower(hex(s.run)) AS run
FROM searches AS s
JOIN contests AS n ON n.id = s.contest
JOIN classes AS c ON c.id = n.class
JOIN problems AS p ON p.id = n.problem;
