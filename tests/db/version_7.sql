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
INSERT INTO devices VALUES(X'4bee0103742a4d7dca60e1671b1cd3c4','cpu','Intel(R) Xeon(R) Processor','','host',0,0,'cpu-2 with 2 workers',25276063744,'{"multiprocessors":2,"warp_size":32,"max_threads_per_block":1024,"max_threads_per_multiprocessor":1024,"max_blocks_per_multiprocessor":1,"registers_per_block":65536,"registers_per_multiprocessor":65536,"shared_bytes_per_block":49152,"shared_bytes_per_block_optin":232448,"shared_bytes_per_multiprocessor":232448,"reserved_shared_bytes_per_block":0,"max_grid_x":2147483647,"max_grid_y":65535,"max_grid_z":65535,"max_block_x":1024,"max_block_y":1024,"max_block_z":64,"l2_bytes":503316480}');
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
INSERT INTO classes VALUES(X'1db2a0fab351c6c896994e8d1365dece','Intel(R) Xeon(R) Processor','cpu-2 with 2 workers','g++ 12.2.0 runtime 3597041f','float','warm','standard-3','spec');
CREATE TABLE problems (
  id          BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  family      TEXT NOT NULL CHECK (length(family) <= 256),
  sizes       TEXT NOT NULL CHECK (length(sizes) <= 4096),  -- {"M":512,"N":512,"K":512}
  size        TEXT NOT NULL CHECK (length(size) <= 1024),                         -- 512 or 512x1024x256
  type        TEXT NOT NULL CHECK (length(type) <= 64),
  row_padding INTEGER NOT NULL CHECK (row_padding >= 0)
) STRICT, WITHOUT ROWID;
INSERT INTO problems VALUES(X'6d91584c0eb41a32fa42d99195c12525','scaling','{"N":200}','200','float',0);
INSERT INTO problems VALUES(X'cd35722daf95e968a1a041d98460c0b8','scaling','{"N":100}','100','float',0);
CREATE TABLE contests (
  id      BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  class   BLOB NOT NULL REFERENCES classes (id),
  problem BLOB NOT NULL REFERENCES problems (id)
) STRICT, WITHOUT ROWID;
INSERT INTO contests VALUES(X'c2d2f687f5ab2bf4662e08f58564f303',X'1db2a0fab351c6c896994e8d1365dece',X'6d91584c0eb41a32fa42d99195c12525');
INSERT INTO contests VALUES(X'1bd8586c1c1f7fed09a5df84e3f5c596',X'1db2a0fab351c6c896994e8d1365dece',X'cd35722daf95e968a1a041d98460c0b8');
CREATE TABLE kernels (
  id         BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  family     TEXT NOT NULL CHECK (length(family) <= 256),
  name       TEXT NOT NULL CHECK (length(name) <= 256),
  -- Names in the order the spec writes them; a configuration's own JSON has its keys sorted.
  parameters TEXT NOT NULL CHECK (length(parameters) <= 65536)
) STRICT, WITHOUT ROWID;
INSERT INTO kernels VALUES(X'90295a8512acef25514e3196002c3374','scaling','scale','["BLOCK_SIZE"]');
CREATE TABLE configurations (
  id   BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  json TEXT NOT NULL CHECK (length(json) <= 65536)  -- canonical: keys sorted, no blanks
) STRICT, WITHOUT ROWID;
INSERT INTO configurations VALUES(X'1522dcfb5b48fb889eb9b07852f9f508','{"BLOCK_SIZE":16}');
INSERT INTO configurations VALUES(X'4f768b5c3df856670105eb661c3ceb38','{"BLOCK_SIZE":32}');
INSERT INTO configurations VALUES(X'bf6b16de646f0789e754fa2be6267cb5','{"BLOCK_SIZE":8}');
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
, strategy TEXT NOT NULL DEFAULT '' CHECK (length(strategy) <= 4096)) STRICT, WITHOUT ROWID;
INSERT INTO runs VALUES(X'3cd2b1b5507ad6ddb735a0835073b450','tuner run --kernel scale.toml --device cpu --sizes 100,200 --db v7.db --ceilings off --baselines off','2026-11-24T00:51:54.556661Z','2026-11-24T00:51:55.260857Z','done','vm','0.1.0',726347270,X'4bee0103742a4d7dca60e1671b1cd3c4','cpu','g++ 12.2.0 runtime 3597041f',6,'auto');
INSERT INTO runs VALUES(X'fdd391229c43d418206977cc1ee93fcb','tuner run --kernel scale.toml --device cpu --sizes 100,200 --db v7.db --ceilings off --baselines off','2026-11-24T00:51:55.328437Z','2026-11-24T00:51:55.520568Z','done','vm','0.1.0',590347565,X'4bee0103742a4d7dca60e1671b1cd3c4','cpu','g++ 12.2.0 runtime 3597041f',3,'auto');
CREATE TABLE binaries (
  id         BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  compile_ms REAL NOT NULL,
  log        TEXT NOT NULL CHECK (length(log) <= 16777216)
) STRICT;
INSERT INTO binaries VALUES(X'f519ec3b22226acde30f1ce31b03e640',172.30812499999998976,'');
INSERT INTO binaries VALUES(X'775fafe96433d3ed83e797acd4ca2ca0',175.12287200000000098,'');
INSERT INTO binaries VALUES(X'01729ff59f95a32c05925e8e29341ff7',103.82041900000000112,'');
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
INSERT INTO binary_kernels VALUES(X'01729ff59f95a32c05925e8e29341ff7','scale','tuner_cpu_kernel_0',0,0,0,0,0,0,0);
INSERT INTO binary_kernels VALUES(X'775fafe96433d3ed83e797acd4ca2ca0','scale','tuner_cpu_kernel_0',0,0,0,0,0,0,0);
INSERT INTO binary_kernels VALUES(X'f519ec3b22226acde30f1ce31b03e640','scale','tuner_cpu_kernel_0',0,0,0,0,0,0,0);
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
  GENERATED ALWAYS AS (status = 'ok' AND superseded = 0 AND role <> 'baseline') VIRTUAL, idea TEXT NOT NULL DEFAULT '' CHECK (length(idea) <= 256), rule TEXT NOT NULL DEFAULT '' CHECK (length(rule) <= 256), macros TEXT NOT NULL DEFAULT '', gpu TEXT NOT NULL DEFAULT '',
  CHECK (status <> 'ok' OR (measurement IS NOT NULL AND coalesce(median_ns, 0) > 0))
) STRICT;
INSERT INTO trials VALUES(X'0be6b8a104a25e70528406aba428521f',X'1bd8586c1c1f7fed09a5df84e3f5c596',X'90295a8512acef25514e3196002c3374',X'1522dcfb5b48fb889eb9b07852f9f508',0,X'2f70493deae8b6019a695f8181773ed9',1,X'f519ec3b22226acde30f1ce31b03e640','scale',7,1,1,16,1,1,0,NULL,NULL,NULL,NULL,NULL,'ok','',0,0,0.0,0.0,0,NULL,'',4526.1883852691216817,3722.1473087818694694,5451.6402266288951066,'{}',NULL,NULL,'2026-11-24T00:51:55.219382Z',X'3cd2b1b5507ad6ddb735a0835073b450',X'5b8c919cff939973c89cecba8f7e94af','competitor',5,X'b62189878af155a20adab5b189762de1',X'8ad2da87271e8de515e235bca0257044','random','','','');
INSERT INTO trials VALUES(X'cabae9b1ad6293adcdb336aa2c75159a',X'1bd8586c1c1f7fed09a5df84e3f5c596',X'90295a8512acef25514e3196002c3374',X'bf6b16de646f0789e754fa2be6267cb5',1,X'2f70493deae8b6019a695f8181773ed9',0,X'775fafe96433d3ed83e797acd4ca2ca0','scale',13,1,1,8,1,1,0,NULL,NULL,NULL,NULL,NULL,'ok','',0,0,0.0,0.0,0,NULL,'',146487.5,146360.0,147245.0,'{}',NULL,NULL,'2026-11-24T00:51:55.399237Z',X'fdd391229c43d418206977cc1ee93fcb',X'4bea4d36bc5dc2a72b52a642cbe3753d','competitor',1,X'b62189878af155a20adab5b189762de1',X'23c8599d017a4aaa870b049ac175a911','random','','','');
INSERT INTO trials VALUES(X'b355c8bee0fb39c6977208a79470b6b9',X'1bd8586c1c1f7fed09a5df84e3f5c596',X'90295a8512acef25514e3196002c3374',X'4f768b5c3df856670105eb661c3ceb38',0,X'2f70493deae8b6019a695f8181773ed9',0,X'01729ff59f95a32c05925e8e29341ff7','scale',4,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'ok','',0,0,0.0,0.0,0,NULL,'',60685.883333333331393,59859.099999999998546,61376.366666666668605,'{}',NULL,NULL,'2026-11-24T00:51:55.453620Z',X'fdd391229c43d418206977cc1ee93fcb',X'9df9408948aa33aead2bdc6d168e3230','competitor',4,X'b62189878af155a20adab5b189762de1',X'58b89883045b55d51be80fb812aa19e6','random','','','');
INSERT INTO trials VALUES(X'85453aa8bbd5ccbb233ce416c5d486ea',X'c2d2f687f5ab2bf4662e08f58564f303',X'90295a8512acef25514e3196002c3374',X'bf6b16de646f0789e754fa2be6267cb5',1,X'2f70493deae8b6019a695f8181773ed9',0,X'775fafe96433d3ed83e797acd4ca2ca0','scale',25,1,1,8,1,1,0,NULL,NULL,NULL,NULL,NULL,'ok','',0,0,0.0,0.0,0,NULL,'',291503.50000000000001,289051.0,325702.0,'{}',NULL,NULL,'2026-11-24T00:51:55.220912Z',X'3cd2b1b5507ad6ddb735a0835073b450',X'b4a23b43897d595c17600f581b437333','competitor',6,X'b62189878af155a20adab5b189762de1',X'23c8599d017a4aaa870b049ac175a911','random','','','');
INSERT INTO trials VALUES(X'adde4ac59722dac19fe288bd09086e84',X'c2d2f687f5ab2bf4662e08f58564f303',X'90295a8512acef25514e3196002c3374',X'1522dcfb5b48fb889eb9b07852f9f508',0,X'2f70493deae8b6019a695f8181773ed9',1,X'f519ec3b22226acde30f1ce31b03e640','scale',13,1,1,16,1,1,0,NULL,NULL,NULL,NULL,NULL,'ok','',0,0,0.0,0.0,0,NULL,'',7989.6787330316747103,7566.3257918552035336,8907.7511312217193331,'{}',NULL,NULL,'2026-11-24T00:51:55.258088Z',X'3cd2b1b5507ad6ddb735a0835073b450',X'43e32e35e05bbe0c22d46b2ce13c2f03','competitor',10,X'b62189878af155a20adab5b189762de1',X'8ad2da87271e8de515e235bca0257044','random','','','');
INSERT INTO trials VALUES(X'3de84f585e9670e7edff481878e3ea93',X'c2d2f687f5ab2bf4662e08f58564f303',X'90295a8512acef25514e3196002c3374',X'4f768b5c3df856670105eb661c3ceb38',0,X'2f70493deae8b6019a695f8181773ed9',0,X'01729ff59f95a32c05925e8e29341ff7','scale',7,1,1,32,1,1,0,NULL,NULL,NULL,NULL,NULL,'ok','',0,0,0.0,0.0,0,NULL,'',118280.37499999999999,117291.06249999999999,119533.375,'{}',NULL,NULL,'2026-11-24T00:51:55.504594Z',X'fdd391229c43d418206977cc1ee93fcb',X'f56933b735f320b5514d44380bdc1c2a','competitor',7,X'b62189878af155a20adab5b189762de1',X'58b89883045b55d51be80fb812aa19e6','random','','','');
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
INSERT INTO measurements VALUES(X'eebe1b0a9ee2008158ebe2cefd7de141',X'0be6b8a104a25e70528406aba428521f',X'3cd2b1b5507ad6ddb735a0835073b450','2026-11-24T00:51:54.840835Z','ok',X'010a00000028b52ffd20503d0200d4038db4082200229bc5e471ca40871c001cab4e3d08a80b70c200c2b9ecde878cb4082100219ac4e37004cbca78847235c850f5b3acacb4b5b5afacadac4002007185216caa0c',91,3873.4780219780222978,3685.2637362637360638,5490.1098901098903297,3684.1538461538461887,0.0,0,0.0,0.0,1,1,'{}');
INSERT INTO measurements VALUES(X'a623f4989e35cc2856a510705310ad02',X'cabae9b1ad6293adcdb336aa2c75159a',X'3cd2b1b5507ad6ddb735a0835073b450','2026-11-24T00:51:55.113937Z','dropped',X'010100000028b52ffd2008410000000000408ac45341',1,5181993.0,5181993.0,5181993.0,5181993.0,0.0,0,0.0,0.0,0,2,'{}');
INSERT INTO measurements VALUES(X'd8d463a24f84bcd0a5a098f1017f4df3',X'b355c8bee0fb39c6977208a79470b6b9',X'3cd2b1b5507ad6ddb735a0835073b450','2026-11-24T00:51:55.193653Z','dropped',X'010100000028b52ffd20084100001cc7711ca712ee40',9,61589.22222222221899,61589.22222222221899,61589.22222222221899,61589.22222222221899,0.0,0,0.0,0.0,0,3,'{}');
INSERT INTO measurements VALUES(X'5b8c919cff939973c89cecba8f7e94af',X'0be6b8a104a25e70528406aba428521f',X'3cd2b1b5507ad6ddb735a0835073b450','2026-11-24T00:51:55.219382Z','ok',X'010a00000028b52ffd2050810200b8a883bc22c79a16220a42b9cc1d71aeac8171322400a637e46f520ee49b8e5f5a34e5264e6ce56abc9d63b8a3ab144ba38d1b76077e4b8a3c144020b2b2adb0b5b3b0adb1b640404040404040404040',353,4526.1883852691216817,3722.1473087818694694,5451.6402266288951066,3715.6940509915016264,0.0,0,0.0,0.0,1,5,'{}');
INSERT INTO measurements VALUES(X'b4a23b43897d595c17600f581b437333',X'85453aa8bbd5ccbb233ce416c5d486ea',X'3cd2b1b5507ad6ddb735a0835073b450','2026-11-24T00:51:55.220912Z','ok',X'010a00000028b52ffd205055010014020000f05c08846c185c188cd0cc9b6aa5a4a4a7e1c8de1114121111111113111141020083c27d0016',1,291503.50000000000001,289051.0,325702.0,289030.0,0.0,0,0.0,0.0,0,6,'{}');
INSERT INTO measurements VALUES(X'b3fc728ff85d4a1d7eb6f58e704d6a2d',X'adde4ac59722dac19fe288bd09086e84',X'3cd2b1b5507ad6ddb735a0835073b450','2026-11-24T00:51:55.227566Z','ok',X'010a00000028b52ffd205081020025dbb72525b7dbb7004949b66d49496db66d0092926ddb9292db6ddb002424dbb62424b6dbb6004959568dc9799d064d6012c88fdb2aa68f2c9d4307c1bebbbcc1c1c1bcbcbd40404040404040404040',56,7627.2053571428568828,7210.7857142857146753,9036.9464285714293507,7131.5535714285715586,0.0,0,0.0,0.0,0,7,'{}');
INSERT INTO measurements VALUES(X'c46bf991f70cc2049cb134dc059fcdb1',X'3de84f585e9670e7edff481878e3ea93',X'3cd2b1b5507ad6ddb735a0835073b450','2026-11-24T00:51:55.233259Z','dropped',X'010100000028b52ffd200841000000000000b087ff40',1,129147.0,129147.0,129147.0,129147.0,0.0,0,0.0,0.0,0,8,'{}');
INSERT INTO measurements VALUES(X'43e32e35e05bbe0c22d46b2ce13c2f03',X'adde4ac59722dac19fe288bd09086e84',X'3cd2b1b5507ad6ddb735a0835073b450','2026-11-24T00:51:55.258088Z','ok',X'010a00000028b52ffd2050810200a2673561a74bf37c25d10453fa9c304b061960bc2c18484dce4b42f21181a2673561a64bf37b25d00453fa1c304b0699e0bc278e608205bae7ea651fc0bdbec1c0bdbbc0c1be40404040404040404040',221,7989.6787330316747103,7566.3257918552035336,8907.7511312217193331,7143.0271493212667338,0.0,0,0.0,0.0,0,10,'{}');
INSERT INTO measurements VALUES(X'4bea4d36bc5dc2a72b52a642cbe3753d',X'cabae9b1ad6293adcdb336aa2c75159a',X'fdd391229c43d418206977cc1ee93fcb','2026-11-24T00:51:55.399237Z','ok',X'010a00000028b52ffd20501d0100d0000068209068c0e008d01858f9e1dddedde2dfe295e20106014103100065ccd8070b',1,146487.5,146360.0,147245.0,146354.0,0.0,0,0.0,0.0,0,1,'{}');
INSERT INTO measurements VALUES(X'2d335fd4bb199fc73792b98357c2694f',X'b355c8bee0fb39c6977208a79470b6b9',X'fdd391229c43d418206977cc1ee93fcb','2026-11-24T00:51:55.424470Z','ok',X'010a00000028b52ffd20508d0100a40200009cb02018ec806cc444802815258f5242412d3f96f008f0eeedecec29edef4041404040404041404001001f8005',8,63638.374999999999998,57876.0,197302.0,57867.375000000000001,0.0,0,0.0,0.0,0,2,'{}');
INSERT INTO measurements VALUES(X'9df9408948aa33aead2bdc6d168e3230',X'b355c8bee0fb39c6977208a79470b6b9',X'fdd391229c43d418206977cc1ee93fcb','2026-11-24T00:51:55.453620Z','ok',X'010a00000028b52ffd2050bd0100c402339a44bc1133cdbc77bc339944bb1133ccbb77bb63f944abc103cc0b67fb3aece4bb71d787f868faedeced400300a088b8ac295d98',30,60685.883333333331393,59859.099999999998546,61376.366666666668605,59239.800000000002911,0.0,0,0.0,0.0,0,4,'{}');
INSERT INTO measurements VALUES(X'660e010b0980db474a09e12c2fea5d95',X'3de84f585e9670e7edff481878e3ea93',X'fdd391229c43d418206977cc1ee93fcb','2026-11-24T00:51:55.456772Z','ok',X'010a00000028b52ffd20500d0100c00000b030605020a09020a050c2a3b89fa09fa29f9e9afc40031000452cd8070b',1,117246.0,117226.0,117638.0,117157.0,0.0,0,0.0,0.0,0,5,'{}');
INSERT INTO measurements VALUES(X'f56933b735f320b5514d44380bdc1c2a',X'3de84f585e9670e7edff481878e3ea93',X'fdd391229c43d418206977cc1ee93fcb','2026-11-24T00:51:55.504594Z','ok',X'010a00000028b52ffd2050250100d80000d6e70524fdb4f64716b12e4b05ee78acdca7e4a2fdfdfdfc4003100045308c4f1b',16,118280.37499999999999,117291.06249999999999,119533.375,116623.8125,0.0,0,0.0,0.0,0,7,'{}');
CREATE TABLE finals (
  id               BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  contest          BLOB NOT NULL REFERENCES contests (id),
  chosen           BLOB NOT NULL REFERENCES trials (id),  -- by a rule among those that are tied
  rounds           INTEGER NOT NULL CHECK (rounds >= 0),
  throttled_rounds INTEGER NOT NULL CHECK (throttled_rounds >= 0),
  run              BLOB REFERENCES runs (id),
  measured_at      TEXT NOT NULL CHECK (length(measured_at) <= 64)  -- later than its contestants' measurements
, sequence INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
INSERT INTO finals VALUES(X'065ae3af1fcae9fa35d97e2fff55c65c',X'1bd8586c1c1f7fed09a5df84e3f5c596',X'0be6b8a104a25e70528406aba428521f',10,0,X'3cd2b1b5507ad6ddb735a0835073b450','2026-11-24T00:51:55.219382Z',4);
INSERT INTO finals VALUES(X'3543d56611b54caa2c0099055755fec7',X'1bd8586c1c1f7fed09a5df84e3f5c596',X'b355c8bee0fb39c6977208a79470b6b9',10,0,X'fdd391229c43d418206977cc1ee93fcb','2026-11-24T00:51:55.453620Z',3);
INSERT INTO finals VALUES(X'd56c632594e70cd470c1a157fce91d20',X'c2d2f687f5ab2bf4662e08f58564f303',X'3de84f585e9670e7edff481878e3ea93',10,0,X'fdd391229c43d418206977cc1ee93fcb','2026-11-24T00:51:55.504594Z',6);
INSERT INTO finals VALUES(X'da03b0f48b69020e22691243c33024b1',X'c2d2f687f5ab2bf4662e08f58564f303',X'adde4ac59722dac19fe288bd09086e84',10,0,X'3cd2b1b5507ad6ddb735a0835073b450','2026-11-24T00:51:55.258088Z',9);
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
INSERT INTO final_entries VALUES(X'065ae3af1fcae9fa35d97e2fff55c65c',0,X'0be6b8a104a25e70528406aba428521f',1.0,1.0,1.0,1);
INSERT INTO final_entries VALUES(X'3543d56611b54caa2c0099055755fec7',0,X'b355c8bee0fb39c6977208a79470b6b9',1.0,1.0,1.0,1);
INSERT INTO final_entries VALUES(X'd56c632594e70cd470c1a157fce91d20',0,X'3de84f585e9670e7edff481878e3ea93',1.0,1.0,1.0,1);
INSERT INTO final_entries VALUES(X'da03b0f48b69020e22691243c33024b1',0,X'adde4ac59722dac19fe288bd09086e84',1.0,1.0,1.0,1);
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
INSERT INTO attempts VALUES(X'c97cd5af7e15b6f5d0894d00313bc016',X'0be6b8a104a25e70528406aba428521f',X'1bd8586c1c1f7fed09a5df84e3f5c596',X'90295a8512acef25514e3196002c3374',X'1522dcfb5b48fb889eb9b07852f9f508',X'3cd2b1b5507ad6ddb735a0835073b450','afa03e65fc5e31d332d3289999c0b334','9b483653-2ecb-48eb-9615-4d81a89d6204',30502,'2026-11-24T00:51:54.771217Z','2026-11-24T00:51:54.841063Z','ok','');
INSERT INTO attempts VALUES(X'f825c8067bf88cc0cb9ba552dde59f97',X'cabae9b1ad6293adcdb336aa2c75159a',X'1bd8586c1c1f7fed09a5df84e3f5c596',X'90295a8512acef25514e3196002c3374',X'bf6b16de646f0789e754fa2be6267cb5',X'3cd2b1b5507ad6ddb735a0835073b450','afa03e65fc5e31d332d3289999c0b334','9b483653-2ecb-48eb-9615-4d81a89d6204',30502,'2026-11-24T00:51:54.841103Z','2026-11-24T00:51:55.114101Z','dropped','');
INSERT INTO attempts VALUES(X'e6a20d1ebcd42f3ce2ae959886bacd6e',X'b355c8bee0fb39c6977208a79470b6b9',X'1bd8586c1c1f7fed09a5df84e3f5c596',X'90295a8512acef25514e3196002c3374',X'4f768b5c3df856670105eb661c3ceb38',X'3cd2b1b5507ad6ddb735a0835073b450','afa03e65fc5e31d332d3289999c0b334','9b483653-2ecb-48eb-9615-4d81a89d6204',30502,'2026-11-24T00:51:55.114140Z','2026-11-24T00:51:55.193799Z','dropped','');
INSERT INTO attempts VALUES(X'8b6809bfb3350ce89d46b643070b4658',X'85453aa8bbd5ccbb233ce416c5d486ea',X'c2d2f687f5ab2bf4662e08f58564f303',X'90295a8512acef25514e3196002c3374',X'bf6b16de646f0789e754fa2be6267cb5',X'3cd2b1b5507ad6ddb735a0835073b450','afa03e65fc5e31d332d3289999c0b334','9b483653-2ecb-48eb-9615-4d81a89d6204',30502,'2026-11-24T00:51:55.193833Z','2026-11-24T00:51:55.221050Z','ok','');
INSERT INTO attempts VALUES(X'7ce711589ab1196a3bd6d1a87f2b0f1a',X'adde4ac59722dac19fe288bd09086e84',X'c2d2f687f5ab2bf4662e08f58564f303',X'90295a8512acef25514e3196002c3374',X'1522dcfb5b48fb889eb9b07852f9f508',X'3cd2b1b5507ad6ddb735a0835073b450','afa03e65fc5e31d332d3289999c0b334','9b483653-2ecb-48eb-9615-4d81a89d6204',30502,'2026-11-24T00:51:55.221081Z','2026-11-24T00:51:55.227704Z','ok','');
INSERT INTO attempts VALUES(X'e4760b8722e1dc9358e649d4930aa775',X'3de84f585e9670e7edff481878e3ea93',X'c2d2f687f5ab2bf4662e08f58564f303',X'90295a8512acef25514e3196002c3374',X'4f768b5c3df856670105eb661c3ceb38',X'3cd2b1b5507ad6ddb735a0835073b450','afa03e65fc5e31d332d3289999c0b334','9b483653-2ecb-48eb-9615-4d81a89d6204',30502,'2026-11-24T00:51:55.227736Z','2026-11-24T00:51:55.233361Z','dropped','');
INSERT INTO attempts VALUES(X'ca241553f1c9a08210273765c57d1600',X'cabae9b1ad6293adcdb336aa2c75159a',X'1bd8586c1c1f7fed09a5df84e3f5c596',X'90295a8512acef25514e3196002c3374',X'bf6b16de646f0789e754fa2be6267cb5',X'fdd391229c43d418206977cc1ee93fcb','afa03e65fc5e31d332d3289999c0b334','9b483653-2ecb-48eb-9615-4d81a89d6204',30623,'2026-11-24T00:51:55.344529Z','2026-11-24T00:51:55.399531Z','ok','');
INSERT INTO attempts VALUES(X'9f27572f5003043627a892b03901df70',X'b355c8bee0fb39c6977208a79470b6b9',X'1bd8586c1c1f7fed09a5df84e3f5c596',X'90295a8512acef25514e3196002c3374',X'4f768b5c3df856670105eb661c3ceb38',X'fdd391229c43d418206977cc1ee93fcb','afa03e65fc5e31d332d3289999c0b334','9b483653-2ecb-48eb-9615-4d81a89d6204',30623,'2026-11-24T00:51:55.399569Z','2026-11-24T00:51:55.424688Z','ok','');
INSERT INTO attempts VALUES(X'f372a50040f14a322ea5514b19e5ed3f',X'3de84f585e9670e7edff481878e3ea93',X'c2d2f687f5ab2bf4662e08f58564f303',X'90295a8512acef25514e3196002c3374',X'4f768b5c3df856670105eb661c3ceb38',X'fdd391229c43d418206977cc1ee93fcb','afa03e65fc5e31d332d3289999c0b334','9b483653-2ecb-48eb-9615-4d81a89d6204',30623,'2026-11-24T00:51:55.424724Z','2026-11-24T00:51:55.456931Z','ok','');
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
  wrong_buffer    TEXT NOT NULL, rule TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (run, trial)
) STRICT, WITHOUT ROWID;
INSERT INTO earlier_failures VALUES(X'3de84f585e9670e7edff481878e3ea93',X'3cd2b1b5507ad6ddb735a0835073b450','timeout','no end after 10 s','2026-11-24T01:00:00.000000Z',0,0,NULL,NULL,0,NULL,'','');
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
INSERT INTO kernel_specs VALUES('scaling','scale','competitor',X'2f70493deae8b6019a695f8181773ed9',X'b62189878af155a20adab5b189762de1','/tmp/version7/scale.toml',1);
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
INSERT INTO verdicts VALUES(X'23c8599d017a4aaa870b049ac175a911','ok','',1,X'cabae9b1ad6293adcdb336aa2c75159a','2026-11-24T00:51:55.112988Z',X'3cd2b1b5507ad6ddb735a0835073b450');
INSERT INTO verdicts VALUES(X'58b89883045b55d51be80fb812aa19e6','ok','',1,X'b355c8bee0fb39c6977208a79470b6b9','2026-11-24T00:51:55.192828Z',X'3cd2b1b5507ad6ddb735a0835073b450');
INSERT INTO verdicts VALUES(X'8ad2da87271e8de515e235bca0257044','ok','',1,X'0be6b8a104a25e70528406aba428521f','2026-11-24T00:51:54.832483Z',X'3cd2b1b5507ad6ddb735a0835073b450');
CREATE TABLE final_coverage (
  final  BLOB NOT NULL REFERENCES finals (id),
  run    BLOB NOT NULL CHECK (length(run) IN (0, 16)),
  kernel TEXT NOT NULL CHECK (length(kernel) <= 256),
  first  INTEGER NOT NULL,
  last   INTEGER NOT NULL CHECK (last >= first),
  PRIMARY KEY (final, run, kernel, first)
) STRICT, WITHOUT ROWID;
INSERT INTO final_coverage VALUES(X'065ae3af1fcae9fa35d97e2fff55c65c',X'3cd2b1b5507ad6ddb735a0835073b450','scale',1,1);
INSERT INTO final_coverage VALUES(X'065ae3af1fcae9fa35d97e2fff55c65c',X'3cd2b1b5507ad6ddb735a0835073b450','scale',5,5);
INSERT INTO final_coverage VALUES(X'3543d56611b54caa2c0099055755fec7',X'fdd391229c43d418206977cc1ee93fcb','scale',1,2);
INSERT INTO final_coverage VALUES(X'3543d56611b54caa2c0099055755fec7',X'fdd391229c43d418206977cc1ee93fcb','scale',4,4);
INSERT INTO final_coverage VALUES(X'd56c632594e70cd470c1a157fce91d20',X'3cd2b1b5507ad6ddb735a0835073b450','scale',6,6);
INSERT INTO final_coverage VALUES(X'd56c632594e70cd470c1a157fce91d20',X'fdd391229c43d418206977cc1ee93fcb','scale',5,5);
INSERT INTO final_coverage VALUES(X'd56c632594e70cd470c1a157fce91d20',X'fdd391229c43d418206977cc1ee93fcb','scale',7,7);
INSERT INTO final_coverage VALUES(X'da03b0f48b69020e22691243c33024b1',X'3cd2b1b5507ad6ddb735a0835073b450','scale',6,7);
INSERT INTO final_coverage VALUES(X'da03b0f48b69020e22691243c33024b1',X'3cd2b1b5507ad6ddb735a0835073b450','scale',10,10);
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
INSERT INTO tallies VALUES(X'1bd8586c1c1f7fed09a5df84e3f5c596',X'90295a8512acef25514e3196002c3374','dropped',0,'competitor',0,'2026-11-24T00:51:55.193653Z');
INSERT INTO tallies VALUES(X'1bd8586c1c1f7fed09a5df84e3f5c596',X'90295a8512acef25514e3196002c3374','ok',0,'competitor',2,'2026-11-24T00:51:55.453620Z');
INSERT INTO tallies VALUES(X'1bd8586c1c1f7fed09a5df84e3f5c596',X'90295a8512acef25514e3196002c3374','ok',1,'competitor',1,'2026-11-24T00:51:55.219382Z');
INSERT INTO tallies VALUES(X'c2d2f687f5ab2bf4662e08f58564f303',X'90295a8512acef25514e3196002c3374','dropped',0,'competitor',0,'2026-11-24T00:51:55.233259Z');
INSERT INTO tallies VALUES(X'c2d2f687f5ab2bf4662e08f58564f303',X'90295a8512acef25514e3196002c3374','ok',0,'competitor',2,'2026-11-24T00:51:55.504594Z');
INSERT INTO tallies VALUES(X'c2d2f687f5ab2bf4662e08f58564f303',X'90295a8512acef25514e3196002c3374','ok',1,'competitor',1,'2026-11-24T00:51:55.258088Z');
CREATE TABLE searches (
  id       BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  contest  BLOB NOT NULL REFERENCES contests (id),
  run      BLOB REFERENCES runs (id),
  strategy TEXT NOT NULL CHECK (length(strategy) <= 4096),
  ending   TEXT NOT NULL CHECK (ending IN ('exhausted', 'until', 'budget', 'interrupted', 'gave_up')),
  tried    INTEGER NOT NULL CHECK (tried >= 0),  -- known by then, by whichever run
  failed   INTEGER NOT NULL CHECK (failed BETWEEN 0 AND tried),
  -- What the strategy expected of the rest, as shares of the best time then; NULL: it could not say.
  gain     REAL,
  low      REAL,
  high     REAL,
  estimate TEXT CHECK (length(estimate) <= 256),
  ended_at TEXT NOT NULL CHECK (length(ended_at) <= 64),
  CHECK ((gain IS NULL) = (low IS NULL) AND (gain IS NULL) = (high IS NULL) AND (gain IS NULL) = (estimate IS NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO searches VALUES(X'26750e4da8eac255d976704eafeb167d',X'c2d2f687f5ab2bf4662e08f58564f303',X'fdd391229c43d418206977cc1ee93fcb','random','exhausted',2,0,NULL,NULL,NULL,NULL,'2026-11-24T00:51:55.472515Z');
INSERT INTO searches VALUES(X'53f3cb8d21beeb5fc1dee33aeba3466e',X'c2d2f687f5ab2bf4662e08f58564f303',X'3cd2b1b5507ad6ddb735a0835073b450','random','exhausted',3,0,NULL,NULL,NULL,NULL,'2026-11-24T00:51:55.233904Z');
INSERT INTO searches VALUES(X'9435591e5b64a721bf07dd0d715aa025',X'1bd8586c1c1f7fed09a5df84e3f5c596',X'3cd2b1b5507ad6ddb735a0835073b450','random','exhausted',3,0,NULL,NULL,NULL,NULL,'2026-11-24T00:51:55.194488Z');
INSERT INTO searches VALUES(X'de89f7b8da33a3327147696e96b9ad3e',X'1bd8586c1c1f7fed09a5df84e3f5c596',X'fdd391229c43d418206977cc1ee93fcb','random','exhausted',2,0,NULL,NULL,NULL,NULL,'2026-11-24T00:51:55.428486Z');
CREATE TABLE search_kernels (
  search     BLOB NOT NULL REFERENCES searches (id),
  kernel     TEXT NOT NULL CHECK (length(kernel) <= 256),
  spec       BLOB NOT NULL CHECK (length(spec) = 16),  -- as in kernel_specs
  candidates INTEGER NOT NULL CHECK (candidates >= 0),  -- configurations that can be launched
  PRIMARY KEY (search, kernel)
) STRICT, WITHOUT ROWID;
INSERT INTO search_kernels VALUES(X'26750e4da8eac255d976704eafeb167d','scale',X'b62189878af155a20adab5b189762de1',2);
INSERT INTO search_kernels VALUES(X'53f3cb8d21beeb5fc1dee33aeba3466e','scale',X'ce1bad07dc588fc83bd8872d93e5b107',3);
INSERT INTO search_kernels VALUES(X'9435591e5b64a721bf07dd0d715aa025','scale',X'ce1bad07dc588fc83bd8872d93e5b107',3);
INSERT INTO search_kernels VALUES(X'de89f7b8da33a3327147696e96b9ad3e','scale',X'b62189878af155a20adab5b189762de1',2);
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
CREATE INDEX trials_of_contest ON trials (contest, superseded, median_ns, status, kernel, configuration)
WHERE status <> '';
CREATE INDEX searches_of_contest ON searches (contest);
CREATE TRIGGER trials_keep_failure BEFORE UPDATE OF run ON trials
WHEN OLD.run IS NOT NULL AND OLD.run IS NOT NEW.run AND OLD.measurement IS NULL BEGIN
  INSERT OR REPLACE INTO earlier_failures (trial, run, status, detail, measured_at, sequence, verified, error_ratio,
    error_ulp_scale, wrong_elements, first_wrong, wrong_buffer, rule)
  VALUES (OLD.id, OLD.run, OLD.status, OLD.detail, OLD.measured_at, OLD.sequence, OLD.verified, OLD.error_ratio,
    OLD.error_ulp_scale, OLD.wrong_elements, OLD.first_wrong, OLD.wrong_buffer, OLD.rule);
END;
CREATE VIEW problem AS
SELECT p.id, p.family, p.size,
       (WITH RECURSIVE product (last, volume) AS (
          SELECT -1, 1
          UNION ALL
          SELECT j.id, volume * j.value FROM product, json_each(p.sizes) AS j
          WHERE j.id = (SELECT min(id) FROM json_each(p.sizes) WHERE id > last))
        SELECT volume FROM product ORDER BY last DESC LIMIT 1) AS volume,
       p.sizes, p.type, p.row_padding
FROM problems AS p;
CREATE VIEW trial AS
SELECT lower(hex(t.id)) AS id, p.family, k.name AS kernel, t.role, p.size, p.volume, p.sizes, p.type, p.row_padding,
       f.json AS configuration, t.status,
       t.median_ns / 1e6 AS median_ms, t.low_ns / 1e6 AS low_ms, t.high_ns / 1e6 AS high_ms,
       t.median_ns / (SELECT o.median_ns FROM winner AS w JOIN trials AS o ON o.id = w.trial
                      WHERE w.contest = t.contest AND w.kernel IS NULL) AS ratio,
       (SELECT iif(type IN ('integer', 'real'), value, NULL) FROM json_each(t.metrics) LIMIT 1) AS metric,
       (SELECT key FROM json_each(t.metrics) LIMIT 1) AS metric_name, t.metrics,
       b.registers, b.spill_store_bytes + b.spill_load_bytes AS spill_bytes,
       b.static_shared_bytes + t.dynamic_shared_bytes AS shared_bytes, t.occupancy, t.limited_by,
       t.grid_x || 'x' || t.grid_y || 'x' || t.grid_z AS grid,
       t.block_x || 'x' || t.block_y || 'x' || t.block_z AS block, y.compile_ms,
       t.is_default, t.superseded, t.competes, t.verified, t.rule, t.error_ratio, t.detail,
       c.device, c.driver, c.toolkit, c.l2, c.method, c.inputs, lower(hex(t.contest)) AS contest, t.idea, t.measured_at,
       lower(hex(t.run)) AS run
FROM trials AS t
JOIN contests AS n ON n.id = t.contest
JOIN classes AS c ON c.id = n.class
JOIN problem AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
LEFT JOIN binaries AS y ON y.id = t.binary
LEFT JOIN binary_kernels AS b ON b.binary = t.binary AND b.entry = t.entry;
CREATE VIEW best AS
SELECT p.family, p.size, p.volume, p.sizes, p.type, p.row_padding, k.name AS kernel, f.json AS configuration,
       t.median_ns / 1e6 AS median_ms, t.low_ns / 1e6 AS low_ms, t.high_ns / 1e6 AS high_ms,
       (SELECT iif(type IN ('integer', 'real'), value, NULL) FROM json_each(t.metrics) LIMIT 1) AS metric,
       (SELECT key FROM json_each(t.metrics) LIMIT 1) AS metric_name, t.metrics,
       t.verified, a.final IS NOT NULL AS remeasured,
       (SELECT sum(e.tied) - 1 FROM final_entries AS e WHERE e.final = a.final) AS tied,
       c.device, c.driver, c.toolkit, c.l2, c.method, c.inputs, lower(hex(t.contest)) AS contest, t.idea, t.measured_at,
       lower(hex(t.id)) AS id
FROM winner AS a
JOIN trials AS t ON t.id = a.trial
JOIN contests AS n ON n.id = a.contest
JOIN classes AS c ON c.id = n.class
JOIN problem AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
WHERE a.kernel IS NULL;
CREATE VIEW final AS
SELECT p.family, p.size, p.volume, p.sizes, p.type, p.row_padding, l.measured_at, l.rounds, l.throttled_rounds, e.place,
       k.name AS kernel, t.role, f.json AS configuration, e.ratio, e.ratio_low, e.ratio_high, e.tied,
       e.trial = l.chosen AS chosen, c.device, c.driver, c.toolkit, c.l2, c.method, c.inputs,
       lower(hex(l.contest)) AS contest, lower(hex(e.trial)) AS id, lower(hex(l.run)) AS run
FROM finals AS l
JOIN final_entries AS e ON e.final = l.id
JOIN trials AS t ON t.id = e.trial
JOIN contests AS n ON n.id = l.contest
JOIN classes AS c ON c.id = n.class
JOIN problem AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
WHERE (SELECT competes FROM trials WHERE id = l.chosen) = 1;
CREATE VIEW failure AS
SELECT lower(hex(t.id)) AS id, t.status, p.family, k.name AS kernel, p.size, p.volume, p.sizes, p.type, p.row_padding,
       f.json AS configuration, t.detail, b.log, c.device, c.driver, c.toolkit, lower(hex(t.contest)) AS contest,
       t.measured_at, lower(hex(t.run)) AS run
FROM trials AS t
JOIN contests AS n ON n.id = t.contest
JOIN classes AS c ON c.id = n.class
JOIN problem AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
LEFT JOIN binaries AS b ON b.id = t.binary
WHERE t.status NOT IN ('ok', 'dropped', 'skipped');
CREATE VIEW search AS
SELECT p.family, p.size, p.volume, p.sizes, p.type, p.row_padding,
       (SELECT sum(candidates) FROM search_kernels WHERE search = s.id) AS candidates, s.tried, s.failed, s.strategy,
       s.ending, s.gain, s.low, s.high, s.estimate, c.device, c.driver, c.toolkit, c.l2, c.method, c.inputs,
       lower(hex(s.contest)) AS contest, s.ended_at, lower(hex(s.run)) AS run
FROM searches AS s
JOIN contests AS n ON n.id = s.contest
JOIN classes AS c ON c.id = n.class
JOIN problem AS p ON p.id = n.problem;
CREATE VIEW open_attempt AS
SELECT lower(hex(a.trial)) AS trial, p.family, k.name AS kernel, p.size, p.volume, p.sizes, f.json AS configuration,
       c.device, a.pid, a.boot, a.opened_at
FROM attempts AS a
JOIN contests AS n ON n.id = a.contest
JOIN classes AS c ON c.id = n.class
JOIN problem AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = a.kernel
JOIN configurations AS f ON f.id = a.configuration
WHERE a.closed_at IS NULL;
CREATE VIEW run AS
SELECT lower(hex(r.id)) AS id, r.started_at, r.ended_at, r.state, r.measured, r.command_line, r.strategy, r.seed,
       d.name AS device, r.device_address, r.toolkit, r.host, r.version
FROM runs AS r
JOIN devices AS d ON d.id = r.device;
CREATE VIEW measurement AS
SELECT lower(hex(m.trial)) AS trial, lower(hex(m.run)) AS run, m.measured_at, t.measurement IS m.id AS current, m.status,
       m.median_ns / 1e6 AS median_ms, m.low_ns / 1e6 AS low_ms, m.high_ns / 1e6 AS high_ms, m.min_ns / 1e6 AS min_ms,
       (SELECT iif(type IN ('integer', 'real'), value, NULL) FROM json_each(m.metrics) LIMIT 1) AS metric,
       (SELECT key FROM json_each(m.metrics) LIMIT 1) AS metric_name, m.metrics,
       m.launches_per_sample, nullif(m.sm_clock_mhz, 0) AS sm_clock_mhz, m.throttled_samples,
       nullif(m.temperature_c, 0) AS temperature_c, nullif(m.power_w, 0) AS power_w, m.includes_launch_latency
FROM measurements AS m
JOIN trials AS t ON t.id = m.trial;
COMMIT;
