-- Removes what the tables doomed_… name, then what nothing refers to any more.
DELETE FROM final_entries WHERE final IN (SELECT id FROM doomed_finals) OR trial IN (SELECT id FROM doomed_trials);
DELETE FROM final_coverage WHERE final IN (SELECT id FROM doomed_finals);
DELETE FROM finals WHERE id IN (SELECT id FROM doomed_finals);
UPDATE ceilings SET trial = NULL WHERE trial IN (SELECT id FROM doomed_trials);
DELETE FROM attempts WHERE trial IN (SELECT id FROM doomed_trials);
DELETE FROM verdicts
WHERE id IN (SELECT probe FROM trials WHERE id IN (SELECT id FROM doomed_trials))
  AND id NOT IN (SELECT probe FROM trials WHERE probe IS NOT NULL AND id NOT IN (SELECT id FROM doomed_trials));
DELETE FROM probings
WHERE probe IN (SELECT probe FROM trials WHERE id IN (SELECT id FROM doomed_trials))
  AND probe NOT IN (SELECT probe FROM trials WHERE probe IS NOT NULL AND id NOT IN (SELECT id FROM doomed_trials));
UPDATE trials SET measurement = NULL, status = 'skipped' WHERE id IN (SELECT id FROM doomed_trials);
DELETE FROM measurements WHERE id IN (SELECT id FROM doomed_measurements);
DELETE FROM trials WHERE id IN (SELECT id FROM doomed_trials);
DELETE FROM tallies WHERE trials = 0;
DELETE FROM search_kernels WHERE search IN (SELECT id FROM doomed_searches);
DELETE FROM searches WHERE id IN (SELECT id FROM doomed_searches);
DELETE FROM binary_kernels WHERE binary NOT IN (SELECT binary FROM trials WHERE binary IS NOT NULL);
DELETE FROM binaries WHERE id NOT IN (SELECT binary FROM trials WHERE binary IS NOT NULL);
DELETE FROM configurations
WHERE id NOT IN (SELECT configuration FROM trials) AND id NOT IN (SELECT configuration FROM attempts);
