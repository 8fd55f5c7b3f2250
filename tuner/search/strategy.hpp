#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/case.hpp"
#include "tuner/model/compile_job.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/space/configuration_list.hpp"

namespace tuner::search {

/// How the trial of one candidate ended.
struct Result {
  model::TrialStatus status = model::TrialStatus::ok;
  /// Absent where there is none to go by: every status but ok and dropped. Of a dropped trial it is a bound:
  /// sampling it further would have shown it as no faster than the cut.
  std::optional<double> time_ns;
};

struct Candidate {
  std::size_t kernel = 0;         ///< index into SearchSpace::kernels
  std::size_t configuration = 0;  ///< index into its configurations
};

/// The candidates of a space by number: some told one by one, behind them all configurations of kernels that
/// have too many for that.
class Candidates {
 public:
  /// Before any whole kernel.
  void push_back(Candidate one) { m_each.push_back(one); }
  /// Adds all `configurations` of a kernel without results.
  void add_whole(std::size_t kernel, std::size_t configurations) {
    m_wholes.push_back({kernel, size(), configurations});
  }

  std::size_t size() const {
    return m_wholes.empty() ? m_each.size() : m_wholes.back().first + m_wholes.back().count;
  }
  bool empty() const { return size() == 0; }
  /// How many were told one by one: those come first.
  std::size_t told() const { return m_each.size(); }
  Candidate operator[](std::size_t number) const {
    if (number < m_each.size()) return m_each[number];
    std::size_t i = 0;
    while (number - m_wholes[i].first >= m_wholes[i].count) ++i;
    return {m_wholes[i].kernel, number - m_wholes[i].first};
  }
  /// The number of a configuration of a kernel that is there as a whole; nothing where the kernel is not.
  std::optional<std::size_t> of_whole(std::size_t kernel, std::size_t configuration) const {
    for (const Whole& whole : m_wholes)
      if (whole.kernel == kernel) return whole.first + configuration;
    return std::nullopt;
  }
  /// How many are of a kernel.
  std::size_t count(std::size_t kernel) const {
    std::size_t count = 0;
    for (const Candidate& one : m_each) count += one.kernel == kernel;
    for (const Whole& whole : m_wholes) count += whole.kernel == kernel ? whole.count : 0;
    return count;
  }

 private:
  struct Whole {
    std::size_t kernel = 0;
    std::size_t first = 0;
    std::size_t count = 0;
  };
  std::vector<Candidate> m_each;
  std::vector<Whole> m_wholes;
};

/// A result, or none yet, of each candidate. Of many candidates only those that have one take memory.
class Results {
 public:
  /// Above, results are kept by number.
  static constexpr std::size_t most_in_a_row = std::size_t{1} << 16U;

  /// To more than before.
  void resize(std::size_t candidates) {
    m_size = candidates;
    if (is_row()) return m_row.resize(candidates);
    for (std::size_t i = 0; i < m_row.size(); ++i)
      if (m_row[i]) m_by_number[i] = std::move(m_row[i]);
    m_row = {};
  }
  void push_back(std::optional<Result> result) {
    resize(m_size + 1);
    (*this)[m_size - 1] = std::move(result);
  }
  std::size_t size() const { return m_size; }
  const std::optional<Result>& operator[](std::size_t candidate) const {
    static const std::optional<Result> none;
    if (is_row()) return m_row[candidate];
    const auto known = m_by_number.find(candidate);
    return known == m_by_number.end() ? none : known->second;
  }
  std::optional<Result>& operator[](std::size_t candidate) {
    return is_row() ? m_row[candidate] : m_by_number[candidate];
  }
  /// visit(candidate, result) for each that there is, in the order of candidates.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    if (is_row()) {
      for (std::size_t i = 0; i < m_row.size(); ++i)
        if (m_row[i]) visit(i, *m_row[i]);
      return;
    }
    for (const auto& [candidate, result] : m_by_number)
      if (result) visit(candidate, *result);
  }
  std::size_t count() const {
    std::size_t count = 0;
    for_each([&](std::size_t, const Result&) { ++count; });
    return count;
  }

 private:
  bool is_row() const { return m_size <= most_in_a_row; }

  std::size_t m_size = 0;
  std::vector<std::optional<Result>> m_row;
  std::map<std::size_t, std::optional<Result>> m_by_number;
};

/// What is known of a candidate once it is compiled, before anything is launched.
struct BinaryFacts {
  model::TrialStatus status = model::TrialStatus::ok;  ///< else it will not run, and why
  double compile_ms = 0;                               ///< 0: it was in the cache
  int registers = 0;
  std::int64_t spilled_bytes = 0;  ///< local memory of a thread
  std::int64_t shared_bytes = 0;   ///< of a block, static and dynamic
  std::int64_t threads = 0;        ///< of a block
  std::int64_t blocks = 0;         ///< of the grid
  double occupancy = 0;            ///< of a multiprocessor, 0 to 1; 0: unknown
  double waves = 0;                ///< blocks / the blocks that the device holds at once; 0: unknown
};

