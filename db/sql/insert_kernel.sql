INSERT INTO kernels (id, family, name, parameters) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
