#pragma once
#include <memory>
#include <string>

namespace test_support {

/// An SQLite VFS over the default one whose n-th write or sync fails, once or from then on. It stands for a
/// disk that fills up or breaks. Registered under its name while it lives.
class FaultyVfs {
 public:
  enum class Fault {
    full,         ///< a write finds no space
    write_error,  ///< a write fails
    sync_error,   ///< a sync fails
  };

  explicit FaultyVfs(const std::string& name);
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;
  ~FaultyVfs();

  /// The `countdown`-th operation of that kind from now on fails; with `for_good` all that follow too. 0:
  /// none.
  void fail(Fault fault, int countdown, bool for_good);
  /// Whether the fault has come.
  bool failed() const;

  struct State;

 private:
  std::unique_ptr<State> m_state;
};

}  // namespace test_support
