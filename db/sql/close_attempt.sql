UPDATE attempts SET closed_at = ?, outcome = ?, detail = ?
WHERE trial = ? AND machine = ? AND boot = ? AND pid = ? AND closed_at IS NULL
