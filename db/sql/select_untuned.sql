-- Dropped ones too: that the default is clearly slower is what one wants to know. Of the same kernel as a given trial;
-- where several are known (specs that nobody has told apart), the one measured last.
SELECT t.id FROM trials AS t
WHERE t.tuning_case = ? AND t.is_default = 1 AND t.superseded = 0 AND t.status IN ('ok', 'dropped')
  AND t.kernel = (SELECT kernel FROM trials WHERE id = ?)
ORDER BY t.measured_at DESC, t.id LIMIT 1
