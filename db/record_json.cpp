#include "db/record_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "db/json.hpp"
#include "db/json_values.hpp"
#include "db/machine.hpp"
#include "tuner/model/fields.hpp"

namespace db {

using tuner::model::Ceiling;
using tuner::model::DeviceInfo;
using tuner::model::Digest;
using tuner::model::FinalRecord;
using tuner::model::ProbeVerdict;
using tuner::model::RunRecord;
using tuner::model::SearchRecord;

namespace {

Json json_of(const DeviceInfo& device) {
  return {{"id", device.id},
          {"kind", device.kind},
          {"name", device.name},
          {"uuid", device.uuid},
          {"architecture", device.architecture},
          {"compute_major", device.compute_major},
          {"compute_minor", device.compute_minor},
          {"driver", device.driver},
          {"memory_bytes", device.memory_bytes},
          {"limits", db::json_of(device.limits)}};
}

DeviceInfo device_from(const Fields& fields) {
  DeviceInfo device;
  device.id = fields.text("id", 4096);
  device.kind = fields.text("kind", 64);
  device.name = fields.text("name", 256);
  device.uuid = fields.text("uuid", 256);
  device.architecture = fields.text("architecture", 64);
  device.compute_major = fields.small("compute_major");
  device.compute_minor = fields.small("compute_minor");
  device.driver = fields.text("driver", 256);
  device.memory_bytes = fields.integer("memory_bytes");
  device.limits = limits_from(fields.value("limits"));
  return device;
}

constexpr std::size_t most_entries = 1000;
constexpr std::size_t most_coverage = 100'000;
constexpr std::int64_t most_rounds = 1'000'000'000;
constexpr std::array ceiling_kinds = {"arithmetic", "memory", "l2", "shared memory", "launch"};

Digest identifier(const Fields& fields, const char* name) {
  const Digest trial = fields.digest(name);
  if (trial.empty()) fields.refuse(name, "an identifier");
  return trial;
}

double positive(const Fields& fields, const char* name) {
  const double value = fields.real(name);
  if (!std::isfinite(value) || value <= 0) fields.refuse(name, "a positive number");
  return value;
}

FinalRecord::Entry entry_from(const Fields& fields) {
  FinalRecord::Entry entry;
  entry.trial = identifier(fields, "trial");
  entry.ratio = positive(fields, "ratio");
  entry.ratio_low = positive(fields, "ratio_low");
  entry.ratio_high = positive(fields, "ratio_high");
  entry.tied = fields.flag("tied");
  return entry;
}

std::string text_of(const Digest& digest) {
  return digest.empty() ? "" : digest.hex();
}

FinalRecord::Coverage coverage_from(const Fields& fields) {
  FinalRecord::Coverage covered{fields.digest("run"), fields.text("kernel", 256), fields.integer("first"),
                                fields.integer("last")};
  if (covered.last < covered.first) fields.refuse("last", "a whole number from `first` on");
  return covered;
}

}  // namespace

std::string to_json(const RunRecord& run) {
  return json_line({{"id", run.id.hex()},
                    {"command_line", run.command_line},
                    {"started_at", run.started_at},
                    {"ended_at", run.ended_at},
                    {"state", run.state},
                    {"host", run.host},
                    {"version", run.version},
                    {"strategy", run.strategy},
                    {"seed", run.seed},
                    {"device", json_of(run.device)},
                    {"toolkit", run.toolkit},
                    {"measured", run.measured}});
}

RunRecord run_from_json(const Json& value) {
  const Fields fields(value, "run");
  RunRecord run;
  run.id = fields.digest("id");
  if (run.id.empty()) fields.refuse("id", "an identifier");
  run.command_line = fields.text("command_line", std::size_t{1} << 20U);
  run.started_at = fields.text("started_at", 64);
  run.ended_at = fields.text("ended_at", 64);
  run.state = fields.text("state");
  const bool known =
      run.state == "running" || run.state == "done" || run.state == "interrupted" || run.state == "failed";
  if (!known) fields.refuse("state", "running, done, interrupted or failed");
  run.host = fields.text("host", 1024);
  run.version = fields.text("version", 256);
  if (fields.has("strategy")) run.strategy = fields.text("strategy", 4096);
  run.seed = fields.natural("seed");
  run.device = device_from(fields.object("device"));
  run.toolkit = fields.text("toolkit", 256);
  run.measured = fields.integer("measured", 0);
  return run;
}

std::string to_json(const FinalRecord& final) {
  Json entries = Json::array();
  for (const FinalRecord::Entry& entry : final.entries) {
    entries.push_back({{"trial", entry.trial.hex()},
                       {"ratio", entry.ratio},
                       {"ratio_low", entry.ratio_low},
                       {"ratio_high", entry.ratio_high},
                       {"tied", entry.tied}});
  }
  Json coverage = Json::array();
  for (const FinalRecord::Coverage& covered : final.coverage) {
    coverage.push_back({{"run", text_of(covered.run)},
                        {"kernel", covered.kernel},
                        {"first", covered.first},
                        {"last", covered.last}});
  }
  return json_line({{"family", final.problem.family},
                    {"sizes", json_of(final.problem.sizes)},
                    {"type", cuda_name(final.problem.type)},
                    {"row_padding", final.problem.row_padding},
                    {"class", json_of(final.environment)},
                    {"chosen", final.chosen.hex()},
                    {"entries", std::move(entries)},
                    {"coverage", std::move(coverage)},
                    {"rounds", final.rounds},
                    {"throttled_rounds", final.throttled_rounds},
                    {"measured_at", final.measured_at},
                    {"run", text_of(final.run)},
                    {"sequence", final.sequence}});
}

FinalRecord final_from_json(const Json& value) {
  const Fields fields(value, "final");
  FinalRecord final;
  final.problem = problem_from(fields);
  final.environment = environment_from(fields.object("class"));
  final.chosen = identifier(fields, "chosen");
  for (const Json& item : fields.array("entries", most_entries)) {
    final.entries.push_back(entry_from(Fields(item, "final.entries")));
  }
  final.rounds = static_cast<int>(fields.integer("rounds", 0, most_rounds));
  final.throttled_rounds = static_cast<int>(fields.integer("throttled_rounds", 0, most_rounds));
  final.measured_at = fields.text("measured_at", 64);
  final.run = fields.digest("run");
  if (fields.has("sequence")) {
    final.sequence = fields.integer("sequence", 0);
    for (const Json& item : fields.array("coverage", most_coverage)) {
      final.coverage.push_back(coverage_from(Fields(item, "final.coverage")));
    }
  } else {
    final.sequence =
        microseconds_of(final.measured_at);  // an export of before: it covers its finalists alone
  }
  return final;
}

std::string to_json(const SearchRecord& search) {
  Json parts = Json::array();
  for (const SearchRecord::Part& part : search.parts)
    parts.push_back({{"kernel", part.kernel}, {"spec", text_of(part.spec)}, {"candidates", part.candidates}});
  return json_line({{"family", search.problem.family},
                    {"sizes", json_of(search.problem.sizes)},
                    {"type", cuda_name(search.problem.type)},
                    {"row_padding", search.problem.row_padding},
                    {"class", json_of(search.environment)},
                    {"run", text_of(search.run)},
                    {"strategy", search.strategy},
                    {"ending", to_string(search.ending)},
                    {"kernels", std::move(parts)},
                    {"tried", search.tried},
                    {"failed", search.failed},
                    {"outlook", search.outlook ? object_of(*search.outlook) : Json()},
                    {"ended_at", search.ended_at}});
}

SearchRecord search_from_json(const Json& value) {
  const Fields fields(value, "search");
  SearchRecord search;
  search.problem = problem_from(fields);
  search.environment = environment_from(fields.object("class"));
  search.run = fields.digest("run");
  search.strategy = fields.text("strategy", 4096);
  const auto ending = tuner::model::parse_search_ending(fields.text("ending", 64));
  if (!ending) fields.refuse("ending", "exhausted, until, budget, interrupted, gave_up or refused");
  search.ending = *ending;
  for (const Json& item : fields.array("kernels", most_entries)) {
    const Fields part(item, "search.kernels");
    search.parts.push_back(
        {part.text("kernel", 256), identifier(part, "spec"), part.integer("candidates", 0)});
  }
  search.tried = fields.integer("tried", 0);
  search.failed = fields.integer("failed", 0, search.tried);
  if (fields.has("outlook")) search.outlook = object_from<tuner::model::Outlook>(fields.object("outlook"));
  search.ended_at = fields.text("ended_at", 64);
  return search;
}

std::string to_json(const Ceiling& ceiling) {
  return json_line({{"device", ceiling.device},
                    {"kind", ceiling.kind},
                    {"type", cuda_name(ceiling.type)},
                    {"value", ceiling.value},
                    {"unit", ceiling.unit},
                    {"trial", text_of(ceiling.trial)},
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

std::string to_json(const PastFailure& failure) {
  return json_line({{"trial", failure.trial.hex()},
                    {"run", failure.run.hex()},
                    {"status", to_string(failure.status)},
                    {"detail", failure.detail},
                    {"verification", object_of(failure.verification)},
                    {"measured_at", failure.measured_at},
                    {"sequence", failure.sequence}});
}

PastFailure failure_from_json(const Json& value) {
  const Fields fields(value, "failure");
  PastFailure failure;
  failure.trial = identifier(fields, "trial");
  failure.run = identifier(fields, "run");
  failure.status = fields.status("status");
  failure.detail = fields.text("detail", std::size_t{1} << 20U);
  failure.verification = object_from<tuner::model::Verification>(fields.object("verification"));
  failure.measured_at = fields.text("measured_at", 64);
  failure.sequence = fields.integer("sequence", 0);
  return failure;
}

std::string to_json(const Probing& probing) {
  const ProbeVerdict& verdict = probing.verdict;
  return json_line({{"probe", verdict.probe.hex()},
                    {"status", to_string(verdict.status)},
                    {"detail", verdict.detail},
                    {"deaths", verdict.deaths},
                    {"trial", text_of(verdict.trial)},
                    {"run", text_of(verdict.run)},
                    {"measured_at", verdict.measured_at},
                    {"cleared", probing.cleared}});
}

Probing verdict_from_json(const Json& value) {
  const Fields fields(value, "verdict");
  Probing probing;
  ProbeVerdict& verdict = probing.verdict;
  verdict.probe = identifier(fields, "probe");
  verdict.status = fields.status("status");
  verdict.detail = fields.text("detail", std::size_t{1} << 20U);
  verdict.deaths = static_cast<int>(fields.integer("deaths", 0, 1'000'000));
  verdict.trial = identifier(fields, "trial");
  verdict.run = fields.digest("run");
  verdict.measured_at = fields.text("measured_at", 64);
  if (fields.has("cleared")) probing.cleared = fields.flag("cleared");
  return probing;
}

namespace {

Json hexes(const std::vector<Digest>& digests) {
  Json list = Json::array();
  for (const Digest& digest : digests) list.push_back(digest.hex());
  return list;
}

std::vector<Digest> digests_from(const Fields& fields, const char* name, std::size_t most) {
  std::vector<Digest> list;
  for (const Json& item : fields.array(name, most)) {
    if (!item.is_string()) fields.refuse(name, "identifiers");
    list.push_back(Digest::from_hex(item.get<std::string>()));
  }
  return list;
}

}  // namespace

std::string to_json(const StoredDeclaration& declaration) {
  const tuner::model::KernelDeclaration& kernel = declaration.kernel;
  return json_line({{"family", kernel.family},
                    {"kernel", kernel.kernel},
                    {"role", to_string(kernel.role)},
                    {"definition", kernel.definition.hex()},
                    {"spec", text_of(kernel.spec)},
                    {"path", kernel.path},
                    {"host", kernel.host},
                    {"declared_at", kernel.declared_at},
                    {"generation", declaration.generation},
                    {"followed", hexes(declaration.followed)}});
}

StoredDeclaration declaration_from_json(const Json& value) {
  const Fields fields(value, "declaration");
  StoredDeclaration declaration;
  tuner::model::KernelDeclaration& kernel = declaration.kernel;
  kernel.family = fields.text("family", 256);
  kernel.kernel = fields.text("kernel", 256);
  const auto role = tuner::model::parse_role(fields.text("role", 64));
  if (!role) fields.refuse("role", "competitor, baseline or ceiling");
  kernel.role = *role;
  kernel.definition = identifier(fields, "definition");
  kernel.spec = fields.digest("spec");
  kernel.path = fields.text("path", 4096);
  kernel.host = fields.text("host", 1024);
  kernel.declared_at = fields.text("declared_at", 64);
  declaration.generation = fields.integer("generation", 0);
  declaration.followed = digests_from(fields, "followed", most_followed);
  std::sort(declaration.followed.begin(), declaration.followed.end());
  return declaration;
}

std::string to_json(const SpecJudgements& judgements) {
  return json_line({{"spec", judgements.spec.hex()},
                    {"describes", hexes(judgements.describes)},
                    {"excludes", hexes(judgements.excludes)}});
}

SpecJudgements judgements_from_json(const Json& value) {
  const Fields fields(value, "judgements");
  SpecJudgements judgements;
  judgements.spec = identifier(fields, "spec");
  judgements.describes = digests_from(fields, "describes", most_judgements);
  judgements.excludes = digests_from(fields, "excludes", most_judgements);
  return judgements;
}

}  // namespace db
