INSERT INTO kernel_sources (family, kernel, source) VALUES (?, ?, ?)
ON CONFLICT (family, kernel) DO UPDATE SET source = excluded.source
