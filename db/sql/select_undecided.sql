-- Trials of a kernel that were not judged by a spec, with what it takes to make their identity again: the device that
-- the run was on, or any of the same name.
SELECT t.id, f.json, k.parameters, p.family, p.sizes, p.type, p.row_padding,
       c.device, c.driver, c.toolkit, c.type, c.l2, c.method, c.inputs, t.definition,
       coalesce(d.architecture, ''), d.limits
FROM kernels AS k
JOIN trials AS t ON t.kernel = k.id
JOIN configurations AS f ON f.id = t.configuration
JOIN cases AS n ON n.id = t.tuning_case
JOIN environments AS c ON c.id = n.environment
JOIN problems AS p ON p.id = n.problem
LEFT JOIN runs AS r ON r.id = t.run
LEFT JOIN devices AS d ON d.id = coalesce(r.device, (SELECT id FROM devices WHERE name = c.device ORDER BY id LIMIT 1))
WHERE k.family = ?1 AND k.name = ?2 AND t.judged_by IS NOT ?3
  AND NOT EXISTS (SELECT 1 FROM judgements AS j WHERE j.trial = t.id AND j.spec = ?3)
