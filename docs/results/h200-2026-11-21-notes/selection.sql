-- What this folder keeps of the sweep: every cell of the notes' tables and chart, each kernel's default and its
-- winner for each size, every contestant of a final, the trials that showed a ceiling, and what docs/seeds.md cites.
-- Of register_tile's UNROLL only the fastest of each (size, partition, block, elements, tiles) is kept; all three for
-- 32x32 blocks by rows from 512 up. For the sqlite3 shell, on a copy of the database.
CREATE TEMP TABLE kept AS
SELECT id FROM (
  SELECT id, kernel, is_default, CAST(size AS INTEGER) AS n,
         json_extract(configuration, '$.PARTITION') AS partition,
         json_extract(configuration, '$.BLOCK_SIZE') AS block_size,
         json_extract(configuration, '$.BLOCK_X') = json_extract(configuration, '$.BLOCK_Y') AS square,
         json_extract(configuration, '$.PADDING') = 0 AS unpadded,
         json_extract(configuration, '$.TILE_K') = 32 AND json_extract(configuration, '$.TILE_M') = 128
           AND json_extract(configuration, '$.TILE_N') = 128 AND json_extract(configuration, '$.THREAD_M') = 8
           AND json_extract(configuration, '$.THREAD_N') = 8 AS wide,
         rank() OVER (PARTITION BY kernel, size ORDER BY median_ms) AS place,
         rank() OVER (PARTITION BY kernel, size, json_remove(configuration, '$.UNROLL') ORDER BY median_ms) AS unrolled
  FROM trial WHERE family LIKE 'matmul%')
WHERE is_default OR place = 1 OR (kernel = 'register_tile' AND partition = 'row' AND block_size = 32 AND n >= 512)
   OR (unrolled = 1
       AND (partition = 'row' OR kernel = 'streamed' OR (wide AND n >= 512)
            OR (n BETWEEN 512 AND 2048 AND (square OR unpadded OR kernel = 'register_tile'))
            OR (n BETWEEN 512 AND 4096 AND partition = 'column' AND (square OR kernel <> 'naive'))
            OR (n = 4096 AND partition = 'block' AND unpadded)))
UNION
SELECT lower(hex(trial)) FROM final_entries
UNION
SELECT lower(hex(trial)) FROM ceilings WHERE trial IS NOT NULL;
PRAGMA foreign_keys = OFF;  -- of trials and measurements, which name each other, one has to go first
DELETE FROM trials WHERE lower(hex(id)) NOT IN (SELECT id FROM kept);
DELETE FROM measurements WHERE trial NOT IN (SELECT id FROM trials);
PRAGMA foreign_key_check;  -- prints nothing: what is left is whole
