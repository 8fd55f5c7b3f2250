-- The kernels that searches of a contest covered, with the size of their spaces, as far as their specs are still what
-- they were. A kernel that no sweep here was of has no spec here: then the search knows best.
SELECT r.kernel, max(r.candidates)
FROM searches AS s
JOIN cases AS n ON n.id = s.tuning_case
JOIN problems AS p ON p.id = n.problem
JOIN search_kernels AS r ON r.search = s.id
LEFT JOIN kernel_specs AS e ON e.family = p.family AND e.kernel = r.kernel
WHERE s.tuning_case = ?1 AND (?2 = '' OR r.kernel = ?2) AND r.spec = coalesce(e.spec, r.spec)
GROUP BY r.kernel
