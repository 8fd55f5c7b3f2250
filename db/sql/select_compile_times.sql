-- What compiling took, where it is known; of each binary once.
SELECT f.json, k.parameters, l.compile_ms
FROM kernels AS k
JOIN trials AS t ON t.kernel = k.id
JOIN configurations AS f ON f.id = t.configuration
JOIN cases AS n ON n.id = t.tuning_case
JOIN environments AS c ON c.id = n.environment
JOIN binaries AS l ON l.id = t.binary
WHERE k.family = ? AND k.name = ? AND c.toolkit = ? AND l.compile_ms > 0
GROUP BY l.id
ORDER BY max(c.device = ?) DESC, max(t.rowid) DESC
LIMIT ?
