-- Version 2. What competes for `best` is what today's specs describe, and what a final has considered is a set.
--
-- Until now a kernel's sources alone decided which of its trials compete, and times of day decided what a final knew.

DROP VIEW trial;
DROP VIEW best;
DROP VIEW final;
DROP VIEW failure;
DROP VIEW open_attempt;
DROP TRIGGER trials_tally_insert;
DROP TRIGGER trials_tally_delete;
DROP TRIGGER trials_tally_update;
DROP INDEX trials_fastest;
DROP INDEX trials_tied;
DROP INDEX trials_failed;

-- Of all that decides what one configuration runs and what is right; of trials from before version 2, of the source
-- texts alone, which no spec of today equals: the next sweep of the kernel tells by the trial's own identity.
ALTER TABLE trials RENAME COLUMN source TO definition;
ALTER TABLE trials ADD COLUMN role TEXT NOT NULL DEFAULT 'competitor'
  CHECK (role IN ('competitor', 'baseline', 'ceiling'));
-- Grows with each result of a run; see final_coverage.
ALTER TABLE trials ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
-- The spec by which `superseded` was decided (kernel_specs.spec); NULL: it is yet to be decided.
ALTER TABLE trials ADD COLUMN judged_by BLOB CHECK (length(judged_by) = 16);
-- What its probes judge (verdicts.id); NULL: it has none, or they are unknown.
ALTER TABLE trials ADD COLUMN probe BLOB CHECK (length(probe) = 16);
-- Whether it may be named by `best`: said here once, and asked for by every index, view and query below.
ALTER TABLE trials ADD COLUMN competes INTEGER NOT NULL
  GENERATED ALWAYS AS (status = 'ok' AND superseded = 0 AND role <> 'baseline') VIRTUAL;

-- Times of day as numbers do within a run, where they were distinct and grew.
UPDATE trials SET sequence = CAST(strftime('%s', substr(measured_at, 1, 19)) AS INTEGER) * 1000000
                             + CAST(substr(measured_at, 21, 6) AS INTEGER)
WHERE strftime('%s', substr(measured_at, 1, 19)) IS NOT NULL;
UPDATE trials SET role = 'ceiling'
WHERE contest IN (SELECT n.id FROM contests AS n JOIN problems AS p ON p.id = n.problem
                  WHERE p.family IN (SELECT q.family FROM ceilings AS g JOIN trials AS t ON t.id = g.trial
                                     JOIN contests AS m ON m.id = t.contest JOIN problems AS q ON q.id = m.problem));

ALTER TABLE measurements RENAME COLUMN samples TO samples_ns;
ALTER TABLE measurements ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
ALTER TABLE measurements ADD COLUMN metrics TEXT NOT NULL DEFAULT '{}' CHECK (length(metrics) <= 65536);
UPDATE measurements SET metrics = t.metrics, sequence = t.sequence FROM trials AS t WHERE t.measurement = measurements.id;
-- What one run measured, whatever was measured later.
CREATE INDEX measurements_of_run ON measurements (run, trial);

