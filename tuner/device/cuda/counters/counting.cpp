#include "tuner/device/cuda/counters/counting.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <utility>

#include "tuner/model/error.hpp"

namespace tuner::device::cuda::counters {
namespace {

constexpr const char* parameter = "RmProfilingAdminOnly";

/// What stands behind `name:` in a file of such lines; nothing where it has none.
std::optional<std::string> value_in(const std::filesystem::path& file, const std::string& name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(name + ":")) continue;
    const std::size_t begin = line.find_first_not_of(" \t", name.size() + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return std::nullopt;
}

bool is_administrator(const std::filesystem::path& proc) {
  constexpr unsigned cap_sys_admin = 21;
  const auto effective = value_in(proc / "self" / "status", "CapEff");
  return !effective || ((std::strtoull(effective->c_str(), nullptr, 16) >> cap_sys_admin) & 1U) != 0;
}

}  // namespace

const char* const how_to_permit =
    "on a host: run as root, or `options nvidia NVreg_RestrictProfilingToAdminUsers=0` in /etc/modprobe.d "
    "and "
    "reboot; in a container: that option on its host, or start it with --cap-add SYS_ADMIN";

std::string why_not_permitted(const std::filesystem::path& proc) {
  const std::filesystem::path parameters = proc / "driver" / "nvidia" / "params";
  const auto restricted = value_in(parameters, parameter);
  if (!restricted || *restricted == "0" || is_administrator(proc)) return "";
  return fmt::format(
      "NVIDIA's driver gives hardware counters to administrators alone ({}: {} in {}), and this process has "
      "no CAP_SYS_ADMIN",
      parameter, *restricted, parameters.string());
}
namespace {

/// The calling thread's context; the driver is loaded already.
void* current_context() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  const auto get =
      driver == nullptr ? nullptr : reinterpret_cast<int (*)(void**)>(dlsym(driver, "cuCtxGetCurrent"));
  void* context = nullptr;
  if (get == nullptr || get(&context) != 0 || context == nullptr)
    throw model::Error("there is no CUDA context to count in");
  return context;
}

/// The range profiler of one context, from Enable to Disable.
class RangeProfiler {
 public:
  RangeProfiler(const Cupti& cupti, void* context) : m_cupti(cupti) {
    Enable of;
    of.context = context;
    cupti.require(call(cupti.enable, of, of.profiler), "enabling its range profiler");
    m_profiler = of.profiler;
  }
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;
  ~RangeProfiler() {
    OfProfiler of;
    of.profiler = m_profiler;
    static_cast<void>(call(m_cupti.disable, of, of.profiler));
  }

  /// Room for the counters of one range.
  std::vector<std::uint8_t> make_data(const std::vector<std::string>& metrics) const {
    std::vector<const char*> names;
    for (const std::string& metric : metrics) names.push_back(metric.c_str());
    CounterDataSize size;
    size.profiler = m_profiler;
    size.metrics = names.data();
    size.count = names.size();
    size.ranges = 1;
    size.nodes = 1;
    m_cupti.require(call(m_cupti.counter_data_size, size, size.bytes), "making room for counters");
    std::vector<std::uint8_t> data(size.bytes);
    CounterDataInitialize of;
    of.profiler = m_profiler;
    of.bytes = data.size();
    of.image = data.data();
    m_cupti.require(call(m_cupti.counter_data_initialize, of, of.image), "making room for counters");
    return data;
  }

  void configure(const std::vector<std::uint8_t>& config, std::vector<std::uint8_t>& data) const {
    SetConfig of;
    of.profiler = m_profiler;
    of.config_bytes = config.size();
    of.config = config.data();
    of.data_bytes = data.size();
    of.data = data.data();
    m_cupti.require(call(m_cupti.set_config, of, of.target_nesting_level), "setting what to count");
  }

  /// Counts during `work`; whether that was the last pass.
  bool pass(const std::function<void()>& work) const {
    run(m_cupti.start, "starting a pass");
    PushRange range;
    range.profiler = m_profiler;
    range.name = "trial";
    m_cupti.require(call(m_cupti.push_range, range, range.name), "beginning a range");
    work();
    run(m_cupti.pop_range, "ending a range");
    Stop of;
    of.profiler = m_profiler;
    m_cupti.require(call(m_cupti.stop, of, of.all_passes_submitted), "ending a pass");
    return of.all_passes_submitted != 0;
  }

