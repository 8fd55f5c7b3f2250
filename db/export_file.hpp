#pragma once
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "db/stored_records.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"

namespace db {

/// An exported sweep: JSON Lines, UTF-8, which may be gzipped. The header comes first:
/// {"format":"tuner-export","version":6}. Then come runs, {"run":…}, and trials, {"trial":…}, sorted, one a
/// line, so that two exports can be compared. Then come failures of the past, {"failure":…}, verdicts,
/// {"verdict":…}, finals, {"final":…}, searches, {"search":…}, ceilings of the devices, {"ceiling":…},
/// declarations of kernels, {"declaration":…}, counters, {"counter":…}, and judgements by their specs,
/// {"judgements":…}. The fields of each are those of tuner/model/record_fields.hpp. Older versions are read
/// too: version 5 has no counters; version 4 has other names of
/// some fields; version 3 has no failures, declarations and judgements, and only the verdicts that stood;
/// version 2 has no searches; version 1 has no verdicts.
struct Export {
  std::vector<tuner::model::RunRecord> runs;
  std::vector<tuner::model::TrialRecord> trials;
  /// By trial: measurements older than the current one in `trials`; mostly empty.
  std::map<tuner::model::Digest, std::vector<StoredMeasurement>> earlier;
  std::vector<tuner::model::ProbeVerdict> verdicts;
  std::vector<tuner::model::FinalRecord> finals;
  std::vector<tuner::model::SearchRecord> searches;
  std::vector<tuner::model::Ceiling> ceilings;
};

/// Reads a whole export. Needs no database. The text is not trusted: lines, depth, counts and values are
/// bounded. Throws model::Error that names the file and the line, or with nothing_found that the file is
/// missing.
Export parse_export(const std::filesystem::path& path);
/// `name` is what errors call the stream.
Export parse_export(std::istream& in, const std::string& name);

/// Opens an export, gzipped or not, for stream_export(); throws where it cannot be read.
std::unique_ptr<std::istream> open_export(const std::filesystem::path& path);

/// Whether the file begins as an export does; false where it cannot be read.
bool looks_like_export(const std::filesystem::path& path);

/// What a line behind the header holds.
using ExportRecord = std::variant<StoredTrial, tuner::model::RunRecord, PastFailure, Probing,
                                  tuner::model::FinalRecord, tuner::model::SearchRecord,
                                  tuner::model::Ceiling, StoredDeclaration, SpecJudgements, StoredCounter>;
/// The version of an export, from its first line. Throws where that is no header.
int read_header(std::istream& in, const std::string& name);
/// Visits the records line by line, while a thread reads the next few; returns the version. An error thrown
/// by the visitor gets the line's number too.
int stream_export(std::istream& in, const std::string& name,
                  const std::function<void(ExportRecord&&)>& visit);

/// Lines as parse_export() takes them, newline included.
std::string header_line();
std::string export_line(const ExportRecord& record);

}  // namespace db
