#include "tuner/device/cpu/cpu_device.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "tuner/device/buffer_contents.hpp"
#include "tuner/device/cpu/block_runner.hpp"
#include "tuner/device/cpu/shared_object.hpp"
#include "tuner/util/processors.hpp"

namespace tuner::device::cpu {
namespace {

constexpr std::size_t alignment = 256;  // as cudaMalloc gives

class HostBuffer final : public Buffer {
 public:
  explicit HostBuffer(std::int64_t bytes) : m_bytes(bytes) {
    const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
    if (bytes < 0 || posix_memalign(&m_memory, alignment, wanted) != 0) {
      refuse(fmt::format("cannot allocate {} bytes", bytes));
    }
  }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  ~HostBuffer() override { std::free(m_memory); }
  Address address() const override { return reinterpret_cast<Address>(m_memory); }
  std::int64_t bytes() const override { return m_bytes; }

 private:
  void* m_memory = nullptr;
  std::int64_t m_bytes;
};

std::string describe(const RacingAccess& access, const model::SourceLocation& where) {
  const std::string place =
      where.file.empty() ? "an unknown line" : fmt::format("{}:{}", where.file, where.line);
  constexpr std::array words = {"read", "write", "atomic"};
  return fmt::format("{} by thread {} at {}", words.at(static_cast<std::size_t>(access.access)),
                     access.thread, place);
}

std::string describe(const tuner_cpu::Index3& index) {
  return fmt::format("({}, {}, {})", index.x, index.y, index.z);
}

Race describe(const RawRace& race, const model::SourceLocation& first, const model::SourceLocation& second) {
  const std::string before = describe(race.first_block);
  const std::string now = describe(race.second_block);
  const std::string blocks = before == now ? "block " + now : fmt::format("blocks {} and {}", before, now);
  return {
      first, second,
      fmt::format("{} and {}, in {}", describe(race.first, first), describe(race.second, second), blocks)};
}

}  // namespace

CpuDevice::CpuDevice(const CpuOptions& options)
    : m_info(describe_cpu(options)),
      m_pool(std::make_unique<WorkerPool>(m_info.limits.multiprocessors, options.stack_bytes)) {}

CpuDevice::~CpuDevice() = default;

std::unique_ptr<Buffer> CpuDevice::allocate(std::int64_t bytes) {
  return std::make_unique<HostBuffer>(bytes);
}

void CpuDevice::fill(Address address, model::ElementType type, std::int64_t elements, const model::Init& init,
                     std::uint64_t seed) {
  fill_on_host(reinterpret_cast<void*>(address), type, elements, init, seed);
}

model::Verification CpuDevice::compare(const CompareRequest& request) {
  return compare_on_host(request);
}

void CpuDevice::write(Address to, std::span<const std::byte> from) {
  std::copy(from.begin(), from.end(), reinterpret_cast<std::byte*>(to));
}

void CpuDevice::read(Address from, std::span<std::byte> to) {
  const auto* bytes = reinterpret_cast<const std::byte*>(from);
  std::copy(bytes, bytes + to.size(), to.begin());
}

std::uint64_t CpuDevice::checksum(Address address, std::int64_t bytes) {
  return checksum_on_host(reinterpret_cast<const void*>(address), bytes);
}

std::unique_ptr<Module> CpuDevice::load(std::span<const std::byte> binary) {
  return std::make_unique<SharedObject>(binary);
}

void CpuDevice::flush_l2() {
  constexpr std::int64_t least = std::int64_t{32} << 20U;  // where the size of the cache is unknown
  m_cache_eviction.resize(static_cast<std::size_t>(std::max(2 * m_info.limits.l2_bytes, least)));
  for (std::size_t i = 0; i < m_cache_eviction.size(); i += 64) ++m_cache_eviction[i];
}

std::vector<Race> CpuDevice::take_races(Module& module) {
  const std::vector<RawRace> raw = m_pool->take_races();
  std::vector<const void*> code;
  for (const RawRace& race : raw) code.insert(code.end(), {race.first.code, race.second.code});
  const std::vector<model::SourceLocation> places = dynamic_cast<SharedObject&>(module).locate(code);
  std::vector<Race> races;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    races.push_back(describe(raw[i], places[2 * i], places[2 * i + 1]));
  }
  return races;
}

