INSERT INTO contests (id, class, problem) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING
