SELECT a.trial, k.name, f.json, k.parameters, p.family, p.sizes, p.type, p.row_padding, c.device, a.pid,
       a.machine = ? AND a.boot = ?, a.opened_at
FROM attempts AS a
JOIN cases AS n ON n.id = a.tuning_case
JOIN environments AS c ON c.id = n.environment
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = a.kernel
JOIN configurations AS f ON f.id = a.configuration
WHERE a.closed_at IS NULL
ORDER BY a.opened_at, a.id
