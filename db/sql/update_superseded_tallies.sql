UPDATE tallies SET superseded = (source <> ?1)
WHERE kernel IN (SELECT id FROM kernels WHERE family = ?2 AND name = ?3)
  AND source <> x'' AND superseded <> (source <> ?1)
