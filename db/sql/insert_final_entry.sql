INSERT INTO final_entries (final, place, trial, ratio, ratio_low, ratio_high, tied) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (final, place) DO NOTHING
