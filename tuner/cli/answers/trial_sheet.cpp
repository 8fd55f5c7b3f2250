#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/findings.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "tuner/cli/answers/show.hpp"
#include "tuner/model/winner.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli::answers {
namespace {

/// Adds a fact; of empty ones there is nothing to say. In the order in which people ask.
void add(Facts& facts, const std::string& name, const std::string& value) {
  if (!value.empty()) facts.emplace_back(name, value);
}

/// Empty where there is none.
std::string fact_of(const Facts& facts, const std::string& name) {
  const auto found = std::ranges::find(facts, name, &Facts::value_type::first);
  return found == facts.end() ? "" : found->second;
}

void add_identity(Facts& facts, const TrialFacts& of) {
  const model::TrialRecord& trial = of.trial;
  const std::string what = !model::may_win(trial.role) ? " (a baseline)"
                           : trial.is_default          ? " (the default configuration)"
                                                       : "";
  add(facts, "kernel", trial.kernel + what);
  add(facts, "problem", fmt::format("{} {}", trial.problem.family, trial.problem.text()));
  add(facts, "environment", trial.environment.text());
  add(facts, "origin", trial.origin);
  add(facts, "status", std::string(model::to_string(trial.outcome.status)));
  const bool is_library =
      trial.role == model::Role::baseline && trial.outcome.status == model::TrialStatus::ok;
  add(facts, is_library ? "library" : "reason", trial.outcome.detail);
  add(facts, "measured",
      fmt::format("{} by run {}", reports::second_text(trial.measured_at), trial.run.hex().substr(0, 7)));
  if (of.superseded)
    add(facts, "spec",
        "not what its kernel's spec describes today: kept, and not competing until one does again");
}

std::string spill_text(const model::KernelResources& resources) {
  if (resources.spill_store_bytes == 0 && resources.spill_load_bytes == 0) return "none";
  return fmt::format("{} bytes stored, {} loaded a thread", resources.spill_store_bytes,
                     resources.spill_load_bytes);
}

void add_program(Facts& facts, const TrialFacts& of) {
  const model::TrialRecord& trial = of.trial;
  add(facts, "grid", reports::dim_text(trial.grid));
  add(facts, "block", reports::dim_text(trial.block));
  if (trial.resources) {
    const model::KernelResources& resources = *trial.resources;
    if (resources.registers > 0) {  // a CPU has none
      add(facts, "registers", fmt::format("{} a thread", resources.registers));
      add(facts, "spills", spill_text(resources));
    }
    if (resources.stack_bytes > 0)
      add(facts, "stack", fmt::format("{} bytes a thread", resources.stack_bytes));
    add(facts, "shared memory",
        fmt::format("{} bytes static, {} dynamic", resources.static_shared_bytes,
                    trial.dynamic_shared_bytes));
  }
  if (of.code_bytes) add(facts, "code", fmt::format("{} bytes", *of.code_bytes));
  for (const device::cuda::ResourceShare& step : of.occupancy_steps) {
    add(facts, "blocks by " + step.resource,
        step.resource == "blocks"
            ? fmt::format("{}", step.blocks)
            : fmt::format("{} ({} of {} each)", step.blocks, step.per_block, step.available));
  }
  if (trial.occupancy) {
    add(facts, "occupancy",
        fmt::format("{}: {} a multiprocessor, limited by {}",
                    reports::percent_text(trial.occupancy->fraction),
                    util::counted(trial.occupancy->blocks_per_multiprocessor, "block"),
                    fmt::join(trial.occupancy->limited_by, ", ")));
  }
  if (trial.compile_ms > 0) add(facts, "compile time", reports::time_text(trial.compile_ms * 1e6));
  if (!trial.binary_key.empty()) add(facts, "binary", trial.binary_key.hex());
}

void add_verification(Facts& facts, const model::TrialRecord& trial) {
  const model::Verification& verification = trial.outcome.verification;
  if (!verification.checked) {
    if (trial.outcome.measurement) add(facts, "results", "unverified: not checked");
    return;
  }
  add(facts, "judged by", verification.rule);
  const bool in_roundoffs = verification.error_ulp_scale > 0 || verification.error_ratio == 0;
  add(facts, "largest error",
      fmt::format("{} of the bound{}", reports::significant(verification.error_ratio),
                  in_roundoffs ? fmt::format(", {} × unit roundoff × magnitude",
                                             reports::significant(verification.error_ulp_scale))
                               : ""));
  if (verification.wrong_elements > 0) {
    add(facts, "wrong elements",
        fmt::format("{} of {}, the first at {}", verification.wrong_elements, verification.buffer,
                    verification.first_wrong));
  }
}

void add_bits(Facts& facts, const TrialFacts& of) {
  const auto& own = of.trial.outcome.output_bits;
  if (!own) return;
  constexpr std::size_t shown_digits = 8;
  add(facts, "bits",
      fmt::format("{} of inputs {}", own->outputs.hex().substr(0, shown_digits),
                  own->inputs.hex().substr(0, shown_digits)));
  std::string text;
  if (of.bits.with_default != model::BitsRelation::unknown && !of.trial.is_default)
    text =
        of.bits.with_default == model::BitsRelation::same ? "as the default; " : "others than the default; ";
  text += fmt::format("{} more of this size give the same, {}", of.bits.same,
                      util::counted(of.bits.other, "other"));
  if (of.bits.unknown > 0) text += fmt::format(", {} unknown", of.bits.unknown);
  add(facts, "same bits", text);
}

void add_time(Facts& facts, const TrialFacts& of) {
  const auto& measurement = of.trial.outcome.measurement;
  const char* const about = model::has_trusted_time(of.trial.outcome.status) ? "" : "~";
  if (measurement) {
    add(facts, "median",
        fmt::format("{}{} ({})", about, reports::time_text(measurement->median_ns),
                    reports::interval_text(measurement->low_ns, measurement->high_ns)));
  }
  for (const auto& [name, value] : of.trial.metrics) add(facts, name, about + reports::significant(value));
  if (const auto& energy = of.trial.outcome.energy) {
    std::string text =
        fmt::format("{}, {}, {:.0f} W where {:.0f} W are drawn idle", reports::energy_text(*energy),
                    util::counted(energy->runs, "run"), energy->watts(), energy->idle_w);
    if (energy->clock_mhz > 0) text += fmt::format(", SM clock {:.0f} MHz", energy->clock_mhz);
    add(facts, "energy", text);
    add(facts, "per watt", reports::per_watt_text(of.trial));
    add(facts, "in a long run", reports::sustained_text(of.trial));
  }
  if (const auto share = reports::ceiling_share(of.trial, of.ceilings)) {
    add(facts, "share of ceiling",
        fmt::format("{}{} ({})", about, reports::ceiling_text(share),
                    reports::ceiling_value_text(*share->ceiling)));
  }
}

Facts counter_facts(const std::vector<db::StoredCounter>& counters) {
  Facts facts;
  for (const db::StoredCounter& stored : counters) {
    const model::Counter& counter = stored.counter;
    constexpr double exact_below = 9e15;
    const bool is_count = counter.value == std::floor(counter.value) && std::abs(counter.value) < exact_below;
    // NVIDIA's other units, such as l1data_bank_conflict, say what the name does.
    const bool says_more = counter.unit == "byte" || counter.unit == "percent";
    facts.emplace_back(counter.metric, fmt::format("{}{}",
                                                   is_count ? fmt::format("{:.0f}", counter.value)
                                                            : reports::significant(counter.value),
                                                   says_more ? " " + counter.unit : ""));
  }
  return facts;
}

void add_final(Facts& facts, const TrialFacts& of) {
  const auto* entry = of.final ? model::entry_of(*of.final, of.trial.key) : nullptr;
  if (entry == nullptr) return;
  const model::FinalRecord& final = *of.final;
  const auto tied = std::ranges::count_if(
      final.entries, [&](const auto& other) { return other.tied && other.trial != of.trial.key; });
  std::string text = entry == &final.entries.front()
                         ? "first"
                         : reports::ratio_interval_text(entry->ratio, entry->ratio_low, entry->ratio_high) +
                               " of the fastest's time";
  if (entry->tied && tied > 0) text += fmt::format(", tied with {}", tied);
  text += fmt::format("; {}, {}", util::counted(final.entries.size(), "finalist"),
                      util::counted(final.rounds, "round"));
  if (final.throttled_rounds > 0) text += fmt::format(" and {} at a lowered clock", final.throttled_rounds);
  add(facts, "final", text + ", " + reports::second_text(final.measured_at));
  if (final.chosen == of.trial.key && tied > 0) add(facts, "chosen", model::final_rule);
}

Facts facts_of(const TrialFacts& of) {
  Facts facts;
  add_identity(facts, of);
  add_program(facts, of);
  add_verification(facts, of.trial);
  add_bits(facts, of);
  add_time(facts, of);
  add_final(facts, of);
  return facts;
}

std::string measurement_text(const model::Measurement& m) {
  std::string text = fmt::format("median {} ({}), fastest {}, {} of {}", reports::time_text(m.median_ns),
                                 reports::interval_text(m.low_ns, m.high_ns), reports::time_text(m.min_ns),
                                 util::counted(m.samples_ns.size(), "sample"),
                                 util::counted(m.launches_per_sample, "launch"));
  if (m.throttled_samples > 0) text += fmt::format(", {} more at a lowered clock", m.throttled_samples);
  if (m.sm_clock_mhz > 0) text += fmt::format(", SM clock {:.0f} MHz", m.sm_clock_mhz);
  if (m.temperature_c > 0) text += fmt::format(", {:.0f} °C", m.temperature_c);
  if (m.power_w > 0) text += fmt::format(", {:.0f} W", m.power_w);
  if (m.includes_launch_latency) text += "; launch latency is part of this time";
  return text;
}

std::string measurements_text(const std::vector<db::StoredMeasurement>& measurements, std::size_t columns) {
  std::string text;
  for (const db::StoredMeasurement& stored : measurements) {
    std::vector<double> samples_us;
    for (const double ns : stored.measurement.samples_ns) samples_us.push_back(ns / 1000);
    text += fmt::format("\nmeasurement of {}\n", reports::second_text(stored.measured_at));
    text += util::wrapped_text("  " + measurement_text(stored.measurement), columns, 2);
    text += util::wrapped_text(fmt::format("  samples [µs]: {:.3f}", fmt::join(samples_us, " ")), columns, 2);
  }
  return text;
}

}  // namespace

