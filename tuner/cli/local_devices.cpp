#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <future>
#include <optional>
#include <utility>

#include "reports/table.hpp"
#include "reports/text.hpp"
#include "tuner/cli/backend.hpp"
#include "tuner/cli/context.hpp"
#include "tuner/cli/output.hpp"
#include "tuner/compile/binary_cache.hpp"
#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/compile/nvcc/nvcc_compiler.hpp"
#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"
#include "tuner/device/cpu/cpu_device.hpp"
#include "tuner/device/cuda/counters/counting.hpp"
#include "tuner/device/cuda/cuda.hpp"
#include "tuner/measure/runner.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {

std::vector<std::string> visible_cuda_devices() {
  constexpr std::chrono::seconds limit{60};
  const util::CommandResult told = util::run_command({"/proc/self/exe", "worker", "devices"}, "/", limit);
  std::vector<std::string> ids;
  for (std::string_view lines = told.output; !lines.empty();)
    if (const std::string_view line = util::split_first(lines, "\n"); line.starts_with("cuda:"))
      ids.emplace_back(line);
  return ids;
}

std::string why_unlike(const model::DeviceInfo& first, const model::DeviceInfo& other) {
  const auto differs = [&](const char* what, const auto& a, const auto& b) {
    return fmt::format("its {} is {}, that of {} is {}", what, b, first.id, a);
  };
  if (first.name != other.name) return differs("name", first.name, other.name);
  if (first.architecture != other.architecture)
    return differs("architecture", first.architecture, other.architecture);
  // What the driver keeps to itself may differ a little.
  constexpr double alike = 0.01;
  const auto bytes = static_cast<double>(first.memory_bytes);
  if (std::abs(bytes - static_cast<double>(other.memory_bytes)) > alike * bytes)
    return differs("memory in bytes", first.memory_bytes, other.memory_bytes);
  if (first.limits.multiprocessors != other.limits.multiprocessors)
    return differs("number of multiprocessors", first.limits.multiprocessors, other.limits.multiprocessors);
  if (first.limits != other.limits) return fmt::format("its limits are not those of {}", first.id);
  return "";
}

namespace {

/// Opens its device when it is told to prepare, or with the first trial.
class LazyRunner final : public model::TrialRunner {
 public:
  using Open = std::function<std::unique_ptr<model::TrialRunner>()>;
  LazyRunner(model::DeviceInfo device, Open open) : m_device(std::move(device)), m_open(std::move(open)) {}

  const model::DeviceInfo& device() const override { return m_device; }
  void prepare() override { static_cast<void>(runner()); }
  model::TrialOutcome run(const model::TrialJob& job) override { return runner().run(job); }
  model::FinalOutcome run_final(const model::FinalJob& job) override { return runner().run_final(job); }
  model::FinalOutcome run_final_with_notice(const model::FinalJob& job,
                                            const std::function<void(std::size_t)>& before_work) override {
    return runner().run_final_with_notice(job, before_work);
  }
  model::Profile profile(const model::ProfileJob& job) override { return runner().profile(job); }
  void report_phases_to(std::function<void(model::TrialPhase)> listener) override {
    m_listener = std::move(listener);
    if (m_runner) m_runner->report_phases_to(m_listener);
  }
  void give_up_preparing_if(std::function<bool()> is_late) override {
    m_is_late = std::move(is_late);
    if (m_runner) m_runner->give_up_preparing_if(m_is_late);
  }

 private:
  model::TrialRunner& runner() {
    if (!m_runner) {
      m_runner = m_open();
      m_runner->report_phases_to(m_listener);
      m_runner->give_up_preparing_if(m_is_late);
    }
    return *m_runner;
  }

  model::DeviceInfo m_device;
  Open m_open;
  std::function<void(model::TrialPhase)> m_listener;
  std::function<bool()> m_is_late;
  std::unique_ptr<model::TrialRunner> m_runner;
};

model::DeviceInfo cuda_device(const std::string& id) {
  std::vector<std::string> known;
  for (const model::DeviceInfo& device : device::cuda::devices()) {
    if (device.id == id) return device;
    known.push_back(device.id);
  }
  throw model::Error(fmt::format("there is no device {}; the driver shows {}", id,
                                 known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))),
                     "`tuner list devices` shows what there is", model::ExitCode::no_device);
}

std::vector<std::byte> support_binary(const model::DeviceInfo& device, const Cache& cache) {
  auto nvrtc = std::make_unique<compile::nvrtc::NvrtcCompiler>(compile::nvrtc::load_library());
  const model::CompileJob job = device::cuda::support_job(device.architecture, nvrtc->name());
  compile::CachingCompiler compiler(std::move(nvrtc), cache);
  model::Compilation compilation = compiler.compile(job);
  if (compilation.status != model::TrialStatus::ok) {
    throw model::Error(fmt::format("the tuner's own kernels do not compile for {}: {}", device.architecture,
                                   compilation.log),
                       "this NVRTC may be too old for the GPU: install a newer CUDA toolkit",
                       model::ExitCode::no_device);
  }
  return std::move(compilation.binary);
}

/// Where CUPTI may be: as TUNER_LIBCUPTI says, else where NVRTC is looked for.
std::vector<std::string> cupti_places() {
  const char* const named = std::getenv("TUNER_LIBCUPTI");
  std::vector<std::string> places;
  for (const auto& candidate : compile::nvrtc::library_candidates(
           named == nullptr ? "" : named, {{"libcupti.so.13", "libcupti.so.12"}, "cuda_cupti"}))
    places.push_back(candidate.file);
  return places;
}

