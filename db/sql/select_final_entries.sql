-- Fastest first.
SELECT trial, ratio, ratio_low, ratio_high, tied FROM final_entries WHERE final = ? ORDER BY place
