UPDATE trials SET superseded = (source <> ?1)
WHERE kernel IN (SELECT id FROM kernels WHERE family = ?2 AND name = ?3)
  AND source IS NOT NULL AND superseded <> (source <> ?1)