  void decode() const {
    DecodeData of;
    of.profiler = m_profiler;
    m_cupti.require(call(m_cupti.decode_data, of, of.ranges_dropped), "decoding counters");
    if (of.ranges_dropped != 0) throw model::Error("CUPTI has dropped the range that was counted");
  }

 private:
  void run(int (*function)(OfProfiler*), const char* doing) const {
    OfProfiler of;
    of.profiler = m_profiler;
    m_cupti.require(call(function, of, of.profiler), doing);
  }

  const Cupti& m_cupti;
  void* m_profiler = nullptr;
};

class CuptiCounters final : public Counters {
 public:
  CuptiCounters(std::shared_ptr<const Cupti> cupti, void* context, ChipMetrics chip)
      : m_cupti(std::move(cupti)), m_context(context), m_chip(std::move(chip)) {}

  model::Profile count(const std::vector<std::string>& named, const std::function<void()>& before_each,
                       const std::function<void()>& work) override {
    const std::vector<std::string> metrics = with_usual(named);
    const Schedule schedule = m_chip.schedule(metrics);
    const std::vector<std::uint8_t> config = m_chip.config_image(schedule.groups);
    const RangeProfiler profiler(*m_cupti, m_context);
    std::vector<std::uint8_t> data = profiler.make_data(metrics);
    profiler.configure(config, data);
    model::Profile profile;
    for (bool is_last = false; !is_last; ++profile.passes) {
      if (profile.passes > schedule.passes)
        throw model::Error(fmt::format("CUPTI wants more than the {} passes it planned", schedule.passes));
      before_each();
      is_last = profiler.pass(work);
    }
    profiler.decode();
    const std::vector<double> values = m_chip.evaluate(data, metrics);
    for (std::size_t i = 0; i < metrics.size(); ++i)  // a ratio may be of nothing by nothing
      if (std::isfinite(values[i]))
        profile.counters.push_back({metrics[i], values[i], m_chip.unit(metrics[i])});
    return profile;
  }

 private:
  std::vector<std::string> with_usual(const std::vector<std::string>& named) const {
    std::vector<std::string> metrics = m_chip.usual();
    for (const std::string& metric : named) {
      if (std::ranges::count(metrics, metric) > 0) continue;
      if (!m_chip.knows(metric))
        throw model::UsageError(
            fmt::format("{} has no metric '{}'", m_chip.chip(), metric),
            "a metric has a base and a rollup, as dram__bytes_read.sum; `ncu --query-metrics` lists bases");
      metrics.push_back(metric);
    }
    return metrics;
  }

  std::shared_ptr<const Cupti> m_cupti;
  void* m_context;
  ChipMetrics m_chip;
};

/// What the device can count today. Asking is the first thing that needs the permission.
std::vector<std::uint8_t> availability_in(const Cupti& cupti, void* context) {
  CounterAvailability of;
  of.context = context;
  const auto ask = [&] {
    const int result = call(cupti.counter_availability, of, of.image);
    if (result == cupti_insufficient_privileges || result == cupti_virtual_insufficient_privileges)
      throw model::Error(fmt::format("NVIDIA's driver does not let this process read hardware counters: {}",
                                     cupti.describe(result)),
                         how_to_permit);
    cupti.require(result, "asking what the GPU can count");
  };
  ask();
  std::vector<std::uint8_t> image(of.bytes);
  of.image = image.data();
  ask();
  image.resize(of.bytes);
  return image;
}

}  // namespace

std::unique_ptr<Counters> open(int ordinal, const std::vector<std::string>& places) {
  if (std::string why = why_not_permitted(); !why.empty()) throw model::Error(why, how_to_permit);
  const std::shared_ptr<const Cupti> cupti = load_cupti(places);
  void* const context = current_context();
  Plain initialized;
  cupti->require(call(cupti->initialize, initialized, initialized.head), "starting its profiler");
  ChipName chip;
  chip.device = static_cast<std::size_t>(ordinal);
  cupti->require(call(cupti->chip_name, chip, chip.name), "asking for the GPU's chip");
  ChipMetrics metrics(cupti, chip.name, availability_in(*cupti, context));
  return std::make_unique<CuptiCounters>(cupti, context, std::move(metrics));
}

}  // namespace tuner::device::cuda::counters
