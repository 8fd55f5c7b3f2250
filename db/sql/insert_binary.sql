-- Its content is its identity, but compiling it again may get further (a longer deadline) or was not needed (0 ms). Of a
-- compilation of just now (the last parameter) that counts; of rows from elsewhere the one that took longest, in any order.
INSERT INTO binaries (id, compile_ms, log) VALUES (?, ?, ?)
ON CONFLICT (id) DO UPDATE SET compile_ms = excluded.compile_ms, log = excluded.log
WHERE excluded.compile_ms > 0
  AND (? OR (excluded.compile_ms, excluded.log) > (binaries.compile_ms, binaries.log))
