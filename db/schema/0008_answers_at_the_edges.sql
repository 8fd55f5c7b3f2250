-- Version 8. Answers at the edges: what was declared, judged and cleared travels with what was measured.

-- Columns of a key stand first and in its order: quick_check of SQLite 3.40 calls other tables damaged.
--
-- Every declaration of a kernel by a sweep, here or in a database that was merged or imported. Which of them is in force
-- is said by the view below and kept in `kernel_specs`.
CREATE TABLE declarations (
  family      TEXT NOT NULL CHECK (length(family) <= 256),
  kernel      TEXT NOT NULL CHECK (length(kernel) <= 256),
  -- Of the content and of what it took the place of; of one from before version 8, its spec or its definition.
  id          BLOB NOT NULL CHECK (length(id) = 16),
  role        TEXT NOT NULL CHECK (role IN ('competitor', 'baseline', 'ceiling')),
  definition  BLOB NOT NULL CHECK (length(definition) = 16),
  spec        BLOB CHECK (length(spec) = 16),
  path        TEXT NOT NULL CHECK (length(path) <= 4096),
  host        TEXT NOT NULL CHECK (length(host) <= 1024),         -- for people; '': unknown
  declared_at TEXT NOT NULL CHECK (length(declared_at) <= 64),    -- for people, never compared; '': unknown
  generation  INTEGER NOT NULL CHECK (generation >= 0),           -- one more than that of those it took the place of
  -- The last one that a sweep on this database made. Stays here: a copy by merge or export has none.
  own         INTEGER NOT NULL CHECK (own IN (0, 1)),
  PRIMARY KEY (family, kernel, id)
) STRICT, WITHOUT ROWID;

-- Which declarations one took the place of: all that were in nobody's place when it was made.
CREATE TABLE declaration_succession (
  family      TEXT NOT NULL CHECK (length(family) <= 256),
  kernel      TEXT NOT NULL CHECK (length(kernel) <= 256),
  older       BLOB NOT NULL CHECK (length(older) = 16),
  declaration BLOB NOT NULL CHECK (length(declaration) = 16),
  PRIMARY KEY (family, kernel, older, declaration)
) STRICT, WITHOUT ROWID;

-- Those that no other took the place of. Several, where databases were apart.
CREATE VIEW latest_declaration AS
SELECT d.* FROM declarations AS d
WHERE NOT EXISTS (SELECT 1 FROM declaration_succession AS s
                  WHERE s.family = d.family AND s.kernel = d.kernel AND s.older = d.id);

-- Of these the one that a sweep here made, else the one with the longest history, else by content. No clock decides.
CREATE VIEW declaration_in_force AS
SELECT d.* FROM latest_declaration AS d
WHERE d.id = (SELECT c.id FROM latest_declaration AS c WHERE c.family = d.family AND c.kernel = d.kernel
              ORDER BY c.own DESC, c.generation DESC, c.id DESC LIMIT 1);

INSERT INTO declarations (id, family, kernel, role, definition, spec, path, host, declared_at, generation, own)
SELECT coalesce(spec, definition), family, kernel, role, definition, spec, path, '', '', 0, 1
FROM kernel_specs WHERE declared = 1;

