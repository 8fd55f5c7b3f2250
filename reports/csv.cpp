#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/findings.hpp"
#include "reports/report.hpp"
#include "reports/summary.hpp"
#include "reports/text.hpp"

namespace reports {
namespace {

using model::TrialRecord;

/// Names in the order they first occur.
class Names {
 public:
  void add(const std::string& name) {
    if (m_seen.insert(name).second) m_order.push_back(name);
  }
  const std::vector<std::string>& order() const { return m_order; }

 private:
  std::set<std::string> m_seen;
  std::vector<std::string> m_order;
};

/// The columns that depend on what the trials have.
struct OpenColumns {
  Names sizes;
  Names parameters;
  Names metrics;
};

OpenColumns open_columns(const std::vector<TrialRecord>& trials) {
  OpenColumns out;
  for (const TrialRecord& trial : trials) {
    for (const auto& dimension : trial.problem.sizes) out.sizes.add(dimension.name);
    for (const auto& assignment : trial.configuration.assignments()) out.parameters.add(assignment.name);
    for (const auto& [name, value] : trial.metrics) out.metrics.add(name);
  }
  return out;
}

/// One line; numbers are written so that reading them gives the same bits, text so that no reader runs it.
class Line {
 public:
  Line& text(std::string_view value) { return add(csv_text(value)); }
  template <typename Number>
  Line& number(Number value) {
    return add(fmt::format("{}", value));
  }
  /// Nothing where it is 0, which stands for unknown.
  Line& positive(double value) { return value > 0 ? number(value) : none(); }
  Line& none() { return add(""); }
  std::string finish() { return m_line + "\r\n"; }

