-- Of each kernel (?2; '': of all) what was tried, or the whole space where a search of it ended by itself and its spec is
-- still what it was then.
SELECT total(max(y.tried, coalesce((
         SELECT max(r.candidates)
         FROM searches AS s
         JOIN search_kernels AS r ON r.search = s.id
         LEFT JOIN kernel_specs AS e ON e.family = y.family AND e.kernel = r.kernel
         WHERE s.tuning_case = ?1 AND s.ending IN ('exhausted', 'until') AND r.kernel = y.name
           AND r.spec = coalesce(e.spec, r.spec)), 0)))
FROM (SELECT k.family, k.name, total(t.trials) AS tried
      FROM tallies AS t
      JOIN kernels AS k ON k.id = t.kernel
      WHERE t.tuning_case = ?1 AND t.superseded = 0 AND t.role <> 'baseline' AND (?2 = '' OR k.name = ?2)
      GROUP BY k.family, k.name) AS y
