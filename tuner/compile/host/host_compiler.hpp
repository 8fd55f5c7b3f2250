#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/compile/compiler.hpp"
#include "tuner/model/compile_job.hpp"
#include "tuner/util/command.hpp"

namespace tuner::compile::host {

/// Where nvcc is looked for, in order; a plain name is looked up in the PATH.
std::vector<std::string> nvcc_places();

/// $TUNER_NVCC, else nvcc of the PATH, of $CUDA_PATH, of $CUDA_HOME, and of where toolkits usually are.
/// Nothing, with what was looked for in `why_not`, where there is none.
std::optional<std::string> find_nvcc(std::string& why_not);

/// The begin of a command to a compiler of kernels. What the environment's CPATH names and what nvcc's flags
/// there ask for would be no part of a binary's identity.
std::vector<std::string> without_foreign_flags();

/// What is built into a binary besides the kernel.
enum class Instrument {
  none,
  memory,    ///< AddressSanitizer and UndefinedBehaviorSanitizer, stopping at the first finding
  accesses,  ///< every memory access is reported to the device, which looks for races
};

struct HostCompilerOptions {
  Instrument instrument = Instrument::none;
  /// Of one compilation, times CompileJob::patience().
  std::chrono::milliseconds deadline = std::chrono::minutes(2);
  util::CommandGroup group = util::CommandGroup::own;  ///< what the compiler runs in
};

/// For a process whose parent has the deadline, and kills it with its group.
HostCompilerOptions host_options_of_worker();

/// Makes a shared object for the CPU device from a kernel's CUDA C++ source, with the host's C++ compiler:
/// $TUNER_HOST_CXX, else the first of $CXX, c++, g++ and clang++ that exists. GCC and Clang are understood.
///
/// The kernel sees the headers of tuner/device/cpu/runtime before its own first line; diagnostics name its
/// own files and lines. Register counts do not exist here and stay 0; `static_shared_bytes` is that of the
/// whole source, and more than 48 KB of it is `unlaunchable`, as on a GPU. The binary can be loaded by
/// CpuDevice alone.
///
/// A job for a host library (CompileJob::host_library) is plain C++ for any device: none of the above is
/// added to it, and its entries keep their names. One whose main file is `.cu` is made by nvcc, for the job's
/// architecture; where there is no nvcc its status is `skipped`, as it is where a source says with
/// `#error "not there: …"` which headers it misses.
class HostCompiler final : public Compiler {
 public:
  /// Throws model::Error where no compiler is found, or not the one asked for, or it does not answer.
  explicit HostCompiler(HostCompilerOptions options = {});
  ~HostCompiler() override;

  /// `g++ 12.2.0`, followed by the instrument where there is one, and by what identifies the runtime headers.
  std::string name() const override;
  /// Options of the form -std=…, -D…, -U… and -O… reach the compiler; others are NVRTC's, and the log says
  /// that they were left out. Throws model::Error where a temporary folder cannot be written.
  model::Compilation compile(const model::CompileJob& job) override;

  /// AddressSanitizer's shared library, which must be loaded before anything else (LD_PRELOAD) in a process
  /// that loads binaries built with Instrument::memory. Throws model::Error where the compiler has none.
  std::string address_sanitizer_library() const;

 private:
  HostCompilerOptions m_options;
  std::vector<std::string> m_command;  ///< program and the arguments that always come first
  std::string m_name;
};

}  // namespace tuner::compile::host