std::string counters_text(const std::vector<db::StoredCounter>& counters, const Style& style) {
  std::string text;  // names come last, since some fill a line alone
  for (const auto& [metric, value] : counter_facts(counters))
    text += util::wrapped_text(fmt::format("  {:<16}  {}", value, metric), style.columns, 4);
  return text;
}

std::string trial_text(const TrialFacts& facts, const Style& style) {
  Facts rows = facts_of(facts);
  rows.insert(rows.begin(),
              {{"trial", facts.trial.key.hex()}, {"configuration", facts.trial.configuration.text()}});
  std::string text = block_of(rows, style.columns) + measurements_text(facts.measurements, style.columns);
  if (!facts.counters.empty())
    text +=
        fmt::format("\ncounters of one run, {}\n{}", reports::second_text(facts.counters.back().counted_at),
                    counters_text(facts.counters, style));
  if (!facts.trial.compile_log.empty()) text += "\ncompiler log\n" + style.wrapped(facts.trial.compile_log);
  return text;
}

std::string trials_text(const TrialFacts& a, const TrialFacts& b, const Style& style) {
  reports::Table table({{""},
                        {"A " + style.id(a.trial.key), reports::Align::left, true},
                        {"B " + style.id(b.trial.key), reports::Align::left, true}});
  Facts same;
  std::vector<model::Assignment> common;
  for (const model::Assignment& assignment : a.trial.configuration.assignments()) {
    const model::Value* other = b.trial.configuration.find(assignment.name);
    if (other != nullptr && *other == assignment.value)
      common.push_back(assignment);
    else
      table.add_row({assignment.name, assignment.value.text(), other == nullptr ? "–" : other->text()});
  }
  for (const model::Assignment& assignment : b.trial.configuration.assignments()) {
    if (a.trial.configuration.find(assignment.name) == nullptr)
      table.add_row({assignment.name, "–", assignment.value.text()});
  }
  if (!common.empty()) same.emplace_back("configuration", model::Configuration(common).text());
  const auto with_counters = [](const TrialFacts& of) {
    Facts facts = facts_of(of);
    for (auto& counter : counter_facts(of.counters)) facts.push_back(std::move(counter));
    return facts;
  };
  const Facts of_a = with_counters(a);
  const Facts of_b = with_counters(b);
  for (const auto& [name, value] : of_a) {
    const std::string other = fact_of(of_b, name);
    if (other == value)
      same.emplace_back(name, value);
    else
      table.add_row({name, value, other.empty() ? "–" : other});
  }
  for (const auto& [name, value] : of_b) {
    if (fact_of(of_a, name).empty()) table.add_row({name, "–", value});
  }
  std::string text = table.empty() ? "" : table.fitted(style.columns);
  if (!same.empty()) text += "\nthe same of both\n" + block_of(same, style.columns);
  return text;
}

}  // namespace tuner::cli::answers
