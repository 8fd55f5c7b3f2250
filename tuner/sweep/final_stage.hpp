#pragma once
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/sweep/final_field.hpp"
#include "tuner/sweep/foreign_devices.hpp"

namespace tuner::sweep {

/// Holds the final of each problem once all its trials have raced: the best are measured again in turn, and
/// what is said of the winner comes from that. See model::FinalJob.
class FinalStage : SweepPart {
 public:
  /// A final that is to be held on some device: who takes part, and whose place stays empty. It speaks of
  /// those who were there, and says so.
  struct PreparedFinal {
    std::size_t group = 0;
    std::vector<Finalist> finalists;
    std::vector<model::FinalRecord::Coverage> coverage;
    std::set<std::string> absent;  ///< kernels
    model::FinalJob job;           ///< once all binaries are there
    /// A baseline that is not there was not asked for, or is missed without a word.
    void leave_out(const model::TrialRecord& record) {
      if (model::may_win(record.role)) absent.insert(record.kernel);
    }
  };

  /// The references must outlive the object.
  FinalStage(const Request& request, const TrialList& list, Services& services, CompileAhead& compiling,
             DeviceSpread& spread);

  /// A trial of `group` that raced well may be needed again: keeps its binary for as long as it is among the
  /// best.
  void remember(const CompiledTrial& trial);
  /// The best trial of `group` that is remembered, no library's; null where there is none.
  const CompiledTrial* best(std::size_t group) const;
  /// All trials of `group` have raced: chooses who would be in its final, unless the last one has considered
  /// them all, and has those compiled whose binary is not at hand. The group's trials are remembered no
  /// longer.
  void open(std::size_t group);
  /// Whether a final that was opened has not been taken yet.
  bool is_awaited() const { return !m_opened.empty() || !m_waiting.empty(); }
  /// As those of ForeignDevices.
  std::optional<ForeignDevices::Comparison> claim_comparison();
  void give_back_comparison(const std::string& gpu) { m_foreign.give_back(gpu); }
  void end_comparison(const std::string& gpu, std::size_t number, std::optional<DeviceSpread::Taken> run);
  /// The first final that was opened, is of a group that `suits`, and whose binaries are there.
  using Suits = std::function<bool(std::size_t group)>;
  std::optional<PreparedFinal> take(const Suits& suits);
  /// Tells of finals that were opened and are not held: their binaries were not there in time.
  void say_unheld() const;
  /// The compilers were told to forget what they had: has it compiled again.
  void compile_again();
  /// Records what came of it on the device `gpu`. Returns whether it was held. Where a finalist failed, that
  /// becomes its result, and a final of the others is opened; any other failure leaves the trials as they
  /// raced. Both are said.
  bool conclude(PreparedFinal final, const model::FinalOutcome& outcome, const std::string& gpu);
  /// The first group that trials are remembered of.
  std::optional<std::size_t> left() const;
  /// From now on finals are shortened to end near `until` by the clock.
  void end_by(double until) { m_until = until; }

 private:
  struct Waiting {
    std::size_t group = 0;
    std::vector<CompiledTrial> remembered;
  };

  void shorten(model::FinalJob& job) const;
  bool lacks_energy(const Finalist& finalist) const;
  /// Has those compiled whose binary is not at hand.
  void compile(PreparedFinal& opened);
  void open(std::size_t group, const std::vector<CompiledTrial>& remembered);
  bool is_ready(PreparedFinal& opened);
  void open_waiting();
  PreparedFinal make(PreparedFinal opened);
  void hold_again(std::size_t group);
  void hold_without(PreparedFinal final, std::size_t culprit, const model::TrialOutcome& failure,
                    const std::string& gpu);
  void record(PreparedFinal& held, const model::FinalOutcome& outcome, const std::string& gpu);

  FinalField m_field;
  FinalistCompiler m_compiler;
  ForeignDevices m_foreign;
  std::map<std::size_t, std::vector<CompiledTrial>> m_best;  ///< by group, fastest first
  std::deque<PreparedFinal> m_opened;
  std::vector<Waiting> m_waiting;  ///< for foreign GPUs to be compared
  std::set<std::size_t> m_again;   ///< groups whose final did not settle, and is held once more
  double m_until = std::numeric_limits<double>::infinity();
};

}  // namespace tuner::sweep
