#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/device/cpu/cpu_device.hpp"

namespace tuner::test {

/// A source compiled and loaded, with what a launch of it needs beyond arguments.
struct KernelRun {
  std::string source;
  std::string entry = "kernel";
  model::Dim3 grid{1, 1, 1};
  model::Dim3 block{32, 1, 1};
  std::int64_t dynamic_shared_bytes = 0;
  std::vector<model::Macro> macros{};
  compile::host::Instrument instrument = compile::host::Instrument::none;
  bool reads_headers_anew = false;  ///< where no other source has them
  bool cooperative = false;
  model::Dim3 cluster{1, 1, 1};
};

/// The cache of binaries and headers that all tests of one ctest share; without ctest, one of this program
/// alone.
std::shared_ptr<compile::BinaryCache> shared_cache();
/// A host compiler that asks it first.
std::unique_ptr<compile::Compiler> caching_compiler(
    compile::host::Instrument instrument = compile::host::Instrument::none);

/// False, with a message, where kernels cannot include the headers of a toolkit.
bool has_toolkit();

/// The host compiler and the CPU device together: small kernels in, their output out.
class CpuMachine {
 public:
  explicit CpuMachine(int workers = 2);

  model::Compilation compile(const KernelRun& run);
  /// Runs a kernel whose one argument is an array of `Element`, which starts as `contents`; returns what it
  /// became. Throws what the device throws, and std::runtime_error with the log where the source does not
  /// compile.
  template <class Element>
  std::vector<Element> run(const KernelRun& run, std::vector<Element> contents) {
    run_on(run, contents.data(), static_cast<std::int64_t>(contents.size() * sizeof(Element)));
    return contents;
  }
  /// Of the last run, where it was built with Instrument::accesses.
  const std::vector<device::cpu::Race>& races() const { return m_races; }
  device::cpu::CpuDevice& device() { return m_device; }

 private:
  void run_on(const KernelRun& run, void* contents, std::int64_t bytes);

  device::cpu::CpuDevice m_device;
  std::vector<device::cpu::Race> m_races;
};

}  // namespace tuner::test
