INSERT INTO runs (
  id, command_line, started_at, ended_at, state, host, version, seed, device, device_address, toolkit, measured)
VALUES (?, ?, ?, nullif(?, ''), ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO NOTHING