/// What a strategy searches: the configurations of one or several kernels that compete on one problem.
struct SearchSpace {
  struct Kernel {
    const model::KernelSpec* spec = nullptr;  ///< parameters with their values
    const space::ConfigurationList* configurations = nullptr;
  };
  /// What these candidates did elsewhere: on another size, another device, with another driver or toolkit.
  struct Prior {
    std::string origin;            ///< for people: `1024x1024x1024`, `NVIDIA A100-PCIE-40GB`
    model::Problem problem;        ///< that they were measured on
    bool same_environment = true;  ///< on this device, with this driver and toolkit
    Results results;               ///< parallel to `candidates`
  };

  model::Problem problem;
  std::vector<Kernel> kernels;
  Candidates candidates;
  Results known;  ///< parallel to `candidates`: results of before
  /// Of those not known: what is tried before anything that a strategy proposes. It takes them as given by
  /// its next(), and hears of them by report() alike.
  std::vector<std::size_t> begun;
  /// Whether a candidate may be tried here at all: of a space too large to look at each beforehand, some
  /// cannot be launched, and some are another shard's. Null: all may. May be asked from several threads.
  std::function<bool(std::size_t candidate)> offers;
  /// As far as they are known when asked, which is to be in the strategy's constructor alone; may be null.
  std::function<std::vector<Prior>()> priors;

  std::size_t size() const { return candidates.size(); }
  bool is_begun(std::size_t candidate) const {
    return std::find(begun.begin(), begun.end(), candidate) != begun.end();
  }
  /// Where a candidate lies among its kernel's values, one coordinate a parameter.
  space::Coordinates coordinates(std::size_t candidate) const {
    const Candidate one = candidates[candidate];
    return kernels[one.kernel].configurations->coordinates(one.configuration);
  }
};

/// A candidate to be tried, and its origin.
struct Proposal {
  std::size_t candidate = 0;
  std::string origin;  ///< for people, a word or a prior's origin: `random`, `model`, `1024x1024x1024`
};

using model::Outlook;

/// Which candidate of a space comes next. A driver asks for several before it reports any of them, so that
/// compiling can run ahead of measuring, but for no more than lookahead(). A strategy proposes a candidate at
/// most once, and none that is known or begun. One caller at a time; where several problems are searched at
/// once, the strategies of different ones may be asked at the same time.
class Strategy : public model::Seam {
 public:
  /// What to try next. Nothing: nothing before one of those under way is reported; with none under way, the
  /// search is over.
  virtual std::optional<Proposal> next() = 0;
  /// What `candidate` was compiled to. Returns whether it is still worth running; report() follows in any
  /// case, with `skipped` where it was not run.
  virtual bool compiled(std::size_t /*candidate*/, const BinaryFacts& /*compiled*/) { return true; }
  /// Says how `candidate`, which next() gave, ended.
  virtual void report(std::size_t candidate, const Result& result) = 0;
  /// How many proposals may be under way at once: a strategy that goes by results loses by every one it makes
  /// blindly.
  virtual std::size_t lookahead() const { return std::numeric_limits<std::size_t>::max(); }
  /// What it expects of what is left; nothing as long as it cannot say.
  virtual std::optional<Outlook> outlook() const { return std::nullopt; }
};

/// What a search brought of late: how much faster its best became over a stretch of results that is long for
/// the space. A failure is no such result: it tells where not to look, not that nothing is left.
class RecentGain {
 public:
  /// Tells of a result; `log_time`: absent where it is only a bound. Not of a failure.
  void add(std::optional<double> log_time);

  struct Gain {
    double share = 0;      ///< of the best time before the stretch
    std::size_t over = 0;  ///< results that it is of: the stretch, or all where they are fewer
    /// Whether there were as many results as the stretch is long.
    bool is_complete = false;
  };
  /// The stretch grows with the square root of `candidates`. Half of it, but no fewer than 40 results, is as
  /// telling where another size on the same device is known. Nothing before there was a time.
  /// `at_most`: as long as it need be, but for 20 results.
  std::optional<Gain> gain(double candidates, bool half,
                           std::size_t at_most = std::numeric_limits<std::size_t>::max()) const;
  /// Results since the last that was faster than all before.
  std::size_t since_improved() const;

 private:
  std::vector<double> m_best;  ///< log time after each result, infinite before there was one
};

/// What is left to gain after some candidates were drawn at random, from how close the fastest of them lie:
/// the logarithm of the time is taken to have an exponential lower tail, whose mean the fastest tell (Hill,
/// A simple general approach to inference about the tail of a distribution, 1975). Of `left` candidates that
/// were not drawn, J are faster with probability (1 - q) q^J, q = left / all, and the gain is the largest of
/// J exponential variables. Tails of real spaces end, so this errs on the side of hope.
///
/// `log_times`: of what was drawn, failures left out; `drawn`: with them. Nothing below 10 times.
std::optional<Outlook> order_statistics(std::vector<double> log_times, std::size_t drawn, std::size_t left);

/// At most this share of what is left of `candidates` is faster than the best of `drawn` of them, with 95 %
/// confidence: were more of them faster, so many draws would have met one. Holds on any space.
double most_faster(std::size_t candidates, std::size_t drawn);

/// What any strategy knows once no candidate is left.
Outlook exhausted();

}  // namespace tuner::search
