SELECT DISTINCT p.family
FROM ceilings AS g
JOIN trials AS t ON t.id = g.trial
JOIN contests AS n ON n.id = t.contest
JOIN problems AS p ON p.id = n.problem
