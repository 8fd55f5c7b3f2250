-- Deaths that were seen, and launches during which this machine itself went down. An attempt left open in this boot
-- says nothing: its tuner was killed, or is still at it.
SELECT count(*) FROM attempts
WHERE trial = ?
  AND (outcome IN ('crashed', 'timeout') OR (closed_at IS NULL AND machine = ? AND boot <> ?))
