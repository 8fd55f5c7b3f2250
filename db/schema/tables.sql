-- The schema, version 12. Marks in braces stand for columns that follow from tuner/model/record_fields.hpp: see db/rows.hpp.
--
-- Ids are 16 bytes: digests of content, and random ones where there is no content (runs, attempts). They are the same
-- in every database, so that two databases merge row by row. Rows may come from strangers (merge, import) and have to
-- pass the CHECKs. (Before SQLite 3.41 json_valid() may not stand in a schema that is not trusted.) Tables are plurals;
-- the views are for people with a shell. Columns of a key stand first and in its order: quick_check of SQLite 3.40 calls
-- other tables damaged.

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
  limits        TEXT NOT NULL CHECK (length(limits) <= 8192)  -- JSON
) STRICT, WITHOUT ROWID;

-- Times compare within one environment alone.
CREATE TABLE environments (
  id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  {environment columns}
) STRICT, WITHOUT ROWID;

CREATE TABLE problems (
  id   BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  {problem columns},
  size TEXT NOT NULL CHECK (length(size) <= 1024),  -- 512 or 512x1024x256
  CHECK (row_padding >= 0)
) STRICT, WITHOUT ROWID;

-- One problem in one environment: the trials that compete for one `best`.
CREATE TABLE cases (
  id          BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  environment BLOB NOT NULL REFERENCES environments (id),
  problem     BLOB NOT NULL REFERENCES problems (id)
) STRICT, WITHOUT ROWID;

CREATE TABLE kernels (
  id         BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  family     TEXT NOT NULL CHECK (length(family) <= 256),
  name       TEXT NOT NULL CHECK (length(name) <= 256),
  -- Names in the order the spec writes them; a configuration's own JSON has its keys sorted.
  parameters TEXT NOT NULL CHECK (length(parameters) <= 65536)
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
  strategy       TEXT NOT NULL CHECK (length(strategy) <= 4096),  -- as --strategy took it; '': unknown
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
  binary BLOB NOT NULL REFERENCES binaries (id),
  {resources columns},
  PRIMARY KEY (binary, entry)
) STRICT, WITHOUT ROWID;

-- A configuration in a case, with its current result; every measurement of it is in `measurements`. Rows keep a rowid:
-- they are wide, and their random ids would scatter every insertion over the whole table.
CREATE TABLE trials (
  id            BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  tuning_case   BLOB NOT NULL REFERENCES cases (id),
  kernel        BLOB NOT NULL REFERENCES kernels (id),
  configuration BLOB NOT NULL REFERENCES configurations (id),
  {trial columns},
  entry         TEXT CHECK (length(entry) <= 65536),  -- in binary_kernels, of the first launch; NULL: it did not compile
  median_ns     REAL,  -- these three repeat the current measurement's, for the indexes below
  low_ns        REAL,
  high_ns       REAL,
  -- Trial and measurement name each other, so both wait for the commit.
  measurement   BLOB REFERENCES measurements (id) DEFERRABLE INITIALLY DEFERRED,
  -- What follows from `standing`: the spec in force does not describe it, so that it does not compete; and the spec in
  -- force, where somebody has held the trial against it.
  superseded    INTEGER NOT NULL CHECK (superseded IN (0, 1)),
  judged_by     BLOB CHECK (length(judged_by) = 16),
  -- Whether `best` may name it: said here once, and asked for by every index, view and query below.
  competes      INTEGER NOT NULL
                GENERATED ALWAYS AS (status = 'ok' AND superseded = 0 AND role <> 'baseline') VIRTUAL,
  FOREIGN KEY (binary) REFERENCES binaries (id),
  FOREIGN KEY (run) REFERENCES runs (id),
  CHECK (role IN ('competitor', 'baseline', 'ceiling')),
  CHECK (status IN ('ok', 'dropped', 'unlaunchable', 'compile_error', 'launch_error', 'wrong_result', 'out_of_bounds',
                    'input_modified', 'unstable', 'timeout', 'crashed', 'skipped', 'quarantined')),
  CHECK (status <> 'ok' OR (measurement IS NOT NULL AND coalesce(median_ns, 0) > 0))
) STRICT;

