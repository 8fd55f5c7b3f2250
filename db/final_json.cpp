#include "db/final_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "db/json_values.hpp"

namespace db {

using tuner::model::Ceiling;
using tuner::model::Digest;
using tuner::model::FinalRecord;

namespace {

constexpr std::size_t most_entries = 1000;
constexpr std::int64_t most_rounds = 1'000'000'000;
constexpr std::array ceiling_kinds = {"arithmetic", "memory", "l2", "shared memory", "launch"};

Digest trial_of(const Fields& fields, const char* name) {
  const Digest trial = fields.digest(name);
  if (trial.empty()) fields.refuse(name, "a trial's identifier");
  return trial;
}

double positive(const Fields& fields, const char* name) {
  const double value = fields.real(name);
  if (!std::isfinite(value) || value <= 0) fields.refuse(name, "a positive number");
  return value;
}

FinalRecord::Entry entry_from(const Fields& fields) {
  FinalRecord::Entry entry;
  entry.trial = trial_of(fields, "trial");
  entry.ratio = positive(fields, "ratio");
  entry.ratio_low = positive(fields, "ratio_low");
  entry.ratio_high = positive(fields, "ratio_high");
  entry.tied = fields.flag("tied");
  return entry;
}

}  // namespace

std::string to_json(const FinalRecord& final) {
  Json entries = Json::array();
  for (const FinalRecord::Entry& entry : final.entries) {
    entries.push_back({{"trial", entry.trial.hex()},
                       {"ratio", entry.ratio},
                       {"ratio_low", entry.ratio_low},
                       {"ratio_high", entry.ratio_high},
                       {"tied", entry.tied}});
  }
  return json_line({{"family", final.problem.family},
                    {"sizes", json_of(final.problem.sizes)},
                    {"type", cuda_name(final.problem.type)},
                    {"row_padding", final.problem.row_padding},
                    {"class", json_of(final.comparison_class)},
                    {"chosen", final.chosen.hex()},
                    {"entries", std::move(entries)},
                    {"rounds", final.rounds},
                    {"throttled_rounds", final.throttled_rounds},
                    {"measured_at", final.measured_at},
                    {"run", final.run.empty() ? "" : final.run.hex()}});
}

FinalRecord final_from_json(const Json& value) {
  const Fields fields(value, "final");
  FinalRecord final;
  final.problem = problem_from(fields);
  final.comparison_class = class_from(fields.object("class"));
  final.chosen = trial_of(fields, "chosen");
  for (const Json& item : fields.array("entries", most_entries)) {
    final.entries.push_back(entry_from(Fields(item, "final.entries")));
  }
  final.rounds = static_cast<int>(fields.integer("rounds", 0, most_rounds));
  final.throttled_rounds = static_cast<int>(fields.integer("throttled_rounds", 0, most_rounds));
  final.measured_at = fields.text("measured_at", 64);
  final.run = fields.digest("run");
  return final;
}

std::string to_json(const Ceiling& ceiling) {
  return json_line({{"device", ceiling.device},
                    {"kind", ceiling.kind},
                    {"type", cuda_name(ceiling.type)},
                    {"value", ceiling.value},
                    {"unit", ceiling.unit},
                    {"trial", ceiling.trial.empty() ? "" : ceiling.trial.hex()},
                    {"measured_at", ceiling.measured_at}});
}

Ceiling ceiling_from_json(const Json& value) {
  const Fields fields(value, "ceiling");
  Ceiling ceiling;
  ceiling.device = fields.text("device", 256);
  ceiling.kind = fields.text("kind", 64);
  if (std::find(ceiling_kinds.begin(), ceiling_kinds.end(), ceiling.kind) == ceiling_kinds.end()) {
    fields.refuse("kind", "arithmetic, memory, l2, shared memory or launch");
  }
  ceiling.type = fields.type("type");
  ceiling.value = positive(fields, "value");
  ceiling.unit = fields.text("unit", 256);
  ceiling.trial = fields.digest("trial");
  ceiling.measured_at = fields.text("measured_at", 64);
  return ceiling;
}

}  // namespace db