-- Outcomes without a measurement that a later run has replaced: a run keeps what it found.
CREATE TABLE earlier_failures (
  trial           BLOB NOT NULL REFERENCES trials (id) ON DELETE CASCADE,
  run             BLOB NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  status          TEXT NOT NULL,
  detail          TEXT NOT NULL,
  measured_at     TEXT NOT NULL,
  sequence        INTEGER NOT NULL,
  verified        INTEGER NOT NULL,
  error_ratio     REAL,
  error_ulp_scale REAL,
  wrong_elements  INTEGER NOT NULL,
  first_wrong     INTEGER,
  wrong_buffer    TEXT NOT NULL,
  PRIMARY KEY (run, trial)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER trials_keep_failure BEFORE UPDATE OF run ON trials
WHEN OLD.run IS NOT NULL AND OLD.run IS NOT NEW.run AND OLD.measurement IS NULL BEGIN
  INSERT OR REPLACE INTO earlier_failures (trial, run, status, detail, measured_at, sequence, verified, error_ratio,
    error_ulp_scale, wrong_elements, first_wrong, wrong_buffer)
  VALUES (OLD.id, OLD.run, OLD.status, OLD.detail, OLD.measured_at, OLD.sequence, OLD.verified, OLD.error_ratio,
    OLD.error_ulp_scale, OLD.wrong_elements, OLD.first_wrong, OLD.wrong_buffer);
END;

-- What each kernel is today, as the last sweep of it said (`declared`), or, where no sweep here was of it, as the
-- newest of its trials says. By name: an edit may change the parameters too, and so the kernel's id.
CREATE TABLE kernel_specs (
  family     TEXT NOT NULL CHECK (length(family) <= 256),
  kernel     TEXT NOT NULL CHECK (length(kernel) <= 256),
  role       TEXT NOT NULL CHECK (role IN ('competitor', 'baseline', 'ceiling')),
  definition BLOB NOT NULL CHECK (length(definition) = 16),
  -- Of the definition and of what selects the configurations; NULL: unknown.
  spec       BLOB CHECK (length(spec) = 16),
  path       TEXT NOT NULL CHECK (length(path) <= 4096),
  declared   INTEGER NOT NULL CHECK (declared IN (0, 1)),
  PRIMARY KEY (family, kernel)
) STRICT, WITHOUT ROWID;
INSERT INTO kernel_specs (family, kernel, role, definition, spec, path, declared)
SELECT family, kernel, 'competitor', source, NULL, '', 1 FROM kernel_sources;
DROP TABLE kernel_sources;

-- What running the probes of a binary said: a binary that is wrong on one fails every trial that has these probes.
CREATE TABLE verdicts (
  id          BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  status      TEXT NOT NULL CHECK (status IN ('ok', 'unlaunchable', 'launch_error', 'wrong_result', 'out_of_bounds',
                'input_modified', 'unstable', 'timeout', 'crashed')),
  detail      TEXT NOT NULL CHECK (length(detail) <= 1048576),
  deaths      INTEGER NOT NULL CHECK (deaths >= 0),  -- of the measuring process, seen while they were run
  trial       BLOB NOT NULL CHECK (length(trial) = 16),  -- that was to be measured then; may not be in `trials`
  measured_at TEXT NOT NULL CHECK (length(measured_at) <= 64),
  run         BLOB REFERENCES runs (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX trials_of_probe ON trials (probe) WHERE probe IS NOT NULL;

-- A number of its own, as results have it.
ALTER TABLE finals ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
-- Which results a final has considered: of one run (x'': unknown) and kernel those with a sequence from first to last.
-- A set, which means the same in every database, whatever its clock says.
CREATE TABLE final_coverage (
  final  BLOB NOT NULL REFERENCES finals (id),
  run    BLOB NOT NULL CHECK (length(run) IN (0, 16)),
  kernel TEXT NOT NULL CHECK (length(kernel) <= 256),
  first  INTEGER NOT NULL,
  last   INTEGER NOT NULL CHECK (last >= first),
  PRIMARY KEY (final, run, kernel, first)
) STRICT, WITHOUT ROWID;

UPDATE finals SET sequence = CAST(strftime('%s', substr(measured_at, 1, 19)) AS INTEGER) * 1000000
                             + CAST(substr(measured_at, 21, 6) AS INTEGER)
WHERE strftime('%s', substr(measured_at, 1, 19)) IS NOT NULL;
-- A final of before knew what its own host had measured by then; what came from elsewhere may have come later.
INSERT INTO final_coverage (final, run, kernel, first, last)
SELECT f.id, t.run, k.name, 0, max(t.sequence)
FROM finals AS f
JOIN runs AS r ON r.id = f.run
JOIN trials AS t ON t.contest = f.contest AND t.status = 'ok' AND t.measured_at <= f.measured_at
JOIN runs AS o ON o.id = t.run AND o.host = r.host
JOIN kernels AS k ON k.id = t.kernel
GROUP BY f.id, t.run, k.name;
-- Its contestants, as it measured them.
INSERT INTO final_coverage (final, run, kernel, first, last)
SELECT e.final, coalesce(t.run, x''), k.name, t.sequence, t.sequence
FROM final_entries AS e
JOIN trials AS t ON t.id = e.trial
JOIN kernels AS k ON k.id = t.kernel
WHERE true
ON CONFLICT DO NOTHING;
-- The finals before it.
INSERT INTO final_coverage (final, run, kernel, first, last)
SELECT f.id, coalesce(g.run, x''), k.name, g.sequence, g.sequence
FROM finals AS f
JOIN finals AS g ON g.contest = f.contest AND g.measured_at < f.measured_at
JOIN trials AS t ON t.id = g.chosen
JOIN kernels AS k ON k.id = t.kernel
WHERE g.run IS f.run OR (SELECT host FROM runs WHERE id = g.run) = (SELECT host FROM runs WHERE id = f.run)
ON CONFLICT DO NOTHING;

-- How many trials of each kind a contest has. Kept by the triggers below, because counting a contest's trials, or
-- finding which sizes were measured at all, would read every one of them.
DROP TABLE tallies;
CREATE TABLE tallies (
  contest    BLOB NOT NULL REFERENCES contests (id),
  kernel     BLOB NOT NULL REFERENCES kernels (id),
  status     TEXT NOT NULL,
  superseded INTEGER NOT NULL,
  role       TEXT NOT NULL,
  trials     INTEGER NOT NULL,
  latest     TEXT NOT NULL,  -- when one of them was last measured
  PRIMARY KEY (contest, kernel, status, superseded, role)
) STRICT, WITHOUT ROWID;
INSERT INTO tallies (contest, kernel, status, superseded, role, trials, latest)
SELECT contest, kernel, status, superseded, role, count(*), max(measured_at) FROM trials
GROUP BY contest, kernel, status, superseded, role;

CREATE TRIGGER trials_tally_insert AFTER INSERT ON trials BEGIN
  INSERT INTO tallies (contest, kernel, status, superseded, role, trials, latest)
  VALUES (NEW.contest, NEW.kernel, NEW.status, NEW.superseded, NEW.role, 1, NEW.measured_at)
  ON CONFLICT DO UPDATE SET trials = trials + 1, latest = max(latest, excluded.latest);
END;

CREATE TRIGGER trials_tally_delete AFTER DELETE ON trials BEGIN
  UPDATE tallies SET trials = trials - 1
  WHERE contest = OLD.contest AND kernel = OLD.kernel AND status = OLD.status AND superseded = OLD.superseded
    AND role = OLD.role;
END;

CREATE TRIGGER trials_tally_update AFTER UPDATE OF contest, kernel, status, superseded, role, measured_at ON trials BEGIN
  UPDATE tallies SET trials = trials - 1
  WHERE contest = OLD.contest AND kernel = OLD.kernel AND status = OLD.status AND superseded = OLD.superseded
    AND role = OLD.role;
  INSERT INTO tallies (contest, kernel, status, superseded, role, trials, latest)
  VALUES (NEW.contest, NEW.kernel, NEW.status, NEW.superseded, NEW.role, 1, NEW.measured_at)
  ON CONFLICT DO UPDATE SET trials = trials + 1, latest = max(latest, excluded.latest);
END;

-- Best for a size without a scan: the first entry of a contest is its fastest.
CREATE INDEX trials_fastest ON trials (contest, median_ns) WHERE competes = 1;
-- The trials whose interval begins below the winner's end, kernel by kernel; also the best of one kernel.
CREATE INDEX trials_tied ON trials (contest, kernel, low_ns) WHERE competes = 1;
-- The few that are timed beside the others.
CREATE INDEX trials_baseline ON trials (contest) WHERE role = 'baseline';
-- What went wrong, where most trials are well.
CREATE INDEX trials_failed ON trials (contest) WHERE status NOT IN ('ok', 'dropped', 'skipped');
-- Of a kernel, what is to be judged by another spec.
CREATE INDEX trials_judged ON trials (kernel, judged_by);

-- Which configuration to use, decided in one place: `tuner best`, reports, `tuner compare` and the view `best` read
-- it here.
--
-- A final counts while what it chose may compete. One that another has seen the outcome of says no more than that one.
CREATE VIEW last_final AS
SELECT f.id, f.contest, f.chosen, f.run, f.sequence
FROM finals AS f
JOIN trials AS c ON c.id = f.chosen
JOIN kernels AS k ON k.id = c.kernel
WHERE c.competes = 1
  AND NOT EXISTS (SELECT 1 FROM finals AS g
                  JOIN trials AS d ON d.id = g.chosen
                  JOIN final_coverage AS v ON v.final = g.id
                  WHERE g.contest = f.contest AND g.id <> f.id AND d.competes = 1
                    AND v.run = coalesce(f.run, x'') AND v.kernel = k.name AND f.sequence BETWEEN v.first AND v.last);

-- Trials that may compete and that none of these finals has considered as they are now.
CREATE VIEW unconsidered AS
SELECT w.id, w.contest, w.median_ns, k.name AS kernel
FROM trials AS w
JOIN kernels AS k ON k.id = w.kernel
WHERE w.competes = 1
  AND NOT EXISTS (SELECT 1 FROM last_final AS f
                  JOIN final_coverage AS v ON v.final = f.id
                  WHERE f.contest = w.contest
                    AND v.run = coalesce(w.run, x'') AND v.kernel = k.name AND w.sequence BETWEEN v.first AND v.last);

-- Whom each of these finals names of each kernel: the one chosen, or else the kernel's first.
CREATE VIEW finalist AS
SELECT l.contest, k.name AS kernel, l.id AS final, e.trial, t.median_ns, t.low_ns
FROM last_final AS l
JOIN final_entries AS e ON e.final = l.id
JOIN trials AS t ON t.id = e.trial
JOIN kernels AS k ON k.id = t.kernel
WHERE t.competes = 1
  AND NOT EXISTS (SELECT 1 FROM final_entries AS b
                  JOIN trials AS u ON u.id = b.trial
                  JOIN kernels AS h ON h.id = u.kernel
                  WHERE b.final = l.id AND u.competes = 1 AND h.name = k.name
                    AND (b.trial <> l.chosen, b.place) < (e.trial <> l.chosen, e.place));

-- Of each contest (kernel: NULL) and of each kernel in it: the finalist, unless a trial that no final has considered
-- is clearly faster, which then is named until it has been raced against the others; where there is no finalist, the
-- fastest. `final`: by which it was found. (Two arms, since SQLite looks up a contest inside a join, but not inside a
-- union.)
CREATE VIEW winner AS
SELECT contest, NULL AS kernel, iif(newcomer IS NULL, final, NULL) AS final, coalesce(newcomer, finalist) AS trial
FROM (SELECT contest, final, finalist,
             (SELECT w.id FROM unconsidered AS w
              WHERE w.contest = o.contest
                AND w.median_ns < coalesce((SELECT low_ns FROM trials WHERE id = o.finalist), 9e999)
              ORDER BY w.median_ns, w.id LIMIT 1) AS newcomer
      FROM (SELECT n.id AS contest,
                   (SELECT l.id FROM last_final AS l JOIN trials AS t ON t.id = l.chosen WHERE l.contest = n.id
                    ORDER BY t.median_ns, t.id, l.id LIMIT 1) AS final,
                   (SELECT l.chosen FROM last_final AS l JOIN trials AS t ON t.id = l.chosen WHERE l.contest = n.id
                    ORDER BY t.median_ns, t.id, l.id LIMIT 1) AS finalist
            FROM contests AS n) AS o)
WHERE coalesce(newcomer, finalist) IS NOT NULL
UNION ALL
SELECT contest, kernel, iif(newcomer IS NULL, final, NULL),
       coalesce(newcomer, finalist,
                (SELECT w.id FROM trials AS w JOIN kernels AS k ON k.id = w.kernel
                 WHERE w.contest = found.contest AND w.competes = 1 AND k.name = found.kernel
                 ORDER BY w.median_ns, w.id LIMIT 1))
FROM (SELECT contest, kernel, final, finalist,
             (SELECT w.id FROM unconsidered AS w
              WHERE w.contest = o.contest AND w.kernel = o.kernel
                AND w.median_ns < coalesce((SELECT low_ns FROM trials WHERE id = o.finalist), 9e999)
              ORDER BY w.median_ns, w.id LIMIT 1) AS newcomer
      FROM (SELECT y.contest, k.name AS kernel,
                   (SELECT b.final FROM finalist AS b WHERE b.contest = y.contest AND b.kernel = k.name
                    ORDER BY b.median_ns, b.trial, b.final LIMIT 1) AS final,
                   (SELECT b.trial FROM finalist AS b WHERE b.contest = y.contest AND b.kernel = k.name
                    ORDER BY b.median_ns, b.trial, b.final LIMIT 1) AS finalist
            FROM tallies AS y
            JOIN kernels AS k ON k.id = y.kernel
            WHERE y.status = 'ok' AND y.superseded = 0 AND y.role <> 'baseline' AND y.trials > 0
            GROUP BY y.contest, k.name) AS o) AS found;

-- For people. Times in milliseconds; `id` is what `tuner show` takes.
CREATE VIEW trial AS
SELECT lower(hex(t.id)) AS id, p.family, k.name AS kernel, t.role, p.size, p.type, p.row_padding, f.json AS configuration,
       t.status, t.median_ns / 1e6 AS median_ms, t.low_ns / 1e6 AS low_ms, t.high_ns / 1e6 AS high_ms, t.metrics,
       b.registers, b.spill_store_bytes + b.spill_load_bytes AS spill_bytes,
       b.static_shared_bytes + t.dynamic_shared_bytes AS shared_bytes, t.occupancy, t.limited_by,
       t.grid_x || 'x' || t.grid_y || 'x' || t.grid_z AS grid,
       t.block_x || 'x' || t.block_y || 'x' || t.block_z AS block,
       t.is_default, t.superseded, t.competes, t.error_ratio, t.detail, c.device, c.driver, c.toolkit, c.l2, c.method,
       c.inputs, t.measured_at, lower(hex(t.run)) AS run
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
       c.device, c.driver, c.toolkit, c.l2, c.method, c.inputs, t.measured_at, lower(hex(t.id)) AS id
FROM winner AS a
JOIN trials AS t ON t.id = a.trial
JOIN contests AS n ON n.id = a.contest
JOIN classes AS c ON c.id = n.class
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
WHERE a.kernel IS NULL;

-- Every final whose choice still counts, with its contestants, fastest first. `ratio`: a contestant's time by that of
-- the fastest.
CREATE VIEW final AS
SELECT p.family, p.size, p.type, p.row_padding, l.measured_at, l.rounds, l.throttled_rounds, e.place,
       k.name AS kernel, t.role, f.json AS configuration, e.ratio, e.ratio_low, e.ratio_high, e.tied,
       e.trial = l.chosen AS chosen, c.device, c.driver, c.toolkit, c.l2, c.method, c.inputs, lower(hex(e.trial)) AS id
FROM finals AS l
JOIN final_entries AS e ON e.final = l.id
JOIN trials AS t ON t.id = e.trial
JOIN contests AS n ON n.id = l.contest
JOIN classes AS c ON c.id = n.class
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
WHERE (SELECT competes FROM trials WHERE id = l.chosen) = 1;

-- What went wrong and why; the compiler's log where there is one.
CREATE VIEW failure AS
SELECT lower(hex(t.id)) AS id, t.status, p.family, k.name AS kernel, p.size, p.type, p.row_padding,
       f.json AS configuration, t.detail, b.log, c.device, c.driver, c.toolkit, t.measured_at
FROM trials AS t
JOIN contests AS n ON n.id = t.contest
JOIN classes AS c ON c.id = n.class
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
LEFT JOIN binaries AS b ON b.id = t.binary
WHERE t.status NOT IN ('ok', 'dropped', 'skipped');

-- Launches that nobody saw end.
CREATE VIEW open_attempt AS
SELECT lower(hex(a.trial)) AS trial, p.family, k.name AS kernel, p.size, f.json AS configuration, c.device, a.pid,
       a.boot, a.opened_at
FROM attempts AS a
JOIN contests AS n ON n.id = a.contest
JOIN classes AS c ON c.id = n.class
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = a.kernel
JOIN configurations AS f ON f.id = a.configuration
WHERE a.closed_at IS NULL;
