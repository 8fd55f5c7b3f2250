-- The least median that any trial of a kernel that competes in a contest ever had, with the kernel's name, the least first.
SELECT min(m.median_ns), k.name
FROM trials AS t
JOIN kernels AS k ON k.id = t.kernel
JOIN measurements AS m ON m.trial = t.id AND m.status = 'ok'
WHERE t.tuning_case = ? AND t.competes = 1
GROUP BY k.name
ORDER BY 1
