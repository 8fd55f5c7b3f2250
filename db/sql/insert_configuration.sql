INSERT INTO configurations (id, json) VALUES (?, ?) ON CONFLICT (id) DO NOTHING
