#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "db/row_reader.hpp"
#include "db/stored_records.hpp"
#include "tuner/model/ceiling.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"

namespace db {

/// First line of an export.
struct ExportHeader {
  int version = 4;
  bool operator==(const ExportHeader&) const = default;
};

/// An exported sweep: JSON Lines, UTF-8, which may be gzipped. First the header,
/// {"format":"tuner-export","version":4}; then runs,
/// {"run":…}; then trials, {"trial":…} (trial_json.hpp), sorted, one a line, so that two exports can be
/// compared; then how runs before saw them fail, {"failure":…}, verdicts, {"verdict":…}, finals, {"final":…},
/// searches, {"search":…}, the devices' ceilings, {"ceiling":…}, how kernels were declared,
/// {"declaration":…}, and what was held against these specs, {"judgements":…} (record_json.hpp). Version 3
/// had no failures of the past, declarations and judgements, and of verdicts only the one that stood; version
/// 2 had no searches, version 1 no verdicts either and said less of the rest; they are read too. What a
/// reader has no use for it passes over.
struct Export {
  ExportHeader header;
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

/// What stream_export() meets, in the order of the lines.
struct ExportVisitor {
  std::function<void(tuner::model::RunRecord&&)> run;
  std::function<void(tuner::model::TrialRecord&&, std::vector<StoredMeasurement>&& earlier)> trial;
  std::function<void(PastFailure&&)> failure;
  std::function<void(Probing&&)> verdict;
  std::function<void(tuner::model::FinalRecord&&)> final;
  std::function<void(tuner::model::SearchRecord&&)> search;
  std::function<void(tuner::model::Ceiling&&)> ceiling;
  std::function<void(StoredDeclaration&&)> declaration;
  std::function<void(SpecJudgements&&)> judgements;
};
/// The same without holding more than one line; returns the first. An error thrown by the visitor gets the
/// line's number too.
ExportHeader stream_export(std::istream& in, const std::string& name, const ExportVisitor& visitor);

/// Lines as parse_export() takes them, newline included.
std::string header_line(const ExportHeader& header);
std::string run_line(const tuner::model::RunRecord& run);
std::string trial_line(const tuner::model::TrialRecord& trial,
                       const std::vector<StoredMeasurement>& earlier = {});
std::string failure_line(const PastFailure& failure);
std::string verdict_line(const Probing& verdict);
std::string final_line(const tuner::model::FinalRecord& final);
std::string search_line(const tuner::model::SearchRecord& search);
std::string ceiling_line(const tuner::model::Ceiling& ceiling);
std::string declaration_line(const StoredDeclaration& declaration);
std::string judgement_line(const SpecJudgements& judgements);

}  // namespace db
