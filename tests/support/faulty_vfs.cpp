#include "tests/support/faulty_vfs.hpp"

#include <sqlite3.h>

#include <stdexcept>

namespace test_support {

struct FaultyVfs::State {
  std::string name;
  sqlite3_vfs vfs{};
  sqlite3_vfs* base = nullptr;
  Fault fault = Fault::full;
  int countdown = 0;
  bool for_good = false;
  bool failed = false;

  /// Whether an operation, a write or a sync, is the one to fail.
  bool strikes(bool sync) {
    if (sync != (fault == Fault::sync_error)) return false;
    if (failed) return for_good;
    if (countdown == 0 || --countdown > 0) return false;
    failed = true;
    return true;
  }
};

namespace {

/// The shim's part of an open file; the base VFS's own object follows it in memory.
struct File {
  sqlite3_file base;
  sqlite3_io_methods methods;
  FaultyVfs::State* state;
};

sqlite3_file* real(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<File*>(file) + 1);
}

FaultyVfs::State& state_of(sqlite3_file* file) {
  return *reinterpret_cast<File*>(file)->state;
}

/// Forwards a method of sqlite3_io_methods.
template <auto Method, typename... Arguments>
auto forward(sqlite3_file* file, Arguments... arguments) {
  return (real(file)->pMethods->*Method)(real(file), arguments...);
}

int write(sqlite3_file* file, const void* data, int amount, sqlite3_int64 offset) {
  FaultyVfs::State& state = state_of(file);
  if (state.strikes(false)) return state.fault == FaultyVfs::Fault::full ? SQLITE_FULL : SQLITE_IOERR_WRITE;
  return forward<&sqlite3_io_methods::xWrite>(file, data, amount, offset);
}

int sync(sqlite3_file* file, int flags) {
  if (state_of(file).strikes(true)) return SQLITE_IOERR_FSYNC;
  return forward<&sqlite3_io_methods::xSync>(file, flags);
}

sqlite3_io_methods shim_of(const sqlite3_io_methods& base) {
  using M = sqlite3_io_methods;
  M methods{};
  // The same version as the base: with a lower one SQLite believes that there is no shared memory, and WAL is
  // silently not used.
  methods.iVersion = base.iVersion;
  methods.xClose = forward<&M::xClose>;
  methods.xRead = forward<&M::xRead, void*, int, sqlite3_int64>;
  methods.xWrite = write;
  methods.xTruncate = forward<&M::xTruncate, sqlite3_int64>;
  methods.xSync = sync;
  methods.xFileSize = forward<&M::xFileSize, sqlite3_int64*>;
  methods.xLock = forward<&M::xLock, int>;
  methods.xUnlock = forward<&M::xUnlock, int>;
  methods.xCheckReservedLock = forward<&M::xCheckReservedLock, int*>;
  methods.xFileControl = forward<&M::xFileControl, int, void*>;
  methods.xSectorSize = forward<&M::xSectorSize>;
  methods.xDeviceCharacteristics = forward<&M::xDeviceCharacteristics>;
  if (base.iVersion >= 2) {
    methods.xShmMap = forward<&M::xShmMap, int, int, int, void volatile**>;
    methods.xShmLock = forward<&M::xShmLock, int, int, int>;
    methods.xShmBarrier = forward<&M::xShmBarrier>;
    methods.xShmUnmap = forward<&M::xShmUnmap, int>;
  }
  if (base.iVersion >= 3) {
    methods.xFetch = forward<&M::xFetch, sqlite3_int64, int, void**>;
    methods.xUnfetch = forward<&M::xUnfetch, sqlite3_int64, void*>;
  }
  return methods;
}

int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  auto* state = static_cast<FaultyVfs::State*>(vfs->pAppData);
  auto* shim = reinterpret_cast<File*>(file);
  shim->state = state;
  shim->base.pMethods = nullptr;
  const int code = state->base->xOpen(state->base, name, real(file), flags, out_flags);
  if (real(file)->pMethods != nullptr) {
    shim->methods = shim_of(*real(file)->pMethods);
    shim->base.pMethods = &shim->methods;
  }
  return code;
}

}  // namespace

FaultyVfs::FaultyVfs(const std::string& name) : m_state(std::make_unique<State>()) {
  m_state->name = name;
  m_state->base = sqlite3_vfs_find(nullptr);
  // All but opening is the base's own; its functions take the VFS only to find its data, so they get a copy
  // of it.
  m_state->vfs = *m_state->base;
  m_state->vfs.pNext = nullptr;
  m_state->vfs.zName = m_state->name.c_str();
  m_state->vfs.szOsFile = static_cast<int>(sizeof(File)) + m_state->base->szOsFile;
  m_state->vfs.pAppData = m_state.get();
  m_state->vfs.xOpen = open;
  if (sqlite3_vfs_register(&m_state->vfs, 0) != SQLITE_OK)
    throw std::runtime_error("the faulty VFS was refused");
}

FaultyVfs::~FaultyVfs() {
  sqlite3_vfs_unregister(&m_state->vfs);
}

void FaultyVfs::fail(Fault fault, int countdown, bool for_good) {
  m_state->fault = fault;
  m_state->countdown = countdown;
  m_state->for_good = for_good;
  m_state->failed = false;
}

bool FaultyVfs::failed() const {
  return m_state->failed;
}

}  // namespace test_support