CREATE TABLE measurements (
  id          BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  trial       BLOB NOT NULL REFERENCES trials (id) DEFERRABLE INITIALLY DEFERRED,
  run         BLOB REFERENCES runs (id),
  measured_at TEXT NOT NULL CHECK (length(measured_at) <= 64),
  sequence    INTEGER NOT NULL,
  status      TEXT NOT NULL CHECK (status IN ('ok', 'dropped')),
  metrics     TEXT NOT NULL CHECK (length(metrics) <= 65536),
  {measurement columns},  -- samples are compressed: see db/stored_values.hpp
  CHECK (median_ns IS NOT NULL AND low_ns IS NOT NULL AND high_ns IS NOT NULL AND min_ns IS NOT NULL),
  CHECK (launches_per_sample >= 1 AND throttled_samples >= 0)
) STRICT;

-- Outcomes without a measurement that a later run has replaced: a run keeps what it found.
CREATE TABLE earlier_failures (
  run         BLOB NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  trial       BLOB NOT NULL REFERENCES trials (id) ON DELETE CASCADE,
  status      TEXT NOT NULL,
  detail      TEXT NOT NULL,
  measured_at TEXT NOT NULL,
  sequence    INTEGER NOT NULL,
  {verification columns},
  PRIMARY KEY (run, trial)
) STRICT, WITHOUT ROWID;

