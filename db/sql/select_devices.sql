-- Of the runs on a device the last one says how it was addressed (a bare column beside max() comes from that row).
SELECT coalesce(r.device_address, ''),
       d.kind, d.name, d.uuid, d.architecture, d.compute_major, d.compute_minor, d.driver, d.memory_bytes, d.limits,
       max(r.started_at)
FROM devices AS d
LEFT JOIN runs AS r ON r.device = d.id
GROUP BY d.id
ORDER BY d.name, d.uuid, d.driver
