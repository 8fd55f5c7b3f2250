-- Its content is its identity, but compiling it again may get further (a longer deadline) or was not needed (0 ms).
INSERT INTO binaries (id, compile_ms, log) VALUES (?, ?, ?)
ON CONFLICT (id) DO UPDATE SET compile_ms = excluded.compile_ms, log = excluded.log WHERE excluded.compile_ms > 0
