-- Exports of version 1 do not say which trials measured what a device can do at most; their ceilings do.
UPDATE trials SET role = 'ceiling'
WHERE role = 'competitor'
  AND tuning_case IN (SELECT n.id FROM cases AS n JOIN problems AS p ON p.id = n.problem
                  WHERE p.family IN (SELECT q.family FROM ceilings AS g JOIN trials AS t ON t.id = g.trial
                                     JOIN cases AS m ON m.id = t.tuning_case JOIN problems AS q ON q.id = m.problem))
