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
INSERT INTO classes VALUES(X'2c6c62a0dc99e730ba58a5e90475cfef','AMD EPYC','cpu-1 with 2 workers','g++ 12.2.0 runtime 567cdaf5','float','warm','standard-3','spec');
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
CREATE TABLE contests (
  id      BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  class   BLOB NOT NULL REFERENCES classes (id),
  problem BLOB NOT NULL REFERENCES problems (id)
) STRICT, WITHOUT ROWID;
INSERT INTO contests VALUES(X'aa261fd4717cfc5a33eaec8f748f5708',X'2c6c62a0dc99e730ba58a5e90475cfef',X'0b69f04f145df29676180b46f2175bdb');
INSERT INTO contests VALUES(X'2290a9c57fd22ede0b8d354d863783a1',X'2c6c62a0dc99e730ba58a5e90475cfef',X'0f715633092a899f6d5aa2f3d6344acf');
CREATE TABLE kernels (
  id         BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  family     TEXT NOT NULL CHECK (length(family) <= 256),
  name       TEXT NOT NULL CHECK (length(name) <= 256),
  -- Names in the order the spec writes them; a configuration's own JSON has its keys sorted.
  parameters TEXT NOT NULL CHECK (length(parameters) <= 65536)
) STRICT, WITHOUT ROWID;
INSERT INTO kernels VALUES(X'5dd0a739b9f44e9b253423d92f6fcf4d','counting','other','["BLOCK","LOSE_ONE"]');
INSERT INTO kernels VALUES(X'f0468e723a664c30a9d6ccb62727a648','counting','count','["BLOCK","LOSE_ONE"]');
CREATE TABLE kernel_sources (
  family TEXT NOT NULL CHECK (length(family) <= 256),
  kernel TEXT NOT NULL CHECK (length(kernel) <= 256),
  source BLOB NOT NULL CHECK (length(source) = 16),  -- digest of the texts, the reference's included
  PRIMARY KEY (family, kernel)
) STRICT, WITHOUT ROWID;
INSERT INTO kernel_sources VALUES('counting','count',X'c02a565ef8499053e853c1f76332a6e6');
INSERT INTO kernel_sources VALUES('counting','other',X'c02a565ef8499053e853c1f76332a6e6');
CREATE TABLE configurations (
  id   BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  json TEXT NOT NULL CHECK (length(json) <= 65536)  -- canonical: keys sorted, no blanks
) STRICT, WITHOUT ROWID;
INSERT INTO configurations VALUES(X'258806ae3c2c816f156759bb5efc6cf6','{"BLOCK":32,"LOSE_ONE":0}');
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
INSERT INTO runs VALUES(X'2df72209aa2b9f301656ca524848b61f','tuner run --kernel count.toml --kernel other.toml --device cpu --sizes 100,200 --db v1.db --ceilings off --seed 1','2026-11-22T10:01:47.288947Z','2026-11-22T10:01:51.204238Z','done','vm','0.1.0',1,X'61189f9d4e7fd941cf5527dfc4366e18','cpu','g++ 12.2.0 runtime 567cdaf5',16);
INSERT INTO runs VALUES(X'4d46b5aa42fbefbb77ca4883655e1704','tuner run --kernel count.toml --kernel other.toml --device cpu --sizes 100,200 --db v1.db --ceilings off --seed 2','2026-11-22T10:01:51.290983Z','2026-11-22T10:01:51.788391Z','done','vm','0.1.0',2,X'61189f9d4e7fd941cf5527dfc4366e18','cpu','g++ 12.2.0 runtime 567cdaf5',16);
CREATE TABLE binaries (
  id         BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  compile_ms REAL NOT NULL,
  log        TEXT NOT NULL CHECK (length(log) <= 16777216)
) STRICT;
INSERT INTO binaries VALUES(X'4324d6049922103008fb9e5f3c0c1801',1570.9086250000000291,'');
INSERT INTO binaries VALUES(X'c8dfe72aa82d5d12c929e77be4263994',1579.636686999999938,'');
INSERT INTO binaries VALUES(X'194a490f387763ccce7a5ef55b1c89f9',1614.7874500000000352,'');
INSERT INTO binaries VALUES(X'6629cd479ce1624b3cb823fb80c2f405',1635.4844550000000254,'');
INSERT INTO binaries VALUES(X'39055fd095e849e99b43886897a7744d',445.43916500000000271,'');
INSERT INTO binaries VALUES(X'fa42232ebe5d4822967498c37970f38d',229.80430100000000949,'');
INSERT INTO binaries VALUES(X'ac3dc7c3ff5dc1b817aaf217f234b569',117.7876229999999964,'');
INSERT INTO binaries VALUES(X'6518dc13150564589139f033834abdaf',529.66994099999999434,'');
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
INSERT INTO binary_kernels VALUES(X'194a490f387763ccce7a5ef55b1c89f9','count','tuner_cpu_kernel_0',0,0,0,0,0,0,0);
INSERT INTO binary_kernels VALUES(X'39055fd095e849e99b43886897a7744d','count','tuner_cpu_kernel_0',0,0,0,0,0,0,0);
INSERT INTO binary_kernels VALUES(X'4324d6049922103008fb9e5f3c0c1801','count','tuner_cpu_kernel_0',0,0,0,0,0,0,0);
INSERT INTO binary_kernels VALUES(X'6518dc13150564589139f033834abdaf','count','tuner_cpu_kernel_0',0,0,0,0,0,0,0);
INSERT INTO binary_kernels VALUES(X'6629cd479ce1624b3cb823fb80c2f405','count','tuner_cpu_kernel_0',0,0,0,0,0,0,0);
INSERT INTO binary_kernels VALUES(X'ac3dc7c3ff5dc1b817aaf217f234b569','count','tuner_cpu_kernel_0',0,0,0,0,0,0,0);
INSERT INTO binary_kernels VALUES(X'c8dfe72aa82d5d12c929e77be4263994','count','tuner_cpu_kernel_0',0,0,0,0,0,0,0);
INSERT INTO binary_kernels VALUES(X'fa42232ebe5d4822967498c37970f38d','count','tuner_cpu_kernel_0',0,0,0,0,0,0,0);
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
INSERT INTO trials VALUES(X'3ff39c252172aaf674814528c435f32d',X'2290a9c57fd22ede0b8d354d863783a1',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'e0f8cd5a425ab2c51b0d5efb16a3040f',0,X'5f7fe0aaa6074386fba19b8eec779755',1,X'4324d6049922103008fb9e5f3c0c1801','count',2,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'ok','',0,1,0.0,0.0,0,NULL,'x',335361.5,317462.0,3990443.0,'{"elements/ns":0.00029818568917421945}',NULL,NULL,'2026-11-22T10:01:49.395076Z',X'2df72209aa2b9f301656ca524848b61f',X'506786b1d624a1c1cc15fc0a806dcd02');
INSERT INTO trials VALUES(X'7e7dbfe3200e46c18a8692ee6cd8a7dc',X'2290a9c57fd22ede0b8d354d863783a1',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'258806ae3c2c816f156759bb5efc6cf6',1,X'5f7fe0aaa6074386fba19b8eec779755',1,X'c8dfe72aa82d5d12c929e77be4263994','count',4,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'ok','',0,1,0.0,0.0,0,NULL,'x',1903.6397153945665649,1649.6921086675290553,7372.3337645536867056,'{"elements/ns":0.05253094857777384}',NULL,NULL,'2026-11-22T10:01:51.159010Z',X'2df72209aa2b9f301656ca524848b61f',X'98ef27a8f2f5377d642f586a6288ed06');
INSERT INTO trials VALUES(X'56f18b82a7c062d082154ae0f4ef3db5',X'2290a9c57fd22ede0b8d354d863783a1',X'f0468e723a664c30a9d6ccb62727a648',X'258806ae3c2c816f156759bb5efc6cf6',1,X'5f7fe0aaa6074386fba19b8eec779755',1,X'c8dfe72aa82d5d12c929e77be4263994','count',4,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'ok','',0,1,0.0,0.0,0,NULL,'x',3450.4695000000001527,1409.4220000000000254,6005.2460000000000947,'{"elements/ns":0.0289815632336411}',NULL,NULL,'2026-11-22T10:01:51.159000Z',X'2df72209aa2b9f301656ca524848b61f',X'9a8b0ff948be4593da94a06fcc33a8f7');
INSERT INTO trials VALUES(X'd09f4313acd1277725e79e5ff29bb39f',X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648',X'258806ae3c2c816f156759bb5efc6cf6',1,X'5f7fe0aaa6074386fba19b8eec779755',1,X'c8dfe72aa82d5d12c929e77be4263994','count',7,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'ok','',0,1,0.0,0.0,0,NULL,'x',2508.9403669724770224,2236.9082568807339157,11676.947247706422785,'{"elements/ns":0.07971492771720946}',NULL,NULL,'2026-11-22T10:01:51.201875Z',X'2df72209aa2b9f301656ca524848b61f',X'8b54f310c5969df5599e1c98dbbd81ec');
INSERT INTO trials VALUES(X'f855b81bdcad93911e7709c90886fd13',X'aa261fd4717cfc5a33eaec8f748f5708',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'258806ae3c2c816f156759bb5efc6cf6',1,X'5f7fe0aaa6074386fba19b8eec779755',1,X'c8dfe72aa82d5d12c929e77be4263994','count',7,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'dropped','',0,1,0.0,0.0,0,NULL,'x',19884.277272727271338,19884.277272727271338,19884.277272727271338,'{"elements/ns":0.010058198105812701}',NULL,NULL,'2026-11-22T10:01:49.473725Z',X'2df72209aa2b9f301656ca524848b61f',X'af409bbdd408fc74e960da60974305f3');
INSERT INTO trials VALUES(X'46169d64b8033ed1ac422fe1df63290c',X'2290a9c57fd22ede0b8d354d863783a1',X'f0468e723a664c30a9d6ccb62727a648',X'b701d1cb6650e01ac2bf3bc070ee3577',0,X'5f7fe0aaa6074386fba19b8eec779755',1,X'194a490f387763ccce7a5ef55b1c89f9','count',2,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on a probe with buffers x of 2343: on the second draw of inputs: 1 of the 2343 elements of x are wrong, the first at index 2342: never written, not a number, or not equal where equality is asked for; a kernel for whole tiles alone says so in its constraints',0,1,1e999,1e999,1,2342,'x',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T10:01:50.648523Z',X'2df72209aa2b9f301656ca524848b61f',NULL);
INSERT INTO trials VALUES(X'3adb3813cdd6bb2f6b70cac7f2358e4e',X'2290a9c57fd22ede0b8d354d863783a1',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'b701d1cb6650e01ac2bf3bc070ee3577',0,X'5f7fe0aaa6074386fba19b8eec779755',1,X'194a490f387763ccce7a5ef55b1c89f9','count',2,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on the second draw of inputs: 1 of the 100 elements of x are wrong, the first at index 99: never written, not a number, or not equal where equality is asked for',0,1,1e999,1e999,1,99,'x',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T10:01:50.650839Z',X'2df72209aa2b9f301656ca524848b61f',NULL);
INSERT INTO trials VALUES(X'8340c58e27ce8fd9e084a8cc0e3f8564',X'2290a9c57fd22ede0b8d354d863783a1',X'f0468e723a664c30a9d6ccb62727a648',X'e0f8cd5a425ab2c51b0d5efb16a3040f',0,X'5f7fe0aaa6074386fba19b8eec779755',1,X'4324d6049922103008fb9e5f3c0c1801','count',2,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'dropped','',0,1,0.0,0.0,0,NULL,'x',319496.0,319496.0,319496.0,'{"elements/ns":0.00031299296391817114}',NULL,NULL,'2026-11-22T10:01:50.652886Z',X'2df72209aa2b9f301656ca524848b61f',X'75379879f9b754d4672665085c320fd9');
INSERT INTO trials VALUES(X'fed9aa3e21ded2775866f269eb5a0645',X'aa261fd4717cfc5a33eaec8f748f5708',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'b701d1cb6650e01ac2bf3bc070ee3577',0,X'5f7fe0aaa6074386fba19b8eec779755',1,X'194a490f387763ccce7a5ef55b1c89f9','count',4,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on the second draw of inputs: 1 of the 200 elements of x are wrong, the first at index 199: never written, not a number, or not equal where equality is asked for',0,1,1e999,1e999,1,199,'x',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T10:01:50.655280Z',X'2df72209aa2b9f301656ca524848b61f',NULL);
INSERT INTO trials VALUES(X'55435f34a5575adab69c83dec03a1121',X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648',X'e0f8cd5a425ab2c51b0d5efb16a3040f',0,X'5f7fe0aaa6074386fba19b8eec779755',1,X'4324d6049922103008fb9e5f3c0c1801','count',4,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'dropped','',0,1,0.0,0.0,0,NULL,'x',576797.0,576797.0,576797.0,'{"elements/ns":0.00034674244144820447}',NULL,NULL,'2026-11-22T10:01:50.657591Z',X'2df72209aa2b9f301656ca524848b61f',X'75ce0ad88609b53d0aeca044ac5705a7');
INSERT INTO trials VALUES(X'2908f205ce98801fcb20bb62b9c248f3',X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648',X'b701d1cb6650e01ac2bf3bc070ee3577',0,X'5f7fe0aaa6074386fba19b8eec779755',1,X'194a490f387763ccce7a5ef55b1c89f9','count',4,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on the second draw of inputs: 1 of the 200 elements of x are wrong, the first at index 199: never written, not a number, or not equal where equality is asked for',0,1,1e999,1e999,1,199,'x',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T10:01:50.661224Z',X'2df72209aa2b9f301656ca524848b61f',NULL);
INSERT INTO trials VALUES(X'01e6a613af361589cb7ac840923c539a',X'aa261fd4717cfc5a33eaec8f748f5708',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'e0f8cd5a425ab2c51b0d5efb16a3040f',0,X'5f7fe0aaa6074386fba19b8eec779755',1,X'4324d6049922103008fb9e5f3c0c1801','count',4,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'dropped','',0,1,0.0,0.0,0,NULL,'x',4062939.0,4062939.0,4062939.0,'{"elements/ns":4.922544985292666e-05}',NULL,NULL,'2026-11-22T10:01:50.672796Z',X'2df72209aa2b9f301656ca524848b61f',X'0dc535bdbf102eebdee6523b25f1833b');
INSERT INTO trials VALUES(X'a8378a21afd5d3e7cdaee1605a87c78b',X'2290a9c57fd22ede0b8d354d863783a1',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'e86b5ab0b5d12db4514780fa6dfbdd7b',0,X'5f7fe0aaa6074386fba19b8eec779755',1,X'6629cd479ce1624b3cb823fb80c2f405','count',4,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on a probe with buffers x of 2343: on the second draw of inputs: 1 of the 2343 elements of x are wrong, the first at index 2342: never written, not a number, or not equal where equality is asked for; a kernel for whole tiles alone says so in its constraints',0,1,1e999,1e999,1,2342,'x',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T10:01:50.676519Z',X'2df72209aa2b9f301656ca524848b61f',NULL);
INSERT INTO trials VALUES(X'24e2e4d9352f8d3674372e6fb6b01f6e',X'2290a9c57fd22ede0b8d354d863783a1',X'f0468e723a664c30a9d6ccb62727a648',X'e86b5ab0b5d12db4514780fa6dfbdd7b',0,X'5f7fe0aaa6074386fba19b8eec779755',1,X'6629cd479ce1624b3cb823fb80c2f405','count',4,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on the second draw of inputs: 1 of the 100 elements of x are wrong, the first at index 99: never written, not a number, or not equal where equality is asked for',0,1,1e999,1e999,1,99,'x',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T10:01:50.679039Z',X'2df72209aa2b9f301656ca524848b61f',NULL);
INSERT INTO trials VALUES(X'e7a5ff452a15837eb347724b94e5d9a7',X'aa261fd4717cfc5a33eaec8f748f5708',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'e86b5ab0b5d12db4514780fa6dfbdd7b',0,X'5f7fe0aaa6074386fba19b8eec779755',1,X'6629cd479ce1624b3cb823fb80c2f405','count',7,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on the second draw of inputs: 1 of the 200 elements of x are wrong, the first at index 199: never written, not a number, or not equal where equality is asked for',0,1,1e999,1e999,1,199,'x',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T10:01:50.692345Z',X'2df72209aa2b9f301656ca524848b61f',NULL);
INSERT INTO trials VALUES(X'376ccf40349ddf2deb729c5570251cb9',X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648',X'e86b5ab0b5d12db4514780fa6dfbdd7b',0,X'5f7fe0aaa6074386fba19b8eec779755',1,X'6629cd479ce1624b3cb823fb80c2f405','count',7,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on the second draw of inputs: 1 of the 200 elements of x are wrong, the first at index 199: never written, not a number, or not equal where equality is asked for',0,1,1e999,1e999,1,199,'x',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T10:01:51.166006Z',X'2df72209aa2b9f301656ca524848b61f',NULL);
INSERT INTO trials VALUES(X'ca393f9a2f55e63689537e5a220b4869',X'2290a9c57fd22ede0b8d354d863783a1',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'b701d1cb6650e01ac2bf3bc070ee3577',0,X'c02a565ef8499053e853c1f76332a6e6',0,X'39055fd095e849e99b43886897a7744d','count',2,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on a probe with buffers x of 2343: on the second draw of inputs: 1 of the 2343 elements of x are wrong, the first at index 2342: never written, not a number, or not equal where equality is asked for; a kernel for whole tiles alone says so in its constraints',0,1,1e999,1e999,1,2342,'x',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T10:01:51.328830Z',X'4d46b5aa42fbefbb77ca4883655e1704',NULL);
INSERT INTO trials VALUES(X'abdee7cdd59701c0bda686935053a197',X'2290a9c57fd22ede0b8d354d863783a1',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'e86b5ab0b5d12db4514780fa6dfbdd7b',0,X'c02a565ef8499053e853c1f76332a6e6',0,X'fa42232ebe5d4822967498c37970f38d','count',4,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on a probe with buffers x of 2343: on the second draw of inputs: 1 of the 2343 elements of x are wrong, the first at index 2342: never written, not a number, or not equal where equality is asked for; a kernel for whole tiles alone says so in its constraints',0,1,1e999,1e999,1,2342,'x',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T10:01:51.333164Z',X'4d46b5aa42fbefbb77ca4883655e1704',NULL);
INSERT INTO trials VALUES(X'c899dfc99a76da068ac6a0f1e6338948',X'2290a9c57fd22ede0b8d354d863783a1',X'f0468e723a664c30a9d6ccb62727a648',X'e0f8cd5a425ab2c51b0d5efb16a3040f',0,X'c02a565ef8499053e853c1f76332a6e6',0,X'ac3dc7c3ff5dc1b817aaf217f234b569','count',2,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'ok','',0,1,0.0,0.0,0,NULL,'x',471620.5,466581.0,483523.0,'{"elements/ns":0.0002120348882205078}',NULL,NULL,'2026-11-22T10:01:51.638570Z',X'4d46b5aa42fbefbb77ca4883655e1704',X'0eb08be364a4d22dd0c312b903840b35');
INSERT INTO trials VALUES(X'29c132aa676035752b0d9f899ad6f6c8',X'2290a9c57fd22ede0b8d354d863783a1',X'f0468e723a664c30a9d6ccb62727a648',X'258806ae3c2c816f156759bb5efc6cf6',1,X'c02a565ef8499053e853c1f76332a6e6',0,X'6518dc13150564589139f033834abdaf','count',4,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'ok','',0,1,0.0,0.0,0,NULL,'x',1267.1946564885497537,1249.011450381679424,7436.7900763358775295,'{"elements/ns":0.07891447417960572}',NULL,NULL,'2026-11-22T10:01:51.699246Z',X'4d46b5aa42fbefbb77ca4883655e1704',X'ca29f942b188c9d1b370c3962477234d');
INSERT INTO trials VALUES(X'58912320f63b057cc22d6d086832df13',X'2290a9c57fd22ede0b8d354d863783a1',X'f0468e723a664c30a9d6ccb62727a648',X'b701d1cb6650e01ac2bf3bc070ee3577',0,X'c02a565ef8499053e853c1f76332a6e6',0,X'39055fd095e849e99b43886897a7744d','count',2,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on the second draw of inputs: 1 of the 100 elements of x are wrong, the first at index 99: never written, not a number, or not equal where equality is asked for',0,1,1e999,1e999,1,99,'x',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T10:01:51.655410Z',X'4d46b5aa42fbefbb77ca4883655e1704',NULL);
INSERT INTO trials VALUES(X'0305ceeaffceeb2936dfc582c16879c8',X'2290a9c57fd22ede0b8d354d863783a1',X'f0468e723a664c30a9d6ccb62727a648',X'e86b5ab0b5d12db4514780fa6dfbdd7b',0,X'c02a565ef8499053e853c1f76332a6e6',0,X'fa42232ebe5d4822967498c37970f38d','count',4,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on the second draw of inputs: 1 of the 100 elements of x are wrong, the first at index 99: never written, not a number, or not equal where equality is asked for',0,1,1e999,1e999,1,99,'x',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T10:01:51.656996Z',X'4d46b5aa42fbefbb77ca4883655e1704',NULL);
INSERT INTO trials VALUES(X'53538f7c0da2ae571a3f2e44476c79b4',X'2290a9c57fd22ede0b8d354d863783a1',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'e0f8cd5a425ab2c51b0d5efb16a3040f',0,X'c02a565ef8499053e853c1f76332a6e6',0,X'ac3dc7c3ff5dc1b817aaf217f234b569','count',2,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'dropped','',0,1,0.0,0.0,0,NULL,'x',498000.0,498000.0,498000.0,'{"elements/ns":0.00020080321285140563}',NULL,NULL,'2026-11-22T10:01:51.661275Z',X'4d46b5aa42fbefbb77ca4883655e1704',X'17de8832fbabe630b8d6876a20794625');
INSERT INTO trials VALUES(X'86cdda4be3590908144b2cb519ea0f65',X'2290a9c57fd22ede0b8d354d863783a1',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'258806ae3c2c816f156759bb5efc6cf6',1,X'c02a565ef8499053e853c1f76332a6e6',0,X'6518dc13150564589139f033834abdaf','count',4,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'dropped','',0,1,0.0,0.0,0,NULL,'x',9792.519230769230489,9792.519230769230489,9792.519230769230489,'{"elements/ns":0.010211876805489278}',NULL,NULL,'2026-11-22T10:01:51.668177Z',X'4d46b5aa42fbefbb77ca4883655e1704',X'e744994f73d1202e856333a73642376c');
INSERT INTO trials VALUES(X'e930ad1390dc29f30b117511325c06f5',X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648',X'258806ae3c2c816f156759bb5efc6cf6',1,X'c02a565ef8499053e853c1f76332a6e6',0,X'6518dc13150564589139f033834abdaf','count',7,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'ok','',0,1,0.0,0.0,0,NULL,'x',6036.6586475942785911,2259.0182054616384447,10751.094928478543807,'{"elements/ns":0.03313091093525782}',NULL,NULL,'2026-11-22T10:01:51.787040Z',X'4d46b5aa42fbefbb77ca4883655e1704',X'8f61ce55fd18f009172631735567735f');
INSERT INTO trials VALUES(X'8007eb3253292a2a653416c12a7a9c6a',X'aa261fd4717cfc5a33eaec8f748f5708',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'e0f8cd5a425ab2c51b0d5efb16a3040f',0,X'c02a565ef8499053e853c1f76332a6e6',0,X'ac3dc7c3ff5dc1b817aaf217f234b569','count',4,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'dropped','',0,1,0.0,0.0,0,NULL,'x',993546.0,993546.0,993546.0,'{"elements/ns":0.00020129918493960017}',NULL,NULL,'2026-11-22T10:01:51.705648Z',X'4d46b5aa42fbefbb77ca4883655e1704',X'ed703bf7e2b448c3d1367d403b567064');
INSERT INTO trials VALUES(X'adff2e052e037571f5153af1ee847c27',X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648',X'e0f8cd5a425ab2c51b0d5efb16a3040f',0,X'c02a565ef8499053e853c1f76332a6e6',0,X'ac3dc7c3ff5dc1b817aaf217f234b569','count',4,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'dropped','',0,1,0.0,0.0,0,NULL,'x',988065.0,988065.0,988065.0,'{"elements/ns":0.00020241583296645463}',NULL,NULL,'2026-11-22T10:01:51.708425Z',X'4d46b5aa42fbefbb77ca4883655e1704',X'96f9cf52c37ed0093647ba1502d69c34');
INSERT INTO trials VALUES(X'4ac89e76a10ee0d8f00fc2212672b368',X'aa261fd4717cfc5a33eaec8f748f5708',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'e86b5ab0b5d12db4514780fa6dfbdd7b',0,X'c02a565ef8499053e853c1f76332a6e6',0,X'fa42232ebe5d4822967498c37970f38d','count',7,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on the second draw of inputs: 1 of the 200 elements of x are wrong, the first at index 199: never written, not a number, or not equal where equality is asked for',0,1,1e999,1e999,1,199,'x',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T10:01:51.709946Z',X'4d46b5aa42fbefbb77ca4883655e1704',NULL);
INSERT INTO trials VALUES(X'3b8f2486ef1e162b9b850fa4d14cb286',X'aa261fd4717cfc5a33eaec8f748f5708',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'258806ae3c2c816f156759bb5efc6cf6',1,X'c02a565ef8499053e853c1f76332a6e6',0,X'6518dc13150564589139f033834abdaf','count',7,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'dropped','',0,1,0.0,0.0,0,NULL,'x',2865.4823008849557481,2550.1150442477874093,2920.9867256637166974,'{"elements/ns":0.06979627825243707}',NULL,NULL,'2026-11-22T10:01:51.719758Z',X'4d46b5aa42fbefbb77ca4883655e1704',X'cb4876bfbcf9ab1032d2ecd1802276f4');
INSERT INTO trials VALUES(X'6059020327d0ae6d630765f8545422ac',X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648',X'e86b5ab0b5d12db4514780fa6dfbdd7b',0,X'c02a565ef8499053e853c1f76332a6e6',0,X'fa42232ebe5d4822967498c37970f38d','count',7,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on the second draw of inputs: 1 of the 200 elements of x are wrong, the first at index 199: never written, not a number, or not equal where equality is asked for',0,1,1e999,1e999,1,199,'x',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T10:01:51.721721Z',X'4d46b5aa42fbefbb77ca4883655e1704',NULL);
INSERT INTO trials VALUES(X'323512c624d0f667fc0361ff8ad597d5',X'aa261fd4717cfc5a33eaec8f748f5708',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'b701d1cb6650e01ac2bf3bc070ee3577',0,X'c02a565ef8499053e853c1f76332a6e6',0,X'39055fd095e849e99b43886897a7744d','count',4,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on the second draw of inputs: 1 of the 200 elements of x are wrong, the first at index 199: never written, not a number, or not equal where equality is asked for',0,1,1e999,1e999,1,199,'x',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T10:01:51.724545Z',X'4d46b5aa42fbefbb77ca4883655e1704',NULL);
INSERT INTO trials VALUES(X'fcbd2bc7ed33adab508a1edcd10be382',X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648',X'b701d1cb6650e01ac2bf3bc070ee3577',0,X'c02a565ef8499053e853c1f76332a6e6',0,X'39055fd095e849e99b43886897a7744d','count',4,1,1,64,1,1,0,NULL,NULL,NULL,NULL,NULL,'wrong_result','on the second draw of inputs: 1 of the 200 elements of x are wrong, the first at index 199: never written, not a number, or not equal where equality is asked for',0,1,1e999,1e999,1,199,'x',NULL,NULL,NULL,'{}',NULL,NULL,'2026-11-22T10:01:51.729514Z',X'4d46b5aa42fbefbb77ca4883655e1704',NULL);
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
INSERT INTO measurements VALUES(X'506786b1d624a1c1cc15fc0a806dcd02',X'3ff39c252172aaf674814528c435f32d',X'2df72209aa2b9f301656ca524848b61f','2026-11-22T10:01:49.395076Z','ok',X'010a00000028b52ffd205075010044020000808000d57fac0f14f87458687471900b2ee20dc360d6464e4e134c1414131313204103100017970d060b',1,335361.5,317462.0,3990443.0,312043.0,0.0,0,0.0,0.0,0);
INSERT INTO measurements VALUES(X'bd0492fc48983f96603fc52992a05158',X'7e7dbfe3200e46c18a8692ee6cd8a7dc',X'2df72209aa2b9f301656ca524848b61f','2026-11-22T10:01:49.433148Z','ok',X'010a00000028b52ffd20508102002bcd26d5cfcf20a2d52810cc4eef2d2d8cbcefaf46ccfdb97171b486b9a1dacc9e25eaea63f225bc31cc5b4ef7f705e24e86b061eecd880492eccb8cb1a59a9b9b9c9bf4969340404040404040404040',190,1771.9157894736840717,1458.8263157894737105,4528.1947368421051579,1251.1315789473683253,0.0,0,0.0,0.0,1);
INSERT INTO measurements VALUES(X'267f7a19f433ca6efff13514681269f5',X'56f18b82a7c062d082154ae0f4ef3db5',X'2df72209aa2b9f301656ca524848b61f','2026-11-22T10:01:49.452190Z','ok',X'010a00000028b52ffd20508102005c8bd716c15cb17cee3e01d4e4170438131a698d6e3f674e81d53b6184b0ce32dfb5d276b1b9e5dc50e6af5d9a9913a79ed3452de1124824f731f6489b9c9b9c9ba09a9b9b9b40404040404040404040',377,1765.3143236074270134,1740.4137931034483699,1803.4748010610080655,1725.7692307692307167,0.0,0,0.0,0.0,1);
INSERT INTO measurements VALUES(X'797b7c0d806d3860bd3f437f9cad6f58',X'd09f4313acd1277725e79e5ff29bb39f',X'2df72209aa2b9f301656ca524848b61f','2026-11-22T10:01:49.465987Z','ok',X'010a00000028b52ffd2050350200a403339a3bd4330f25cd339a3399a84133ea49cc33993399831d33a0923ad4330e24cc3399f3f953ab4a972a741e816f6ec0e4a6a1a1a1a3a1a1a140030071850545e85e650c',70,2246.2642857142855064,2231.3000000000001818,8359.899999999999636,2197.0999999999999089,0.0,0,0.0,0.0,1);
INSERT INTO measurements VALUES(X'af409bbdd408fc74e960da60974305f3',X'f855b81bdcad93911e7709c90886fd13',X'2df72209aa2b9f301656ca524848b61f','2026-11-22T10:01:49.473725Z','dropped',X'010100000028b52ffd2008410000ed1bd6be116bd340',220,19884.277272727271338,19884.277272727271338,19884.277272727271338,19884.277272727271338,0.0,0,0.0,0.0,0);
INSERT INTO measurements VALUES(X'75379879f9b754d4672665085c320fd9',X'8340c58e27ce8fd9e084a8cc0e3f8564',X'2df72209aa2b9f301656ca524848b61f','2026-11-22T10:01:50.652886Z','dropped',X'010100000028b52ffd20084100000000000020801341',1,319496.0,319496.0,319496.0,319496.0,0.0,0,0.0,0.0,0);
INSERT INTO measurements VALUES(X'75ce0ad88609b53d0aeca044ac5705a7',X'55435f34a5575adab69c83dec03a1121',X'2df72209aa2b9f301656ca524848b61f','2026-11-22T10:01:50.657591Z','dropped',X'010100000028b52ffd2008410000000000003a9a2141',1,576797.0,576797.0,576797.0,576797.0,0.0,0,0.0,0.0,0);
INSERT INTO measurements VALUES(X'0dc535bdbf102eebdee6523b25f1833b',X'01e6a613af361589cb7ac840923c539a',X'2df72209aa2b9f301656ca524848b61f','2026-11-22T10:01:50.672796Z','dropped',X'010100000028b52ffd2008410000000000806dff4e41',1,4062939.0,4062939.0,4062939.0,4062939.0,0.0,0,0.0,0.0,0);
INSERT INTO measurements VALUES(X'9a8b0ff948be4593da94a06fcc33a8f7',X'56f18b82a7c062d082154ae0f4ef3db5',X'2df72209aa2b9f301656ca524848b61f','2026-11-22T10:01:51.159000Z','ok',X'011400000028b52ffd20a0ad0400d4085e04cf0e3352c7425ac323a671b29edd17d12b6dba56f72d33b84b6064f5db9b3d9def24d92287e7490e53b2331e37e53b28f9c40aefa706cedb16fb0c2de39d338589d0df5c7e20d7a7c681f7f9d9a982b2252fd3eb8122cf0f0ab0a3668b95f33e4e718c3778a986e997062fa00605e7406db9df752756bd99c1b0b993a494b995b69693b5ba96b3b79a944001008d044801',1000,3450.4695000000001527,1409.4220000000000254,6005.2460000000000947,1273.9100000000000819,0.0,0,0.0,0.0,1);
INSERT INTO measurements VALUES(X'98ef27a8f2f5377d642f586a6288ed06',X'7e7dbfe3200e46c18a8692ee6cd8a7dc',X'2df72209aa2b9f301656ca524848b61f','2026-11-22T10:01:51.159010Z','ok',X'011400000028b52ffd20a0ad0400d4082943d0b0a89ba2598388ee7fa616cb8ea2c46fd0e7714f96343c3864e4143d4d025952aa9ebdbd1c0e2203a5ad75115d765a419e9897ce996d27f455f7b8fe9c31865c2e85303f3a710b1d70f1e839339ec4cd3be2e2e2e449160d4355f9eebc3ba7dde156c6365c31644d4e12fc1ca5ccaaf51b4bfde2d2bb999c9c9dbec1b894bf9d93bca693999e93bec04001008d044801',773,1903.6397153945665649,1649.6921086675290553,7372.3337645536867056,1257.3156532988357411,0.0,0,0.0,0.0,1);
INSERT INTO measurements VALUES(X'8b54f310c5969df5599e1c98dbbd81ec',X'd09f4313acd1277725e79e5ff29bb39f',X'2df72209aa2b9f301656ca524848b61f','2026-11-22T10:01:51.201875Z','ok',X'010a00000028b52ffd2050810200553ded2631593bc8e644ccbe27b0b7022377568fad0b4b693a9b15e167efce07603f23f67320a4c248d1f37955932b7ae241f4792bceacb7923f20e2a4a1c7c6bba1a1a2a1aa40404040404040404040',436,2508.9403669724770224,2236.9082568807339157,11676.947247706422785,2192.4426605504586404,0.0,0,0.0,0.0,1);
INSERT INTO measurements VALUES(X'0eb08be364a4d22dd0c312b903840b35',X'c899dfc99a76da068ac6a0f1e6338948',X'4d46b5aa42fbefbb77ca4883655e1704','2026-11-22T10:01:51.638570Z','ok',X'010a00000028b52ffd20506d01002402000040bcb48c0c70c8ccb45434dddb9383b65be96f7ab51c1c1c1d1c501c1c1c1c410300e3ca890aee08b0',1,471620.5,466581.0,483523.0,465901.0,0.0,0,0.0,0.0,0);
INSERT INTO measurements VALUES(X'd88c897fc5f028d6536c83efb4f5ae52',X'29c132aa676035752b0d9f899ad6f6c8',X'4d46b5aa42fbefbb77ca4883655e1704','2026-11-22T10:01:51.653028Z','ok',X'010a00000028b52ffd20509d010064023c2dd33c2d78884bf1883c2dd23c2d78874bf0871cedc22861c5552d322f94382fc0bce793400400a008b8a14036942e4c',68,1233.7720588235292779,1227.8823529411765775,8272.2205882352936893,1227.2941176470587834,0.0,0,0.0,0.0,1);
INSERT INTO measurements VALUES(X'17de8832fbabe630b8d6876a20794625',X'53538f7c0da2ae571a3f2e44476c79b4',X'4d46b5aa42fbefbb77ca4883655e1704','2026-11-22T10:01:51.661275Z','dropped',X'010100000028b52ffd20084100000000000040651e41',1,498000.0,498000.0,498000.0,498000.0,0.0,0,0.0,0.0,0);
INSERT INTO measurements VALUES(X'e744994f73d1202e856333a73642376c',X'86cdda4be3590908144b2cb519ea0f65',X'4d46b5aa42fbefbb77ca4883655e1704','2026-11-22T10:01:51.668177Z','dropped',X'010100000028b52ffd2008410000766227764220c340',52,9792.519230769230489,9792.519230769230489,9792.519230769230489,9792.519230769230489,0.0,0,0.0,0.0,0);
INSERT INTO measurements VALUES(X'6c11d985443bce84693b0b078c3b3b84',X'e930ad1390dc29f30b117511325c06f5',X'4d46b5aa42fbefbb77ca4883655e1704','2026-11-22T10:01:51.686212Z','ok',X'010a00000028b52ffd20506502003404a01fb23eb8cc915534d1d67cc9f833db98552445aff026e02419b755e61714c19b83e6123355ed5da8076c0fed7324550c74cc97c9d5c96388868063a0d6a0a0a0a1400200a04a07000a',198,2148.8383838383838338,2115.1666666666665151,2225.7272727272725204,2112.0252525252526539,0.0,0,0.0,0.0,1);
INSERT INTO measurements VALUES(X'ca29f942b188c9d1b370c3962477234d',X'29c132aa676035752b0d9f899ad6f6c8',X'4d46b5aa42fbefbb77ca4883655e1704','2026-11-22T10:01:51.699246Z','ok',X'010a00000028b52ffd20505d02002404f0d54e5cace585d9428357b1481b3859945b4abf71b7c9a621463c1b9e8a4236b3b925f4cba66513ca4c8c0bcf0188b944520c7ecc8484cd4ad53fbebdce939493400200a0c65f000a',262,1267.1946564885497537,1249.011450381679424,7436.7900763358775295,1234.6335877862595679,0.0,0,0.0,0.0,1);
INSERT INTO measurements VALUES(X'ed703bf7e2b448c3d1367d403b567064',X'8007eb3253292a2a653416c12a7a9c6a',X'4d46b5aa42fbefbb77ca4883655e1704','2026-11-22T10:01:51.705648Z','dropped',X'010100000028b52ffd20084100000000000014522e41',1,993546.0,993546.0,993546.0,993546.0,0.0,0,0.0,0.0,0);
INSERT INTO measurements VALUES(X'96f9cf52c37ed0093647ba1502d69c34',X'adff2e052e037571f5153af1ee847c27',X'4d46b5aa42fbefbb77ca4883655e1704','2026-11-22T10:01:51.708425Z','dropped',X'010100000028b52ffd20084100000000000042272e41',1,988065.0,988065.0,988065.0,988065.0,0.0,0,0.0,0.0,0);
INSERT INTO measurements VALUES(X'cb4876bfbcf9ab1032d2ecd1802276f4',X'3b8f2486ef1e162b9b850fa4d14cb286',X'4d46b5aa42fbefbb77ca4883655e1704','2026-11-22T10:01:51.719758Z','dropped',X'010300000028b52ffd2018c1000093ae6f2f633f1b142434e7f0f93af6d1ec62a6a3a6404040',226,2865.4823008849557481,2550.1150442477874093,2920.9867256637166974,2550.1150442477874093,0.0,0,0.0,0.0,1);
INSERT INTO measurements VALUES(X'8f61ce55fd18f009172631735567735f',X'e930ad1390dc29f30b117511325c06f5',X'4d46b5aa42fbefbb77ca4883655e1704','2026-11-22T10:01:51.787040Z','ok',X'010a00000028b52ffd205081020088b1ad2c75849ea3678367ecf77da2732515cb76c939188818a58fbf9d9ca352b566b60f52c2262a1409e0ccddd108b78c8075a686c26afc6d1aff2cbda1bda0a2bccba8c4b240404040404040404040',769,6036.6586475942785911,2259.0182054616384447,10751.094928478543807,2145.3992197659299562,0.0,0,0.0,0.0,0);
CREATE TABLE finals (
  id               BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  contest          BLOB NOT NULL REFERENCES contests (id),
  chosen           BLOB NOT NULL REFERENCES trials (id),  -- by a rule among those that are tied
  rounds           INTEGER NOT NULL CHECK (rounds >= 0),
  throttled_rounds INTEGER NOT NULL CHECK (throttled_rounds >= 0),
  run              BLOB REFERENCES runs (id),
  measured_at      TEXT NOT NULL CHECK (length(measured_at) <= 64)  -- later than its contestants' measurements
) STRICT, WITHOUT ROWID;
INSERT INTO finals VALUES(X'792397c81aa816784fcedaa9ce5f9451',X'aa261fd4717cfc5a33eaec8f748f5708',X'd09f4313acd1277725e79e5ff29bb39f',10,0,X'2df72209aa2b9f301656ca524848b61f','2026-11-22T10:01:51.201885Z');
INSERT INTO finals VALUES(X'95030805dc1032ddc206717e04b59922',X'2290a9c57fd22ede0b8d354d863783a1',X'56f18b82a7c062d082154ae0f4ef3db5',60,0,X'2df72209aa2b9f301656ca524848b61f','2026-11-22T10:01:51.159011Z');
INSERT INTO finals VALUES(X'ad833d13fbd7b9250de095e1c7d78f1c',X'2290a9c57fd22ede0b8d354d863783a1',X'29c132aa676035752b0d9f899ad6f6c8',10,0,X'4d46b5aa42fbefbb77ca4883655e1704','2026-11-22T10:01:51.699255Z');
INSERT INTO finals VALUES(X'e261a404a653cacfca5e414a1f356d17',X'aa261fd4717cfc5a33eaec8f748f5708',X'e930ad1390dc29f30b117511325c06f5',10,0,X'4d46b5aa42fbefbb77ca4883655e1704','2026-11-22T10:01:51.787051Z');
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
INSERT INTO final_entries VALUES(X'792397c81aa816784fcedaa9ce5f9451',0,X'd09f4313acd1277725e79e5ff29bb39f',1.0,1.0,1.0,1);
INSERT INTO final_entries VALUES(X'95030805dc1032ddc206717e04b59922',0,X'56f18b82a7c062d082154ae0f4ef3db5',1.0,1.0,1.0,1);
INSERT INTO final_entries VALUES(X'95030805dc1032ddc206717e04b59922',1,X'7e7dbfe3200e46c18a8692ee6cd8a7dc',0.95660977487052445411,0.40141079677770136191,2.4881049764247227251,1);
INSERT INTO final_entries VALUES(X'ad833d13fbd7b9250de095e1c7d78f1c',0,X'29c132aa676035752b0d9f899ad6f6c8',1.0,1.0,1.0,1);
INSERT INTO final_entries VALUES(X'e261a404a653cacfca5e414a1f356d17',0,X'e930ad1390dc29f30b117511325c06f5',1.0,1.0,1.0,1);
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
INSERT INTO attempts VALUES(X'adac207e154143adeefc9953cdeb0b4d',X'3ff39c252172aaf674814528c435f32d',X'2290a9c57fd22ede0b8d354d863783a1',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'e0f8cd5a425ab2c51b0d5efb16a3040f',X'2df72209aa2b9f301656ca524848b61f','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29703,'2026-11-22T10:01:49.022715Z','2026-11-22T10:01:49.395557Z','ok','');
INSERT INTO attempts VALUES(X'32b4d20c9f8b08638d8a36d15b7efd49',X'7e7dbfe3200e46c18a8692ee6cd8a7dc',X'2290a9c57fd22ede0b8d354d863783a1',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'258806ae3c2c816f156759bb5efc6cf6',X'2df72209aa2b9f301656ca524848b61f','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29703,'2026-11-22T10:01:49.396607Z','2026-11-22T10:01:49.433456Z','ok','');
INSERT INTO attempts VALUES(X'e48d3ec61ca07775b56c0412954c3091',X'56f18b82a7c062d082154ae0f4ef3db5',X'2290a9c57fd22ede0b8d354d863783a1',X'f0468e723a664c30a9d6ccb62727a648',X'258806ae3c2c816f156759bb5efc6cf6',X'2df72209aa2b9f301656ca524848b61f','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29703,'2026-11-22T10:01:49.434947Z','2026-11-22T10:01:49.452490Z','ok','');
INSERT INTO attempts VALUES(X'ed949f60be091ffd1467ab14df815124',X'd09f4313acd1277725e79e5ff29bb39f',X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648',X'258806ae3c2c816f156759bb5efc6cf6',X'2df72209aa2b9f301656ca524848b61f','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29703,'2026-11-22T10:01:49.457453Z','2026-11-22T10:01:49.466222Z','ok','');
INSERT INTO attempts VALUES(X'4a86813e67e17c6456c414276eb24a7d',X'f855b81bdcad93911e7709c90886fd13',X'aa261fd4717cfc5a33eaec8f748f5708',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'258806ae3c2c816f156759bb5efc6cf6',X'2df72209aa2b9f301656ca524848b61f','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29703,'2026-11-22T10:01:49.467161Z','2026-11-22T10:01:49.474013Z','dropped','');
INSERT INTO attempts VALUES(X'358db304d6c77308f6668526ec385e2b',X'46169d64b8033ed1ac422fe1df63290c',X'2290a9c57fd22ede0b8d354d863783a1',X'f0468e723a664c30a9d6ccb62727a648',X'b701d1cb6650e01ac2bf3bc070ee3577',X'2df72209aa2b9f301656ca524848b61f','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29703,'2026-11-22T10:01:50.639027Z','2026-11-22T10:01:50.648691Z','wrong_result','on a probe with buffers x of 2343: on the second draw of inputs: 1 of the 2343 elements of x are wrong, the first at index 2342: never written, not a number, or not equal where equality is asked for; a kernel for whole tiles alone says so in its constraints');
INSERT INTO attempts VALUES(X'c7d8568547f0f5fe197ef155a47dfd2d',X'3adb3813cdd6bb2f6b70cac7f2358e4e',X'2290a9c57fd22ede0b8d354d863783a1',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'b701d1cb6650e01ac2bf3bc070ee3577',X'2df72209aa2b9f301656ca524848b61f','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29703,'2026-11-22T10:01:50.649703Z','2026-11-22T10:01:50.650958Z','wrong_result','on the second draw of inputs: 1 of the 100 elements of x are wrong, the first at index 99: never written, not a number, or not equal where equality is asked for');
INSERT INTO attempts VALUES(X'c7ccc8812b746ca4c52bbe145656310c',X'8340c58e27ce8fd9e084a8cc0e3f8564',X'2290a9c57fd22ede0b8d354d863783a1',X'f0468e723a664c30a9d6ccb62727a648',X'e0f8cd5a425ab2c51b0d5efb16a3040f',X'2df72209aa2b9f301656ca524848b61f','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29703,'2026-11-22T10:01:50.651795Z','2026-11-22T10:01:50.653044Z','dropped','');
INSERT INTO attempts VALUES(X'456c6a47f4adb74eb05cf40741daffc8',X'fed9aa3e21ded2775866f269eb5a0645',X'aa261fd4717cfc5a33eaec8f748f5708',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'b701d1cb6650e01ac2bf3bc070ee3577',X'2df72209aa2b9f301656ca524848b61f','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29703,'2026-11-22T10:01:50.653943Z','2026-11-22T10:01:50.655392Z','wrong_result','on the second draw of inputs: 1 of the 200 elements of x are wrong, the first at index 199: never written, not a number, or not equal where equality is asked for');
INSERT INTO attempts VALUES(X'71fd15803986e76554d8d269cf508bd9',X'55435f34a5575adab69c83dec03a1121',X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648',X'e0f8cd5a425ab2c51b0d5efb16a3040f',X'2df72209aa2b9f301656ca524848b61f','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29703,'2026-11-22T10:01:50.656266Z','2026-11-22T10:01:50.657742Z','dropped','');
INSERT INTO attempts VALUES(X'cbf9421dd032098866e59161bcc67d20',X'2908f205ce98801fcb20bb62b9c248f3',X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648',X'b701d1cb6650e01ac2bf3bc070ee3577',X'2df72209aa2b9f301656ca524848b61f','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29703,'2026-11-22T10:01:50.658662Z','2026-11-22T10:01:50.661396Z','wrong_result','on the second draw of inputs: 1 of the 200 elements of x are wrong, the first at index 199: never written, not a number, or not equal where equality is asked for');
INSERT INTO attempts VALUES(X'901a48bd0e7a57bf23003b7f78a304be',X'01e6a613af361589cb7ac840923c539a',X'aa261fd4717cfc5a33eaec8f748f5708',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'e0f8cd5a425ab2c51b0d5efb16a3040f',X'2df72209aa2b9f301656ca524848b61f','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29703,'2026-11-22T10:01:50.664421Z','2026-11-22T10:01:50.673073Z','dropped','');
INSERT INTO attempts VALUES(X'8575c411816f3c6c7985f0d5e18f2789',X'a8378a21afd5d3e7cdaee1605a87c78b',X'2290a9c57fd22ede0b8d354d863783a1',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'e86b5ab0b5d12db4514780fa6dfbdd7b',X'2df72209aa2b9f301656ca524848b61f','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29703,'2026-11-22T10:01:50.673986Z','2026-11-22T10:01:50.676711Z','wrong_result','on a probe with buffers x of 2343: on the second draw of inputs: 1 of the 2343 elements of x are wrong, the first at index 2342: never written, not a number, or not equal where equality is asked for; a kernel for whole tiles alone says so in its constraints');
INSERT INTO attempts VALUES(X'5e859a7788aaa7c20330c8f65abe8f5a',X'24e2e4d9352f8d3674372e6fb6b01f6e',X'2290a9c57fd22ede0b8d354d863783a1',X'f0468e723a664c30a9d6ccb62727a648',X'e86b5ab0b5d12db4514780fa6dfbdd7b',X'2df72209aa2b9f301656ca524848b61f','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29703,'2026-11-22T10:01:50.677807Z','2026-11-22T10:01:50.679239Z','wrong_result','on the second draw of inputs: 1 of the 100 elements of x are wrong, the first at index 99: never written, not a number, or not equal where equality is asked for');
INSERT INTO attempts VALUES(X'9e4c6a672845c872c11751076d86d8b5',X'e7a5ff452a15837eb347724b94e5d9a7',X'aa261fd4717cfc5a33eaec8f748f5708',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'e86b5ab0b5d12db4514780fa6dfbdd7b',X'2df72209aa2b9f301656ca524848b61f','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29703,'2026-11-22T10:01:50.682647Z','2026-11-22T10:01:50.692578Z','wrong_result','on the second draw of inputs: 1 of the 200 elements of x are wrong, the first at index 199: never written, not a number, or not equal where equality is asked for');
INSERT INTO attempts VALUES(X'c399974108c62c142d67e207f98807a5',X'376ccf40349ddf2deb729c5570251cb9',X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648',X'e86b5ab0b5d12db4514780fa6dfbdd7b',X'2df72209aa2b9f301656ca524848b61f','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29703,'2026-11-22T10:01:51.164530Z','2026-11-22T10:01:51.166172Z','wrong_result','on the second draw of inputs: 1 of the 200 elements of x are wrong, the first at index 199: never written, not a number, or not equal where equality is asked for');
INSERT INTO attempts VALUES(X'95a06128458be155a9e033b5b1cb7a49',X'ca393f9a2f55e63689537e5a220b4869',X'2290a9c57fd22ede0b8d354d863783a1',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'b701d1cb6650e01ac2bf3bc070ee3577',X'4d46b5aa42fbefbb77ca4883655e1704','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29756,'2026-11-22T10:01:51.308464Z','2026-11-22T10:01:51.329149Z','wrong_result','on a probe with buffers x of 2343: on the second draw of inputs: 1 of the 2343 elements of x are wrong, the first at index 2342: never written, not a number, or not equal where equality is asked for; a kernel for whole tiles alone says so in its constraints');
INSERT INTO attempts VALUES(X'c38d9e3d82b39b99e084aae91740a55f',X'abdee7cdd59701c0bda686935053a197',X'2290a9c57fd22ede0b8d354d863783a1',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'e86b5ab0b5d12db4514780fa6dfbdd7b',X'4d46b5aa42fbefbb77ca4883655e1704','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29756,'2026-11-22T10:01:51.329895Z','2026-11-22T10:01:51.333319Z','wrong_result','on a probe with buffers x of 2343: on the second draw of inputs: 1 of the 2343 elements of x are wrong, the first at index 2342: never written, not a number, or not equal where equality is asked for; a kernel for whole tiles alone says so in its constraints');
INSERT INTO attempts VALUES(X'f984c26e882c29498ebd71c786512488',X'c899dfc99a76da068ac6a0f1e6338948',X'2290a9c57fd22ede0b8d354d863783a1',X'f0468e723a664c30a9d6ccb62727a648',X'e0f8cd5a425ab2c51b0d5efb16a3040f',X'4d46b5aa42fbefbb77ca4883655e1704','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29756,'2026-11-22T10:01:51.334558Z','2026-11-22T10:01:51.638847Z','ok','');
INSERT INTO attempts VALUES(X'a09dc96d93bf4b001d2f01bb3ce0e979',X'29c132aa676035752b0d9f899ad6f6c8',X'2290a9c57fd22ede0b8d354d863783a1',X'f0468e723a664c30a9d6ccb62727a648',X'258806ae3c2c816f156759bb5efc6cf6',X'4d46b5aa42fbefbb77ca4883655e1704','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29756,'2026-11-22T10:01:51.639603Z','2026-11-22T10:01:51.653285Z','ok','');
INSERT INTO attempts VALUES(X'315ff74b1d8ab26a6a41ff070dd773dc',X'58912320f63b057cc22d6d086832df13',X'2290a9c57fd22ede0b8d354d863783a1',X'f0468e723a664c30a9d6ccb62727a648',X'b701d1cb6650e01ac2bf3bc070ee3577',X'4d46b5aa42fbefbb77ca4883655e1704','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29756,'2026-11-22T10:01:51.654291Z','2026-11-22T10:01:51.655510Z','wrong_result','on the second draw of inputs: 1 of the 100 elements of x are wrong, the first at index 99: never written, not a number, or not equal where equality is asked for');
INSERT INTO attempts VALUES(X'014b5542d2f2c687b8fe8374d10d6eda',X'0305ceeaffceeb2936dfc582c16879c8',X'2290a9c57fd22ede0b8d354d863783a1',X'f0468e723a664c30a9d6ccb62727a648',X'e86b5ab0b5d12db4514780fa6dfbdd7b',X'4d46b5aa42fbefbb77ca4883655e1704','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29756,'2026-11-22T10:01:51.656008Z','2026-11-22T10:01:51.657089Z','wrong_result','on the second draw of inputs: 1 of the 100 elements of x are wrong, the first at index 99: never written, not a number, or not equal where equality is asked for');
INSERT INTO attempts VALUES(X'ddbe065f125eb6f8193517ca62240191',X'53538f7c0da2ae571a3f2e44476c79b4',X'2290a9c57fd22ede0b8d354d863783a1',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'e0f8cd5a425ab2c51b0d5efb16a3040f',X'4d46b5aa42fbefbb77ca4883655e1704','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29756,'2026-11-22T10:01:51.657551Z','2026-11-22T10:01:51.661489Z','dropped','');
INSERT INTO attempts VALUES(X'ec5a76e4e31e8564b7e2eab33d86ddc1',X'86cdda4be3590908144b2cb519ea0f65',X'2290a9c57fd22ede0b8d354d863783a1',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'258806ae3c2c816f156759bb5efc6cf6',X'4d46b5aa42fbefbb77ca4883655e1704','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29756,'2026-11-22T10:01:51.662368Z','2026-11-22T10:01:51.668385Z','dropped','');
INSERT INTO attempts VALUES(X'73e3697d3798bd08997214376c8ade5b',X'e930ad1390dc29f30b117511325c06f5',X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648',X'258806ae3c2c816f156759bb5efc6cf6',X'4d46b5aa42fbefbb77ca4883655e1704','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29756,'2026-11-22T10:01:51.676076Z','2026-11-22T10:01:51.686458Z','ok','');
INSERT INTO attempts VALUES(X'24af580b31b8a5cb348d460afa6eaba8',X'8007eb3253292a2a653416c12a7a9c6a',X'aa261fd4717cfc5a33eaec8f748f5708',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'e0f8cd5a425ab2c51b0d5efb16a3040f',X'4d46b5aa42fbefbb77ca4883655e1704','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29756,'2026-11-22T10:01:51.700439Z','2026-11-22T10:01:51.705888Z','dropped','');
INSERT INTO attempts VALUES(X'107bb86c5836c45f7d8839b3ecd65599',X'adff2e052e037571f5153af1ee847c27',X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648',X'e0f8cd5a425ab2c51b0d5efb16a3040f',X'4d46b5aa42fbefbb77ca4883655e1704','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29756,'2026-11-22T10:01:51.706717Z','2026-11-22T10:01:51.708583Z','dropped','');
INSERT INTO attempts VALUES(X'12bda8c91f198a9e75120ad9d2ce6e1c',X'4ac89e76a10ee0d8f00fc2212672b368',X'aa261fd4717cfc5a33eaec8f748f5708',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'e86b5ab0b5d12db4514780fa6dfbdd7b',X'4d46b5aa42fbefbb77ca4883655e1704','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29756,'2026-11-22T10:01:51.709110Z','2026-11-22T10:01:51.710043Z','wrong_result','on the second draw of inputs: 1 of the 200 elements of x are wrong, the first at index 199: never written, not a number, or not equal where equality is asked for');
INSERT INTO attempts VALUES(X'243b77e8473d955bb381c744fd7a8ec6',X'3b8f2486ef1e162b9b850fa4d14cb286',X'aa261fd4717cfc5a33eaec8f748f5708',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'258806ae3c2c816f156759bb5efc6cf6',X'4d46b5aa42fbefbb77ca4883655e1704','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29756,'2026-11-22T10:01:51.710662Z','2026-11-22T10:01:51.720047Z','dropped','');
INSERT INTO attempts VALUES(X'dc87974714edfca101ee67ff9d055030',X'6059020327d0ae6d630765f8545422ac',X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648',X'e86b5ab0b5d12db4514780fa6dfbdd7b',X'4d46b5aa42fbefbb77ca4883655e1704','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29756,'2026-11-22T10:01:51.720965Z','2026-11-22T10:01:51.721822Z','wrong_result','on the second draw of inputs: 1 of the 200 elements of x are wrong, the first at index 199: never written, not a number, or not equal where equality is asked for');
INSERT INTO attempts VALUES(X'66260b15b5896e605e337176d7673b1b',X'323512c624d0f667fc0361ff8ad597d5',X'aa261fd4717cfc5a33eaec8f748f5708',X'5dd0a739b9f44e9b253423d92f6fcf4d',X'b701d1cb6650e01ac2bf3bc070ee3577',X'4d46b5aa42fbefbb77ca4883655e1704','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29756,'2026-11-22T10:01:51.722357Z','2026-11-22T10:01:51.724699Z','wrong_result','on the second draw of inputs: 1 of the 200 elements of x are wrong, the first at index 199: never written, not a number, or not equal where equality is asked for');
INSERT INTO attempts VALUES(X'35977142f42200803a958550febb7c72',X'fcbd2bc7ed33adab508a1edcd10be382',X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648',X'b701d1cb6650e01ac2bf3bc070ee3577',X'4d46b5aa42fbefbb77ca4883655e1704','afa03e65fc5e31d332d3289999c0b334','fc9f3280-88cd-47c4-b3d0-36a13ab8fb34',29756,'2026-11-22T10:01:51.725800Z','2026-11-22T10:01:51.729677Z','wrong_result','on the second draw of inputs: 1 of the 200 elements of x are wrong, the first at index 199: never written, not a number, or not equal where equality is asked for');
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
INSERT INTO tallies VALUES(X'2290a9c57fd22ede0b8d354d863783a1',X'5dd0a739b9f44e9b253423d92f6fcf4d','dropped',X'c02a565ef8499053e853c1f76332a6e6',0,2,'2026-11-22T10:01:51.668177Z');
INSERT INTO tallies VALUES(X'2290a9c57fd22ede0b8d354d863783a1',X'5dd0a739b9f44e9b253423d92f6fcf4d','ok',X'5f7fe0aaa6074386fba19b8eec779755',1,2,'2026-11-22T10:01:51.159010Z');
INSERT INTO tallies VALUES(X'2290a9c57fd22ede0b8d354d863783a1',X'5dd0a739b9f44e9b253423d92f6fcf4d','wrong_result',X'5f7fe0aaa6074386fba19b8eec779755',1,2,'2026-11-22T10:01:50.676519Z');
INSERT INTO tallies VALUES(X'2290a9c57fd22ede0b8d354d863783a1',X'5dd0a739b9f44e9b253423d92f6fcf4d','wrong_result',X'c02a565ef8499053e853c1f76332a6e6',0,2,'2026-11-22T10:01:51.333164Z');
INSERT INTO tallies VALUES(X'2290a9c57fd22ede0b8d354d863783a1',X'f0468e723a664c30a9d6ccb62727a648','dropped',X'5f7fe0aaa6074386fba19b8eec779755',1,1,'2026-11-22T10:01:50.652886Z');
INSERT INTO tallies VALUES(X'2290a9c57fd22ede0b8d354d863783a1',X'f0468e723a664c30a9d6ccb62727a648','ok',X'5f7fe0aaa6074386fba19b8eec779755',1,1,'2026-11-22T10:01:51.159000Z');
INSERT INTO tallies VALUES(X'2290a9c57fd22ede0b8d354d863783a1',X'f0468e723a664c30a9d6ccb62727a648','ok',X'c02a565ef8499053e853c1f76332a6e6',0,2,'2026-11-22T10:01:51.699246Z');
INSERT INTO tallies VALUES(X'2290a9c57fd22ede0b8d354d863783a1',X'f0468e723a664c30a9d6ccb62727a648','wrong_result',X'5f7fe0aaa6074386fba19b8eec779755',1,2,'2026-11-22T10:01:50.679039Z');
INSERT INTO tallies VALUES(X'2290a9c57fd22ede0b8d354d863783a1',X'f0468e723a664c30a9d6ccb62727a648','wrong_result',X'c02a565ef8499053e853c1f76332a6e6',0,2,'2026-11-22T10:01:51.656996Z');
INSERT INTO tallies VALUES(X'aa261fd4717cfc5a33eaec8f748f5708',X'5dd0a739b9f44e9b253423d92f6fcf4d','dropped',X'5f7fe0aaa6074386fba19b8eec779755',1,2,'2026-11-22T10:01:50.672796Z');
INSERT INTO tallies VALUES(X'aa261fd4717cfc5a33eaec8f748f5708',X'5dd0a739b9f44e9b253423d92f6fcf4d','dropped',X'c02a565ef8499053e853c1f76332a6e6',0,2,'2026-11-22T10:01:51.719758Z');
INSERT INTO tallies VALUES(X'aa261fd4717cfc5a33eaec8f748f5708',X'5dd0a739b9f44e9b253423d92f6fcf4d','wrong_result',X'5f7fe0aaa6074386fba19b8eec779755',1,2,'2026-11-22T10:01:50.692345Z');
INSERT INTO tallies VALUES(X'aa261fd4717cfc5a33eaec8f748f5708',X'5dd0a739b9f44e9b253423d92f6fcf4d','wrong_result',X'c02a565ef8499053e853c1f76332a6e6',0,2,'2026-11-22T10:01:51.724545Z');
INSERT INTO tallies VALUES(X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648','dropped',X'5f7fe0aaa6074386fba19b8eec779755',1,1,'2026-11-22T10:01:50.657591Z');
INSERT INTO tallies VALUES(X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648','dropped',X'c02a565ef8499053e853c1f76332a6e6',0,1,'2026-11-22T10:01:51.708425Z');
INSERT INTO tallies VALUES(X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648','ok',X'5f7fe0aaa6074386fba19b8eec779755',1,1,'2026-11-22T10:01:51.201875Z');
INSERT INTO tallies VALUES(X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648','ok',X'c02a565ef8499053e853c1f76332a6e6',0,1,'2026-11-22T10:01:51.787040Z');
INSERT INTO tallies VALUES(X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648','wrong_result',X'5f7fe0aaa6074386fba19b8eec779755',1,2,'2026-11-22T10:01:51.166006Z');
INSERT INTO tallies VALUES(X'aa261fd4717cfc5a33eaec8f748f5708',X'f0468e723a664c30a9d6ccb62727a648','wrong_result',X'c02a565ef8499053e853c1f76332a6e6',0,2,'2026-11-22T10:01:51.729514Z');
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
CREATE INDEX trials_fastest ON trials (contest, median_ns) WHERE status = 'ok' AND superseded = 0;
CREATE INDEX trials_tied ON trials (contest, kernel, low_ns) WHERE status = 'ok' AND superseded = 0;
CREATE INDEX trials_untuned ON trials (contest, kernel) WHERE is_default = 1;
CREATE INDEX trials_failed ON trials (contest) WHERE status NOT IN ('ok', 'dropped', 'skipped');
CREATE INDEX trials_of_run ON trials (run);
CREATE INDEX measurements_of_trial ON measurements (trial, measured_at);
CREATE INDEX trials_of_measurement ON trials (measurement) WHERE measurement IS NOT NULL;
CREATE INDEX finals_of_contest ON finals (contest, measured_at);
CREATE INDEX final_entries_of_trial ON final_entries (trial);
CREATE INDEX attempts_of_trial ON attempts (trial);
CREATE INDEX attempts_open ON attempts (machine, boot) WHERE closed_at IS NULL;
CREATE INDEX problems_of_family ON problems (family);
CREATE INDEX contests_of_problem ON contests (problem, class);
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
