-- What searches of a contest expected of the rest, the one that knew most first; each with how many kernels it was of,
-- and of how many of these the spec is still what it was.
SELECT s.tried, count(*), total(r.spec = coalesce(e.spec, r.spec)), s.gain, s.low, s.high, s.estimate,
       s.stretch, s.behind, s.behind_at_worst, s.faster
FROM searches AS s
JOIN cases AS n ON n.id = s.tuning_case
JOIN problems AS p ON p.id = n.problem
JOIN search_kernels AS r ON r.search = s.id
LEFT JOIN kernel_specs AS e ON e.family = p.family AND e.kernel = r.kernel
WHERE s.tuning_case = ? AND s.gain IS NOT NULL
GROUP BY s.id
ORDER BY s.tried DESC, s.id
