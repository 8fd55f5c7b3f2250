-- What the same run said later of the same trial is what it said.
DELETE FROM earlier_failures
WHERE EXISTS (SELECT 1 FROM trials AS t WHERE t.id = earlier_failures.trial AND t.run = earlier_failures.run)
   OR EXISTS (SELECT 1 FROM measurements AS m
              WHERE m.trial = earlier_failures.trial AND m.run = earlier_failures.run
                AND m.measured_at >= earlier_failures.measured_at)
