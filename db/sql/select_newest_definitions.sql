-- Of kernels that nobody has declared, a definition to go by. Each host has a say: the definition that it measured last, by
-- its own clock. Of these the one with the most trials, then by digest: clocks of two hosts are not compared. (Bare columns
-- beside max() come from that row.)
WITH told AS MATERIALIZED (
  SELECT k.family, k.name AS kernel, t.definition, t.role, coalesce(r.host, '') AS host, t.measured_at
  FROM kernels AS k
  JOIN trials AS t ON t.kernel = k.id
  LEFT JOIN runs AS r ON r.id = t.run
  WHERE t.definition IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM declaration_in_force AS d WHERE d.family = k.family AND d.kernel = k.name)),
said AS (
  SELECT family, kernel, host, definition, max(measured_at || hex(definition)) FROM told GROUP BY family, kernel, host),
measured AS (
  SELECT family, kernel, definition, max(role) AS role, count(*) AS trials FROM told GROUP BY family, kernel, definition)
SELECT m.family, m.kernel, m.definition, m.role, max(printf('%020d', m.trials) || hex(m.definition))
FROM measured AS m
WHERE EXISTS (SELECT 1 FROM said AS s WHERE s.family = m.family AND s.kernel = m.kernel AND s.definition = m.definition)
GROUP BY m.family, m.kernel