namespace {

/// The value in the first line of a /proc file that starts with `key`; empty where there is none.
std::string proc_value(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with(key) || colon == std::string::npos) continue;
    const std::size_t first = line.find_first_not_of(" \t", colon + 1);
    return first == std::string::npos ? "" : line.substr(first);
  }
  return "";
}

std::string processor_name() {
  const std::string name = proc_value("/proc/cpuinfo", "model name");
  return name.empty() ? "CPU" : name;  // not every architecture names its model there
}

std::int64_t positive(long value) {
  return std::max(value, 0L);
}

}  // namespace

model::DeviceInfo describe_cpu(const CpuOptions& options) {
  model::DeviceInfo info;
  info.id = "cpu";
  info.kind = "cpu";
  info.name = processor_name();
  info.architecture = "host";
  const std::int64_t page_bytes = positive(sysconf(_SC_PAGESIZE));
  info.memory_bytes = positive(sysconf(_SC_PHYS_PAGES)) * page_bytes;
  // Not what is unused: the page cache gives way.
  info.free_memory_bytes =
      1024 * std::strtoll(proc_value("/proc/meminfo", "MemAvailable").c_str(), nullptr, 10);
  info.limits.multiprocessors =
      std::min(options.workers > 0 ? options.workers : util::usable_processors(), use::most_workers);
  // Times with more workers are other times: part of what may be compared.
  info.driver = fmt::format("cpu-{} with {} workers", tuner_cpu::abi_version, info.limits.multiprocessors);
  info.limits.max_threads_per_block = static_cast<int>(most_threads);
  info.limits.max_threads_per_multiprocessor = static_cast<int>(most_threads);
  info.limits.max_blocks_per_multiprocessor = 1;
  info.limits.shared_bytes_per_block = options.shared_bytes_per_block;
  info.limits.shared_bytes_per_block_optin = options.shared_bytes_per_block_optin;
  info.limits.shared_bytes_per_multiprocessor = options.shared_bytes_per_block_optin;
  info.limits.l2_bytes = positive(sysconf(_SC_LEVEL3_CACHE_SIZE));
  return info;
}

namespace {

std::optional<std::uint64_t> number_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  return in >> number ? std::optional(number) : std::nullopt;
}

/// `intel-rapl:0`; parts of a package are `intel-rapl:0:1`.
bool is_package(const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with("intel-rapl:") && name.find(':') == name.rfind(':');
}

}  // namespace

std::filesystem::path PackageEnergy::usual_folder() {
  const char* const named = std::getenv("TUNER_POWERCAP");
  return named == nullptr || *named == 0 ? "/sys/class/powercap" : named;
}

std::optional<double> PackageEnergy::joules() {
  std::error_code error;
  std::uint64_t sum_uj = 0;
  bool any = false;
  for (const auto& entry : std::filesystem::directory_iterator(m_folder, error)) {
    if (!is_package(entry.path())) continue;
    const auto now_uj = number_in(entry.path() / "energy_uj");
    if (!now_uj) return std::nullopt;
    const auto [known, is_new] = m_packages.try_emplace(entry.path(), Package{*now_uj, 0});
    Package& package = known->second;
    const std::uint64_t range_uj = number_in(entry.path() / "max_energy_range_uj").value_or(0);
    package.taken_uj +=
        *now_uj >= package.last_uj ? *now_uj - package.last_uj : *now_uj + range_uj - package.last_uj;
    package.last_uj = *now_uj;
    sum_uj += package.taken_uj;
    any = true;
  }
  return any ? std::optional(static_cast<double>(sum_uj) * 1e-6) : std::nullopt;
}

}  // namespace tuner::device::cpu
