-- What changes rows. Each statement begins with its name, as db::sql() takes it.

-- # insert_binary
-- Its content is its identity, but compiling it again may get further (a longer deadline) or was not needed (0 ms). Of a
-- compilation of just now (the last parameter) that counts; of rows from elsewhere the one that took longest, in any order.
INSERT INTO binaries (id, compile_ms, log) VALUES (?, ?, ?)
ON CONFLICT (id) DO UPDATE SET compile_ms = excluded.compile_ms, log = excluded.log
WHERE excluded.compile_ms > 0
  AND (? OR (excluded.compile_ms, excluded.log) > (binaries.compile_ms, binaries.log))

-- # insert_ceiling
-- The best is kept, wherever and whenever it was measured: it is what the device can do at most.
INSERT INTO ceilings (device, kind, type, value, unit, trial, measured_at)
VALUES (?, ?, ?, ?, ?, (SELECT id FROM trials WHERE id = ?), ?)
ON CONFLICT (device, kind, type) DO UPDATE SET (value, unit, measured_at, trial) = (
  excluded.value, excluded.unit, excluded.measured_at, excluded.trial)
WHERE (iif(kind = 'launch', -excluded.value, excluded.value), excluded.unit, coalesce(excluded.trial, x''), excluded.measured_at)
      >= (iif(kind = 'launch', -ceilings.value, ceilings.value), ceilings.unit, coalesce(ceilings.trial, x''), ceilings.measured_at)

-- # insert_counter
-- Of a trial and metric the one that was counted last, and of two that know nothing of each other the same in any order.
INSERT INTO counters (trial, metric, value, unit, generation, counted_at)
SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE EXISTS (SELECT 1 FROM trials WHERE id = ?1)
ON CONFLICT (trial, metric) DO UPDATE SET (value, unit, generation, counted_at) = (
  excluded.value, excluded.unit, excluded.generation, excluded.counted_at)
WHERE (excluded.generation, excluded.counted_at, excluded.value, excluded.unit)
      > (counters.generation, counters.counted_at, counters.value, counters.unit)

-- # insert_entry_coverage
-- Of an export that tells no coverage: the finalists are covered as they are here now.
INSERT INTO final_coverage (final, run, kernel, first, last)
SELECT e.final, coalesce(t.run, x''), k.name, t.sequence, t.sequence
FROM final_entries AS e
JOIN trials AS t ON t.id = e.trial
JOIN kernels AS k ON k.id = t.kernel
WHERE e.final = ?
ON CONFLICT DO NOTHING

-- # select_same_finals
-- The copies of a final here, each with how many of its finalists were not forgotten.
SELECT (SELECT count(*) FROM final_entries AS e WHERE e.final = f.id), f.id
FROM finals AS f
WHERE f.tuning_case = ? AND f.chosen = ? AND f.measured_at = ? AND f.run IS (SELECT id FROM runs WHERE id = ?)

-- # tally_new_trials
-- Counts trials that came without triggers, those behind the row that was the last, as trials_tally_insert does.
INSERT INTO tallies (tuning_case, kernel, status, superseded, role, trials, latest)
SELECT tuning_case, kernel, status, superseded, role, count(*), max(measured_at)
FROM trials
WHERE rowid > ?
GROUP BY tuning_case, kernel, status, superseded, role
ON CONFLICT DO UPDATE SET trials = trials + excluded.trials, latest = max(latest, excluded.latest)

-- # insert_probing
-- One run of a binary's probes. The last parameter: it was just now, so that nothing has cleared it.
INSERT INTO probings (probe, status, detail, deaths, trial, run, measured_at, cleared)
VALUES (?, ?, ?, ?, ?, coalesce(?, x''), ?, ?)
ON CONFLICT DO UPDATE SET
  (status, detail) = (
    iif((excluded.status <> 'ok', excluded.status, excluded.detail)
          > (probings.status <> 'ok', probings.status, probings.detail), excluded.status, probings.status),
    iif((excluded.status <> 'ok', excluded.status, excluded.detail)
          > (probings.status <> 'ok', probings.status, probings.detail), excluded.detail, probings.detail)),
  deaths = max(excluded.deaths, probings.deaths),
  cleared = iif(?, 0, max(excluded.cleared, probings.cleared))

-- # insert_verdict
-- What stands of the runs of a binary's probes. One that was wrong once is wrong, whichever word comes first, unless it was
-- probed again since and that failure cleared.
INSERT OR REPLACE INTO verdicts (id, status, detail, deaths, trial, measured_at, run)
SELECT probe, status, detail, (SELECT max(deaths) FROM probings WHERE probe = ?1), trial, measured_at,
       (SELECT id FROM runs WHERE id = probings.run)
FROM probings
WHERE probe = ?1 AND cleared = 0
ORDER BY status <> 'ok' DESC, status DESC, detail DESC, trial DESC, measured_at DESC, run DESC LIMIT 1

-- # settle_failures
-- What the same run said later of the same trial is what it said.
DELETE FROM earlier_failures
WHERE EXISTS (SELECT 1 FROM trials AS t WHERE t.id = earlier_failures.trial AND t.run = earlier_failures.run)
   OR EXISTS (SELECT 1 FROM measurements AS m
              WHERE m.trial = earlier_failures.trial AND m.run = earlier_failures.run
                AND iif(earlier_failures.sequence > 0, m.sequence >= earlier_failures.sequence,
                        m.measured_at >= earlier_failures.measured_at))

