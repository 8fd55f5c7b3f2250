#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "db/database.hpp"
#include "db/final_queries.hpp"
#include "db/queries.hpp"
#include "reports/ceiling.hpp"
#include "reports/numbers.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/model/winner.hpp"

namespace tuner::cli {
namespace {

class Sheet {
 public:
  void add(const std::string& name, const std::string& value) {
    if (!value.empty()) m_text += fmt::format("{:<22}{}\n", name, value);
  }
  void add_block(const std::string& name, const std::string& text) {
    if (!text.empty()) m_text += fmt::format("\n{}\n{}{}", name, text, text.back() == '\n' ? "" : "\n");
  }
  const std::string& text() const { return m_text; }

 private:
  std::string m_text;
};

void add_identity(Sheet& sheet, const model::TrialRecord& trial) {
  sheet.add("trial", trial.key.hex());
  const std::string what = !model::may_win(trial.role) ? " (a baseline)"
                           : trial.is_default          ? " (the default configuration)"
                                                       : "";
  sheet.add("kernel", trial.kernel + what);
  sheet.add("configuration", trial.configuration.text());
  sheet.add("problem", fmt::format("{} {}", trial.problem.family, trial.problem.text()));
  sheet.add("class", trial.comparison_class.text());
  sheet.add("idea", trial.idea);
  sheet.add("status", std::string(model::to_string(trial.outcome.status)));
  const bool is_library =
      trial.role == model::Role::baseline && trial.outcome.status == model::TrialStatus::ok;
  sheet.add(is_library ? "library" : "reason", trial.outcome.detail);
  sheet.add("measured", fmt::format("{} by run {}", trial.measured_at, trial.run.hex()));
}

void add_program(Sheet& sheet, const model::TrialRecord& trial) {
  sheet.add("grid", reports::dim_text(trial.grid));
  sheet.add("block", reports::dim_text(trial.block));
  if (trial.resources) {
    const model::KernelResources& resources = *trial.resources;
    sheet.add("registers", fmt::format("{} a thread", resources.registers));
    sheet.add("spills",
              fmt::format("{} bytes stored, {} loaded, stack {} bytes a thread", resources.spill_store_bytes,
                          resources.spill_load_bytes, resources.stack_bytes));
    sheet.add("shared memory", fmt::format("{} bytes static, {} dynamic", resources.static_shared_bytes,
                                           trial.dynamic_shared_bytes));
  }
  if (trial.occupancy) {
    sheet.add("occupancy", fmt::format("{}, {} blocks a multiprocessor, limited by {}",
                                       reports::percent_text(trial.occupancy->fraction),
                                       trial.occupancy->blocks_per_multiprocessor,
                                       fmt::join(trial.occupancy->limited_by, ", ")));
  }
  if (trial.compile_ms > 0) sheet.add("compile time", reports::time_text(trial.compile_ms * 1e6));
  sheet.add("binary", trial.binary_key.empty() ? "" : trial.binary_key.hex());
}

void add_verification(Sheet& sheet, const model::Verification& verification, bool is_measured) {
  if (!verification.checked) {
    if (is_measured) sheet.add("results", "unverified: nobody looked at them");
    return;
  }
  if (!verification.rule.empty()) sheet.add("judged by", verification.rule);
  const bool in_roundoffs = verification.error_ulp_scale > 0 || verification.error_ratio == 0;
  sheet.add("largest error",
            fmt::format("{} of the bound{}", reports::significant(verification.error_ratio),
                        in_roundoffs
                            ? fmt::format(", {} u·|A||B|", reports::significant(verification.error_ulp_scale))
                            : ""));
  if (verification.wrong_elements > 0) {
    sheet.add("wrong elements", fmt::format("{} of {}, the first at {}", verification.wrong_elements,
                                            verification.buffer, verification.first_wrong));
  }
}

void add_measurements(Sheet& sheet, const model::TrialRecord& trial,
                      const std::vector<db::StoredMeasurement>& measurements) {
  for (const auto& [name, value] : trial.metrics) sheet.add(name, reports::significant(value));
  for (const db::StoredMeasurement& stored : measurements) {
    const model::Measurement& m = stored.measurement;
    std::vector<double> samples_us;
    for (const double ns : m.samples_ns) samples_us.push_back(ns / 1000);
    std::string text =
        fmt::format("  median {} ({}), fastest {}, {} samples of {} launches",
                    reports::time_text(m.median_ns), reports::interval_text(m.low_ns, m.high_ns),
                    reports::time_text(m.min_ns), m.samples_ns.size(), m.launches_per_sample);
    if (m.throttled_samples > 0) text += fmt::format(", {} more at a lowered clock", m.throttled_samples);
    if (m.sm_clock_mhz > 0) text += fmt::format(", SM clock {:.0f} MHz", m.sm_clock_mhz);
    if (m.temperature_c > 0) text += fmt::format(", {:.0f} °C", m.temperature_c);
    if (m.power_w > 0) text += fmt::format(", {:.0f} W", m.power_w);
    if (m.includes_launch_latency) text += "; launch latency is part of this time";
    text += fmt::format("\n  samples [µs]: {:.3f}\n", fmt::join(samples_us, " "));
    sheet.add_block("measurement of " + stored.measured_at, text);
  }
}

void add_final(Sheet& sheet, const model::TrialRecord& trial,
               const std::optional<model::FinalRecord>& final) {
  const auto* entry = final ? model::entry_of(*final, trial.key) : nullptr;
  if (entry == nullptr) return;
  const std::string ratio =
      entry == &final->entries.front()
          ? "the fastest"
          : reports::ratio_interval_text(entry->ratio, entry->ratio_low, entry->ratio_high) +
                " of the fastest's time";
  const auto tied = std::count_if(final->entries.begin(), final->entries.end(),
                                  [&](const auto& other) { return other.tied && other.trial != trial.key; });
  const std::string ties = entry->tied ? fmt::format(", tied with {}", tied) : "";
  sheet.add("final", fmt::format("{}{}, {} contestants, {} rounds{}, {}", ratio, ties, final->entries.size(),
                                 final->rounds,
                                 final->throttled_rounds > 0
                                     ? fmt::format(" and {} at a lowered clock", final->throttled_rounds)
                                     : "",
                                 final->measured_at));
  if (final->chosen == trial.key) sheet.add("chosen", model::final_rule);
}

void add_ceiling(Sheet& sheet, const model::TrialRecord& trial, const std::vector<model::Ceiling>& ceilings) {
  const auto share = reports::ceiling_share(trial, ceilings);
  if (!share) return;
  sheet.add("share of ceiling", fmt::format("{} ({})", reports::ceiling_text(share),
                                            reports::ceiling_value_text(*share->ceiling)));
}

int show(const Context& context, const std::string& id) {
  const db::Connection connection = db::open_for_reading(context.settings().database());
  const model::TrialRecord trial = db::find_trial(connection, id);
  Sheet sheet;
  add_identity(sheet, trial);
  if (db::is_superseded(connection, trial.key)) {
    sheet.add("spec",
              "not what its kernel's spec describes today: kept, and not competing until one does again");
  }
  add_program(sheet, trial);
  add_verification(sheet, trial.outcome.verification, trial.outcome.measurement.has_value());
  add_final(sheet, trial, db::final_with(connection, trial.key));
  add_ceiling(sheet, trial, db::ceilings(connection, trial.comparison_class.device));
  add_measurements(sheet, trial, db::measurements(connection, trial.key));
  sheet.add_block("compiler log", trial.compile_log);
  write_out(sheet.text());
  return 0;
}

}  // namespace

void add_show(CLI::App& app, Context& context, Action& action) {
  auto* command =
      app.add_subcommand("show", "Everything known of one trial, compiler log and samples included");
  auto id = std::make_shared<std::string>();
  command->add_option("trial", *id, "its identifier, or the first digits of it")
      ->required()
      ->type_name("TRIAL");
  add_setting_flags(*command, context, {"db"});
  command->callback([&context, &action, id] { action = [&context, id] { return show(context, *id); }; });
}

}  // namespace tuner::cli
