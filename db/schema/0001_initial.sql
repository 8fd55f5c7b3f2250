-- Version 1.
--
-- Ids are 16 bytes: digests of content, and random ones where there is no content (runs, attempts). They are the same
-- in every database, so that two databases merge row by row. Rows may come from strangers (merge, import): the CHECKs
-- are what they have to pass, besides being read and written anew by the program. (No json_valid() among them: before
-- SQLite 3.41 it may not be used in a schema that is not trusted.) Tables are plurals; the singular names below are
-- views for people with a shell.

CREATE TABLE devices (
  id            BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  kind          TEXT NOT NULL CHECK (length(kind) <= 64),
  name          TEXT NOT NULL CHECK (length(name) <= 256),
  uuid          TEXT NOT NULL CHECK (length(uuid) <= 256),
  architecture  TEXT NOT NULL CHECK (length(architecture) <= 64),
  compute_major INTEGER NOT NULL,
  compute_minor INTEGER NOT NULL,
  driver        TEXT NOT NULL CHECK (length(driver) <= 256),
  memory_bytes  INTEGER NOT NULL,
  limits        TEXT NOT NULL CHECK (length(limits) <= 8192)
) STRICT, WITHOUT ROWID;

-- What may be compared with what: times of two classes never meet.
CREATE TABLE classes (
  id      BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  device  TEXT NOT NULL CHECK (length(device) <= 256),
  driver  TEXT NOT NULL CHECK (length(driver) <= 256),
  toolkit TEXT NOT NULL CHECK (length(toolkit) <= 256),
  type    TEXT NOT NULL CHECK (length(type) <= 64),
  l2      TEXT NOT NULL CHECK (length(l2) <= 64),
  method  TEXT NOT NULL CHECK (length(method) <= 256),
  inputs  TEXT NOT NULL CHECK (length(inputs) <= 256)
) STRICT, WITHOUT ROWID;

CREATE TABLE problems (
  id          BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  family      TEXT NOT NULL CHECK (length(family) <= 256),
  sizes       TEXT NOT NULL CHECK (length(sizes) <= 4096),  -- {"M":512,"N":512,"K":512}
  size        TEXT NOT NULL CHECK (length(size) <= 1024),                         -- 512 or 512x1024x256
  type        TEXT NOT NULL CHECK (length(type) <= 64),
  row_padding INTEGER NOT NULL CHECK (row_padding >= 0)
) STRICT, WITHOUT ROWID;

-- One problem in one class: the trials that compete for one `best`.
CREATE TABLE contests (
  id      BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  class   BLOB NOT NULL REFERENCES classes (id),
  problem BLOB NOT NULL REFERENCES problems (id)
) STRICT, WITHOUT ROWID;

CREATE TABLE kernels (
  id         BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  family     TEXT NOT NULL CHECK (length(family) <= 256),
  name       TEXT NOT NULL CHECK (length(name) <= 256),
  -- Names in the order the spec writes them; a configuration's own JSON has its keys sorted.
  parameters TEXT NOT NULL CHECK (length(parameters) <= 65536)
) STRICT, WITHOUT ROWID;

-- The source each kernel has now, as the last sweep of it said. By name: an edit may change the parameters too, and so
-- the kernel's id. Trials of another source are `superseded`.
CREATE TABLE kernel_sources (
  family TEXT NOT NULL CHECK (length(family) <= 256),
  kernel TEXT NOT NULL CHECK (length(kernel) <= 256),
  source BLOB NOT NULL CHECK (length(source) = 16),  -- digest of the texts, the reference's included
  PRIMARY KEY (family, kernel)
) STRICT, WITHOUT ROWID;

