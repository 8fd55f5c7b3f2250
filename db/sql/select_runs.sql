SELECT r.id, r.command_line, r.started_at, coalesce(r.ended_at, ''), r.state, r.host, r.version, r.seed,
       r.toolkit, r.measured, r.strategy, r.device_address,
       d.kind, d.name, d.uuid, d.architecture, d.compute_major, d.compute_minor, d.driver, d.memory_bytes, d.limits
FROM runs AS r
JOIN devices AS d ON d.id = r.device
ORDER BY r.started_at DESC, r.id
