#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/device/device.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace tuner::device::cpu {

class WorkerPool;

/// Two threads of a launch touched the same byte with nothing to order them, at least one of them writing.
struct Race {
  model::SourceLocation first;  ///< of the access that happened to run first; no file where that is unknown
  model::SourceLocation second;
  std::string text;  ///< `write by thread 0 at k.cu:12 and read by thread 1 at k.cu:14, in block (0, 0, 0)`
};

struct CpuOptions {
  int workers = 0;  ///< threads that run blocks; 0: one for each core this process may use
  std::int64_t stack_bytes = std::int64_t{256} << 10U;  ///< of each CUDA thread
  std::int64_t shared_bytes_per_block = std::int64_t{48} << 10U;
  std::int64_t shared_bytes_per_block_optin = std::int64_t{227} << 10U;
};

/// What `list devices` says of the CPU, without starting anything.
model::DeviceInfo describe_cpu(const CpuOptions& options = {});

/// Runs binaries of compile::host::HostCompiler: blocks spread over the cores, the threads of a block as
/// fibres of one core. Times are wall-clock times of a CPU.
///
/// Faults: a launch whose arguments do not fit the kernel is `launch_error`; a block in which not all threads
/// reach a barrier, or a warp operation, is `crashed` with the lines where they wait, and the device stays
/// usable. A kernel that breaks the process (a segmentation fault, a false assertion) breaks it: signals are
/// not caught. Shared memory and outputs hold no zeros by accident: shared memory starts as bytes of 0xff
/// (NaN, -1) in every block.
class CpuDevice final : public Device {
 public:
  explicit CpuDevice(const CpuOptions& options = {});
  ~CpuDevice() override;

  const model::DeviceInfo& info() const override { return m_info; }
  std::unique_ptr<Buffer> allocate(std::int64_t bytes) override;
  void fill(Address address, model::ElementType type, std::int64_t elements, const model::Init& init,
            std::uint64_t seed) override;
  model::Verification compare(const CompareRequest& request) override;
  void write(Address to, std::span<const std::byte> from) override;
  void read(Address from, std::span<std::byte> to) override;
  std::uint64_t checksum(Address address, std::int64_t bytes) override;
  std::unique_ptr<Module> load(std::span<const std::byte> binary) override;
  std::unique_ptr<Sequence> bind(Module& module, const std::vector<model::KernelResources>& kernels,
                                 const std::vector<model::Step>& steps,
                                 const std::vector<model::BufferPlan>& buffers,
                                 const Bindings& bindings) override;
  void flush_l2() override;

  /// The races seen since the last call, in a module built to report its accesses
  /// (compile::host::Instrument::accesses); each pair of places once. Blocks of such modules run one by one.
  std::vector<Race> take_races(Module& module);

 private:
  model::DeviceInfo m_info;
  std::unique_ptr<WorkerPool> m_pool;
  std::vector<char> m_cache_eviction;  ///< made by the first flush_l2()
};

/// The counters of the processor's packages (RAPL) as Linux shows them in its powercap folder.
class PackageEnergy {
 public:
  /// TUNER_POWERCAP names another folder than /sys/class/powercap.
  static std::filesystem::path usual_folder();

  explicit PackageEnergy(std::filesystem::path folder = usual_folder()) : m_folder(std::move(folder)) {}

  /// J that all packages have taken since the first call; nothing where there are none, or one cannot be
  /// read. Call it more often than a counter starts again, every few minutes.
  std::optional<double> joules();

 private:
  struct Package {
    std::uint64_t last_uj = 0;
    std::uint64_t taken_uj = 0;
  };

  std::filesystem::path m_folder;
  std::map<std::filesystem::path, Package> m_packages;
};

}  // namespace tuner::device::cpu
