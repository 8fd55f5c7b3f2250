PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
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
INSERT INTO devices VALUES(X'61189f9d4e7fd941cf5527dfc4366e18','cpu','AMD EPYC','','host',0,0,'cpu-1 with 2 workers',25276510208,'{"multiprocessors":2,"warp_size":32,"max_threads_per_block":1024,"max_threads_per_multiprocessor":1024,"max_blocks_per_multiprocessor":1,"registers_per_block":65536,"registers_per_multiprocessor":65536,"shared_bytes_per_block":49152,"shared_bytes_per_block_optin":232448,"shared_bytes_per_multiprocessor":232448,"reserved_shared_bytes_per_block":0,"max_grid_x":2147483647,"max_grid_y":65535,"max_grid_z":65535,"max_block_x":1024,"max_block_y":1024,"max_block_z":64,"l2_bytes":268435456}');
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
INSERT INTO classes VALUES(X'4cf51aa21f66c17578664e5c1d27083c','AMD EPYC','cpu-1 with 2 workers','g++ 12.2.0 runtime 743bb88e','float','warm','quick-3','spec');
CREATE TABLE problems (
  id          BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  family      TEXT NOT NULL CHECK (length(family) <= 256),
  sizes       TEXT NOT NULL CHECK (length(sizes) <= 4096),  -- {"M":512,"N":512,"K":512}
  size        TEXT NOT NULL CHECK (length(size) <= 1024),                         -- 512 or 512x1024x256
  type        TEXT NOT NULL CHECK (length(type) <= 64),
  row_padding INTEGER NOT NULL CHECK (row_padding >= 0)
) STRICT, WITHOUT ROWID;
INSERT INTO problems VALUES(X'0b69f04f145df29676180b46f2175bdb','counting','{"N":200}','200','float',0);
INSERT INTO problems VALUES(X'0f715633092a899f6d5aa2f3d6344acf','counting','{"N":100}','100','float',0);
INSERT INTO problems VALUES(X'fb87a0b64c8c66e7bfb712d50ee9e049','counting','{"N":300}','300','float',0);
CREATE TABLE contests (
  id      BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  class   BLOB NOT NULL REFERENCES classes (id),
  problem BLOB NOT NULL REFERENCES problems (id)
) STRICT, WITHOUT ROWID;
INSERT INTO contests VALUES(X'e5423899b4883ed7d08f63c60b8723d5',X'4cf51aa21f66c17578664e5c1d27083c',X'0b69f04f145df29676180b46f2175bdb');
INSERT INTO contests VALUES(X'f5dfee9818c33aa4a0fb86368611e966',X'4cf51aa21f66c17578664e5c1d27083c',X'0f715633092a899f6d5aa2f3d6344acf');
INSERT INTO contests VALUES(X'4f47ff2eb7e4b409acf35de7d36d63e8',X'4cf51aa21f66c17578664e5c1d27083c',X'fb87a0b64c8c66e7bfb712d50ee9e049');
CREATE TABLE kernels (
  id         BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  family     TEXT NOT NULL CHECK (length(family) <= 256),
  name       TEXT NOT NULL CHECK (length(name) <= 256),
  -- Names in the order the spec writes them; a configuration's own JSON has its keys sorted.
  parameters TEXT NOT NULL CHECK (length(parameters) <= 65536)
) STRICT, WITHOUT ROWID;
INSERT INTO kernels VALUES(X'f0468e723a664c30a9d6ccb62727a648','counting','count','["BLOCK","LOSE_ONE"]');
CREATE TABLE configurations (
  id   BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  json TEXT NOT NULL CHECK (length(json) <= 65536)  -- canonical: keys sorted, no blanks
) STRICT, WITHOUT ROWID;
INSERT INTO configurations VALUES(X'258806ae3c2c816f156759bb5efc6cf6','{"BLOCK":32,"LOSE_ONE":0}');
INSERT INTO configurations VALUES(X'28de1eae1f2c357a03d1d8e516b9bbfa','{"BLOCK":2048,"LOSE_ONE":0}');
INSERT INTO configurations VALUES(X'8baf0ed8f55481854233cf299133b2be','{"BLOCK":2048,"LOSE_ONE":1}');
INSERT INTO configurations VALUES(X'b701d1cb6650e01ac2bf3bc070ee3577','{"BLOCK":64,"LOSE_ONE":1}');
INSERT INTO configurations VALUES(X'e0f8cd5a425ab2c51b0d5efb16a3040f','{"BLOCK":64,"LOSE_ONE":0}');
INSERT INTO configurations VALUES(X'e86b5ab0b5d12db4514780fa6dfbdd7b','{"BLOCK":32,"LOSE_ONE":1}');
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
INSERT INTO runs VALUES(X'43184d24225e9a53dc8757edf9afc844','tuner run --kernel count.toml --device cpu --sizes 100,200 --seed 7 --measure quick --db v2.db','2026-11-22T12:42:55.478279Z','2026-11-22T12:42:56.197235Z','done','bench','0.1.0',7,X'61189f9d4e7fd941cf5527dfc4366e18','cpu','g++ 12.2.0 runtime 743bb88e',12);
INSERT INTO runs VALUES(X'ef64ee28f318d9913ed447b2bc85a336','tuner run --kernel count.toml --device cpu --sizes 300 --seed 8 --measure quick --db v2.db','2026-11-22T12:42:56.260065Z','2026-11-22T12:42:56.856444Z','done','bench','0.1.0',8,X'61189f9d4e7fd941cf5527dfc4366e18','cpu','g++ 12.2.0 runtime 743bb88e',6);
CREATE TABLE binaries (
  id         BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  compile_ms REAL NOT NULL,
  log        TEXT NOT NULL CHECK (length(log) <= 16777216)
) STRICT;
INSERT INTO binaries VALUES(X'7f97eee2d143044d40d0d6d67fd0b8e1',0.0,'');
INSERT INTO binaries VALUES(X'3db4c7ccf812956a5b5e08e5ff8ce194',0.0,'');
INSERT INTO binaries VALUES(X'14b800e2de7ede3dd8d07c9fd18e80a4',160.00120599999999626,'');
INSERT INTO binaries VALUES(X'ece0a23cc8cd547d62180d6b6a84f6c8',191.28422100000000228,'');
INSERT INTO binaries VALUES(X'311454eedab9b8da54733cdd9878b222',222.32030000000000313,'');
INSERT INTO binaries VALUES(X'1da910dcb33239bed0f2a9fdb97a1c3d',202.01803899999998747,'');
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
INSERT INTO binary_kernels VALUES(X'14b800e2de7ede3dd8d07c9fd18e80a4','count','tuner_cpu_kernel_0',0,0,0,0,0,0,0);
INSERT INTO binary_kernels VALUES(X'1da910dcb33239bed0f2a9fdb97a1c3d','count','tuner_cpu_kernel_0',0,0,0,0,0,0,0);
INSERT INTO binary_kernels VALUES(X'311454eedab9b8da54733cdd9878b222','count','tuner_cpu_kernel_0',0,0,0,0,0,0,0);
INSERT INTO binary_kernels VALUES(X'ece0a23cc8cd547d62180d6b6a84f6c8','count','tuner_cpu_kernel_0',0,0,0,0,0,0,0);
CREATE TABLE trials (
  id                     BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  contest                BLOB NOT NULL REFERENCES contests (id),
  kernel                 BLOB NOT NULL REFERENCES kernels (id),
  configuration          BLOB NOT NULL REFERENCES configurations (id),
  is_default             INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  definition                 BLOB CHECK (length(definition) = 16),  -- as in kernel_sources; NULL: unknown
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
  measurement            BLOB REFERENCES measurements (id) DEFERRABLE INITIALLY DEFERRED, role TEXT NOT NULL DEFAULT 'competitor'
  CHECK (role IN ('competitor', 'baseline', 'ceiling')), sequence INTEGER NOT NULL DEFAULT 0, judged_by BLOB CHECK (length(judged_by) = 16), probe BLOB CHECK (length(probe) = 16), competes INTEGER NOT NULL
  GENERATED ALWAYS AS (status = 'ok' AND superseded = 0 AND role <> 'baseline') VIRTUAL,
  CHECK (status <> 'ok' OR (measurement IS NOT NULL AND coalesce(median_ns, 0) > 0))
) STRICT;
INSERT INTO trials VALUES(X'1a4faedfbbaa513eccbad88493d88853',X'f5dfee9818c33aa4a0fb86368611e966',X'f0468e723a664c30a9d6ccb62727a648',X'8baf0ed8f55481854233cf299133b2be',0,X'54d19a1a70c9d02f9f4b62ff954181d1',0,X'7f97eee2d143044d40d0d6d67fd0b8e1',NULL,1,1,1,2048,1,1,0,NULL,NULL,NULL,NULL,NULL,'unlaunchable','block.x of `count` is `BLOCK` = 2048; this device allows 1 to 1024',0,0,0.0,0.0,0,NULL,'',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T12:42:55.482515Z',X'43184d24225e9a53dc8757edf9afc844',NULL,'competitor',1,X'7f31f2c76f7a4d3442f0a493c628903b',NULL);
INSERT INTO trials VALUES(X'1c97ed27bafa9a00768e7d52b7eb9d32',X'f5dfee9818c33aa4a0fb86368611e966',X'f0468e723a664c30a9d6ccb62727a648',X'28de1eae1f2c357a03d1d8e516b9bbfa',0,X'54d19a1a70c9d02f9f4b62ff954181d1',0,X'3db4c7ccf812956a5b5e08e5ff8ce194',NULL,1,1,1,2048,1,1,0,NULL,NULL,NULL,NULL,NULL,'unlaunchable','block.x of `count` is `BLOCK` = 2048; this device allows 1 to 1024',0,0,0.0,0.0,0,NULL,'',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T12:42:55.483802Z',X'43184d24225e9a53dc8757edf9afc844',NULL,'competitor',2,X'7f31f2c76f7a4d3442f0a493c628903b',NULL);
INSERT INTO trials VALUES(X'43a80438170268a13e82b192d57a6105',X'f5dfee9818c33aa4a0fb86368611e966',X'f0468e723a664c30a9d6ccb62727a648',X'e86b5ab0b5d12db4514780fa6dfbdd7b',0,X'54d19a1a70c9d02f9f4b62ff954181d1',0,X'14b800e2de7ede3dd8d07c9fd18e80a4','count',4,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on a probe with buffers x of 2343: on the second draw of inputs: 1 of the 2343 elements of x are wrong, the first at index 2342: never written, not a number, or not equal where equality is asked for; a kernel for whole tiles alone says so in its constraints',0,1,1e999,1e999,1,2342,'x',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T12:42:55.680771Z',X'43184d24225e9a53dc8757edf9afc844',NULL,'competitor',3,X'7f31f2c76f7a4d3442f0a493c628903b',X'aeba7fc32429a66d20a1e149b78f8079');
INSERT INTO trials VALUES(X'b653f3edbdbeb850a41760009b6972bf',X'e5423899b4883ed7d08f63c60b8723d5',X'f0468e723a664c30a9d6ccb62727a648',X'28de1eae1f2c357a03d1d8e516b9bbfa',0,X'54d19a1a70c9d02f9f4b62ff954181d1',0,X'3db4c7ccf812956a5b5e08e5ff8ce194',NULL,1,1,1,2048,1,1,0,NULL,NULL,NULL,NULL,NULL,'unlaunchable','block.x of `count` is `BLOCK` = 2048; this device allows 1 to 1024',0,0,0.0,0.0,0,NULL,'',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T12:42:55.684089Z',X'43184d24225e9a53dc8757edf9afc844',NULL,'competitor',4,X'7f31f2c76f7a4d3442f0a493c628903b',NULL);
INSERT INTO trials VALUES(X'1238557b9286fbcea6c8330aa70909c5',X'e5423899b4883ed7d08f63c60b8723d5',X'f0468e723a664c30a9d6ccb62727a648',X'8baf0ed8f55481854233cf299133b2be',0,X'54d19a1a70c9d02f9f4b62ff954181d1',0,X'7f97eee2d143044d40d0d6d67fd0b8e1',NULL,1,1,1,2048,1,1,0,NULL,NULL,NULL,NULL,NULL,'unlaunchable','block.x of `count` is `BLOCK` = 2048; this device allows 1 to 1024',0,0,0.0,0.0,0,NULL,'',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T12:42:55.688053Z',X'43184d24225e9a53dc8757edf9afc844',NULL,'competitor',5,X'7f31f2c76f7a4d3442f0a493c628903b',NULL);
INSERT INTO trials VALUES(X'4fd4b5c0809c24ba46382e70e886d296',X'f5dfee9818c33aa4a0fb86368611e966',X'f0468e723a664c30a9d6ccb62727a648',X'258806ae3c2c816f156759bb5efc6cf6',1,X'54d19a1a70c9d02f9f4b62ff954181d1',0,X'ece0a23cc8cd547d62180d6b6a84f6c8','count',4,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'ok','',0,1,0.0,0.0,0,NULL,'x',3287.9904999999998835,1872.9780000000000654,3819.7040000000001783,'{"elements/ns":0.03041371317830754}',NULL,NULL,'2026-11-22T12:42:56.185065Z',X'43184d24225e9a53dc8757edf9afc844',X'5fdc8529042ea54bca6adb70e9a5f8f5','competitor',13,X'7f31f2c76f7a4d3442f0a493c628903b',X'5a85e30b1df494614a32cb51c12810bb');
INSERT INTO trials VALUES(X'0a8314760143d7f3a8571257ab5d8b33',X'e5423899b4883ed7d08f63c60b8723d5',X'f0468e723a664c30a9d6ccb62727a648',X'258806ae3c2c816f156759bb5efc6cf6',1,X'54d19a1a70c9d02f9f4b62ff954181d1',0,X'ece0a23cc8cd547d62180d6b6a84f6c8','count',7,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'ok','',0,1,0.0,0.0,0,NULL,'x',4635.9535519125684003,3153.4316939890709363,5423.9508196721308193,'{"elements/ns":0.04314107071186892}',NULL,NULL,'2026-11-22T12:42:56.195821Z',X'43184d24225e9a53dc8757edf9afc844',X'd05d23130585b3a206064fdb9d5254cf','competitor',16,X'7f31f2c76f7a4d3442f0a493c628903b',X'5a85e30b1df494614a32cb51c12810bb');
INSERT INTO trials VALUES(X'93567117b82538d1bdecf0dae6b45075',X'f5dfee9818c33aa4a0fb86368611e966',X'f0468e723a664c30a9d6ccb62727a648',X'e0f8cd5a425ab2c51b0d5efb16a3040f',0,X'54d19a1a70c9d02f9f4b62ff954181d1',0,X'311454eedab9b8da54733cdd9878b222','count',2,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'dropped','',0,1,0.0,0.0,0,NULL,'x',589591.0,589591.0,589591.0,'{"elements/ns":0.00016960910190284452}',NULL,NULL,'2026-11-22T12:42:56.143725Z',X'43184d24225e9a53dc8757edf9afc844',X'9176fa192561d1d5f178ec53ef0c4506','competitor',8,X'7f31f2c76f7a4d3442f0a493c628903b',X'4479e8f41fe2163aeee1b9414d98d66d');
INSERT INTO trials VALUES(X'506784d360608a9c46259b42f9a4b2cf',X'e5423899b4883ed7d08f63c60b8723d5',X'f0468e723a664c30a9d6ccb62727a648',X'b701d1cb6650e01ac2bf3bc070ee3577',0,X'54d19a1a70c9d02f9f4b62ff954181d1',0,X'1da910dcb33239bed0f2a9fdb97a1c3d','count',4,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on a probe with buffers x of 2343: on the second draw of inputs: 1 of the 2343 elements of x are wrong, the first at index 2342: never written, not a number, or not equal where equality is asked for; a kernel for whole tiles alone says so in its constraints',0,0,0.0,0.0,0,NULL,'',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T12:42:56.156350Z',X'43184d24225e9a53dc8757edf9afc844',NULL,'competitor',9,X'7f31f2c76f7a4d3442f0a493c628903b',X'6624ca5223deabdb3f784cb75571d7b9');
INSERT INTO trials VALUES(X'b96d45bff3f464ab4fbbecca0b94183e',X'f5dfee9818c33aa4a0fb86368611e966',X'f0468e723a664c30a9d6ccb62727a648',X'b701d1cb6650e01ac2bf3bc070ee3577',0,X'54d19a1a70c9d02f9f4b62ff954181d1',0,X'1da910dcb33239bed0f2a9fdb97a1c3d','count',2,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on a probe with buffers x of 2343: on the second draw of inputs: 1 of the 2343 elements of x are wrong, the first at index 2342: never written, not a number, or not equal where equality is asked for; a kernel for whole tiles alone says so in its constraints',0,1,1e999,1e999,1,2342,'x',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T12:42:56.158119Z',X'43184d24225e9a53dc8757edf9afc844',NULL,'competitor',10,X'7f31f2c76f7a4d3442f0a493c628903b',X'6624ca5223deabdb3f784cb75571d7b9');
INSERT INTO trials VALUES(X'104ffd742d78e062b7314cd7ec99a9ea',X'e5423899b4883ed7d08f63c60b8723d5',X'f0468e723a664c30a9d6ccb62727a648',X'e0f8cd5a425ab2c51b0d5efb16a3040f',0,X'54d19a1a70c9d02f9f4b62ff954181d1',0,X'311454eedab9b8da54733cdd9878b222','count',4,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'dropped','',0,1,0.0,0.0,0,NULL,'x',1025927.0,1025927.0,1025927.0,'{"elements/ns":0.00019494564428073342}',NULL,NULL,'2026-11-22T12:42:56.160754Z',X'43184d24225e9a53dc8757edf9afc844',X'd8d127468b9892fdf019861ec8a655ab','competitor',11,X'7f31f2c76f7a4d3442f0a493c628903b',X'4479e8f41fe2163aeee1b9414d98d66d');
INSERT INTO trials VALUES(X'ea332fb8b674bdf87a84c7c7cf746e64',X'e5423899b4883ed7d08f63c60b8723d5',X'f0468e723a664c30a9d6ccb62727a648',X'e86b5ab0b5d12db4514780fa6dfbdd7b',0,X'54d19a1a70c9d02f9f4b62ff954181d1',0,X'14b800e2de7ede3dd8d07c9fd18e80a4','count',7,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on a probe with buffers x of 2343: on the second draw of inputs: 1 of the 2343 elements of x are wrong, the first at index 2342: never written, not a number, or not equal where equality is asked for; a kernel for whole tiles alone says so in its constraints',0,0,0.0,0.0,0,NULL,'',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T12:42:56.186564Z',X'43184d24225e9a53dc8757edf9afc844',NULL,'competitor',14,X'7f31f2c76f7a4d3442f0a493c628903b',X'aeba7fc32429a66d20a1e149b78f8079');
INSERT INTO trials VALUES(X'2ab872b95906678a9739cb31a0f3536a',X'4f47ff2eb7e4b409acf35de7d36d63e8',X'f0468e723a664c30a9d6ccb62727a648',X'28de1eae1f2c357a03d1d8e516b9bbfa',0,X'54d19a1a70c9d02f9f4b62ff954181d1',0,X'3db4c7ccf812956a5b5e08e5ff8ce194',NULL,1,1,1,2048,1,1,0,NULL,NULL,NULL,NULL,NULL,'unlaunchable','block.x of `count` is `BLOCK` = 2048; this device allows 1 to 1024',0,0,0.0,0.0,0,NULL,'',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T12:42:56.267521Z',X'ef64ee28f318d9913ed447b2bc85a336',NULL,'competitor',1,X'7f31f2c76f7a4d3442f0a493c628903b',NULL);
INSERT INTO trials VALUES(X'd6907ba15d9da9f19e314e2b0042a7af',X'4f47ff2eb7e4b409acf35de7d36d63e8',X'f0468e723a664c30a9d6ccb62727a648',X'b701d1cb6650e01ac2bf3bc070ee3577',0,X'54d19a1a70c9d02f9f4b62ff954181d1',0,X'1da910dcb33239bed0f2a9fdb97a1c3d','count',5,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on a probe with buffers x of 2343: on the second draw of inputs: 1 of the 2343 elements of x are wrong, the first at index 2342: never written, not a number, or not equal where equality is asked for; a kernel for whole tiles alone says so in its constraints',0,0,0.0,0.0,0,NULL,'',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T12:42:56.481221Z',X'ef64ee28f318d9913ed447b2bc85a336',NULL,'competitor',2,X'7f31f2c76f7a4d3442f0a493c628903b',X'6624ca5223deabdb3f784cb75571d7b9');
INSERT INTO trials VALUES(X'16cbdaac415ed61ef95408ffe271d6dc',X'4f47ff2eb7e4b409acf35de7d36d63e8',X'f0468e723a664c30a9d6ccb62727a648',X'8baf0ed8f55481854233cf299133b2be',0,X'54d19a1a70c9d02f9f4b62ff954181d1',0,X'7f97eee2d143044d40d0d6d67fd0b8e1',NULL,1,1,1,2048,1,1,0,NULL,NULL,NULL,NULL,NULL,'unlaunchable','block.x of `count` is `BLOCK` = 2048; this device allows 1 to 1024',0,0,0.0,0.0,0,NULL,'',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T12:42:56.482447Z',X'ef64ee28f318d9913ed447b2bc85a336',NULL,'competitor',3,X'7f31f2c76f7a4d3442f0a493c628903b',NULL);
INSERT INTO trials VALUES(X'26b014c4f3ad64d60995232648613da9',X'4f47ff2eb7e4b409acf35de7d36d63e8',X'f0468e723a664c30a9d6ccb62727a648',X'258806ae3c2c816f156759bb5efc6cf6',1,X'54d19a1a70c9d02f9f4b62ff954181d1',0,X'ece0a23cc8cd547d62180d6b6a84f6c8','count',10,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'ok','',0,1,0.0,0.0,0,NULL,'x',5909.1234042553187465,3486.3021276595745803,6818.4808510638295047,'{"elements/ns":0.05076895158154286}',NULL,NULL,'2026-11-22T12:42:56.854247Z',X'ef64ee28f318d9913ed447b2bc85a336',X'68e645dc5275692ea9a2aa4140dbbf1d','competitor',8,X'7f31f2c76f7a4d3442f0a493c628903b',X'5a85e30b1df494614a32cb51c12810bb');
INSERT INTO trials VALUES(X'7ba7a82e948538f278fd0267e55308a7',X'4f47ff2eb7e4b409acf35de7d36d63e8',X'f0468e723a664c30a9d6ccb62727a648',X'e0f8cd5a425ab2c51b0d5efb16a3040f',0,X'54d19a1a70c9d02f9f4b62ff954181d1',0,X'311454eedab9b8da54733cdd9878b222','count',5,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'dropped','',0,1,0.0,0.0,0,NULL,'x',1240296.0,1240296.0,1240296.0,'{"elements/ns":0.0002418777453124093}',NULL,NULL,'2026-11-22T12:42:56.734292Z',X'ef64ee28f318d9913ed447b2bc85a336',X'1fa55e8fc1c26988748a02fb75b4ee0c','competitor',5,X'7f31f2c76f7a4d3442f0a493c628903b',X'4479e8f41fe2163aeee1b9414d98d66d');
INSERT INTO trials VALUES(X'b4804f27b84536fb62a03bc1ee85bc0e',X'4f47ff2eb7e4b409acf35de7d36d63e8',X'f0468e723a664c30a9d6ccb62727a648',X'e86b5ab0b5d12db4514780fa6dfbdd7b',0,X'54d19a1a70c9d02f9f4b62ff954181d1',0,X'14b800e2de7ede3dd8d07c9fd18e80a4','count',10,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on a probe with buffers x of 2343: on the second draw of inputs: 1 of the 2343 elements of x are wrong, the first at index 2342: never written, not a number, or not equal where equality is asked for; a kernel for whole tiles alone says so in its constraints',0,0,0.0,0.0,0,NULL,'',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T12:42:56.842403Z',X'ef64ee28f318d9913ed447b2bc85a336',NULL,'competitor',6,X'7f31f2c76f7a4d3442f0a493c628903b',X'aeba7fc32429a66d20a1e149b78f8079');
CREATE TABLE measurements (
  id                      BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  trial                   BLOB NOT NULL REFERENCES trials (id) DEFERRABLE INITIALLY DEFERRED,
  run                     BLOB REFERENCES runs (id),
  measured_at             TEXT NOT NULL CHECK (length(measured_at) <= 64),
  status                  TEXT NOT NULL CHECK (status IN ('ok', 'dropped')),
  samples_ns                 BLOB NOT NULL CHECK (length(samples_ns) <= 16777216),  -- compressed, see db/samples.hpp
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
, sequence INTEGER NOT NULL DEFAULT 0, metrics TEXT NOT NULL DEFAULT '{}' CHECK (length(metrics) <= 65536)) STRICT;
INSERT INTO measurements VALUES(X'b3b4b338dec1cb99a9b8bf0dced7af12',X'4fd4b5c0809c24ba46382e70e886d296',X'43184d24225e9a53dc8757edf9afc844','2026-11-22T12:42:55.816754Z','ok',X'010600000028b52ffd2030810100b17f02817045f55e43a103786d65359a8652c0711d8e6a90504673b93afcd571ad501a49a4aaaba7a9ac404040404040',149,3298.8758389261747651,2666.6577181208053844,3620.993288590604152,2666.6577181208053844,0.0,0,0.0,0.0,1,6,'{"elements/ns":0.030313356695640673}');
INSERT INTO measurements VALUES(X'2ab3633dc8c26d8d6b4b1ac3addf0c0a',X'0a8314760143d7f3a8571257ab5d8b33',X'43184d24225e9a53dc8757edf9afc844','2026-11-22T12:42:55.822683Z','ok',X'010600000028b52ffd2030810100e9d1d9847c5da245640ff0748b17933ec1d12e5d4df80745baf436e01f1709796dc9acd4b2b19c9b9ba4404040404040',66,2242.6742424242424932,1771.0303030303030027,4617.7272727272729753,1771.0303030303030027,0.0,0,0.0,0.0,1,7,'{"elements/ns":0.08917924690828387}');
INSERT INTO measurements VALUES(X'9176fa192561d1d5f178ec53ef0c4506',X'93567117b82538d1bdecf0dae6b45075',X'43184d24225e9a53dc8757edf9afc844','2026-11-22T12:42:56.143725Z','dropped',X'010100000028b52ffd2008410000000000002efe2141',1,589591.0,589591.0,589591.0,589591.0,0.0,0,0.0,0.0,0,8,'{"elements/ns":0.00016960910190284452}');
INSERT INTO measurements VALUES(X'd8d127468b9892fdf019861ec8a655ab',X'104ffd742d78e062b7314cd7ec99a9ea',X'43184d24225e9a53dc8757edf9afc844','2026-11-22T12:42:56.160754Z','dropped',X'010100000028b52ffd2008410000000000000e4f2f41',1,1025927.0,1025927.0,1025927.0,1025927.0,0.0,0,0.0,0.0,0,11,'{"elements/ns":0.00019494564428073342}');
INSERT INTO measurements VALUES(X'5fdc8529042ea54bca6adb70e9a5f8f5',X'4fd4b5c0809c24ba46382e70e886d296',X'43184d24225e9a53dc8757edf9afc844','2026-11-22T12:42:56.185065Z','ok',X'010600000028b52ffd2030810100cdc5f4586af4cc20fd39bcfdccb0d4b474d4cc7278c893780c68e9b658e900d7432d1a5faaad9daca7a9404040404040',1000,3287.9904999999998835,1872.9780000000000654,3819.7040000000001783,1872.9780000000000654,0.0,0,0.0,0.0,1,13,'{"elements/ns":0.03041371317830754}');
INSERT INTO measurements VALUES(X'd05d23130585b3a206064fdb9d5254cf',X'0a8314760143d7f3a8571257ab5d8b33',X'43184d24225e9a53dc8757edf9afc844','2026-11-22T12:42:56.195821Z','ok',X'010600000028b52ffd2030810100e132a2a2685b9904d4d4fa39feebd8d81be10668c3c37499ddf32c2cbbfea22f03a98e4fa8b5b4b2b1b1404040404040',183,4635.9535519125684003,3153.4316939890709363,5423.9508196721308193,3153.4316939890709363,0.0,0,0.0,0.0,1,16,'{"elements/ns":0.04314107071186892}');
INSERT INTO measurements VALUES(X'bb980f518443c521cbdc36ff91ec0c50',X'26b014c4f3ad64d60995232648613da9',X'ef64ee28f318d9913ed447b2bc85a336','2026-11-22T12:42:56.730491Z','ok',X'010600000028b52ffd203045010014020f6900b53c0f0f6900b4e980b43c8f1c295a56e0fbc7c7c7c7c6c54040404040400100e90a12',17,11845.970588235293689,11255.117647058823422,11957.0,11255.117647058823422,0.0,0,0.0,0.0,0,4,'{"elements/ns":0.025325067099013564}');
INSERT INTO measurements VALUES(X'1fa55e8fc1c26988748a02fb75b4ee0c',X'7ba7a82e948538f278fd0267e55308a7',X'ef64ee28f318d9913ed447b2bc85a336','2026-11-22T12:42:56.734292Z','dropped',X'010100000028b52ffd200841000000000000e8ec3241',1,1240296.0,1240296.0,1240296.0,1240296.0,0.0,0,0.0,0.0,0,5,'{"elements/ns":0.0002418777453124093}');
INSERT INTO measurements VALUES(X'68e645dc5275692ea9a2aa4140dbbf1d',X'26b014c4f3ad64d60995232648613da9',X'ef64ee28f318d9913ed447b2bc85a336','2026-11-22T12:42:56.854247Z','ok',X'010600000028b52ffd20308101002e54e33d651a0259905829b87a8ab14d0e45b043d7eb19409ac62e787b0f3c106e19a274abb7b7b7bab2404040404040',235,5909.1234042553187465,3486.3021276595745803,6818.4808510638295047,3486.3021276595745803,0.0,0,0.0,0.0,0,8,'{"elements/ns":0.05076895158154286}');
CREATE TABLE finals (
  id               BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  contest          BLOB NOT NULL REFERENCES contests (id),
  chosen           BLOB NOT NULL REFERENCES trials (id),  -- by a rule among those that are tied
  rounds           INTEGER NOT NULL CHECK (rounds >= 0),
  throttled_rounds INTEGER NOT NULL CHECK (throttled_rounds >= 0),
  run              BLOB REFERENCES runs (id),
  measured_at      TEXT NOT NULL CHECK (length(measured_at) <= 64)  -- later than its contestants' measurements
, sequence INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
INSERT INTO finals VALUES(X'424ac5cab5fc2ef533307806cf193b44',X'4f47ff2eb7e4b409acf35de7d36d63e8',X'26b014c4f3ad64d60995232648613da9',6,0,X'ef64ee28f318d9913ed447b2bc85a336','2026-11-22T12:42:56.854247Z',7);
INSERT INTO finals VALUES(X'5e4cf36997c83ef406f2a80907992265',X'e5423899b4883ed7d08f63c60b8723d5',X'0a8314760143d7f3a8571257ab5d8b33',6,0,X'43184d24225e9a53dc8757edf9afc844','2026-11-22T12:42:56.195821Z',15);
INSERT INTO finals VALUES(X'7498cb52015745f7849e5833ec0fdb8d',X'f5dfee9818c33aa4a0fb86368611e966',X'4fd4b5c0809c24ba46382e70e886d296',6,0,X'43184d24225e9a53dc8757edf9afc844','2026-11-22T12:42:56.185065Z',12);
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
INSERT INTO final_entries VALUES(X'424ac5cab5fc2ef533307806cf193b44',0,X'26b014c4f3ad64d60995232648613da9',1.0,1.0,1.0,1);
INSERT INTO final_entries VALUES(X'5e4cf36997c83ef406f2a80907992265',0,X'0a8314760143d7f3a8571257ab5d8b33',1.0,1.0,1.0,1);
INSERT INTO final_entries VALUES(X'7498cb52015745f7849e5833ec0fdb8d',0,X'4fd4b5c0809c24ba46382e70e886d296',1.0,1.0,1.0,1);
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
INSERT INTO attempts VALUES(X'9431dd6c7dfc96a6ea437ec1aad85ad5',X'43a80438170268a13e82b192d57a6105',X'f5dfee9818c33aa4a0fb86368611e966',X'f0468e723a664c30a9d6ccb62727a648',X'e86b5ab0b5d12db4514780fa6dfbdd7b',X'43184d24225e9a53dc8757edf9afc844','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',14630,'2026-11-22T12:42:55.677363Z','2026-11-22T12:42:55.680959Z','wrong_result','on a probe with buffers x of 2343: on the second draw of inputs: 1 of the 2343 elements of x are wrong, the first at index 2342: never written, not a number, or not equal where equality is asked for; a kernel for whole tiles alone says so in its constraints');
INSERT INTO attempts VALUES(X'7b80c761aaca5bd70db6c1006ed49528',X'4fd4b5c0809c24ba46382e70e886d296',X'f5dfee9818c33aa4a0fb86368611e966',X'f0468e723a664c30a9d6ccb62727a648',X'258806ae3c2c816f156759bb5efc6cf6',X'43184d24225e9a53dc8757edf9afc844','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',14630,'2026-11-22T12:42:55.788306Z','2026-11-22T12:42:55.816948Z','ok','');
INSERT INTO attempts VALUES(X'633a51b6a1226bed571108b517d17f44',X'0a8314760143d7f3a8571257ab5d8b33',X'e5423899b4883ed7d08f63c60b8723d5',X'f0468e723a664c30a9d6ccb62727a648',X'258806ae3c2c816f156759bb5efc6cf6',X'43184d24225e9a53dc8757edf9afc844','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',14630,'2026-11-22T12:42:55.817731Z','2026-11-22T12:42:55.822930Z','ok','');
INSERT INTO attempts VALUES(X'a843acbb0dd8eb2d3ac2a42fb59e15c1',X'93567117b82538d1bdecf0dae6b45075',X'f5dfee9818c33aa4a0fb86368611e966',X'f0468e723a664c30a9d6ccb62727a648',X'e0f8cd5a425ab2c51b0d5efb16a3040f',X'43184d24225e9a53dc8757edf9afc844','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',14630,'2026-11-22T12:42:55.906146Z','2026-11-22T12:42:56.144112Z','dropped','');
INSERT INTO attempts VALUES(X'8044f27c7b9b7bdb53b9b993af7405d3',X'b96d45bff3f464ab4fbbecca0b94183e',X'f5dfee9818c33aa4a0fb86368611e966',X'f0468e723a664c30a9d6ccb62727a648',X'b701d1cb6650e01ac2bf3bc070ee3577',X'43184d24225e9a53dc8757edf9afc844','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',14630,'2026-11-22T12:42:56.145161Z','2026-11-22T12:42:56.158292Z','wrong_result','on a probe with buffers x of 2343: on the second draw of inputs: 1 of the 2343 elements of x are wrong, the first at index 2342: never written, not a number, or not equal where equality is asked for; a kernel for whole tiles alone says so in its constraints');
INSERT INTO attempts VALUES(X'951ec7d3090688f649e0b579b545a935',X'104ffd742d78e062b7314cd7ec99a9ea',X'e5423899b4883ed7d08f63c60b8723d5',X'f0468e723a664c30a9d6ccb62727a648',X'e0f8cd5a425ab2c51b0d5efb16a3040f',X'43184d24225e9a53dc8757edf9afc844','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',14630,'2026-11-22T12:42:56.158949Z','2026-11-22T12:42:56.160990Z','dropped','');
INSERT INTO attempts VALUES(X'580fc08af707781a8215d13f343efaa3',X'26b014c4f3ad64d60995232648613da9',X'4f47ff2eb7e4b409acf35de7d36d63e8',X'f0468e723a664c30a9d6ccb62727a648',X'258806ae3c2c816f156759bb5efc6cf6',X'ef64ee28f318d9913ed447b2bc85a336','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',14669,'2026-11-22T12:42:56.677294Z','2026-11-22T12:42:56.730828Z','ok','');
INSERT INTO attempts VALUES(X'54cfb42bd5237aa534af36556a50cf64',X'7ba7a82e948538f278fd0267e55308a7',X'4f47ff2eb7e4b409acf35de7d36d63e8',X'f0468e723a664c30a9d6ccb62727a648',X'e0f8cd5a425ab2c51b0d5efb16a3040f',X'ef64ee28f318d9913ed447b2bc85a336','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',14669,'2026-11-22T12:42:56.732099Z','2026-11-22T12:42:56.734529Z','dropped','');
CREATE TABLE earlier_failures (
  trial           BLOB NOT NULL REFERENCES trials (id) ON DELETE CASCADE,
  run             BLOB NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  status          TEXT NOT NULL,
  detail          TEXT NOT NULL,
  measured_at     TEXT NOT NULL,
  sequence        INTEGER NOT NULL,
  verified        INTEGER NOT NULL,
  error_ratio     REAL,
  error_ulp_scale REAL,
  wrong_elements  INTEGER NOT NULL,
  first_wrong     INTEGER,
  wrong_buffer    TEXT NOT NULL,
  PRIMARY KEY (run, trial)
) STRICT, WITHOUT ROWID;
CREATE TABLE kernel_specs (
  family     TEXT NOT NULL CHECK (length(family) <= 256),
  kernel     TEXT NOT NULL CHECK (length(kernel) <= 256),
  role       TEXT NOT NULL CHECK (role IN ('competitor', 'baseline', 'ceiling')),
  definition BLOB NOT NULL CHECK (length(definition) = 16),
  -- Of the definition and of what selects the configurations; NULL: unknown.
  spec       BLOB CHECK (length(spec) = 16),
  path       TEXT NOT NULL CHECK (length(path) <= 4096),
  declared   INTEGER NOT NULL CHECK (declared IN (0, 1)),
  PRIMARY KEY (family, kernel)
) STRICT, WITHOUT ROWID;
INSERT INTO kernel_specs VALUES('counting','count','competitor',X'54d19a1a70c9d02f9f4b62ff954181d1',X'7f31f2c76f7a4d3442f0a493c628903b','/tmp/rv2/count.toml',1);
CREATE TABLE verdicts (
  id          BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  status      TEXT NOT NULL CHECK (status IN ('ok', 'unlaunchable', 'launch_error', 'wrong_result', 'out_of_bounds',
                'input_modified', 'unstable', 'timeout', 'crashed')),
  detail      TEXT NOT NULL CHECK (length(detail) <= 1048576),
  deaths      INTEGER NOT NULL CHECK (deaths >= 0),  -- of the measuring process, seen while they were run
  trial       BLOB NOT NULL CHECK (length(trial) = 16),  -- that was to be measured then; may not be in `trials`
  measured_at TEXT NOT NULL CHECK (length(measured_at) <= 64),
  run         BLOB REFERENCES runs (id)
) STRICT, WITHOUT ROWID;
INSERT INTO verdicts VALUES(X'4479e8f41fe2163aeee1b9414d98d66d','ok','',0,X'93567117b82538d1bdecf0dae6b45075','2026-11-22T12:42:56.136296Z',X'43184d24225e9a53dc8757edf9afc844');
INSERT INTO verdicts VALUES(X'5a85e30b1df494614a32cb51c12810bb','ok','',0,X'4fd4b5c0809c24ba46382e70e886d296','2026-11-22T12:42:55.815874Z',X'43184d24225e9a53dc8757edf9afc844');
INSERT INTO verdicts VALUES(X'6624ca5223deabdb3f784cb75571d7b9','wrong_result','on a probe with buffers x of 2343: on the second draw of inputs: 1 of the 2343 elements of x are wrong, the first at index 2342: never written, not a number, or not equal where equality is asked for; a kernel for whole tiles alone says so in its constraints',0,X'b96d45bff3f464ab4fbbecca0b94183e','2026-11-22T12:42:56.155444Z',X'43184d24225e9a53dc8757edf9afc844');
INSERT INTO verdicts VALUES(X'aeba7fc32429a66d20a1e149b78f8079','wrong_result','on a probe with buffers x of 2343: on the second draw of inputs: 1 of the 2343 elements of x are wrong, the first at index 2342: never written, not a number, or not equal where equality is asked for; a kernel for whole tiles alone says so in its constraints',0,X'43a80438170268a13e82b192d57a6105','2026-11-22T12:42:55.680132Z',X'43184d24225e9a53dc8757edf9afc844');
CREATE TABLE final_coverage (
  final  BLOB NOT NULL REFERENCES finals (id),
  run    BLOB NOT NULL CHECK (length(run) IN (0, 16)),
  kernel TEXT NOT NULL CHECK (length(kernel) <= 256),
  first  INTEGER NOT NULL,
  last   INTEGER NOT NULL CHECK (last >= first),
  PRIMARY KEY (final, run, kernel, first)
) STRICT, WITHOUT ROWID;
INSERT INTO final_coverage VALUES(X'424ac5cab5fc2ef533307806cf193b44',X'ef64ee28f318d9913ed447b2bc85a336','count',4,4);
INSERT INTO final_coverage VALUES(X'424ac5cab5fc2ef533307806cf193b44',X'ef64ee28f318d9913ed447b2bc85a336','count',8,8);
INSERT INTO final_coverage VALUES(X'5e4cf36997c83ef406f2a80907992265',X'43184d24225e9a53dc8757edf9afc844','count',7,7);
INSERT INTO final_coverage VALUES(X'5e4cf36997c83ef406f2a80907992265',X'43184d24225e9a53dc8757edf9afc844','count',16,16);
INSERT INTO final_coverage VALUES(X'7498cb52015745f7849e5833ec0fdb8d',X'43184d24225e9a53dc8757edf9afc844','count',6,6);
INSERT INTO final_coverage VALUES(X'7498cb52015745f7849e5833ec0fdb8d',X'43184d24225e9a53dc8757edf9afc844','count',13,13);
CREATE TABLE tallies (
  contest    BLOB NOT NULL REFERENCES contests (id),
  kernel     BLOB NOT NULL REFERENCES kernels (id),
  status     TEXT NOT NULL,
  superseded INTEGER NOT NULL,
  role       TEXT NOT NULL,
  trials     INTEGER NOT NULL,
  latest     TEXT NOT NULL,  -- when one of them was last measured
  PRIMARY KEY (contest, kernel, status, superseded, role)
) STRICT, WITHOUT ROWID;
INSERT INTO tallies VALUES(X'4f47ff2eb7e4b409acf35de7d36d63e8',X'f0468e723a664c30a9d6ccb62727a648','dropped',0,'competitor',1,'2026-11-22T12:42:56.734292Z');
INSERT INTO tallies VALUES(X'4f47ff2eb7e4b409acf35de7d36d63e8',X'f0468e723a664c30a9d6ccb62727a648','ok',0,'competitor',1,'2026-11-22T12:42:56.854247Z');
INSERT INTO tallies VALUES(X'4f47ff2eb7e4b409acf35de7d36d63e8',X'f0468e723a664c30a9d6ccb62727a648','unlaunchable',0,'competitor',2,'2026-11-22T12:42:56.482447Z');
INSERT INTO tallies VALUES(X'4f47ff2eb7e4b409acf35de7d36d63e8',X'f0468e723a664c30a9d6ccb62727a648','wrong_result',0,'competitor',2,'2026-11-22T12:42:56.842403Z');
INSERT INTO tallies VALUES(X'e5423899b4883ed7d08f63c60b8723d5',X'f0468e723a664c30a9d6ccb62727a648','dropped',0,'competitor',1,'2026-11-22T12:42:56.160754Z');
INSERT INTO tallies VALUES(X'e5423899b4883ed7d08f63c60b8723d5',X'f0468e723a664c30a9d6ccb62727a648','ok',0,'competitor',1,'2026-11-22T12:42:56.195821Z');
INSERT INTO tallies VALUES(X'e5423899b4883ed7d08f63c60b8723d5',X'f0468e723a664c30a9d6ccb62727a648','unlaunchable',0,'competitor',2,'2026-11-22T12:42:55.688053Z');
INSERT INTO tallies VALUES(X'e5423899b4883ed7d08f63c60b8723d5',X'f0468e723a664c30a9d6ccb62727a648','wrong_result',0,'competitor',2,'2026-11-22T12:42:56.186564Z');
INSERT INTO tallies VALUES(X'f5dfee9818c33aa4a0fb86368611e966',X'f0468e723a664c30a9d6ccb62727a648','dropped',0,'competitor',1,'2026-11-22T12:42:56.143725Z');
INSERT INTO tallies VALUES(X'f5dfee9818c33aa4a0fb86368611e966',X'f0468e723a664c30a9d6ccb62727a648','ok',0,'competitor',1,'2026-11-22T12:42:56.185065Z');
INSERT INTO tallies VALUES(X'f5dfee9818c33aa4a0fb86368611e966',X'f0468e723a664c30a9d6ccb62727a648','unlaunchable',0,'competitor',2,'2026-11-22T12:42:55.483802Z');
INSERT INTO tallies VALUES(X'f5dfee9818c33aa4a0fb86368611e966',X'f0468e723a664c30a9d6ccb62727a648','wrong_result',0,'competitor',2,'2026-11-22T12:42:56.158119Z');
CREATE INDEX trials_untuned ON trials (contest, kernel) WHERE is_default = 1;
CREATE INDEX trials_of_run ON trials (run);
CREATE INDEX measurements_of_trial ON measurements (trial, measured_at);
CREATE INDEX trials_of_measurement ON trials (measurement) WHERE measurement IS NOT NULL;
CREATE INDEX finals_of_contest ON finals (contest, measured_at);
CREATE INDEX final_entries_of_trial ON final_entries (trial);
CREATE INDEX attempts_of_trial ON attempts (trial);
CREATE INDEX attempts_open ON attempts (machine, boot) WHERE closed_at IS NULL;
CREATE INDEX problems_of_family ON problems (family);
CREATE INDEX contests_of_problem ON contests (problem, class);
CREATE INDEX measurements_of_run ON measurements (run, trial);
CREATE TRIGGER trials_keep_failure BEFORE UPDATE OF run ON trials
WHEN OLD.run IS NOT NULL AND OLD.run IS NOT NEW.run AND OLD.measurement IS NULL BEGIN
  INSERT OR REPLACE INTO earlier_failures (trial, run, status, detail, measured_at, sequence, verified, error_ratio,
    error_ulp_scale, wrong_elements, first_wrong, wrong_buffer)
  VALUES (OLD.id, OLD.run, OLD.status, OLD.detail, OLD.measured_at, OLD.sequence, OLD.verified, OLD.error_ratio,
    OLD.error_ulp_scale, OLD.wrong_elements, OLD.first_wrong, OLD.wrong_buffer);
END;
CREATE INDEX trials_of_probe ON trials (probe) WHERE probe IS NOT NULL;
CREATE TRIGGER trials_tally_insert AFTER INSERT ON trials BEGIN
  INSERT INTO tallies (contest, kernel, status, superseded, role, trials, latest)
  VALUES (NEW.contest, NEW.kernel, NEW.status, NEW.superseded, NEW.role, 1, NEW.measured_at)
  ON CONFLICT DO UPDATE SET trials = trials + 1, latest = max(latest, excluded.latest);
END;
CREATE TRIGGER trials_tally_delete AFTER DELETE ON trials BEGIN
  UPDATE tallies SET trials = trials - 1
  WHERE contest = OLD.contest AND kernel = OLD.kernel AND status = OLD.status AND superseded = OLD.superseded
    AND role = OLD.role;
END;
CREATE TRIGGER trials_tally_update AFTER UPDATE OF contest, kernel, status, superseded, role, measured_at ON trials BEGIN
  UPDATE tallies SET trials = trials - 1
  WHERE contest = OLD.contest AND kernel = OLD.kernel AND status = OLD.status AND superseded = OLD.superseded
    AND role = OLD.role;
  INSERT INTO tallies (contest, kernel, status, superseded, role, trials, latest)
  VALUES (NEW.contest, NEW.kernel, NEW.status, NEW.superseded, NEW.role, 1, NEW.measured_at)
  ON CONFLICT DO UPDATE SET trials = trials + 1, latest = max(latest, excluded.latest);
END;
CREATE INDEX trials_fastest ON trials (contest, median_ns) WHERE competes = 1;
CREATE INDEX trials_tied ON trials (contest, kernel, low_ns) WHERE competes = 1;
CREATE INDEX trials_baseline ON trials (contest) WHERE role = 'baseline';
CREATE INDEX trials_failed ON trials (contest) WHERE status NOT IN ('ok', 'dropped', 'skipped');
CREATE INDEX trials_judged ON trials (kernel, judged_by);
CREATE VIEW last_final AS
SELECT f.id, f.contest, f.chosen, f.run, f.sequence
FROM finals AS f
JOIN trials AS c ON c.id = f.chosen
JOIN kernels AS k ON k.id = c.kernel
WHERE c.competes = 1
  AND NOT EXISTS (SELECT 1 FROM finals AS g
                  JOIN trials AS d ON d.id = g.chosen
                  JOIN final_coverage AS v ON v.final = g.id
                  WHERE g.contest = f.contest AND g.id <> f.id AND d.competes = 1
                    AND v.run = coalesce(f.run, x'') AND v.kernel = k.name AND f.sequence BETWEEN v.first AND v.last);
CREATE VIEW unconsidered AS
SELECT w.id, w.contest, w.median_ns, k.name AS kernel
FROM trials AS w
JOIN kernels AS k ON k.id = w.kernel
WHERE w.competes = 1
  AND NOT EXISTS (SELECT 1 FROM last_final AS f
                  JOIN final_coverage AS v ON v.final = f.id
                  WHERE f.contest = w.contest
                    AND v.run = coalesce(w.run, x'') AND v.kernel = k.name AND w.sequence BETWEEN v.first AND v.last);
CREATE VIEW finalist AS
SELECT l.contest, k.name AS kernel, l.id AS final, e.trial, t.median_ns, t.low_ns
FROM last_final AS l
JOIN final_entries AS e ON e.final = l.id
JOIN trials AS t ON t.id = e.trial
JOIN kernels AS k ON k.id = t.kernel
WHERE t.competes = 1
  AND NOT EXISTS (SELECT 1 FROM final_entries AS b
                  JOIN trials AS u ON u.id = b.trial
                  JOIN kernels AS h ON h.id = u.kernel
                  WHERE b.final = l.id AND u.competes = 1 AND h.name = k.name
                    AND (b.trial <> l.chosen, b.place) < (e.trial <> l.chosen, e.place));
CREATE VIEW winner AS
SELECT contest, NULL AS kernel, iif(newcomer IS NULL, final, NULL) AS final, coalesce(newcomer, finalist) AS trial
FROM (SELECT contest, final, finalist,
             (SELECT w.id FROM unconsidered AS w
              WHERE w.contest = o.contest
                AND w.median_ns < coalesce((SELECT low_ns FROM trials WHERE id = o.finalist), 9e999)
              ORDER BY w.median_ns, w.id LIMIT 1) AS newcomer
      FROM (SELECT n.id AS contest,
                   (SELECT l.id FROM last_final AS l JOIN trials AS t ON t.id = l.chosen WHERE l.contest = n.id
                    ORDER BY t.median_ns, t.id, l.id LIMIT 1) AS final,
                   (SELECT l.chosen FROM last_final AS l JOIN trials AS t ON t.id = l.chosen WHERE l.contest = n.id
                    ORDER BY t.median_ns, t.id, l.id LIMIT 1) AS finalist
            FROM contests AS n) AS o)
WHERE coalesce(newcomer, finalist) IS NOT NULL
UNION ALL
SELECT contest, kernel, iif(newcomer IS NULL, final, NULL),
       coalesce(newcomer, finalist,
                (SELECT w.id FROM trials AS w JOIN kernels AS k ON k.id = w.kernel
                 WHERE w.contest = found.contest AND w.competes = 1 AND k.name = found.kernel
                 ORDER BY w.median_ns, w.id LIMIT 1))
FROM (SELECT contest, kernel, final, finalist,
             (SELECT w.id FROM unconsidered AS w
              WHERE w.contest = o.contest AND w.kernel = o.kernel
                AND w.median_ns < coalesce((SELECT low_ns FROM trials WHERE id = o.finalist), 9e999)
              ORDER BY w.median_ns, w.id LIMIT 1) AS newcomer
      FROM (SELECT y.contest, k.name AS kernel,
                   (SELECT b.final FROM finalist AS b WHERE b.contest = y.contest AND b.kernel = k.name
                    ORDER BY b.median_ns, b.trial, b.final LIMIT 1) AS final,
                   (SELECT b.trial FROM finalist AS b WHERE b.contest = y.contest AND b.kernel = k.name
                    ORDER BY b.median_ns, b.trial, b.final LIMIT 1) AS finalist
            FROM tallies AS y
            JOIN kernels AS k ON k.id = y.kernel
            WHERE y.status = 'ok' AND y.superseded = 0 AND y.role <> 'baseline' AND y.trials > 0
            GROUP BY y.contest, k.name) AS o) AS found;
CREATE VIEW trial AS
SELECT lower(hex(t.id)) AS id, p.family, k.name AS kernel, t.role, p.size, p.type, p.row_padding, f.json AS configuration,
       t.status, t.median_ns / 1e6 AS median_ms, t.low_ns / 1e6 AS low_ms, t.high_ns / 1e6 AS high_ms, t.metrics,
       b.registers, b.spill_store_bytes + b.spill_load_bytes AS spill_bytes,
       b.static_shared_bytes + t.dynamic_shared_bytes AS shared_bytes, t.occupancy, t.limited_by,
       t.grid_x || 'x' || t.grid_y || 'x' || t.grid_z AS grid,
       t.block_x || 'x' || t.block_y || 'x' || t.block_z AS block,
       t.is_default, t.superseded, t.competes, t.error_ratio, t.detail, c.device, c.driver, c.toolkit, c.l2, c.method,
       c.inputs, t.measured_at, lower(hex(t.run)) AS run
FROM trials AS t
JOIN contests AS n ON n.id = t.contest
JOIN classes AS c ON c.id = n.class
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
LEFT JOIN binary_kernels AS b ON b.binary = t.binary AND b.entry = t.entry;
CREATE VIEW best AS
SELECT p.family, p.size, p.type, p.row_padding, k.name AS kernel, f.json AS configuration,
       t.median_ns / 1e6 AS median_ms, t.low_ns / 1e6 AS low_ms, t.high_ns / 1e6 AS high_ms, t.metrics,
       a.final IS NOT NULL AS remeasured,
       (SELECT sum(e.tied) - 1 FROM final_entries AS e WHERE e.final = a.final) AS tied,
       c.device, c.driver, c.toolkit, c.l2, c.method, c.inputs, t.measured_at, lower(hex(t.id)) AS id
FROM winner AS a
JOIN trials AS t ON t.id = a.trial
JOIN contests AS n ON n.id = a.contest
JOIN classes AS c ON c.id = n.class
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
WHERE a.kernel IS NULL;
CREATE VIEW final AS
SELECT p.family, p.size, p.type, p.row_padding, l.measured_at, l.rounds, l.throttled_rounds, e.place,
       k.name AS kernel, t.role, f.json AS configuration, e.ratio, e.ratio_low, e.ratio_high, e.tied,
       e.trial = l.chosen AS chosen, c.device, c.driver, c.toolkit, c.l2, c.method, c.inputs, lower(hex(e.trial)) AS id
FROM finals AS l
JOIN final_entries AS e ON e.final = l.id
JOIN trials AS t ON t.id = e.trial
JOIN contests AS n ON n.id = l.contest
JOIN classes AS c ON c.id = n.class
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
WHERE (SELECT competes FROM trials WHERE id = l.chosen) = 1;
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
COMMIT;
