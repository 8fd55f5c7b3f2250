#include "db/export_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <future>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>
#include <utility>

#include "db/json.hpp"
#include "db/machine.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

namespace db {
namespace {

using tuner::model::Ceiling;
using tuner::model::Error;
using tuner::model::FinalRecord;
using tuner::model::RunRecord;
using tuner::model::SearchRecord;
using tuner::model::TrialRecord;

constexpr int newest_version = 6;
constexpr int last_with_own_sequences = 4;  // see before_version_9
constexpr const char* name_an_export = "name an export of the tuner, or results of Kernel Tuner, T4 or KTT";
constexpr std::size_t longest_line = std::size_t{64} << 20U;

/// The next line, without its end; false at the end of the file. Throws before a line without end fills the
/// memory.
bool read_line(std::istream& in, std::string& line) {
  line.clear();
  std::array<char, 4096> part{};
  while (line.size() <= longest_line) {
    in.getline(part.data(), part.size());
    const bool is_cut = in.rdstate() == std::ios::failbit && in.gcount() > 0;  // the line goes on
    // The line's end is counted, and not part of it.
    line.append(part.data(), static_cast<std::size_t>(in.gcount()) - (in.good() ? 1 : 0));
    if (!is_cut) return in.good() || !line.empty();
    in.clear();
  }
  throw Error(fmt::format("longer than {} bytes", longest_line));
}

int version_from(const std::string& line) {
  const Json object = parse_json(line);
  const JsonReader header(object, {});
  std::string format;
  int version = newest_version;
  if (const Json* found = header.find("format")) read(*found, {"format"}, format);
  if (format != "tuner-export") refuse({"format"}, format, "\"tuner-export\"");
  if (const Json* found = header.find("version")) read(*found, {"version"}, version);
  if (version < 1 || version > newest_version)
    refuse({"version"}, version, fmt::format("a version up to {} (a newer tuner wrote it?)", newest_version));
  return version;
}

void require_amount(double value, const Where& where) {
  if (!(value >= 0) || !std::isfinite(value)) refuse(where, json_of(value), "a number from 0 on");
}

void require_positive(double value, const Where& where) {
  if (!(value > 0) || !std::isfinite(value)) refuse(where, json_of(value), "a positive number");
}

void require_sound(const tuner::model::Measurement& measurement, const Where& where) {
  require_positive(measurement.median_ns, {"median_ns", &where});
  if (!(measurement.low_ns >= 0 && measurement.low_ns <= measurement.median_ns))
    refuse({"low_ns", &where}, json_of(measurement.low_ns), "a time up to the median");
  require_amount(measurement.high_ns, {"high_ns", &where});
  if (measurement.high_ns > 0 && measurement.high_ns < measurement.median_ns)
    refuse({"high_ns", &where}, json_of(measurement.high_ns), "a time from the median on");
  require_amount(measurement.min_ns, {"min_ns", &where});
  for (const double sample : measurement.samples_ns) require_amount(sample, {"samples_ns", &where});
  if (measurement.launches_per_sample < 1)
    refuse({"launches_per_sample", &where}, measurement.launches_per_sample, "a whole number from 1 on");
  if (measurement.throttled_samples < 0)
    refuse({"throttled_samples", &where}, measurement.throttled_samples, "a whole number from 0 on");
}

void require_sound(const tuner::model::Energy& energy, const Where& where) {
  require_positive(energy.mean_j, where);
  // Of a few runs under noise the interval may reach below 0.
  for (const double end : {energy.low_j, energy.high_j})
    if (!std::isfinite(end)) refuse(where, json_of(end), "a number");
  require_amount(energy.mean_ns, {"mean_ns", &where});
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

void require_sound(const StoredCounter& stored, const Where& where) {
  constexpr std::size_t longest_name = 256;
  if (stored.trial.empty()) refuse({"trial", &where}, "", "an identifier");
  if (!std::isfinite(stored.counter.value))
    refuse({"value", &where}, json_of(stored.counter.value), "a number");
  if (stored.counter.metric.empty() || stored.counter.metric.size() > longest_name)
    refuse({"metric", &where}, stored.counter.metric, "a name of at most 256 bytes");
}

/// What every version of exports has, and only what a trial can have said.
void require_sound(const TrialRecord& trial, const JsonReader& line) {
  for (const char* name : {"family", "sizes", "type", "kernel", "configuration", "status", "verification",
                           "metrics", "grid", "block", "measured_at"}) {
    if (line.find(name) == nullptr) refuse({name}, Json(), "a value");
  }
  if (trial.key.empty()) refuse({"trial"}, "", "an identifier");
  if (trial.environment.device.empty()) refuse({"environment"}, Json(), "a value");
  if (trial.outcome.measurement) require_sound(*trial.outcome.measurement, {"measurement"});
  if (trial.outcome.energy) require_sound(*trial.outcome.energy, {"energy"});
  if (has_trusted_time(trial.outcome.status) && !trial.outcome.measurement)
    refuse({"measurement"}, Json(), "a time, the status being ok,");
  require_amount(trial.compile_ms, {"compile_ms"});
  const Where workload{"workload"};
  require_amount(trial.workload.operations, {"operations", &workload});
  require_amount(trial.workload.bytes, {"bytes", &workload});
  if (trial.kernel.size() > 256) refuse({"kernel"}, trial.kernel, "a name of at most 256 bytes");
}

/// Exports of version 1 have none: there the time of day grew within a run.
template <class Record>
void number(Record& record, const Json& object, int version) {
  if (!object.contains("sequence")) record.sequence = microseconds_of(record.measured_at);
  const auto date_back = [&](std::int64_t& sequence) {
    if (version <= last_with_own_sequences && sequence >= 0) sequence -= before_version_9;
  };
  date_back(record.sequence);
  if constexpr (std::is_same_v<Record, FinalRecord>) {
    for (FinalRecord::Coverage& covered : record.coverage) {
      date_back(covered.first);
      date_back(covered.last);
    }
  }
}

/// The keys of lines, in the order of ExportRecord. A trial's line is the trial itself, whose first field
/// this is: it may have some of the other names as fields.
constexpr std::array keys = {"trial",  "run",     "failure",     "verdict",    "final",
                             "search", "ceiling", "declaration", "judgements", "counter"};
static_assert(keys.size() == std::variant_size_v<ExportRecord>);

void read_record(const Json& object, const char* /*key*/, int version, StoredTrial& out) {
  const JsonReader line(object, {});
  read(object, {}, out.trial);
  require_sound(out.trial, line);
  number(out.trial, object, version);
  const Json* list = line.find("earlier");
  if (list == nullptr) return;
  read(*list, {"earlier"}, out.earlier);
  for (std::size_t i = 0; i < out.earlier.size(); ++i) {
    require_sound(out.earlier[i].measurement, {"earlier"});
    number(out.earlier[i], (*list)[i], version);
  }
}

template <class Record>
void read_record(const Json& object, const char* key, int version, Record& record) {
  const Json& found = object.at(key);
  read(found, Where{key}, record);
  if constexpr (requires { require_sound(record, Where{key}); }) require_sound(record, Where{key});
  if constexpr (requires { record.sequence; }) number(record, found, version);
}

/// The record of the first kind from `Kind` on whose key is there.
template <std::size_t Kind = 0>
ExportRecord record_from(const Json& object, int version) {
  if constexpr (Kind == keys.size()) {
    refuse({}, object, "a trial, a run or another record");
  } else {
    if (!object.contains(keys[Kind])) return record_from<Kind + 1>(object, version);
    ExportRecord record(std::in_place_index<Kind>);
    read_record(object, keys[Kind], version, std::get<Kind>(record));
    return record;
  }
}

ExportRecord record_from_line(const std::string& line, int version) {
  const Json object = parse_json(line);
  if (!object.is_object()) refuse({}, object, "an object");
  return record_from(object, version);
}

}  // namespace

int read_header(std::istream& in, const std::string& name) {
  std::string line;
  try {
    if (!read_line(in, line)) throw Error("the file is empty, a header was expected");
    return version_from(line);
  } catch (const Error& error) {
    const bool is_export = line.find("tuner-export") != std::string::npos;
    throw Error(fmt::format("{}:1: {}", name, error.what()), is_export ? "" : name_an_export);
  }
}

namespace {

/// Some lines of an export.
struct Lines {
  std::int64_t first = 0;             ///< its number
  std::vector<ExportRecord> records;  ///< one a line
  std::optional<Error> error;         ///< of the line behind these
  bool is_last = false;
};

Lines read_lines(std::istream& in, std::int64_t first, int version) {
  constexpr std::size_t most = 256;
  Lines lines{first, {}, {}, false};
  std::string line;
  try {
    while (lines.records.size() < most && !lines.is_last) {
      lines.is_last = !read_line(in, line);
      if (!lines.is_last) lines.records.push_back(record_from_line(line, version));
    }
  } catch (const Error& error) {
    lines.error = error;
  }
  return lines;
}

}  // namespace

int stream_export(std::istream& in, const std::string& name,
                  const std::function<void(ExportRecord&&)>& visit) {
  const int version = read_header(in, name);
  const auto read_from = [&](std::int64_t first) {
    return std::async(std::launch::async, read_lines, std::ref(in), first, version);
  };
  std::int64_t number = 2;
  try {
    for (std::future<Lines> coming = read_from(number); coming.valid();) {
      Lines lines = coming.get();
      if (!lines.is_last && !lines.error)
        coming = read_from(lines.first + static_cast<std::int64_t>(lines.records.size()));
      for (ExportRecord& record : lines.records) {
        visit(std::move(record));
        ++number;
      }
      if (lines.error) throw Error(*lines.error);
    }
  } catch (const Error& error) {
    throw error.in_context(fmt::format("{}:{}", name, number));
  }
  if (in.bad()) throw Error(fmt::format("{}: reading failed after line {}", name, number - 1));
  return version;
}

namespace {

/// Puts each record where it belongs.
struct Collector {
  Export& out;
  void operator()(StoredTrial&& stored) const {
    if (!stored.earlier.empty()) out.earlier[stored.trial.key] = std::move(stored.earlier);
    out.trials.push_back(std::move(stored.trial));
  }
  void operator()(Probing&& probing) const {
    if (!probing.cleared) out.verdicts.push_back(std::move(probing.verdict));
  }
  void operator()(RunRecord&& run) const { out.runs.push_back(std::move(run)); }
  void operator()(FinalRecord&& final) const { out.finals.push_back(std::move(final)); }
  void operator()(SearchRecord&& search) const { out.searches.push_back(std::move(search)); }
  void operator()(Ceiling&& ceiling) const { out.ceilings.push_back(std::move(ceiling)); }
  template <class Other>
  void operator()(Other&&) const {}
};

}  // namespace

Export parse_export(std::istream& in, const std::string& name) {
  Export out;
  stream_export(in, name, [&](ExportRecord&& record) { std::visit(Collector{out}, std::move(record)); });
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
  if (tuner::util::begins_as_database(path))
    throw Error(
        fmt::format("{}: is a database, not an export", path.string()),
        fmt::format("a database is added with `tuner merge {}`", tuner::util::shell_quote(path.string())));
  auto in = std::make_unique<tuner::util::GzipInput>(path);
  if (!*in) {
    throw Error(fmt::format("{}: cannot be read", path.string()), name_an_export,
                tuner::model::ExitCode::nothing_found);
  }
  return in;
}

bool looks_like_export(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  tuner::util::GzipInput in(path);
  std::string begin(40, '\0');
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(in.gcount()));
  std::erase(begin, ' ');  // other programs write JSON with blanks
  return begin.starts_with(R"({"format":"tuner-export")");
}

std::string header_line() {
  return fmt::format("{{\"format\":\"tuner-export\",\"version\":{}}}\n", newest_version);
}

std::string export_line(const ExportRecord& record) {
  const auto object_of = [&]<class Record>(const Record& value) {
    if constexpr (std::is_same_v<Record, StoredTrial>) {
      Json object = json_of(value.trial);
      if (!value.earlier.empty()) object["earlier"] = json_of(value.earlier);
      return object;
    } else {
      return Json::object({{keys[record.index()], json_of(value)}});
    }
  };
  return json_line(std::visit(object_of, record)) + '\n';
}

}  // namespace db