-- # mark_ceilings
-- Exports of version 1 do not say which trials measured what a device can do at most; their ceilings do.
UPDATE trials SET role = 'ceiling'
WHERE role = 'competitor'
  AND tuning_case IN (SELECT n.id FROM cases AS n JOIN problems AS p ON p.id = n.problem
                  WHERE p.family IN (SELECT q.family FROM ceilings AS g JOIN trials AS t ON t.id = g.trial
                                     JOIN cases AS m ON m.id = t.tuning_case JOIN problems AS q ON q.id = m.problem))

-- # doom_trials_without_results
-- Trials that lose a result, and that no other run measured or saw fail: nothing of them stays.
INSERT INTO doomed_trials
SELECT d.trial FROM (SELECT trial FROM doomed_measurements UNION SELECT trial FROM doomed_failures) AS d
WHERE NOT EXISTS (SELECT 1 FROM measurements AS m
                  WHERE m.trial = d.trial AND m.id NOT IN (SELECT id FROM doomed_measurements))
  AND NOT EXISTS (SELECT 1 FROM earlier_failures AS f
                  WHERE f.trial = d.trial AND (f.run, f.trial) NOT IN (SELECT run, trial FROM doomed_failures))
  AND NOT EXISTS (SELECT 1 FROM trials AS t
                  WHERE t.id = d.trial AND t.measurement IS NULL
                    AND (coalesce(t.run, x''), t.id) NOT IN (SELECT run, trial FROM doomed_failures))
ON CONFLICT DO NOTHING

-- # select_bereft
-- Trials that stay and lose their current result.
SELECT t.id FROM doomed_measurements AS d JOIN trials AS t ON t.measurement = d.id
UNION
SELECT t.id FROM doomed_failures AS d JOIN trials AS t ON t.id = d.trial
WHERE t.measurement IS NULL AND coalesce(t.run, x'') = d.run
EXCEPT
SELECT id FROM doomed_trials

-- # forget
-- Removes what the tables doomed_… name, then what nothing refers to any more.
DELETE FROM final_entries WHERE final IN (SELECT id FROM doomed_finals) OR trial IN (SELECT id FROM doomed_trials);
DELETE FROM final_coverage WHERE final IN (SELECT id FROM doomed_finals);
DELETE FROM finals WHERE id IN (SELECT id FROM doomed_finals);
UPDATE ceilings SET trial = NULL WHERE trial IN (SELECT id FROM doomed_trials);
DELETE FROM attempts WHERE id IN (SELECT id FROM doomed_attempts);
DELETE FROM verdicts
WHERE id IN (SELECT probe FROM trials WHERE id IN (SELECT id FROM doomed_trials))
  AND id NOT IN (SELECT probe FROM trials WHERE probe IS NOT NULL AND id NOT IN (SELECT id FROM doomed_trials));
DELETE FROM probings
WHERE probe IN (SELECT probe FROM trials WHERE id IN (SELECT id FROM doomed_trials))
  AND probe NOT IN (SELECT probe FROM trials WHERE probe IS NOT NULL AND id NOT IN (SELECT id FROM doomed_trials));
UPDATE trials SET measurement = NULL, status = 'skipped' WHERE id IN (SELECT id FROM doomed_trials);
DELETE FROM measurements WHERE id IN (SELECT id FROM doomed_measurements);
DELETE FROM earlier_failures WHERE (run, trial) IN (SELECT run, trial FROM doomed_failures);
DELETE FROM counters WHERE trial IN (SELECT id FROM doomed_trials);
DELETE FROM trials WHERE id IN (SELECT id FROM doomed_trials);
DELETE FROM tallies WHERE trials = 0;
DELETE FROM search_kernels WHERE search IN (SELECT id FROM doomed_searches);
DELETE FROM searches WHERE id IN (SELECT id FROM doomed_searches);
DELETE FROM binary_kernels WHERE binary NOT IN (SELECT binary FROM trials WHERE binary IS NOT NULL);
DELETE FROM binaries WHERE id NOT IN (SELECT binary FROM trials WHERE binary IS NOT NULL);
DELETE FROM cases
WHERE id NOT IN (SELECT tuning_case FROM tallies) AND id NOT IN (SELECT tuning_case FROM searches)
  AND id NOT IN (SELECT tuning_case FROM attempts);
DELETE FROM problems WHERE id NOT IN (SELECT problem FROM cases);
DELETE FROM configurations
WHERE id NOT IN (SELECT configuration FROM trials) AND id NOT IN (SELECT configuration FROM attempts);

-- # forget_probings
-- A failure that one of these cleared stands again, unless what stands was said later: that may have cleared it too.
DELETE FROM probings
WHERE (probe, run, trial, measured_at) IN (SELECT probe, run, trial, measured_at FROM doomed_probings);
UPDATE probings SET cleared = 0
WHERE probe IN (SELECT probe FROM doomed_probings WHERE cleared = 0)
  AND NOT EXISTS (SELECT 1 FROM probings AS p
                  WHERE p.probe = probings.probe AND p.cleared = 0 AND p.measured_at > probings.measured_at);
DELETE FROM verdicts WHERE id IN (SELECT probe FROM doomed_probings)

-- # count_deaths
-- Deaths that were seen, and launches during which this machine itself went down. An attempt left open in this boot
-- says nothing: its tuner was killed, or is still at it.
SELECT count(*) FROM attempts
WHERE trial = ?
  AND (outcome IN ('crashed', 'timeout') OR (closed_at IS NULL AND machine = ? AND boot <> ?))
