#include "db/export_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "db/json.hpp"
#include "db/machine.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"

namespace db {
namespace {

using tuner::model::Ceiling;
using tuner::model::Error;
using tuner::model::FinalRecord;
using tuner::model::RunRecord;
using tuner::model::SearchRecord;
using tuner::model::TrialRecord;

constexpr int newest_version = 5;
constexpr std::size_t longest_line = std::size_t{64} << 20U;

/// The next line, without its end; false at the end of the file. Throws before a line without end fills the
/// memory.
bool read_line(std::istream& in, std::string& line) {
  line.clear();
  for (int c = in.get(); c != std::istream::traits_type::eof(); c = in.get()) {
    if (c == '\n') return true;
    if (line.size() == longest_line) throw Error(fmt::format("longer than {} bytes", longest_line));
    line += static_cast<char>(c);
  }
  return !line.empty();
}

ExportHeader header_from(const std::string& line) {
  const Json object = parse_json(line);
  const JsonReader header(object, {});
  std::string format;
  ExportHeader out{};
  if (const Json* found = header.find("format")) read(*found, {"format"}, format);
  if (format != "tuner-export") refuse({"format"}, format, "\"tuner-export\"");
  if (const Json* found = header.find("version")) read(*found, {"version"}, out.version);
  if (out.version < 1 || out.version > newest_version) {
    refuse({"version"}, out.version,
           fmt::format("a version up to {} (a newer tuner wrote it?)", newest_version));
  }
  return out;
}

void require_sound(const tuner::model::Measurement& measurement) {
  if (measurement.launches_per_sample < 1)
    refuse({"launches_per_sample"}, measurement.launches_per_sample, "a whole number from 1 on");
  if (measurement.throttled_samples < 0)
    refuse({"throttled_samples"}, measurement.throttled_samples, "a whole number from 0 on");
}

void require_amount(double value, const Where& where) {
  if (!(value >= 0) || !std::isfinite(value)) refuse(where, value, "a number from 0 on");
}

void require_positive(double value, const Where& where) {
  if (!(value > 0) || !std::isfinite(value)) refuse(where, value, "a positive number");
}

void require_sound(const RunRecord& run, const Where& where) {
  if (run.id.empty()) refuse({"id", &where}, "", "an identifier");
  for (const char* state : {"running", "done", "interrupted", "failed"})
    if (run.state == state) return;
  refuse({"state", &where}, run.state, "running, done, interrupted or failed");
}

void require_sound(const FinalRecord& final, const Where& where) {
  const Where entries{"entries", &where};
  for (const FinalRecord::Entry& entry : final.entries) {
    require_positive(entry.ratio, {"ratio", &entries});
    require_positive(entry.ratio_low, {"ratio_low", &entries});
    require_positive(entry.ratio_high, {"ratio_high", &entries});
  }
  if (final.rounds < 0) refuse({"rounds", &where}, final.rounds, "a whole number from 0 on");
  if (final.chosen.empty()) refuse({"chosen", &where}, "", "an identifier");
}

void require_sound(const Ceiling& ceiling, const Where& where) {
  const auto kinds = tuner::model::ceiling_kinds();
  if (std::find(kinds.begin(), kinds.end(), ceiling.kind) == kinds.end())
    refuse({"kind", &where}, ceiling.kind, "arithmetic, memory, l2, shared memory or launch");
  require_positive(ceiling.value, {"value", &where});
}

/// What every version of exports has, and only what a trial can have said.
void require_sound(const TrialRecord& trial, const JsonReader& line) {
  for (const char* name : {"family", "sizes", "type", "kernel", "configuration", "status", "verification",
                           "metrics", "grid", "block", "measured_at"}) {
    if (line.find(name) == nullptr) refuse({name}, Json(), "a value");
  }
  if (trial.key.empty()) refuse({"trial"}, "", "an identifier");
  if (trial.environment.device.empty()) refuse({"environment"}, Json(), "a value");
  if (trial.outcome.measurement) require_sound(*trial.outcome.measurement);
  const bool timed = trial.outcome.measurement && trial.outcome.measurement->median_ns > 0;
  if (has_trusted_time(trial.outcome.status) && !timed)
    refuse({"measurement"}, Json(), "a time, the status being ok,");
  const Where workload{"workload"};
  require_amount(trial.workload.operations, {"operations", &workload});
  require_amount(trial.workload.bytes, {"bytes", &workload});
  if (trial.kernel.size() > 256) refuse({"kernel"}, trial.kernel, "a name of at most 256 bytes");
}

/// Exports of version 1 have none: there the time of day grew within a run.
template <class Record>
void number(Record& record, const Json& object) {
  if (!object.contains("sequence")) record.sequence = microseconds_of(record.measured_at);
}

void visit_trial(const Json& object, const ExportVisitor& visitor) {
  const JsonReader line(object, {});
  auto trial = value_of<TrialRecord>(object, "");
  require_sound(trial, line);
  number(trial, object);
  std::vector<StoredMeasurement> earlier;
  if (const Json* list = line.find("earlier")) {
    read(*list, {"earlier"}, earlier);
    for (std::size_t i = 0; i < earlier.size(); ++i) {
      require_sound(earlier[i].measurement);
      number(earlier[i], (*list)[i]);
    }
  }
  visitor.trial(std::move(trial), std::move(earlier));
}

/// Whether the line is one of these.
template <class Record>
bool visit(const Json& object, const char* name, const std::function<void(Record&&)>& visitor) {
  const auto found = object.find(name);
  if (found == object.end()) return false;
  auto record = value_of<Record>(*found, name);
  if constexpr (requires { require_sound(record, Where{name}); }) require_sound(record, Where{name});
  if constexpr (std::is_same_v<Record, FinalRecord>) number(record, *found);
  if (visitor) visitor(std::move(record));
  return true;
}

void visit_line(const std::string& line, const ExportVisitor& visitor) {
  const Json object = parse_json(line);
  if (!object.is_object()) refuse({}, object, "an object");
  if (object.contains("trial")) return visit_trial(object, visitor);
  const bool known = visit(object, "run", visitor.run) || visit(object, "failure", visitor.failure) ||
                     visit(object, "verdict", visitor.verdict) || visit(object, "final", visitor.final) ||
                     visit(object, "search", visitor.search) || visit(object, "ceiling", visitor.ceiling) ||
                     visit(object, "declaration", visitor.declaration) ||
                     visit(object, "judgements", visitor.judgements);
  if (!known) refuse({}, object, "a trial, a run or another record");
}

/// A record as a line.
template <class Record>
std::string line_of(const char* name, const Record& record) {
  Json object = Json::object();
  object[name] = json_of(record);
  return json_line(object) + '\n';
}

}  // namespace

ExportHeader stream_export(std::istream& in, const std::string& name, const ExportVisitor& visitor) {
  std::string line;
  std::int64_t number = 1;
  ExportHeader header;
  try {
    if (!read_line(in, line)) throw Error("the file is empty, a header was expected");
    header = header_from(line);
    for (number = 2; read_line(in, line); ++number) visit_line(line, visitor);
  } catch (const Error& error) {
    throw error.in_context(fmt::format("{}:{}", name, number));
  }
  if (in.bad()) throw Error(fmt::format("{}: reading failed after line {}", name, number - 1));
  return header;
}

Export parse_export(std::istream& in, const std::string& name) {
  Export out;
  ExportVisitor visitor;
  visitor.run = [&](RunRecord&& run) { out.runs.push_back(std::move(run)); };
  visitor.trial = [&](TrialRecord&& trial, std::vector<StoredMeasurement>&& earlier) {
    if (!earlier.empty()) out.earlier[trial.key] = std::move(earlier);
    out.trials.push_back(std::move(trial));
  };
  visitor.verdict = [&](Probing&& probing) {
    if (!probing.cleared) out.verdicts.push_back(std::move(probing.verdict));
  };
  visitor.final = [&](FinalRecord&& final) { out.finals.push_back(std::move(final)); };
  visitor.search = [&](SearchRecord&& search) { out.searches.push_back(std::move(search)); };
  visitor.ceiling = [&](Ceiling&& ceiling) { out.ceilings.push_back(std::move(ceiling)); };
  stream_export(in, name, visitor);
  return out;
}

Export parse_export(const std::filesystem::path& path) {
  const std::unique_ptr<std::istream> in = open_export(path);
  return parse_export(*in, path.string());
}

std::unique_ptr<std::istream> open_export(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw Error(fmt::format("{}: is a folder, not an export", path.string()));
  auto in = std::make_unique<tuner::util::GzipInput>(path);
  if (!*in) {
    throw Error(fmt::format("{}: cannot be read", path.string()), "name a file made with `tuner export`",
                tuner::model::ExitCode::nothing_found);
  }
  return in;
}

std::string header_line(const ExportHeader& header) {
  return fmt::format("{{\"format\":\"tuner-export\",\"version\":{}}}\n", header.version);
}

std::string run_line(const RunRecord& run) {
  return line_of("run", run);
}

std::string trial_line(const TrialRecord& trial, const std::vector<StoredMeasurement>& earlier) {
  Json object = json_of(trial);
  if (!earlier.empty()) object["earlier"] = json_of(earlier);
  return json_line(object) + '\n';
}

std::string failure_line(const PastFailure& failure) {
  return line_of("failure", failure);
}

std::string verdict_line(const Probing& verdict) {
  return line_of("verdict", verdict);
}

std::string final_line(const FinalRecord& final) {
  return line_of("final", final);
}

std::string search_line(const SearchRecord& search) {
  return line_of("search", search);
}

std::string declaration_line(const StoredDeclaration& declaration) {
  return line_of("declaration", declaration);
}

std::string judgement_line(const SpecJudgements& judgements) {
  return line_of("judgements", judgements);
}

std::string ceiling_line(const Ceiling& ceiling) {
  return line_of("ceiling", ceiling);
}

}  // namespace db
