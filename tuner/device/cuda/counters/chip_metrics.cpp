#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "tuner/device/cuda/counters/counting.hpp"
#include "tuner/model/error.hpp"

namespace tuner::device::cuda::counters {
namespace {

/// Names of one metric on different chips, the usual name first.
using Names = std::vector<std::string>;

const std::vector<Names>& usual_metrics() {
  const auto stalled = [](const std::string& reason) {
    return Names{fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", reason)};
  };
  static const std::vector<Names> names = {{"dram__bytes_read.sum", "dram__bytes_op_read.sum"},
                                           {"dram__bytes_write.sum", "dram__bytes_op_write.sum"},
                                           {"dram__throughput.avg.pct_of_peak_sustained_elapsed"},
                                           {"lts__t_bytes.sum"},
                                           {"lts__t_sector_hit_rate.pct"},
                                           {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
                                           {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
                                           {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
                                           {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
                                           {"l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum"},
                                           {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
                                           {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
                                           {"smsp__inst_executed.sum"},
                                           {"smsp__thread_inst_executed.sum"},
                                           {"smsp__issue_active.avg.pct_of_peak_sustained_active"},
                                           {"sm__warps_active.avg.pct_of_peak_sustained_active"},
                                           {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"},
                                           {"sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active"},
                                           stalled("long_scoreboard"),
                                           stalled("short_scoreboard"),
                                           stalled("mio_throttle"),
                                           stalled("barrier"),
                                           stalled("math_pipe_throttle"),
                                           stalled("gmma")};
  return names;
}

std::vector<const char*> pointers_to(const std::vector<std::string>& names) {
  std::vector<const char*> pointers;
  for (const std::string& name : names) pointers.push_back(name.c_str());
  return pointers;
}

/// CUPTI's object for one question about a chip.
class Host {
 public:
  Host(const Cupti& cupti, const std::string& chip, const std::vector<std::uint8_t>& availability)
      : m_cupti(cupti) {
    HostInitialize to;
    to.chip = chip.c_str();
    to.availability = availability.empty() ? nullptr : availability.data();
    const int result = call(cupti.host_initialize, to, to.host);
    if (result != cupti_success)
      throw model::Error(fmt::format("this CUPTI ({}) does not count on the chip {}: {}", cupti.path, chip,
                                     cupti.describe(result)),
                         "a newer CUDA toolkit may know it; TUNER_LIBCUPTI names another CUPTI");
    m_host = to.host;
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  ~Host() {
    HostDeinitialize of;
    of.host = m_host;
    static_cast<void>(call(m_cupti.host_deinitialize, of, of.host));
  }

  void* get() const { return m_host; }
  int add(const PassGroup& group) const {
    std::vector<const char*> names = pointers_to(group);
    AddMetrics of;
    of.host = m_host;
    of.metrics = names.data();
    of.count = names.size();
    return call(m_cupti.add_metrics, of, of.count);
  }

 private:
  const Cupti& m_cupti;
  void* m_host = nullptr;
};

}  // namespace

const std::vector<PassGroup>& ratios() {
  static const std::vector<PassGroup> pairs = {
      {"dram__bytes_read.sum", "dram__bytes_write.sum"},
      {"dram__bytes_op_read.sum", "dram__bytes_op_write.sum"},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
      {"smsp__inst_executed.sum", "smsp__thread_inst_executed.sum"},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
       "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"}};
  return pairs;
}

std::vector<std::string> chips(const Cupti& cupti) {
  SupportedChips all;
  cupti.require(call(cupti.supported_chips, all, all.names), "listing the chips it knows");
  return {all.names, all.names + all.chips};
}

ChipMetrics::ChipMetrics(std::shared_ptr<const Cupti> cupti, std::string chip,
                         std::vector<std::uint8_t> availability)
    : m_cupti(std::move(cupti)), m_chip(std::move(chip)), m_availability(std::move(availability)) {
  const Host tried(*m_cupti, m_chip, m_availability);
}

bool ChipMetrics::knows(const std::string& metric) const {
  return Host(*m_cupti, m_chip, m_availability).add({metric}) == cupti_success;
}

std::string ChipMetrics::unit(const std::string& metric) const {
  const Host host(*m_cupti, m_chip, m_availability);
  MetricProperties of;
  of.host = host.get();
  of.metric = metric.c_str();
  if (call(m_cupti->metric_properties, of, of.type) != cupti_success || of.unit == nullptr) return "";
  return of.unit;
}

std::vector<std::string> ChipMetrics::usual() const {
  std::vector<std::string> known;
  for (const Names& names : usual_metrics()) {
    const auto name = std::ranges::find_if(names, [&](const std::string& one) { return knows(one); });
    if (name != names.end()) known.push_back(*name);
  }
  return known;
}

Schedule ChipMetrics::schedule(const std::vector<std::string>& metrics) const {
  std::vector<PassGroup> units;
  std::vector<std::string> left = metrics;
  const auto take = [&](const PassGroup& unit) {
    units.push_back(unit);
    std::erase_if(left, [&](const std::string& metric) { return std::ranges::count(unit, metric) > 0; });
  };
  for (const PassGroup& ratio : ratios()) {
    const bool is_asked = std::ranges::all_of(
        ratio, [&](const std::string& term) { return std::ranges::count(left, term) > 0; });
    if (is_asked && passes({ratio}) == 1) take(ratio);
  }
  while (!left.empty()) take(PassGroup{left.front()});

  Schedule out;
  std::vector<int> passes_of;
  for (const PassGroup& unit : units) {
    const int alone = passes({unit});
    bool placed = false;
    for (std::size_t i = 0; i < out.groups.size() && !placed; ++i) {
      if (passes_of[i] != alone) continue;
      PassGroup together = out.groups[i];
      together.insert(together.end(), unit.begin(), unit.end());
      placed = passes({together}) == alone;
      if (placed) out.groups[i] = std::move(together);
    }
    if (placed) continue;
    out.groups.push_back(unit);
    passes_of.push_back(alone);
  }
  out.passes = passes(out.groups);
  return out;
}

std::vector<std::uint8_t> ChipMetrics::config_image(const std::vector<PassGroup>& groups) const {
  const Host host(*m_cupti, m_chip, m_availability);
  for (const PassGroup& group : groups) {
    const int result = host.add(group);
    if (result == cupti_success) continue;
    throw model::Error(fmt::format("{} does not count {} together: {}", m_chip, fmt::join(group, ", "),
                                   m_cupti->describe(result)));
  }
  ConfigImageSize size;
  size.host = host.get();
  m_cupti->require(call(m_cupti->config_image_size, size, size.bytes), "planning what to count");
  std::vector<std::uint8_t> image(size.bytes);
  ConfigImage of;
  of.host = host.get();
  of.bytes = image.size();
  of.image = image.data();
  m_cupti->require(call(m_cupti->config_image, of, of.image), "planning what to count");
  return image;
}

int ChipMetrics::passes(const std::vector<PassGroup>& groups) const {
  std::vector<std::uint8_t> image = config_image(groups);
  NumOfPasses of;
  of.bytes = image.size();
  of.image = image.data();
  m_cupti->require(call(m_cupti->num_of_passes, of, of.passes), "counting passes");
  return static_cast<int>(of.passes);
}

std::vector<double> ChipMetrics::evaluate(std::span<const std::uint8_t> data,
                                          const std::vector<std::string>& metrics) const {
  const Host host(*m_cupti, m_chip, m_availability);
  std::vector<const char*> names = pointers_to(metrics);
  std::vector<double> values(metrics.size());
  Evaluate of;
  of.host = host.get();
  of.image = data.data();
  of.bytes = data.size();
  of.metrics = names.data();
  of.count = names.size();
  of.values = values.data();
  m_cupti->require(call(m_cupti->evaluate, of, of.values), "reading what was counted");
  return values;
}

namespace {

/// The symbol that `library` lacks; empty: it has all.
std::string fill(Cupti& cupti, void* library) {
  std::string missing;
  const auto find = [&](auto& member, const char* symbol) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(dlsym(library, symbol));
    if (member == nullptr && missing.empty()) missing = symbol;
  };
  find(cupti.result_string, "cuptiGetResultString");
#define TUNER_FIND(member, symbol, Parameters) find(cupti.member, #symbol);
  TUNER_CUPTI_FUNCTIONS(TUNER_FIND)
#undef TUNER_FIND
  return missing;
}

}  // namespace

std::string Cupti::describe(int result) const {
  const char* text = nullptr;
  if (result_string(result, &text) != cupti_success || text == nullptr) text = "unknown error of CUPTI's";
  return fmt::format("{} ({})", text, result);
}

void Cupti::require(int result, const char* doing) const {
  if (result != cupti_success)
    throw model::Error(fmt::format("CUPTI says {}, while {}", describe(result), doing));
}

std::shared_ptr<const Cupti> load_cupti(const std::vector<std::string>& places) {
  std::string tried;
  for (const std::string& place : places) {
    void* const library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* const why = dlerror();
      tried += fmt::format("\n  {}", why == nullptr ? place : why);
      continue;
    }
    auto cupti = std::make_shared<Cupti>();
    cupti->path = place;
    const std::string missing = fill(*cupti, library);
    if (missing.empty()) return cupti;
    tried += fmt::format("\n  {}: lacks {}, which came with CUDA 12.6", place, missing);
    dlclose(library);
  }
  throw model::Error(
      fmt::format("NVIDIA's CUPTI, which reads hardware counters, was not found; looked for:{}", tried),
      "it comes with the CUDA Toolkit, or `pip install nvidia-cuda-cupti`; TUNER_LIBCUPTI names it");
}

}  // namespace tuner::device::cuda::counters
