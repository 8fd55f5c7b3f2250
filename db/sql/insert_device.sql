INSERT INTO devices (
  id, kind, name, uuid, architecture, compute_major, compute_minor, driver, memory_bytes, limits)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO NOTHING