-- Whether a spec describes a trial: the trial is what the spec runs, and its configuration is in the spec's space. A row
-- for each trial and spec that somebody has looked at; one that the spec measured is described by it.
CREATE TABLE judgements (
  trial     BLOB NOT NULL REFERENCES trials (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  spec      BLOB NOT NULL CHECK (length(spec) = 16),
  describes INTEGER NOT NULL CHECK (describes IN (0, 1)),
  PRIMARY KEY (trial, spec)
) STRICT, WITHOUT ROWID;
INSERT INTO judgements (trial, spec, describes)
SELECT id, judged_by, NOT superseded FROM trials WHERE judged_by IS NOT NULL;

-- From here on `trials.judged_by` is the spec in force, where that has judged the trial, else NULL.

-- How a trial stands by the spec in force. Of one that this spec has not looked at its definition decides. Where another
-- spec measured it, the definition alone does not say that this one has it: it does not compete where a sweep here declared
-- the spec in force, and else where no spec of a latest declaration describes it.
CREATE VIEW standing AS
SELECT k.family, k.name AS kernel, t.id AS trial,
       coalesce((SELECT NOT j.describes FROM judgements AS j WHERE j.trial = t.id AND j.spec = s.spec),
                s.definition <> t.definition
                OR (s.spec IS NOT NULL AND EXISTS (SELECT 1 FROM judgements AS j WHERE j.trial = t.id)
                    AND NOT EXISTS (SELECT 1 FROM judgements AS j
                                    JOIN latest_declaration AS d ON d.spec = j.spec
                                    WHERE j.trial = t.id AND j.describes = 1 AND d.family = k.family AND d.kernel = k.name
                                      AND NOT EXISTS (SELECT 1 FROM latest_declaration AS o
                                                      WHERE o.family = k.family AND o.kernel = k.name AND o.own = 1))),
                0) AS superseded,
       (SELECT j.spec FROM judgements AS j WHERE j.trial = t.id AND j.spec = s.spec) AS judged_by
FROM kernel_specs AS s
JOIN kernels AS k ON k.family = s.family AND k.name = s.kernel
JOIN trials AS t ON t.kernel = k.id;

-- Every time the probes of a binary were run, and what they said. `verdicts` has the one that stands: of those that were
-- not cleared one that failed, if there is any. Probing again clears what was known before.
CREATE TABLE probings (
  probe       BLOB NOT NULL CHECK (length(probe) = 16),
  run         BLOB NOT NULL CHECK (length(run) IN (0, 16)),
  trial       BLOB NOT NULL CHECK (length(trial) = 16),
  measured_at TEXT NOT NULL CHECK (length(measured_at) <= 64),
  status      TEXT NOT NULL CHECK (status IN ('ok', 'unlaunchable', 'launch_error', 'wrong_result', 'out_of_bounds',
                'input_modified', 'unstable', 'timeout', 'crashed')),
  detail      TEXT NOT NULL CHECK (length(detail) <= 1048576),
  deaths      INTEGER NOT NULL CHECK (deaths >= 0),
  cleared     INTEGER NOT NULL CHECK (cleared IN (0, 1)),
  PRIMARY KEY (probe, run, trial, measured_at)
) STRICT, WITHOUT ROWID;
INSERT INTO probings (probe, run, trial, measured_at, status, detail, deaths, cleared)
SELECT id, coalesce(run, x''), trial, measured_at, status, detail, deaths, 0 FROM verdicts;

-- Of several failures of one trial in one run the last, in whichever order they come.
DROP TRIGGER trials_keep_failure;
CREATE TRIGGER trials_keep_failure BEFORE UPDATE OF run ON trials
WHEN OLD.run IS NOT NULL AND OLD.run IS NOT NEW.run AND OLD.measurement IS NULL BEGIN
  INSERT INTO earlier_failures (trial, run, status, detail, measured_at, sequence, verified, error_ratio,
    error_ulp_scale, wrong_elements, first_wrong, wrong_buffer, rule)
  VALUES (OLD.id, OLD.run, OLD.status, OLD.detail, OLD.measured_at, OLD.sequence, OLD.verified, OLD.error_ratio,
    OLD.error_ulp_scale, OLD.wrong_elements, OLD.first_wrong, OLD.wrong_buffer, OLD.rule)
  ON CONFLICT DO UPDATE SET (status, detail, measured_at, sequence, verified, error_ratio, error_ulp_scale,
    wrong_elements, first_wrong, wrong_buffer, rule) = (excluded.status, excluded.detail, excluded.measured_at,
    excluded.sequence, excluded.verified, excluded.error_ratio, excluded.error_ulp_scale, excluded.wrong_elements,
    excluded.first_wrong, excluded.wrong_buffer, excluded.rule)
  WHERE (excluded.measured_at, excluded.sequence, excluded.status, excluded.detail)
      > (earlier_failures.measured_at, earlier_failures.sequence, earlier_failures.status, earlier_failures.detail);
END;

-- The best of a part may have been dropped for a rival outside of it, and the rival that a trial was dropped for may be
-- out of the race. Then the dropped one is the best that is known.
--
-- Of each contest (kernel: NULL) and of each kernel in it: the finalist, unless a trial that no final has considered
-- is clearly faster, which then is named until it has been raced against the others; where there is no finalist, the
-- fastest. A dropped trial takes its place where it is faster than all times that those who compete ever had: its
-- status tells, and its time is approximate. `final`: by which the trial was found. `finalist`: whom the last final
-- would name. (Two arms, since SQLite looks up a contest inside a join, but not inside a union.)
DROP VIEW winner;
CREATE VIEW winner AS
SELECT contest, NULL AS kernel, iif(coalesce(dropped, newcomer) IS NULL, final, NULL) AS final,
       coalesce(dropped, newcomer, finalist) AS trial, finalist
FROM (SELECT contest, final, finalist,
             (SELECT w.id FROM unconsidered AS w
              WHERE w.contest = o.contest
                AND w.median_ns < coalesce((SELECT low_ns FROM trials WHERE id = o.finalist), 9e999)
              ORDER BY w.median_ns, w.id LIMIT 1) AS newcomer,
             (SELECT d.id FROM trials AS d INDEXED BY trials_of_contest
              WHERE d.status <> '' AND d.contest = o.contest AND d.superseded = 0 AND d.status = 'dropped'
                AND d.median_ns < coalesce((SELECT w.median_ns FROM trials AS w
                                            WHERE w.contest = o.contest AND w.competes = 1
                                            ORDER BY w.median_ns LIMIT 1), 9e999)
                AND NOT EXISTS (SELECT 1 FROM trials AS w
                                JOIN measurements AS s ON s.trial = w.id AND s.status = 'ok'
                                WHERE w.contest = o.contest AND w.competes = 1 AND s.median_ns <= d.median_ns)
              ORDER BY d.median_ns, d.id LIMIT 1) AS dropped
      FROM (SELECT n.id AS contest,
                   (SELECT l.id FROM last_final AS l JOIN trials AS t ON t.id = l.chosen WHERE l.contest = n.id
                    ORDER BY t.median_ns, t.id, l.id LIMIT 1) AS final,
                   (SELECT l.chosen FROM last_final AS l JOIN trials AS t ON t.id = l.chosen WHERE l.contest = n.id
                    ORDER BY t.median_ns, t.id, l.id LIMIT 1) AS finalist
            FROM contests AS n) AS o)
WHERE coalesce(dropped, newcomer, finalist) IS NOT NULL
UNION ALL
SELECT contest, kernel, iif(coalesce(dropped, newcomer) IS NULL, final, NULL),
       coalesce(dropped, newcomer, finalist,
                (SELECT w.id FROM trials AS w JOIN kernels AS k ON k.id = w.kernel
                 WHERE w.contest = found.contest AND w.competes = 1 AND k.name = found.kernel
                 ORDER BY w.median_ns, w.id LIMIT 1)),
       finalist
FROM (SELECT contest, kernel, final, finalist,
             (SELECT w.id FROM unconsidered AS w
              WHERE w.contest = o.contest AND w.kernel = o.kernel
                AND w.median_ns < (SELECT low_ns FROM trials WHERE id = o.finalist)
              ORDER BY w.median_ns, w.id LIMIT 1) AS newcomer,
             (SELECT d.id FROM trials AS d INDEXED BY trials_of_contest
              JOIN kernels AS k ON k.id = d.kernel
              WHERE d.status <> '' AND d.contest = o.contest AND d.superseded = 0 AND d.status = 'dropped'
                AND k.name = o.kernel
                AND d.median_ns < coalesce((SELECT w.median_ns FROM trials AS w JOIN kernels AS h ON h.id = w.kernel
                                            WHERE w.contest = o.contest AND w.competes = 1 AND h.name = o.kernel
                                            ORDER BY w.median_ns LIMIT 1), 9e999)
                AND NOT EXISTS (SELECT 1 FROM trials AS w
                                JOIN kernels AS h ON h.id = w.kernel
                                JOIN measurements AS s ON s.trial = w.id AND s.status = 'ok'
                                WHERE w.contest = o.contest AND w.competes = 1 AND h.name = o.kernel
                                  AND s.median_ns <= d.median_ns)
              ORDER BY d.median_ns, d.id LIMIT 1) AS dropped
      FROM (SELECT y.contest, k.name AS kernel,
                   (SELECT b.final FROM finalist AS b WHERE b.contest = y.contest AND b.kernel = k.name
                    ORDER BY b.median_ns, b.trial, b.final LIMIT 1) AS final,
                   (SELECT b.trial FROM finalist AS b WHERE b.contest = y.contest AND b.kernel = k.name
                    ORDER BY b.median_ns, b.trial, b.final LIMIT 1) AS finalist
            FROM tallies AS y
            JOIN kernels AS k ON k.id = y.kernel
            WHERE y.status IN ('ok', 'dropped') AND y.superseded = 0 AND y.role <> 'baseline' AND y.trials > 0
            GROUP BY y.contest, k.name) AS o) AS found;

-- The one to use at each size, class by class. `remeasured`: it was found by a final; `tied`: how many others could
-- then not be told from the fastest; `approximate`: it was dropped early, so that its time is.
DROP VIEW best;
CREATE VIEW best AS
SELECT p.family, p.size, p.volume, p.sizes, p.type, p.row_padding, k.name AS kernel, f.json AS configuration,
       t.median_ns / 1e6 AS median_ms, t.low_ns / 1e6 AS low_ms, t.high_ns / 1e6 AS high_ms,
       (SELECT iif(type IN ('integer', 'real'), value, NULL) FROM json_each(t.metrics) LIMIT 1) AS metric,
       (SELECT key FROM json_each(t.metrics) LIMIT 1) AS metric_name, t.metrics,
       t.verified, t.status = 'dropped' AS approximate, a.final IS NOT NULL AS remeasured,
       (SELECT sum(e.tied) - 1 FROM final_entries AS e WHERE e.final = a.final) AS tied,
       c.device, c.driver, c.toolkit, c.l2, c.method, c.inputs, lower(hex(t.contest)) AS contest, t.idea, t.measured_at,
       lower(hex(t.id)) AS id
FROM winner AS a
JOIN trials AS t ON t.id = a.trial
JOIN contests AS n ON n.id = a.contest
JOIN classes AS c ON c.id = n.class
JOIN problem AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
WHERE a.kernel IS NULL;

-- A search that was refused has its own end: what it was to try could not be prepared, so that nothing is said of it.
DROP VIEW search;
CREATE TABLE searches_of_all_ends (
  id       BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  contest  BLOB NOT NULL REFERENCES contests (id),
  run      BLOB REFERENCES runs (id),
  strategy TEXT NOT NULL CHECK (length(strategy) <= 4096),
  ending   TEXT NOT NULL CHECK (ending IN ('exhausted', 'until', 'budget', 'interrupted', 'gave_up', 'refused')),
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
INSERT INTO searches_of_all_ends SELECT * FROM searches;
DROP TABLE searches;
ALTER TABLE searches_of_all_ends RENAME TO searches;
CREATE INDEX searches_of_contest ON searches (contest);
-- "Enough" of nothing was a search that was refused.
UPDATE searches SET ending = 'refused', gain = NULL, low = NULL, high = NULL, estimate = NULL
WHERE ending = 'until' AND tried = failed;

-- What a search observed takes the place of what it expected: `gain` is what its last `stretch` results brought. Searches
-- of before have an expectation with its interval and NULL here. `behind`: the share of searches on test spaces that ended
-- like this one more than 5 % behind the best, of all and on the kind of space where it was largest. `faster`: with 95 %
-- confidence no larger share of the rest is faster. 0: not known.
ALTER TABLE searches ADD COLUMN stretch INTEGER CHECK (stretch >= 0);
ALTER TABLE searches ADD COLUMN behind REAL;
ALTER TABLE searches ADD COLUMN behind_at_worst REAL;
ALTER TABLE searches ADD COLUMN faster REAL;

-- Every search, with the space as it was then.
CREATE VIEW search AS
SELECT p.family, p.size, p.volume, p.sizes, p.type, p.row_padding,
       (SELECT sum(candidates) FROM search_kernels WHERE search = s.id) AS candidates, s.tried, s.failed, s.strategy,
       s.ending, s.gain, s.low, s.high, s.estimate, s.stretch, s.behind, s.behind_at_worst, s.faster,
       c.device, c.driver, c.toolkit, c.l2, c.method, c.inputs,
       lower(hex(s.contest)) AS contest, s.ended_at, lower(hex(s.run)) AS run
FROM searches AS s
JOIN contests AS n ON n.id = s.contest
JOIN classes AS c ON c.id = n.class
JOIN problem AS p ON p.id = n.problem;
