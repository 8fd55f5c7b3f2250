INSERT INTO problems (id, family, sizes, size, type, row_padding) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO NOTHING