CREATE TABLE configurations (
  id   BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  json TEXT NOT NULL CHECK (length(json) <= 65536)  -- canonical: keys sorted, no blanks
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
  id             BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  command_line   TEXT NOT NULL CHECK (length(command_line) <= 1048576),
  started_at     TEXT NOT NULL CHECK (length(started_at) <= 64),
  ended_at       TEXT CHECK (length(ended_at) <= 64),  -- NULL: it did not end by itself
  state          TEXT NOT NULL CHECK (state IN ('running', 'done', 'interrupted', 'failed')),
  host           TEXT NOT NULL CHECK (length(host) <= 1024),
  version        TEXT NOT NULL CHECK (length(version) <= 256),
  seed           INTEGER NOT NULL,  -- 64 bits without a sign, read as signed
  device         BLOB NOT NULL REFERENCES devices (id),
  device_address TEXT NOT NULL CHECK (length(device_address) <= 4096),  -- as --device took it: cuda:0
  toolkit        TEXT NOT NULL CHECK (length(toolkit) <= 256),
  measured       INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE binaries (
  id         BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  compile_ms REAL NOT NULL,
  log        TEXT NOT NULL CHECK (length(log) <= 16777216)
) STRICT;

CREATE TABLE binary_kernels (
  binary                BLOB NOT NULL REFERENCES binaries (id),
  entry                 TEXT NOT NULL CHECK (length(entry) <= 65536),
  symbol                TEXT NOT NULL CHECK (length(symbol) <= 65536),
  registers             INTEGER NOT NULL,
  spill_store_bytes     INTEGER NOT NULL,
  spill_load_bytes      INTEGER NOT NULL,
  stack_bytes           INTEGER NOT NULL,
  static_shared_bytes   INTEGER NOT NULL,
  constant_bytes        INTEGER NOT NULL,
  max_threads_per_block INTEGER NOT NULL,
  PRIMARY KEY (binary, entry)
) STRICT, WITHOUT ROWID;

-- A configuration on a problem in a class, with its current result; every measurement of it is in `measurements`.
-- Rows keep a rowid: they are wide, and their random ids would scatter every insertion over the whole table.
CREATE TABLE trials (
  id                     BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  contest                BLOB NOT NULL REFERENCES contests (id),
  kernel                 BLOB NOT NULL REFERENCES kernels (id),
  configuration          BLOB NOT NULL REFERENCES configurations (id),
  is_default             INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  source                 BLOB CHECK (length(source) = 16),  -- as in kernel_sources; NULL: unknown
  -- Known to be of another source than the kernel has now: kept, but it no longer competes.
  superseded             INTEGER NOT NULL CHECK (superseded IN (0, 1)),
  binary                 BLOB REFERENCES binaries (id),
  entry                  TEXT CHECK (length(entry) <= 65536),  -- of the first launch; NULL: it did not compile
  grid_x                 INTEGER NOT NULL,
  grid_y                 INTEGER NOT NULL,
  grid_z                 INTEGER NOT NULL,
  block_x                INTEGER NOT NULL,
  block_y                INTEGER NOT NULL,
  block_z                INTEGER NOT NULL,
  dynamic_shared_bytes   INTEGER NOT NULL,
  occupancy              REAL,  -- NULL: unknown, as the next three
  blocks_per_sm          INTEGER,
  warps_per_sm           INTEGER,
  limited_by             TEXT CHECK (length(limited_by) <= 1024),
  driver_blocks_per_sm   INTEGER,
  status                 TEXT NOT NULL CHECK (status IN ('ok', 'dropped', 'unlaunchable', 'compile_error',
                           'launch_error', 'wrong_result', 'out_of_bounds', 'input_modified', 'unstable', 'timeout',
                           'crashed', 'skipped', 'quarantined')),
  detail                 TEXT NOT NULL CHECK (length(detail) <= 1048576),
  device_lost            INTEGER NOT NULL CHECK (device_lost IN (0, 1)),
  verified               INTEGER NOT NULL CHECK (verified IN (0, 1)),
  error_ratio            REAL,  -- NULL: not a number
  error_ulp_scale        REAL,
  wrong_elements         INTEGER NOT NULL,
  first_wrong            INTEGER,
  wrong_buffer           TEXT NOT NULL CHECK (length(wrong_buffer) <= 256),
  median_ns              REAL,  -- these three repeat the current measurement's, for the indexes below
  low_ns                 REAL,
  high_ns                REAL,
  metrics                TEXT NOT NULL CHECK (length(metrics) <= 65536),
  operations             REAL,  -- what the problem asks for, however it is solved; NULL: its spec does not say
  bytes                  REAL,
  measured_at            TEXT NOT NULL CHECK (length(measured_at) <= 64),
  run                    BLOB REFERENCES runs (id),
  -- Trial and measurement name each other, so both wait for the commit.
  measurement            BLOB REFERENCES measurements (id) DEFERRABLE INITIALLY DEFERRED,
  CHECK (status <> 'ok' OR (measurement IS NOT NULL AND coalesce(median_ns, 0) > 0))
) STRICT;

CREATE TABLE measurements (
  id                      BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  trial                   BLOB NOT NULL REFERENCES trials (id) DEFERRABLE INITIALLY DEFERRED,
  run                     BLOB REFERENCES runs (id),
  measured_at             TEXT NOT NULL CHECK (length(measured_at) <= 64),
  status                  TEXT NOT NULL CHECK (status IN ('ok', 'dropped')),
  samples                 BLOB NOT NULL CHECK (length(samples) <= 16777216),  -- compressed, see db/samples.hpp
  launches_per_sample     INTEGER NOT NULL CHECK (launches_per_sample >= 1),
  median_ns               REAL NOT NULL,
  low_ns                  REAL NOT NULL,
  high_ns                 REAL NOT NULL,
  min_ns                  REAL NOT NULL,
  sm_clock_mhz            REAL NOT NULL,  -- 0: unknown, as temperature and power
  throttled_samples       INTEGER NOT NULL CHECK (throttled_samples >= 0),
  temperature_c           REAL NOT NULL,
  power_w                 REAL NOT NULL,
  includes_launch_latency INTEGER NOT NULL CHECK (includes_launch_latency IN (0, 1))
) STRICT;

-- The best trials of a contest, sampled in turn after they had raced: who is the fastest, and who cannot be told from it.
CREATE TABLE finals (
  id               BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  contest          BLOB NOT NULL REFERENCES contests (id),
  chosen           BLOB NOT NULL REFERENCES trials (id),  -- by a rule among those that are tied
  rounds           INTEGER NOT NULL CHECK (rounds >= 0),
  throttled_rounds INTEGER NOT NULL CHECK (throttled_rounds >= 0),
  run              BLOB REFERENCES runs (id),
  measured_at      TEXT NOT NULL CHECK (length(measured_at) <= 64)  -- later than its contestants' measurements
) STRICT, WITHOUT ROWID;

CREATE TABLE final_entries (
  final      BLOB NOT NULL REFERENCES finals (id),
  place      INTEGER NOT NULL CHECK (place >= 0),  -- 0: the fastest
  trial      BLOB NOT NULL REFERENCES trials (id),
  ratio      REAL NOT NULL CHECK (ratio > 0),  -- its time by the fastest one's, and the 95 % interval of that
  ratio_low  REAL NOT NULL CHECK (ratio_low > 0),
  ratio_high REAL NOT NULL CHECK (ratio_high > 0),
  tied       INTEGER NOT NULL CHECK (tied IN (0, 1)),
  PRIMARY KEY (final, place)
) STRICT, WITHOUT ROWID;

-- What a device can do at most.
CREATE TABLE ceilings (
  device      TEXT NOT NULL CHECK (length(device) <= 256),
  kind        TEXT NOT NULL CHECK (kind IN ('arithmetic', 'memory', 'l2', 'shared memory', 'launch')),
  type        TEXT NOT NULL CHECK (length(type) <= 64),
  value       REAL NOT NULL CHECK (value > 0),  -- operations or bytes a second; launch: seconds
  unit        TEXT NOT NULL CHECK (length(unit) <= 256),  -- of the metric it came from
  trial       BLOB REFERENCES trials (id),  -- that showed it
  measured_at TEXT NOT NULL CHECK (length(measured_at) <= 64),
  PRIMARY KEY (device, kind, type)
) STRICT, WITHOUT ROWID;

-- Committed before each launch, so that after a crash of anything, the machine included, the culprit has a name.
CREATE TABLE attempts (
  id            BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  trial         BLOB NOT NULL CHECK (length(trial) = 16),  -- may not be in `trials` yet, or ever
  contest       BLOB NOT NULL REFERENCES contests (id),
  kernel        BLOB NOT NULL REFERENCES kernels (id),
  configuration BLOB NOT NULL REFERENCES configurations (id),
  run           BLOB REFERENCES runs (id),
  machine       TEXT NOT NULL CHECK (length(machine) <= 256),
  boot          TEXT NOT NULL CHECK (length(boot) <= 256),
  pid           INTEGER NOT NULL,
  opened_at     TEXT NOT NULL CHECK (length(opened_at) <= 64),
  closed_at     TEXT CHECK (length(closed_at) <= 64),
  outcome       TEXT CHECK (length(outcome) <= 64),  -- a trial status, or 'abandoned': its tuner was killed
  detail        TEXT CHECK (length(detail) <= 1048576),
  CHECK ((closed_at IS NULL) = (outcome IS NULL))
) STRICT;

-- How many trials of each kind a contest has. Kept by the triggers below, because counting a contest's trials, or
-- finding which sizes were measured at all, would read every one of them.
CREATE TABLE tallies (
  contest    BLOB NOT NULL REFERENCES contests (id),
  kernel     BLOB NOT NULL REFERENCES kernels (id),
  status     TEXT NOT NULL,
  source     BLOB NOT NULL,  -- x'': unknown
  superseded INTEGER NOT NULL,
  trials     INTEGER NOT NULL,
  latest     TEXT NOT NULL,  -- when one of them was last measured
  PRIMARY KEY (contest, kernel, status, source)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER trials_tally_insert AFTER INSERT ON trials BEGIN
  INSERT INTO tallies (contest, kernel, status, source, superseded, trials, latest)
  VALUES (NEW.contest, NEW.kernel, NEW.status, coalesce(NEW.source, x''), NEW.superseded, 1, NEW.measured_at)
  ON CONFLICT DO UPDATE SET trials = trials + 1, latest = max(latest, excluded.latest);
END;

CREATE TRIGGER trials_tally_delete AFTER DELETE ON trials BEGIN
  UPDATE tallies SET trials = trials - 1
  WHERE contest = OLD.contest AND kernel = OLD.kernel AND status = OLD.status AND source = coalesce(OLD.source, x'');
END;

CREATE TRIGGER trials_tally_update AFTER UPDATE OF contest, kernel, status, source, measured_at ON trials BEGIN
  UPDATE tallies SET trials = trials - 1
  WHERE contest = OLD.contest AND kernel = OLD.kernel AND status = OLD.status AND source = coalesce(OLD.source, x'');
  INSERT INTO tallies (contest, kernel, status, source, superseded, trials, latest)
  VALUES (NEW.contest, NEW.kernel, NEW.status, coalesce(NEW.source, x''), NEW.superseded, 1, NEW.measured_at)
  ON CONFLICT DO UPDATE SET trials = trials + 1, latest = max(latest, excluded.latest);
END;

-- Best for a size without a scan: the first entry of a contest is its winner.
CREATE INDEX trials_fastest ON trials (contest, median_ns) WHERE status = 'ok' AND superseded = 0;
-- The trials whose interval begins below the winner's end, kernel by kernel; also the best of one kernel.
CREATE INDEX trials_tied ON trials (contest, kernel, low_ns) WHERE status = 'ok' AND superseded = 0;
-- The one configuration among thousands that a user would have without tuning.
CREATE INDEX trials_untuned ON trials (contest, kernel) WHERE is_default = 1;
-- What went wrong, where most trials are well.
CREATE INDEX trials_failed ON trials (contest) WHERE status NOT IN ('ok', 'dropped', 'skipped');
-- What one run measured, for its report.
CREATE INDEX trials_of_run ON trials (run);
CREATE INDEX measurements_of_trial ON measurements (trial, measured_at);
-- Trial and measurement name each other, so while the first of them is written the other's reference is open, and
-- SQLite looks for the trials that wait for this measurement: among all of them, without an index.
CREATE INDEX trials_of_measurement ON trials (measurement) WHERE measurement IS NOT NULL;
-- The last final of a contest; the finals a trial took part in.
CREATE INDEX finals_of_contest ON finals (contest, measured_at);
CREATE INDEX final_entries_of_trial ON final_entries (trial);
-- Deaths are counted before every launch.
CREATE INDEX attempts_of_trial ON attempts (trial);
-- What was left open is few among many, and looked for whenever a run begins.
CREATE INDEX attempts_open ON attempts (machine, boot) WHERE closed_at IS NULL;
-- The problems of a family, where the nearest measured size is looked for.
CREATE INDEX problems_of_family ON problems (family);
CREATE INDEX contests_of_problem ON contests (problem, class);

-- For people. Times in milliseconds; `id` is what `tuner show` takes.
CREATE VIEW trial AS
SELECT lower(hex(t.id)) AS id, p.family, k.name AS kernel, p.size, p.type, p.row_padding, f.json AS configuration,
       t.status, t.median_ns / 1e6 AS median_ms, t.low_ns / 1e6 AS low_ms, t.high_ns / 1e6 AS high_ms, t.metrics,
       b.registers, b.spill_store_bytes + b.spill_load_bytes AS spill_bytes,
       b.static_shared_bytes + t.dynamic_shared_bytes AS shared_bytes, t.occupancy, t.limited_by,
       t.grid_x || 'x' || t.grid_y || 'x' || t.grid_z AS grid,
       t.block_x || 'x' || t.block_y || 'x' || t.block_z AS block,
       t.is_default, t.superseded, t.error_ratio, t.detail, c.device, c.driver, c.toolkit, c.l2, c.method, c.inputs,
       t.measured_at, lower(hex(t.run)) AS run
FROM trials AS t
JOIN contests AS n ON n.id = t.contest
JOIN classes AS c ON c.id = n.class
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
LEFT JOIN binary_kernels AS b ON b.binary = t.binary AND b.entry = t.entry;

-- The one to use at each size, class by class: what the last final chose, unless that fails since or a trial measured
-- after it is clearly faster; else the fastest. Trials of another source than the kernel has now do not count.
-- db/best.cpp answers by the same rule. `tied`: how many others could not be told from the fastest in that final.
CREATE VIEW best AS
SELECT p.family, p.size, p.type, p.row_padding, k.name AS kernel, f.json AS configuration,
       t.median_ns / 1e6 AS median_ms, t.low_ns / 1e6 AS low_ms, t.high_ns / 1e6 AS high_ms, t.metrics,
       t.id IS l.chosen AS remeasured,
       iif(t.id IS l.chosen, (SELECT sum(e.tied) - 1 FROM final_entries AS e WHERE e.final = l.id), NULL) AS tied,
       c.device, c.driver, c.toolkit, c.l2, c.method, c.inputs, t.measured_at, lower(hex(t.id)) AS id
FROM contests AS n
LEFT JOIN finals AS l ON l.id = (SELECT i.id FROM finals AS i
                                 WHERE i.contest = n.id AND (SELECT superseded FROM trials WHERE id = i.chosen) = 0
                                 ORDER BY i.measured_at DESC, i.id DESC LIMIT 1)
JOIN trials AS t ON t.id = coalesce(
  (SELECT o.id FROM trials AS o
   WHERE o.id = l.chosen AND o.status = 'ok' AND o.superseded = 0
     AND NOT EXISTS (SELECT 1 FROM trials AS w
                     WHERE w.contest = n.id AND w.status = 'ok' AND w.superseded = 0 AND w.median_ns < o.low_ns
                       AND w.measured_at > l.measured_at)),
  (SELECT w.id FROM trials AS w WHERE w.contest = n.id AND w.status = 'ok' AND w.superseded = 0
   ORDER BY w.median_ns LIMIT 1))
JOIN classes AS c ON c.id = n.class
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration;

-- Every final whose choice still counts, with its contestants, fastest first. `ratio`: a contestant's time by that of
-- the fastest.
CREATE VIEW final AS
SELECT p.family, p.size, p.type, p.row_padding, l.measured_at, l.rounds, l.throttled_rounds, e.place,
       k.name AS kernel, f.json AS configuration, e.ratio, e.ratio_low, e.ratio_high, e.tied,
       e.trial = l.chosen AS chosen, c.device, c.driver, c.toolkit, c.l2, c.method, c.inputs, lower(hex(e.trial)) AS id
FROM finals AS l
JOIN final_entries AS e ON e.final = l.id
JOIN trials AS t ON t.id = e.trial
JOIN contests AS n ON n.id = l.contest
JOIN classes AS c ON c.id = n.class
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
WHERE (SELECT superseded FROM trials WHERE id = l.chosen) = 0;

-- What went wrong and why; the compiler's log where there is one.
CREATE VIEW failure AS
SELECT lower(hex(t.id)) AS id, t.status, p.family, k.name AS kernel, p.size, p.type, p.row_padding,
       f.json AS configuration, t.detail, b.log, c.device, c.driver, c.toolkit, t.measured_at
FROM trials AS t
JOIN contests AS n ON n.id = t.contest
JOIN classes AS c ON c.id = n.class
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
LEFT JOIN binaries AS b ON b.id = t.binary
WHERE t.status NOT IN ('ok', 'dropped', 'skipped');

-- Launches that nobody saw end.
CREATE VIEW open_attempt AS
SELECT lower(hex(a.trial)) AS trial, p.family, k.name AS kernel, p.size, f.json AS configuration, c.device, a.pid,
       a.boot, a.opened_at
FROM attempts AS a
JOIN contests AS n ON n.id = a.contest
JOIN classes AS c ON c.id = n.class
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = a.kernel
JOIN configurations AS f ON f.id = a.configuration
WHERE a.closed_at IS NULL;
