-- What searches of a contest expected of the rest, the one that knew most first; each with how many kernels it was of,
-- and of how many of these the spec is still what it was.
SELECT s.tried, count(*), total(r.spec = coalesce(e.spec, r.spec)), s.gain, s.low, s.high, s.estimate,
       s.stretch, coalesce(s.behind, 0), coalesce(s.behind_at_worst, 0),
       coalesce(s.faster, 0)
FROM searches AS s
JOIN contests AS n ON n.id = s.contest
JOIN problems AS p ON p.id = n.problem
JOIN search_kernels AS r ON r.search = s.id
LEFT JOIN kernel_specs AS e ON e.family = p.family AND e.kernel = r.kernel
WHERE s.contest = ? AND s.gain IS NOT NULL
GROUP BY s.id
ORDER BY s.tried DESC, s.id