std::unique_ptr<model::TrialRunner> open_cuda(const model::DeviceInfo& info, const Cache& cache) {
  const int ordinal = std::stoi(info.id.substr(info.id.find(':') + 1));
  // Each takes some tenth of a second, and the first trial waits for both.
  auto support = std::async(std::launch::async, support_binary, info, cache);
  auto nvml = std::make_shared<device::cuda::Nvml>();
  measure::Surroundings surroundings;
  surroundings.max_sm_clock_mhz = device::cuda::max_sm_clock_mhz(ordinal);
  surroundings.reading = [nvml, uuid = info.uuid] {
    const device::cuda::GpuReading gpu = nvml->read(uuid);
    return measure::Reading{gpu.sm_clock_mhz.value_or(0), gpu.temperature_celsius.value_or(0),
                            gpu.power_watts.value_or(0)};
  };
  if (nvml->energy_j(info.uuid))
    surroundings.joules = [nvml, uuid = info.uuid] { return nvml->energy_j(uuid); };
  surroundings.counters = [ordinal] { return device::cuda::counters::open(ordinal, cupti_places()); };
  return std::make_unique<measure::DeviceTrialRunner>(device::cuda::open(ordinal, std::move(support)),
                                                      surroundings);
}

/// A GPU's compilers: NVRTC, with nvcc beside it for what asks for it, and the host's for what calls
/// libraries.
class GpuCompilers final : public compile::Compiler {
 public:
  GpuCompilers() : m_nvrtc(compile::nvrtc::load_library()), m_name(m_nvrtc.name()) {
    if (const std::string host = compile::host::nvcc_host_compiler(); !host.empty())
      m_name += ", nvcc with " + host;
  }

  std::string name() const override { return m_name; }
  model::Compilation compile(const model::CompileJob& job) override {
    if (job.by_nvcc) {
      if (!m_nvcc) m_nvcc.emplace(compile::nvcc::release_of(name()));
      return m_nvcc->compile(job);
    }
    if (!job.host_library) return m_nvrtc.compile(job);
    try {
      if (!m_host) m_host.emplace(compile::host::host_options_of_worker());
    } catch (const model::Error& error) {
      model::Compilation failure;
      failure.status = model::TrialStatus::skipped;  // tried again, unlike a mistake in the source
      failure.log = error.what();
      return failure;
    }
    return m_host->compile(job);
  }

 private:
  compile::nvrtc::NvrtcCompiler m_nvrtc;
  std::string m_name;
  std::optional<compile::nvcc::NvccCompiler> m_nvcc;  ///< made for the first such job
  std::optional<compile::host::HostCompiler> m_host;
};

}  // namespace

std::unique_ptr<compile::Compiler> local_compiler(const std::string& name, const Cache& cache,
                                                  std::chrono::milliseconds limit) {
  if (name == "nvrtc") return std::make_unique<GpuCompilers>();
  compile::host::HostCompilerOptions options = compile::host::host_options_of_worker();
  options.cache = cache;
  options.precompile_limit = limit / 4;
  return std::make_unique<compile::host::HostCompiler>(std::move(options));
}

std::unique_ptr<model::TrialRunner> cpu_runner() {
  measure::Surroundings surroundings;
  auto energy = std::make_shared<device::cpu::PackageEnergy>();
  if (energy->joules()) surroundings.joules = [energy] { return energy->joules(); };
  return std::make_unique<measure::DeviceTrialRunner>(std::make_unique<device::cpu::CpuDevice>(),
                                                      std::move(surroundings));
}

std::string why_no_energy(const model::DeviceInfo& device) {
  const model::DeviceKind& kind = model::device_kind(device.kind);
  if (!kind.has_energy) return device.id + " does not count its energy";
  if (kind.naming == model::DeviceKind::Naming::file) return "";
  if (kind.is_gpu)
    return device::cuda::Nvml().energy_j(device.uuid)
               ? ""
               : fmt::format(
                     "the driver does not tell the energy of {} (NVML's total energy consumption; GPUs "
                     "before Volta and slices of a GPU have none)",
                     device.id);
  const std::filesystem::path folder = device::cpu::PackageEnergy::usual_folder();
  return device::cpu::PackageEnergy(folder).joules()
             ? ""
             : fmt::format("{}/intel-rapl:*/energy_uj cannot be read, which takes root on most machines",
                           folder.string());
}

std::unique_ptr<model::TrialRunner> cuda_runner(const std::string& id, const Cache& cache) {
  const model::DeviceInfo info = cuda_device(id);
  return std::make_unique<LazyRunner>(info, [info, cache] { return open_cuda(info, cache); });
}

int list_devices(const std::string& format) {
  using reports::Align;
  reports::Table table({{"device"},
                        {"name", Align::left, true},
                        {"architecture"},
                        {"multiprocessors", Align::right, false, 2},
                        {"memory", Align::right, false, 4},
                        {"driver", Align::left, false, 3},
                        {"uuid", Align::left, false, 1}});
  std::vector<model::DeviceInfo> devices;
  try {
    devices = device::cuda::devices();
  } catch (const model::Error& error) {
    write_err(fmt::format("no GPU: {}", error.what()));
  }
  devices.push_back(device::cpu::describe_cpu());
  for (const model::DeviceInfo& device : devices) {
    table.add_row({device.id, device.name, device.architecture,
                   fmt::format("{}", device.limits.multiprocessors),
                   device.memory_bytes > 0 ? reports::bytes_text(device.memory_bytes) : "", device.driver,
                   device.uuid});
  }
  write_table(table, "devices", format);
  return 0;
}

}  // namespace tuner::cli
