#pragma once
#include <string>
#include <vector>

#include "tuner/model/ceiling.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/model/winner.hpp"

namespace reports {

namespace model = tuner::model;

/// Everything a report is made from: rows as remembered, and how they were asked for. No report reads
/// anything else, so equal inputs give equal documents, byte for byte.
struct ReportInput {
  std::string title = "Tuning report";
  std::string command;                     ///< reproduces the report; shown as written
  std::string generated_at;                ///< UTC, ISO 8601
  std::vector<std::string> notes;          ///< paragraphs shown under the title
  std::vector<model::RunRecord> runs;      ///< give the device's properties and the sweeps' command lines
  std::vector<model::TrialRecord> trials;  ///< of any number of classes, families and problems, in any order
  std::vector<model::Winner> winners;      ///< the trial to use of each problem and class; decided elsewhere
  std::vector<model::Ceiling> ceilings;    ///< of any devices
  std::string metric;  ///< shown in tables and charts; empty: the first metric the trials have
  std::string
      pivot;  ///< parameter whose values are table columns; empty, or unknown to a kernel: a table for each
  std::size_t id_digits = 7;  ///< of trials' identifiers that tell them apart
  bool exhaustive = false;    ///< every configuration that exists was tried: a cell without a trial is `NA`
};

}  // namespace reports
