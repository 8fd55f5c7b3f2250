INSERT INTO classes (id, device, driver, toolkit, type, l2, method, inputs) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO NOTHING
