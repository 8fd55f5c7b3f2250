#include <algorithm>
#include <iterator>

#include "db/best.hpp"
#include "db/database.hpp"
#include "db/result_store.hpp"
#include "tests/reports/sample.hpp"

namespace tests {

db::BestAnswers answers_of(const std::vector<model::TrialRecord>& trials,
                           const std::vector<model::FinalRecord>& finals) {
  db::ResultStore store(db::open_in_memory());
  store.begin_run(sample_run());
  for (const model::TrialRecord& trial : trials) store.record_stamped(trial, false);
  for (model::FinalRecord final : finals) {
    std::vector<model::TrialRecord> finalists;
    const auto took_part = [&](const model::TrialRecord& trial) {
      return model::entry_of(final, trial.key) != nullptr;
    };
    std::copy_if(trials.begin(), trials.end(), std::back_inserter(finalists), took_part);
    final.coverage = store.possible_final(final.problem, final.environment, 2, 10).coverage;
    final.sequence = 1;
    for (model::TrialRecord& trial : finalists) {
      trial.sequence = 1 + static_cast<std::int64_t>(final.coverage.size());
      final.coverage.push_back({trial.run, trial.kernel, trial.sequence, trial.sequence});
    }
    store.record_stamped(final, finalists, false);
  }
  return db::best_of_each(store.connection(), {});
}

}  // namespace tests
