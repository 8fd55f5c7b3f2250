#pragma once
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/error.hpp"
#include "tuner/model/results.hpp"

namespace tuner::test {

/// Results in memory, with every call written down in order: "begin", "attempt KEY", "record KEY status", ….
class MemoryResults final : public model::ResultSink, public model::ResultSource {
 public:
  void begin_run(const model::RunRecord&) override { calls.push_back("begin"); }
  void end_run(const model::Digest&, const std::string& state) override { calls.push_back("end " + state); }
  void use_source(const std::string& family, const std::string& kernel,
                  const model::Digest& source) override {
    sources[{family, kernel}] = source;
  }
  void open_attempt(const model::TrialRecord& trial) override { calls.push_back("attempt " + name(trial)); }
  void record(const model::TrialRecord& trial) override {
    if (fail_after >= 0 && static_cast<int>(trials.size()) >= fail_after)
      throw model::Error("the disk is full");
    calls.push_back("record " + name(trial) + " " + std::string(to_string(trial.outcome.status)));
    trials[trial.key] = trial;
    if (model::has_trusted_time(trial.outcome.status)) m_measured_since_final[trial.problem.text()] = true;
  }
  void record_final(const model::FinalRecord& final,
                    const std::vector<model::TrialRecord>& contestants) override {
    calls.push_back("final " + std::to_string(contestants.size()));
    finals.push_back(final);
    for (const model::TrialRecord& trial : contestants) trials[trial.key] = trial;
    m_measured_since_final[final.problem.text()] = false;
  }
  void observed_death(const model::Digest& trial, model::TrialStatus, const std::string&) override {
    ++death_counts[trial];
    calls.push_back("death");
  }

  std::vector<model::Digest> known(const std::vector<model::Digest>& keys) override {
    std::vector<model::Digest> found;
    std::copy_if(keys.begin(), keys.end(), std::back_inserter(found),
                 [&](const auto& key) { return trials.count(key) > 0; });
    return found;
  }
  std::optional<model::TrialRecord> find(const model::Digest& trial) override {
    const auto found = trials.find(trial);
    return found == trials.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<double> best_ns(const model::Problem&, const model::ComparisonClass&) override {
    return known_best_ns;
  }
  std::vector<model::TrialRecord> contenders(const model::Problem& problem, const model::ComparisonClass&,
                                             double within, int most) override {
    std::vector<model::TrialRecord> found;
    if (!m_measured_since_final[problem.text()]) return found;
    for (const auto& [key, trial] : trials) {
      if (trial.problem == problem && !is_superseded(trial) &&
          model::has_trusted_time(trial.outcome.status) && trial.outcome.measurement)
        found.push_back(trial);
    }
    const auto time = [](const model::TrialRecord& trial) { return trial.outcome.measurement->median_ns; };
    std::sort(found.begin(), found.end(), [&](const auto& a, const auto& b) { return time(a) < time(b); });
    std::erase_if(found, [&](const auto& trial) { return time(trial) > within * time(found.front()); });
    if (found.size() > static_cast<std::size_t>(most)) found.resize(static_cast<std::size_t>(most));
    return found;
  }
  int deaths(const model::Digest& trial) override {
    const auto found = death_counts.find(trial);
    return found == death_counts.end() ? 0 : found->second;
  }

  std::map<model::Digest, model::TrialRecord> trials;
  std::map<model::Digest, int> death_counts;
  std::vector<model::FinalRecord> finals;
  std::vector<std::string> calls;
  std::map<std::pair<std::string, std::string>, model::Digest> sources;  ///< by family and kernel
  std::optional<double> known_best_ns;
  int fail_after = -1;  ///< record() throws from this many trials on

 private:
  std::map<std::string, bool> m_measured_since_final;  ///< by problem

  bool is_superseded(const model::TrialRecord& trial) const {
    const auto current = sources.find({trial.problem.family, trial.kernel});
    return current != sources.end() && !trial.source_key.empty() && trial.source_key != current->second;
  }
  static std::string name(const model::TrialRecord& trial) {
    return trial.problem.size_text() + ":" + trial.configuration.text();
  }
};

}  // namespace tuner::test
