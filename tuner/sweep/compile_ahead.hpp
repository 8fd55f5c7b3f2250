#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/compile/compile_pool.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/sweep/candidate_queue.hpp"
#include "tuner/sweep/trial_maker.hpp"

namespace tuner::sweep {

/// What compiling configurations takes, learnt from those that were compiled: of each kernel the logarithm as
/// a sum of a part for each parameter's value, fitted by ridge regression. Knows no kernel: what lengthens a
/// compilation is what has lengthened others.
class CompileTimes {
 public:
  /// Of the later ones of a kernel so many count.
  static constexpr std::size_t most_results = 512;

  /// `compile_ms` above 0: what comes from a cache says nothing.
  void learn(const std::string& kernel, const model::Configuration& configuration, double compile_ms);
  /// 0 where nothing is known of the kernel.
  double expected_ms(const std::string& kernel, const model::Configuration& configuration);
  /// How many times it has learnt.
  std::size_t known() const { return m_known; }

 private:
  struct Result {
    std::vector<std::size_t> effects;
    double log_ms = 0;
  };
  struct Kernel {
    std::map<std::pair<std::string, model::Value>, std::size_t> effect_of;  ///< by parameter and value
    std::deque<Result> results;
    double mean = 0;
    std::vector<double> effects;
    bool is_fitted = false;
  };
  static void fit(Kernel& kernel);

  std::map<std::string, Kernel> m_kernels;
  std::size_t m_known = 0;
};

using CompilationPtr = std::shared_ptr<const model::Compilation>;

/// A trial whose binaries are there, or whose compilation failed: a failure is a value. Its jobs have been
/// handed over.
struct CompiledTrial {
  Trial trial;
  CandidateQueue::Item item;
  CompilationPtr binary;
  CompilationPtr reference;  ///< null where there is nothing to verify against
  std::uint64_t turn = 0;    ///< its place among the submitted
  bool judged = true;        ///< by CompileAhead::Judge, once it is compiled
  bool apart = false;        ///< given by take_apart() alone
};

/// The job of a trial whose binaries are ok; its probes and the best time so far are left to the caller.
model::TrialJob job_of(const Request& request, const CompiledTrial& compiled);

/// Keeps the compilers ahead of the measuring. A reference is compiled once, however many trials need it, and
/// so is a binary whose compiler died or was killed: its other trials would end no better today.
class CompileAhead {
 public:
  /// Called as soon as a submitted trial's own binary is there, or its compilation failed. Returns whether
  /// the trial is still wanted; one that is not is forgotten.
  using Judge = std::function<bool(CompiledTrial& trial)>;

  /// Without a judge every trial is wanted.
  explicit CompileAhead(compile::CompilePool& pool, Judge judge = nullptr);

  /// So many trials and no more are submitted at once where they are the last: see finish_long_ones_first().
  static constexpr std::int64_t most_last = 64;

  /// Whether another trial should be submitted: some compiler may soon have nothing to do, or few are left to
  /// come; and what waits to be measured is not too much to hold.
  bool wants_more(std::int64_t left_to_come) const;
  /// Nothing more will come for now: what is not begun yet starts with what is expected to take longest, lest
  /// everybody waits for it at the end. In which order trials are measured that are ready is not changed.
  void finish_long_ones_first();
  /// What is known of compilations from before.
  CompileTimes& times() { return m_times; }
  bool empty() const { return m_compiling.empty() && m_ready.empty(); }
  /// The first of those whose binaries are not there yet; null where there is none.
  const model::TrialRecord* oldest() const {
    return m_compiling.empty() ? nullptr : &m_compiling.begin()->second.trial.record;
  }
  void submit(Trial trial, CandidateQueue::Item item) { begin(std::move(trial), std::move(item), false); }
  /// Has what the compilers have finished judged, without waiting for any.
  void poll();
  /// How little a group suits the device that takes a trial; the least is taken first, and nothing is not
  /// taken.
  using Reluctance = std::function<std::optional<std::size_t>(std::size_t group)>;
  /// Of the trials that are ready, one of the group that suits best, and of those of the earliest, since
  /// changing the problem changes the inputs on the device, and of these the first submitted: were it the
  /// first compiled, the small and slow kernels would all be measured before the large. Throws what the
  /// compilers throw.
  std::optional<CompiledTrial> take(const Reluctance& reluctance = nullptr);
  /// A trial that was taken is ready again: it was not run.
  void give_back(CompiledTrial trial);
  /// Forgets all that is submitted and not taken, apart or not; what is being compiled is ended.
  void abandon();
  /// Has a trial compiled that no queue gave: it is not judged, and take() does not give it.
  void submit_apart(Trial trial) { begin(std::move(trial), {}, true); }
  /// The trial of submit_apart(), once its binaries are there.
  std::optional<CompiledTrial> take_apart(const model::Digest& trial);
  /// Both, waiting for the compilers.
  CompiledTrial compile_now(Trial trial);

 private:
  void begin(Trial trial, CandidateQueue::Item item, bool apart);
  void add_ready(CompiledTrial trial);
  void accept(compile::CompilePool::Finished finished);
  bool complete(const CompiledTrial& trial) const;
  std::deque<CompiledTrial>::iterator first_ready(const Reluctance& reluctance);
  CompiledTrial remove(std::deque<CompiledTrial>& from, std::deque<CompiledTrial>::iterator trial);

  compile::CompilePool& m_pool;
  Judge m_judge;
  std::map<compile::CompilePool::Ticket, CompiledTrial> m_compiling;
  std::map<compile::CompilePool::Ticket, model::Digest> m_reference_tickets;
  std::map<model::Digest, CompilationPtr> m_references;    ///< null: being compiled
  std::map<model::Digest, model::CompileJob> m_once_more;  ///< references whose compiler has not died yet
  std::map<model::Digest, CompilationPtr> m_died;          ///< by binary
  std::deque<CompiledTrial> m_ready;
  std::deque<CompiledTrial> m_apart;
  std::size_t m_ready_bytes = 0;
  CompileTimes m_times;
  std::size_t m_times_ordered_by = 0;  ///< how many were known when what is not begun was put in order
  std::uint64_t m_turns = 0;
};

}  // namespace tuner::sweep
