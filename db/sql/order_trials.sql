-- Shorter size texts first: 512 before 1024.
ORDER BY p.family, length(p.size), p.size, p.type, p.row_padding, c.device, c.driver, c.toolkit, c.l2, c.method,
         c.inputs, k.name, t.median_ns IS NULL, t.median_ns, f.json, t.id
