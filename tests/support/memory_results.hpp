#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "db/database.hpp"
#include "db/queries.hpp"
#include "db/result_store.hpp"
#include "tuner/model/error.hpp"

namespace tuner::test {

/// The results of a sweep in a database in memory, with every call that changes them written down in order:
/// "begin", "attempt KEY", "record KEY status", ….
class MemoryResults : public model::ResultSink, public model::ResultSource {
 public:
  void begin_run(const model::RunRecord& run) override {
    calls.emplace_back("begin");
    store.begin_run(run);
  }
  void end_run(const model::Digest& run, const std::string& state) override {
    calls.push_back("end " + state);
    store.end_run(run, state);
  }
  void declare(const model::KernelDeclaration& kernel,
               const std::vector<model::Judgement>& judgements) override {
    store.declare(kernel, judgements);
  }
  void restate(const model::KernelDeclaration& kernel, const model::AskSpec& ask) override {
    store.restate(kernel, ask);
  }
  void open_attempt(const model::TrialRecord& trial) override {
    calls.push_back("attempt " + name(trial));
    store.open_attempt(trial);
  }
  void close_attempt(const model::TrialRecord& trial, model::TrialStatus how,
                     const std::string& detail) override {
    calls.push_back(model::is_death(how) ? "death" : "withdrawn " + name(trial));
    store.close_attempt(trial, how, detail);
  }
  void record(const model::TrialRecord& trial) override {
    if (fail_after >= 0 && recorded++ >= fail_after) throw model::Error("the disk is full");
    calls.push_back("record " + name(trial) + " " + std::string(to_string(trial.outcome.status)));
    store.record(trial);
  }
  void record_verdict(const model::ProbeVerdict& verdict) override {
    calls.push_back("verdict " + std::string(to_string(verdict.status)));
    store.record_verdict(verdict);
  }
  void record_final(const model::FinalRecord& final,
                    const std::vector<model::TrialRecord>& finalists) override {
    calls.push_back("final " + std::to_string(finalists.size()));
    finals.push_back(final);
    store.record_final(final, finalists);
  }

  void record_search(const model::SearchRecord& search) override {
    calls.push_back("search " + std::string(to_string(search.ending)));
    store.record_search(search);
  }

  std::vector<model::KnownResult> known(const std::vector<model::Digest>& keys) override {
    return store.known(keys);
  }
  std::vector<model::TriedConfiguration> tried(const model::Problem& problem,
                                               const model::Environment& environment,
                                               const std::string& kernel) override {
    return store.tried(problem, environment, kernel);
  }
  std::optional<model::TrialRecord> find(const model::Digest& trial) override { return store.find(trial); }
  std::optional<double> best_ns(const model::Problem& problem,
                                const model::Environment& environment) override {
    return known_best_ns ? known_best_ns : store.best_ns(problem, environment);
  }
  std::optional<double> least_ns(const std::vector<model::Digest>& keys) override {
    return store.least_ns(keys);
  }
  std::vector<model::TrialRecord> reopened(const model::Problem& problem,
                                           const model::Environment& environment, double within) override {
    return store.reopened(problem, environment, within);
  }
  std::optional<double> least_ns_beside(const std::set<std::string>& kernels, const model::Problem& problem,
                                        const model::Environment& environment) override {
    return store.least_ns_beside(kernels, problem, environment);
  }
  model::PossibleFinal possible_final(const model::Problem& problem, const model::Environment& environment,
                                      double within, int most) override {
    return store.possible_final(problem, environment, within, most);
  }
  int deaths(const model::Digest& trial) override { return store.deaths(trial); }
  std::optional<model::ProbeVerdict> verdict(const model::Digest& probe) override {
    return store.verdict(probe);
  }
  std::vector<model::KernelDeclaration> declared(const std::string& family) override {
    return store.declared(family);
  }
  std::vector<model::PastTrial> undecided(const model::KernelDeclaration& kernel) override {
    return store.undecided(kernel);
  }
  std::optional<model::Searched> searched(const model::Problem& problem,
                                          const model::Environment& environment) override {
    return store.searched(problem, environment);
  }
  std::vector<model::Elsewhere> elsewhere(const model::ElsewhereQuery& query) override {
    calls.emplace_back("elsewhere");
    return store.elsewhere(query);
  }

  std::map<model::Digest, model::TrialRecord> trials() const {
    std::map<model::Digest, model::TrialRecord> all;
    for (model::TrialRecord& trial : db::trials(store.connection(), {})) all.emplace(trial.key, trial);
    return all;
  }

  db::ResultStore store{db::open_in_memory()};
  std::vector<model::FinalRecord> finals;
  std::vector<std::string> calls;
  std::optional<double> known_best_ns;  ///< what best_ns() says instead of what is stored
  int fail_after = -1;                  ///< record() throws from this many trials on
  int recorded = 0;

 private:
  static std::string name(const model::TrialRecord& trial) {
    return trial.problem.size_text() + ":" + trial.configuration.text();
  }
};

}  // namespace tuner::test
