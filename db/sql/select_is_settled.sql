-- Whether the last final of a contest is newer than its ok trials, from the tallies.
SELECT coalesce((SELECT max(measured_at) FROM finals WHERE contest = ?1), '')
       >= coalesce((SELECT max(latest) FROM tallies WHERE contest = ?1 AND status = 'ok' AND trials > 0), '')
