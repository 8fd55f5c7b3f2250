-- Whether the last final of a contest is newer than its ok trials, from the tallies. Older sources do not count.
SELECT coalesce((SELECT max(f.measured_at) FROM finals AS f
                 WHERE f.contest = ?1 AND (SELECT superseded FROM trials WHERE id = f.chosen) = 0), '')
       >= coalesce((SELECT max(latest) FROM tallies
                    WHERE contest = ?1 AND status = 'ok' AND superseded = 0 AND trials > 0), '')
