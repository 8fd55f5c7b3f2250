#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "reports/summary.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/model/winner.hpp"

namespace tests {

namespace model = tuner::model;

/// Rows with plausible figures of an imaginary device, for reports to be made from.

model::Environment sample_environment();
model::Problem cube(std::int64_t size);

/// A measured trial: `ns` median, interval of ± 0.5 %, GFLOP/s for a matrix product of the problem's size.
model::TrialRecord measured(const std::string& kernel, std::vector<model::Assignment> configuration,
                            const model::Problem& problem, double ns);
model::TrialRecord failed(const std::string& kernel, std::vector<model::Assignment> configuration,
                          const model::Problem& problem, model::TrialStatus status,
                          const std::string& detail);

/// Two kernels at 256, 512 and 1024: a winner a size, a tie at 512, an approximate time, a launch-bound one,
/// failures of three kinds.
std::vector<model::TrialRecord> sample_trials();
/// One at 512 between the two tied there and one slower: the second is chosen, because ties are.
model::FinalRecord sample_final();
/// Which trials a database that has these, and the finals between them, would name.
db::BestAnswers answers_of(const std::vector<model::TrialRecord>& trials,
                           const std::vector<model::FinalRecord>& finals = {sample_final()});
/// What the imaginary device can do at most.
std::vector<model::Ceiling> sample_ceilings();
/// A report of all these.
reports::ReportInput sample_input();
/// What `write` makes of it: to_csv, to_json or to_html.
std::string written(void (*write)(const reports::ReportInput&, std::ostream&),
                    const reports::ReportInput& input);
/// The run that made them.
model::RunRecord sample_run();

}  // namespace tests
