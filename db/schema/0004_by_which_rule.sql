-- Version 4. By which rule a result was judged.

DROP VIEW trial;
DROP VIEW best;

-- For people: `rounding bound of 1024 terms`, `equal`; '': of before version 4, or not verified.
ALTER TABLE trials ADD COLUMN rule TEXT NOT NULL DEFAULT '' CHECK (length(rule) <= 256);

ALTER TABLE earlier_failures ADD COLUMN rule TEXT NOT NULL DEFAULT '';
DROP TRIGGER trials_keep_failure;
CREATE TRIGGER trials_keep_failure BEFORE UPDATE OF run ON trials
WHEN OLD.run IS NOT NULL AND OLD.run IS NOT NEW.run AND OLD.measurement IS NULL BEGIN
  INSERT OR REPLACE INTO earlier_failures (trial, run, status, detail, measured_at, sequence, verified, error_ratio,
    error_ulp_scale, wrong_elements, first_wrong, wrong_buffer, rule)
  VALUES (OLD.id, OLD.run, OLD.status, OLD.detail, OLD.measured_at, OLD.sequence, OLD.verified, OLD.error_ratio,
    OLD.error_ulp_scale, OLD.wrong_elements, OLD.first_wrong, OLD.wrong_buffer, OLD.rule);
END;

-- For people. Times in milliseconds; `id` is what `tuner show` takes.
CREATE VIEW trial AS
SELECT lower(hex(t.id)) AS id, p.family, k.name AS kernel, t.role, p.size, p.type, p.row_padding, f.json AS configuration,
       t.status, t.median_ns / 1e6 AS median_ms, t.low_ns / 1e6 AS low_ms, t.high_ns / 1e6 AS high_ms, t.metrics,
       b.registers, b.spill_store_bytes + b.spill_load_bytes AS spill_bytes,
       b.static_shared_bytes + t.dynamic_shared_bytes AS shared_bytes, t.occupancy, t.limited_by,
       t.grid_x || 'x' || t.grid_y || 'x' || t.grid_z AS grid,
       t.block_x || 'x' || t.block_y || 'x' || t.block_z AS block,
       t.is_default, t.superseded, t.competes, t.verified, t.rule, t.error_ratio, t.detail, c.device, c.driver, c.toolkit, c.l2, c.method,
       c.inputs, t.idea, t.measured_at, lower(hex(t.run)) AS run
FROM trials AS t
JOIN contests AS n ON n.id = t.contest
JOIN classes AS c ON c.id = n.class
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
LEFT JOIN binary_kernels AS b ON b.binary = t.binary AND b.entry = t.entry;

-- The one to use at each size, class by class. `remeasured`: it was found by a final; `tied`: how many others could
-- then not be told from the fastest.
CREATE VIEW best AS
SELECT p.family, p.size, p.type, p.row_padding, k.name AS kernel, f.json AS configuration,
       t.median_ns / 1e6 AS median_ms, t.low_ns / 1e6 AS low_ms, t.high_ns / 1e6 AS high_ms, t.metrics,
       t.verified, a.final IS NOT NULL AS remeasured,
       (SELECT sum(e.tied) - 1 FROM final_entries AS e WHERE e.final = a.final) AS tied,
       c.device, c.driver, c.toolkit, c.l2, c.method, c.inputs, t.idea, t.measured_at, lower(hex(t.id)) AS id
FROM winner AS a
JOIN trials AS t ON t.id = a.trial
JOIN contests AS n ON n.id = a.contest
JOIN classes AS c ON c.id = n.class
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
WHERE a.kernel IS NULL;
