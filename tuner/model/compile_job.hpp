#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/digest.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/model/words.hpp"

namespace tuner::model {

/// How a trial ended. Each is a row in the database; none ends the sweep.
enum class TrialStatus {
  ok,
  dropped,         ///< clearly slower than the best; few samples kept, time approximate
  unlaunchable,    ///< the device cannot hold one block of it, known before any launch
  compile_error,   ///< the compiler rejected it; the log is kept
  launch_error,    ///< the driver rejected the launch
  wrong_result,    ///< an output element is outside the error bound, or was never written
  out_of_bounds,   ///< it wrote outside a buffer
  input_modified,  ///< it changed an argument declared `in`
  unstable,        ///< declared deterministic, and two runs differ
  timeout,         ///< a phase passed its deadline and its process was killed
  crashed,         ///< the process measuring or compiling it died, or the driver's context was lost
  skipped,         ///< the spec excludes this device or problem
  quarantined,     ///< its process was seen to die or hang twice; not tried again until its source changes
};

template <>
struct Words<TrialStatus> {
  static constexpr std::string_view all[] = {
      "ok",           "dropped",       "unlaunchable",   "compile_error", "launch_error",
      "wrong_result", "out_of_bounds", "input_modified", "unstable",      "timeout",
      "crashed",      "skipped",       "quarantined"};
  static constexpr const char* expected = "a trial status such as ok";
};
/// Statuses whose time may compete for `best`: only ok.
inline bool has_trusted_time(TrialStatus status) {
  return status == TrialStatus::ok;
}
/// Statuses with which a process was seen to die or hang: what it worked on may have been innocent.
inline bool is_death(TrialStatus status) {
  return status == TrialStatus::crashed || status == TrialStatus::timeout;
}
/// Statuses shown under failures: all but ok, dropped and skipped.
inline bool is_failure(TrialStatus status) {
  return status != TrialStatus::ok && status != TrialStatus::dropped && status != TrialStatus::skipped;
}

struct Macro {
  std::string name;
  std::string value;
  bool operator==(const Macro&) const = default;
};

/// Identity of source texts, names and order included.
Digest source_key(const std::vector<SourceText>& source);

/// One binary to make. Its key is its content: equal jobs give equal binaries.
struct CompileJob {
  std::vector<SourceText> source;  ///< main file first, then headers
  Digest source_key;               ///< of `source`, where known (saves hashing); else empty
  std::vector<Macro> macros;       ///< the configuration, ELEMENT_TYPE, …
  std::vector<Macro> vocabulary;   ///< codes of the words a spec uses (PARTITION_row); not part of the key
  std::vector<std::string> options;
  /// Name expressions of kernels (`scale<float>`; an overload with its parameters), and addresses of
  /// variables that are filled from outside (`&d_filter`).
  std::vector<std::string> entries;
  std::string architecture;  ///< `sm_90`; the CPU device: `host`
  std::string compiler;      ///< name and version: `nvrtc 13.0`
  /// C++ for the host on any device: a shared object whose entries are C functions. The host's compiler makes
  /// it and is not part of the key, since such a source only calls other libraries.
  bool host_library = false;
  /// Compiled by nvcc of the same toolkit as `compiler`. To the CPU device it says that functions of the host
  /// may be among the source's.
  bool by_nvcc = false;
  /// The host library that steps between kernel launches call: at most one job, part of the key. A Compiler
  /// makes the kernels only; CachingCompiler makes both.
  std::vector<CompileJob> library = {};

  Digest key() const;
  /// A host library whose main file is `.cu`: it has device code, and nvcc compiles it.
  bool is_library_of_nvcc() const;
  /// How many times a compiler's deadline it may take: nvcc needs a minute for templates such as CUTLASS's.
  int patience() const { return is_library_of_nvcc() ? 5 : 1; }
  bool operator==(const CompileJob&) const = default;
};

/// Whether an entry of a job is a variable's address.
inline bool is_variable(std::string_view entry) {
  return entry.starts_with('&');
}

/// C++ for the address of an entry. An overload is named with its parameters: `two(float*, int)`.
std::string address_of(const std::string& entry);
/// Position of the bracket before an overload's parameters; without parameters the length of `entry`.
std::size_t parameters_of(std::string_view entry);

/// Resources of one kernel, as the compiler reports them. A variable has only entry and symbol.
struct KernelResources {
  std::string entry;          ///< as in CompileJob::entries
  std::string symbol;         ///< name in the binary
  int registers = 0;          ///< per thread
  int spill_store_bytes = 0;  ///< per thread, static count
  int spill_load_bytes = 0;
  int stack_bytes = 0;  ///< per thread
  int static_shared_bytes = 0;
  int constant_bytes = 0;
  int max_threads_per_block = 0;  ///< from __launch_bounds__; 0: not limited

  int spill_bytes() const { return spill_store_bytes + spill_load_bytes; }
  bool operator==(const KernelResources&) const = default;
};

/// The result of a CompileJob. A failure is a value: `status` is ok, compile_error, unlaunchable (more static
/// shared memory than the compiler allows), timeout or crashed, and `log` says why.
struct Compilation {
  TrialStatus status = TrialStatus::ok;
  std::vector<std::byte> binary;
  std::vector<KernelResources> kernels;  ///< one per entry, in order
  std::string log;
  double compile_ms = 0;
  bool from_cache = false;
  std::vector<std::byte> library = {};  ///< of CompileJob::library

  const KernelResources* find(const std::string& entry) const;
  bool operator==(const Compilation&) const = default;
};

}  // namespace tuner::model
