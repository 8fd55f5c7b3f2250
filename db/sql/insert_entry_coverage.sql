-- Of an export that tells no coverage: the contestants are covered as they are here now.
INSERT INTO final_coverage (final, run, kernel, first, last)
SELECT e.final, coalesce(t.run, x''), k.name, t.sequence, t.sequence
FROM final_entries AS e
JOIN trials AS t ON t.id = e.trial
JOIN kernels AS k ON k.id = t.kernel
WHERE e.final = ?
ON CONFLICT DO NOTHING