-- The best trials of a case, sampled in turn after they had raced: which is the fastest, and which cannot be told from it.
CREATE TABLE finals (
  id               BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  tuning_case      BLOB NOT NULL REFERENCES cases (id),
  chosen           BLOB NOT NULL REFERENCES trials (id),  -- by a rule among those that are tied
  rounds           INTEGER NOT NULL CHECK (rounds >= 0),
  throttled_rounds INTEGER NOT NULL CHECK (throttled_rounds >= 0),
  run              BLOB REFERENCES runs (id),
  measured_at      TEXT NOT NULL CHECK (length(measured_at) <= 64),  -- later than its finalists' measurements
  sequence         INTEGER NOT NULL  -- a number of its own, as results have it
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

-- Which results a final has considered: of one run (x'': unknown) and kernel those with a sequence from first to last.
-- A set, which means the same in every database, whatever its clock says.
CREATE TABLE final_coverage (
  final  BLOB NOT NULL REFERENCES finals (id),
  run    BLOB NOT NULL CHECK (length(run) IN (0, 16)),
  kernel TEXT NOT NULL CHECK (length(kernel) <= 256),
  first  INTEGER NOT NULL,
  last   INTEGER NOT NULL CHECK (last >= first),
  PRIMARY KEY (final, run, kernel, first)
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

-- What hardware counters said of one run of a trial.
CREATE TABLE counters (
  trial      BLOB NOT NULL REFERENCES trials (id),
  metric     TEXT NOT NULL CHECK (length(metric) BETWEEN 1 AND 256),  -- NVIDIA's name
  value      REAL NOT NULL,
  unit       TEXT NOT NULL CHECK (length(unit) <= 256),
  generation INTEGER NOT NULL,  -- one more than those of the trial that were known when it was counted
  counted_at TEXT NOT NULL CHECK (length(counted_at) <= 64),
  PRIMARY KEY (trial, metric)
) STRICT, WITHOUT ROWID;

-- Committed before each launch, so that after a crash of anything, the machine included, the culprit has a name.
CREATE TABLE attempts (
  id            BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  trial         BLOB NOT NULL CHECK (length(trial) = 16),  -- may not be in `trials` yet, or ever
  tuning_case   BLOB NOT NULL REFERENCES cases (id),
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

-- How one run's search of a case ended. What has been tried since then is for the trials to say: searches of two databases
-- overlap, and trials are forgotten. The outlook is NULL where the search could not say anything of the rest.
CREATE TABLE searches (
  id          BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  tuning_case BLOB NOT NULL REFERENCES cases (id),
  run         BLOB REFERENCES runs (id),
  strategy    TEXT NOT NULL CHECK (length(strategy) <= 4096),
  ending      TEXT NOT NULL CHECK (ending IN ('exhausted', 'until', 'budget', 'interrupted', 'gave_up', 'refused')),
  tried       INTEGER NOT NULL CHECK (tried >= 0),  -- known by then, by whichever run
  failed      INTEGER NOT NULL CHECK (failed BETWEEN 0 AND tried),
  ended_at    TEXT NOT NULL CHECK (length(ended_at) <= 64),
  {outlook columns},
  CHECK ((gain IS NULL) = (low IS NULL) AND (gain IS NULL) = (high IS NULL) AND (gain IS NULL) = (estimate IS NULL)),
  CHECK (stretch >= 0)
) STRICT, WITHOUT ROWID;

-- The space it searched. What it says holds for as long as each kernel's spec is this one.
CREATE TABLE search_kernels (
  search     BLOB NOT NULL REFERENCES searches (id),
  kernel     TEXT NOT NULL CHECK (length(kernel) <= 256),
  spec       BLOB NOT NULL CHECK (length(spec) = 16),  -- as in kernel_specs
  candidates INTEGER NOT NULL CHECK (candidates >= 0),  -- configurations that can be launched
  PRIMARY KEY (search, kernel)
) STRICT, WITHOUT ROWID;

-- Every declaration of a kernel by a sweep, here or in a database that was merged or imported. The view
-- `declaration_in_force` says which of them is in force; `kernel_specs` keeps it.
CREATE TABLE declarations (
  family      TEXT NOT NULL CHECK (length(family) <= 256),
  kernel      TEXT NOT NULL CHECK (length(kernel) <= 256),
  -- Of the content and of what it took the place of; of one from before version 8, its spec or its definition.
  id          BLOB NOT NULL CHECK (length(id) = 16),
  role        TEXT NOT NULL CHECK (role IN ('competitor', 'baseline', 'ceiling')),
  definition  BLOB NOT NULL CHECK (length(definition) = 16),
  spec        BLOB CHECK (length(spec) = 16),
  path        TEXT NOT NULL CHECK (length(path) <= 4096),
  host        TEXT NOT NULL CHECK (length(host) <= 1024),       -- for people; '': unknown
  declared_at TEXT NOT NULL CHECK (length(declared_at) <= 64),  -- for people, never compared; '': unknown
  generation  INTEGER NOT NULL CHECK (generation >= 0),         -- one more than that of those it took the place of
  -- The last one that a sweep on this database made. Stays here: a copy by merge or export has none.
  own         INTEGER NOT NULL CHECK (own IN (0, 1)),
  PRIMARY KEY (family, kernel, id)
) STRICT, WITHOUT ROWID;

-- The declarations that one took the place of: the latest ones when it was made.
CREATE TABLE declaration_succession (
  family      TEXT NOT NULL CHECK (length(family) <= 256),
  kernel      TEXT NOT NULL CHECK (length(kernel) <= 256),
  older       BLOB NOT NULL CHECK (length(older) = 16),
  declaration BLOB NOT NULL CHECK (length(declaration) = 16),
  PRIMARY KEY (family, kernel, older, declaration)
) STRICT, WITHOUT ROWID;

-- What each kernel is today: the declaration in force (`declared`), or, without any, as the newest of its trials says. By
-- name: an edit may change the parameters too, and so the kernel's id.
CREATE TABLE kernel_specs (
  family     TEXT NOT NULL CHECK (length(family) <= 256),
  kernel     TEXT NOT NULL CHECK (length(kernel) <= 256),
  role       TEXT NOT NULL CHECK (role IN ('competitor', 'baseline', 'ceiling')),
  definition BLOB NOT NULL CHECK (length(definition) = 16),
  spec       BLOB CHECK (length(spec) = 16),  -- of the definition and of what selects the configurations; NULL: unknown
  path       TEXT NOT NULL CHECK (length(path) <= 4096),
  declared   INTEGER NOT NULL CHECK (declared IN (0, 1)),
  PRIMARY KEY (family, kernel)
) STRICT, WITHOUT ROWID;

-- Whether a spec describes a trial: the trial is what the spec runs, and its configuration is in the spec's space. A row
-- for each trial and spec that somebody has looked at; one that the spec measured is described by it.
CREATE TABLE judgements (
  trial     BLOB NOT NULL REFERENCES trials (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  spec      BLOB NOT NULL CHECK (length(spec) = 16),
  describes INTEGER NOT NULL CHECK (describes IN (0, 1)),
  PRIMARY KEY (trial, spec)
) STRICT, WITHOUT ROWID;

-- Every time the probes of a binary were run, and what they said. `verdicts` has the one that stands: of those that were
-- not cleared one that failed, if there is any. Probing again clears what was known before.
CREATE TABLE probings (
  probe       BLOB NOT NULL CHECK (length(probe) = 16),
  run         BLOB NOT NULL CHECK (length(run) IN (0, 16)),
  trial       BLOB NOT NULL CHECK (length(trial) = 16),  -- that was to be measured then; may not be in `trials`
  measured_at TEXT NOT NULL CHECK (length(measured_at) <= 64),
  status      TEXT NOT NULL CHECK (status IN ('ok', 'unlaunchable', 'launch_error', 'wrong_result', 'out_of_bounds',
                'input_modified', 'unstable', 'timeout', 'crashed')),
  detail      TEXT NOT NULL CHECK (length(detail) <= 1048576),
  deaths      INTEGER NOT NULL CHECK (deaths >= 0),  -- of the measuring process, seen while they were run
  cleared     INTEGER NOT NULL CHECK (cleared IN (0, 1)),
  PRIMARY KEY (probe, run, trial, measured_at)
) STRICT, WITHOUT ROWID;

-- A binary that is wrong on a probe fails every trial that has these probes.
CREATE TABLE verdicts (
  id          BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  status      TEXT NOT NULL,
  detail      TEXT NOT NULL,
  deaths      INTEGER NOT NULL,
  trial       BLOB NOT NULL,
  measured_at TEXT NOT NULL,
  run         BLOB REFERENCES runs (id)
) STRICT, WITHOUT ROWID;

-- How many trials of each kind a case has. Kept by the triggers below, because counting a case's trials, or finding which
-- sizes were measured at all, would read every one of them.
CREATE TABLE tallies (
  tuning_case BLOB NOT NULL REFERENCES cases (id),
  kernel      BLOB NOT NULL REFERENCES kernels (id),
  status      TEXT NOT NULL,
  superseded  INTEGER NOT NULL,
  role        TEXT NOT NULL,
  trials      INTEGER NOT NULL,
  latest      TEXT NOT NULL,  -- when one of them was last measured
  PRIMARY KEY (tuning_case, kernel, status, superseded, role)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER trials_tally_insert AFTER INSERT ON trials BEGIN
  INSERT INTO tallies (tuning_case, kernel, status, superseded, role, trials, latest)
  VALUES (NEW.tuning_case, NEW.kernel, NEW.status, NEW.superseded, NEW.role, 1, NEW.measured_at)
  ON CONFLICT DO UPDATE SET trials = trials + 1, latest = max(latest, excluded.latest);
END;

CREATE TRIGGER trials_tally_delete AFTER DELETE ON trials BEGIN
  UPDATE tallies SET trials = trials - 1
  WHERE tuning_case = OLD.tuning_case AND kernel = OLD.kernel AND status = OLD.status AND superseded = OLD.superseded
    AND role = OLD.role;
END;

CREATE TRIGGER trials_tally_update
AFTER UPDATE OF tuning_case, kernel, status, superseded, role, measured_at ON trials BEGIN
  UPDATE tallies SET trials = trials - 1
  WHERE tuning_case = OLD.tuning_case AND kernel = OLD.kernel AND status = OLD.status AND superseded = OLD.superseded
    AND role = OLD.role;
  INSERT INTO tallies (tuning_case, kernel, status, superseded, role, trials, latest)
  VALUES (NEW.tuning_case, NEW.kernel, NEW.status, NEW.superseded, NEW.role, 1, NEW.measured_at)
  ON CONFLICT DO UPDATE SET trials = trials + 1, latest = max(latest, excluded.latest);
END;

-- Of several failures of one trial in one run the last, in whichever order they come.
CREATE TRIGGER trials_keep_failure BEFORE UPDATE OF run ON trials
WHEN OLD.run IS NOT NULL AND OLD.run IS NOT NEW.run AND OLD.measurement IS NULL BEGIN
  INSERT INTO earlier_failures (run, trial, status, detail, measured_at, sequence, {verification})
  VALUES (OLD.run, OLD.id, OLD.status, OLD.detail, OLD.measured_at, OLD.sequence, {OLD.verification})
  {keep the later failure};
END;

-- Best for a size without a scan: the first entry of a case is its fastest.
CREATE INDEX trials_fastest ON trials (tuning_case, median_ns) WHERE competes = 1;
-- The trials whose interval begins below the winner's end, kernel by kernel; also the best of one kernel.
CREATE INDEX trials_tied ON trials (tuning_case, kernel, low_ns) WHERE competes = 1;
-- The few that are timed beside the others.
CREATE INDEX trials_baseline ON trials (tuning_case) WHERE role = 'baseline';
-- What went wrong, where most trials are well.
CREATE INDEX trials_failed ON trials (tuning_case) WHERE status NOT IN ('ok', 'dropped', 'skipped');
-- The one configuration among thousands that a user would have without tuning.
CREATE INDEX trials_untuned ON trials (tuning_case, kernel) WHERE is_default = 1;
-- What is known of a case, fastest first, without a look at the wide rows: what other searches learn from. All trials are
-- in it; the condition keeps it from queries that do not say it too, which have narrower indexes.
CREATE INDEX trials_of_case ON trials (tuning_case, superseded, median_ns, status, kernel, configuration)
WHERE status <> '';
-- Of a kernel, what is to be judged by another spec.
CREATE INDEX trials_judged ON trials (kernel, judged_by);
CREATE INDEX trials_of_probe ON trials (probe) WHERE probe IS NOT NULL;
-- What one run measured, whatever was measured later.
CREATE INDEX trials_of_run ON trials (run);
CREATE INDEX measurements_of_run ON measurements (run, trial);
CREATE INDEX measurements_of_trial ON measurements (trial, measured_at);
-- Trial and measurement name each other, so while the first of them is written the other's reference is open, and
-- SQLite looks for the trials that wait for this measurement: among all of them, without an index.
CREATE INDEX trials_of_measurement ON trials (measurement) WHERE measurement IS NOT NULL;
-- The last final of a case; the finals a trial took part in.
CREATE INDEX finals_of_case ON finals (tuning_case, measured_at);
CREATE INDEX final_entries_of_trial ON final_entries (trial);
CREATE INDEX searches_of_case ON searches (tuning_case);
-- Deaths are counted before every launch.
CREATE INDEX attempts_of_trial ON attempts (trial);
-- What was left open is few among many, and looked for whenever a run begins.
CREATE INDEX attempts_open ON attempts (machine, boot) WHERE closed_at IS NULL;
-- The problems of a family, where the nearest measured size is looked for.
CREATE INDEX problems_of_family ON problems (family);
CREATE INDEX cases_of_problem ON cases (problem, environment);