 private:
  Line& add(const std::string& field) {
    if (m_begun) m_line += ',';
    m_begun = true;
    m_line += field;
    return *this;
  }
  std::string m_line;
  bool m_begun = false;
};

constexpr const char* before_sizes[] = {"trial", "kernel", "family"};
constexpr const char* after_sizes[] = {"type",    "row_padding", "device",     "driver",
                                       "toolkit", "l2",          "method",     "inputs",
                                       "status",  "approximate", "is_default", "best"};
constexpr const char* after_metrics[] = {"median_ns",
                                         "low_ns",
                                         "high_ns",
                                         "min_ns",
                                         "samples",
                                         "launches_per_sample",
                                         "includes_launch_latency",
                                         "sm_clock_mhz",
                                         "throttled_samples",
                                         "temperature_c",
                                         "power_w",
                                         "operations",
                                         "bytes",
                                         "ceiling",
                                         "ceiling_share",
                                         "final_ratio",
                                         "final_ratio_low",
                                         "final_ratio_high",
                                         "final_tied",
                                         "final_chosen",
                                         "registers",
                                         "spill_store_bytes",
                                         "spill_load_bytes",
                                         "stack_bytes",
                                         "static_shared_bytes",
                                         "dynamic_shared_bytes",
                                         "grid_x",
                                         "grid_y",
                                         "grid_z",
                                         "block_x",
                                         "block_y",
                                         "block_z",
                                         "blocks_per_multiprocessor",
                                         "occupancy",
                                         "limited_by",
                                         "verified",
                                         "rule",
                                         "error_ratio",
                                         "compile_ms",
                                         "measured_at",
                                         "run",
                                         "idea",
                                         "gpu",
                                         "detail"};

std::string heading(const OpenColumns& open) {
  Line line;
  for (const char* name : before_sizes) line.text(name);
  for (const std::string& name : open.sizes.order()) line.text("size." + name);
  for (const char* name : after_sizes) line.text(name);
  for (const std::string& name : open.parameters.order()) line.text("parameter." + name);
  for (const std::string& name : open.metrics.order()) line.text("metric." + name);
  for (const char* name : after_metrics) line.text(name);
  return line.finish();
}

bool is_best(const TrialRecord& trial, const std::vector<model::Winner>& winners) {
  const model::Winner* winner = winner_of(winners, trial.problem, trial.environment);
  return winner != nullptr && winner->trial == trial.key;
}

void add_identity(const TrialRecord& trial, const OpenColumns& open,
                  const std::vector<model::Winner>& winners, Line& line) {
  line.text(trial.key.hex()).text(trial.kernel).text(trial.problem.family);
  for (const std::string& name : open.sizes.order()) {
    const auto& sizes = trial.problem.sizes;
    const auto found =
        std::find_if(sizes.begin(), sizes.end(), [&](const auto& d) { return d.name == name; });
    found == sizes.end() ? line.none() : line.number(found->value);
  }
  const model::Environment& c = trial.environment;
  line.text(model::cuda_name(trial.problem.type)).number(trial.problem.row_padding);
  line.text(c.device).text(c.driver).text(c.toolkit).text(c.l2).text(c.method).text(c.inputs);
  line.text(model::to_string(trial.outcome.status)).number(is_approximate(trial) ? 1 : 0);
  line.number(trial.is_default ? 1 : 0).number(is_best(trial, winners) ? 1 : 0);
  for (const std::string& name : open.parameters.order()) {
    const model::Value* value = trial.configuration.find(name);
    if (value == nullptr) {
      line.none();
    } else {
      value->is_word() ? line.text(value->text()) : line.number(value->code());
    }
  }
  for (const std::string& name : open.metrics.order()) {
    const auto found = trial.metrics.find(name);
    found == trial.metrics.end() ? line.none() : line.number(found->second);
  }
}

void add_measurement(const TrialRecord& trial, Line& line) {
  if (!trial.outcome.measurement) {
    for (int i = 0; i < 11; ++i) line.none();
    return;
  }
  const model::Measurement& m = *trial.outcome.measurement;
  line.number(m.median_ns).number(m.low_ns).number(m.high_ns).number(m.min_ns).number(m.samples_ns.size());
  line.number(m.launches_per_sample).number(m.includes_launch_latency ? 1 : 0);
  line.positive(m.sm_clock_mhz).number(m.throttled_samples).positive(m.temperature_c).positive(m.power_w);
}

void add_ceiling(const TrialRecord& trial, const std::vector<model::Ceiling>& ceilings, Line& line) {
  line.positive(trial.workload.operations).positive(trial.workload.bytes);
  const auto share = ceiling_share(trial, ceilings);
  share ? line.text(share->ceiling->kind).number(share->fraction) : line.none().none();
}

/// How it did in the final by which the winner of its problem was found.
void add_final(const TrialRecord& trial, const std::vector<model::Winner>& winners, Line& line) {
  const model::Winner* winner = winner_of(winners, trial.problem, trial.environment);
  const model::FinalRecord* final = winner != nullptr && winner->final ? &*winner->final : nullptr;
  const model::FinalRecord::Entry* entry = standing(final, trial);
  if (entry == nullptr) {
    for (int i = 0; i < 5; ++i) line.none();
    return;
  }
  line.number(entry->ratio).number(entry->ratio_low).number(entry->ratio_high).number(entry->tied ? 1 : 0);
  line.number(entry->trial == final->chosen ? 1 : 0);
}

void add_resources(const TrialRecord& trial, Line& line) {
  if (trial.resources) {
    const model::KernelResources& r = *trial.resources;
    line.number(r.registers).number(r.spill_store_bytes).number(r.spill_load_bytes).number(r.stack_bytes);
    line.number(r.static_shared_bytes);
  } else {
    for (int i = 0; i < 5; ++i) line.none();
  }
  line.number(trial.dynamic_shared_bytes);
  line.number(trial.grid.x).number(trial.grid.y).number(trial.grid.z);
  line.number(trial.block.x).number(trial.block.y).number(trial.block.z);
  if (trial.occupancy) {
    line.number(trial.occupancy->blocks_per_multiprocessor).number(trial.occupancy->fraction);
    line.text(fmt::format("{}", fmt::join(trial.occupancy->limited_by, ";")));
  } else {
    line.none().none().none();
  }
}

}  // namespace

std::string to_csv(const ReportInput& input) {
  const OpenColumns open = open_columns(input.trials);
  std::string out = heading(open);
  for (const TrialRecord& trial : input.trials) {
    Line line;
    add_identity(trial, open, input.winners, line);
    add_measurement(trial, line);
    add_ceiling(trial, input.ceilings, line);
    add_final(trial, input.winners, line);
    add_resources(trial, line);
    line.text(trial.outcome.verification.checked ? "yes" : "no").text(trial.outcome.verification.rule);
    trial.outcome.verification.checked ? line.number(trial.outcome.verification.error_ratio) : line.none();
    line.number(trial.compile_ms)
        .text(trial.measured_at)
        .text(trial.run.hex())
        .text(trial.origin)
        .text(trial.gpu);
    line.text(trial.outcome.detail.empty() ? trial.compile_log : trial.outcome.detail);
    out += line.finish();
  }
  return out;
}

}  // namespace reports
