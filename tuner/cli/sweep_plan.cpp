#include "tuner/cli/sweep_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>
#include <utility>

#include "db/planning.hpp"
#include "tuner/cli/worker_setup.hpp"
#include "tuner/search/covering_sample.hpp"
#include "tuner/search/random_source.hpp"
#include "tuner/sweep/compile_times.hpp"
#include "tuner/sweep/trial_maker.hpp"
#include "tuner/util/for_each_index.hpp"

namespace tuner::cli {
namespace {

/// A trial of a short kernel on an H200, verified and timed (docs/measurement.md).
constexpr double assumed_seconds_a_trial = 0.03;
constexpr double seconds_a_part = 3600;
/// Less than this a part is not worth its start.
constexpr std::int64_t least_trials_a_part = 50;
constexpr std::size_t sample_size = 6;

/// What compiling one kernel's configurations takes: a model of those known, corrected for what it is off by
/// on them.
class Expectation {
 public:
  void learn(const std::string& kernel, const model::Configuration& configuration, double ms) {
    if (!(ms > 0)) return;
    m_times.learn(kernel, configuration, ms);
    m_known.emplace_back(configuration, ms);
  }
  bool knows() const { return !m_known.empty(); }
  std::size_t known() const { return m_known.size(); }
  void settle(const std::string& kernel) {
    double taken = 0;
    double expected = 0;
    for (const auto& [configuration, ms] : m_known) {
      taken += ms;
      expected += m_times.expected_ms(kernel, configuration);
    }
    if (expected > 0) m_correction = taken / expected;
  }
  double seconds(const std::string& kernel, const model::Configuration& configuration) {
    return m_times.expected_ms(kernel, configuration) * m_correction / 1000;
  }

 private:
  sweep::CompileTimes m_times;
  std::vector<std::pair<model::Configuration, double>> m_known;
  double m_correction = 1;
};

class Planner {
 public:
  Planner(const OutlinedSweep& sweep, const config::Settings& settings, const db::Connection& known)
      : m_sweep(sweep), m_settings(settings), m_known(known), m_cache(binary_cache(settings)) {}

  SweepPlan plan() {
    m_plan.trials = m_sweep.list.total();
    m_plan.known = m_sweep.list.known();
    m_plan.problems = static_cast<std::int64_t>(m_sweep.list.groups.size());
    for (const sweep::Group& group : m_sweep.list.groups) {
      if (!m_sweep.compiler_kind.empty()) add_binaries(group);
      add_device_time(group);
    }
    return std::move(m_plan);
  }

 private:
  struct Binary {
    model::Digest key;
    model::Digest reference;
  };

  void add_binaries(const sweep::Group& group) {
    for (std::size_t kernel = 0; kernel < group.work.size(); ++kernel) {
      const sweep::Work& work = m_sweep.request.work[group.work[kernel]];
      const sweep::TrialMaker maker(m_sweep.request, work, group.problem);
      const space::ConfigurationList& list = group.lists[kernel];
      if (list.counted()) {
        add_sampled(group, kernel, work, maker);
        continue;
      }
      std::vector<std::size_t> left;
      for (std::size_t i = 0; i < group.candidates.told(); ++i) {
        if (group.candidates[i].kernel == kernel && !group.known[i])
          left.push_back(group.candidates[i].configuration);
      }
      std::vector<Binary> binaries(left.size());
      util::for_each_index(left.size(), 64, [&](std::size_t i) {
        const sweep::Trial trial = maker.make(list[left[i]]);
        if (trial.record.outcome.status == model::TrialStatus::ok)
          binaries[i] = {trial.record.binary_key, trial.reference_key};
      });
      for (std::size_t i = 0; i < left.size(); ++i) add_binary(binaries[i], work, maker, list, left[i]);
    }
  }

  /// Of a counted list: what a random sample needs, times what it stands for.
  void add_sampled(const sweep::Group& group, std::size_t kernel, const sweep::Work& work,
                   const sweep::TrialMaker& maker) {
    constexpr std::size_t most = 512;
    const space::ConfigurationList& list = group.lists[kernel];
    search::RandomSource random(m_sweep.request.seed);
    const SweepPlan before = m_plan;
    for (std::size_t i = 0; i < most; ++i) {
      const std::size_t index = random.below(list.size());
      if (!group.offers(m_sweep.request, *group.candidates.of_whole(kernel, index))) continue;
      const sweep::Trial trial = maker.make(list[index]);
      if (trial.record.outcome.status == model::TrialStatus::ok)
        add_binary({trial.record.binary_key, trial.reference_key}, work, maker, list, index);
    }
    const double stands_for = static_cast<double>(list.size()) / static_cast<double>(most);
    const auto whole = [stands_for](std::int64_t was, std::int64_t now) {
      return was + static_cast<std::int64_t>(static_cast<double>(now - was) * stands_for);
    };
    m_plan.is_sampled = true;
    m_plan.binaries = whole(before.binaries, m_plan.binaries);
    m_plan.compile_seconds =
        before.compile_seconds + (m_plan.compile_seconds - before.compile_seconds) * stands_for;
  }

  void add_binary(const Binary& binary, const sweep::Work& work, const sweep::TrialMaker& maker,
                  const space::ConfigurationList& list, std::size_t index) {
    if (binary.key.empty()) return;
    if (!binary.reference.empty() && m_seen.insert(binary.reference).second) {
      ++m_plan.references;
      if (m_cache->has(binary.reference)) ++m_plan.cached;
    }
    if (!m_seen.insert(binary.key).second) return;
    ++m_plan.binaries;
    if (m_cache->has(binary.key)) {
      ++m_plan.cached;
      return;
    }
    const std::string& kernel = work.kernel.spec().name;
    m_plan.compile_seconds += expectation_of(work, maker, list).seconds(kernel, list[index]);
  }

  Expectation& expectation_of(const sweep::Work& work, const sweep::TrialMaker& maker,
                              const space::ConfigurationList& list) {
    const model::KernelSpec& spec = work.kernel.spec();
    const auto [known, is_new] = m_expected.try_emplace(spec.name);
    Expectation& expectation = known->second;
    if (!is_new) return expectation;
    const std::string& device = m_sweep.request.device.name;
    for (const db::CompileTime& time :
         db::compile_times(m_known, spec.family, spec.name, m_sweep.request.compiler, device,
                           static_cast<int>(sweep::CompileTimes::most_results)))
      expectation.learn(spec.name, time.configuration, time.compile_ms);
    const bool from_past = expectation.knows();
    if (!from_past) compile_sample(spec.name, maker, list, expectation);
    expectation.settle(spec.name);
    m_plan.compile_basis.push_back(
        from_past
            ? fmt::format("{}: as {} compilations of before took", spec.name, expectation.known())
            : fmt::format("{}: as a sample of {} took, compiled just now", spec.name, expectation.known()));
    return expectation;
  }

  void compile_sample(const std::string& kernel, const sweep::TrialMaker& maker,
                      const space::ConfigurationList& list, Expectation& expectation) {
    std::map<compile::CompilePool::Ticket, model::Configuration> under_way;
    for (const std::size_t index : search::covering_sample(list, sample_size)) {
      sweep::Trial trial = maker.make(list[index]);
      if (trial.record.outcome.status == model::TrialStatus::ok)
        under_way.emplace(sample_pool().submit(std::move(trial.job)), list[index]);
    }
    while (const auto finished = sample_pool().take())
      expectation.learn(kernel, under_way.at(finished->ticket), finished->compilation->compile_ms);
  }

  /// Past the cache: a plan leaves nothing behind.
  compile::CompilePool& sample_pool() {
    if (!m_pool) {
      worker::RemoteCompilerSettings remote = compiler_settings(m_settings);
      remote.name = m_sweep.request.compiler;
      m_pool.emplace(m_sweep.backend.compile_jobs, [remote, kind = m_sweep.compiler_kind] {
        return std::make_unique<worker::RemoteCompiler>(compile_worker(kind), remote);
      });
    }
    return *m_pool;
  }

  void add_device_time(const sweep::Group& group) {
    const std::int64_t left = static_cast<std::int64_t>(group.candidates.size()) - group.count_known();
    if (left == 0) return;
    const auto pace = db::pace(m_known, group.problem, m_sweep.request.device.name);
    const double each = pace ? pace->seconds : assumed_seconds_a_trial;
    m_plan.device_seconds += static_cast<double>(left) * each;
    if (!pace) m_plan.is_device_assumed = true;
    std::string basis =
        pace ? fmt::format("{}: {:.0f} ms a trial, as {} results of {} were apart", group.problem.family,
                           1000 * each, pace->results, pace->problem.text())
             : fmt::format("{}: {:.0f} ms a trial, assumed: nothing of it was measured on {}",
                           group.problem.family, 1000 * each, m_sweep.request.device.name);
    if (std::find(m_plan.device_basis.begin(), m_plan.device_basis.end(), basis) == m_plan.device_basis.end())
      m_plan.device_basis.push_back(std::move(basis));
  }

  const OutlinedSweep& m_sweep;
  const config::Settings& m_settings;
  const db::Connection& m_known;
  std::shared_ptr<compile::BinaryCache> m_cache;
  std::optional<compile::CompilePool> m_pool;
  std::unordered_set<model::Digest, model::DigestHash> m_seen;
  std::map<std::string, Expectation> m_expected;
  SweepPlan m_plan;
};

}  // namespace

SweepPlan plan_sweep(const OutlinedSweep& sweep, const config::Settings& settings,
                     const db::Connection& known) {
  return Planner(sweep, settings, known).plan();
}

int sensible_parts(const SweepPlan& plan, int compilers) {
  const double wall = std::max(plan.compile_seconds / compilers, plan.device_seconds);
  const auto by_time = static_cast<std::int64_t>(std::ceil(wall / seconds_a_part));
  return static_cast<int>(
      std::clamp<std::int64_t>(by_time, 1, std::max<std::int64_t>(plan.left() / least_trials_a_part, 1)));
}

}  // namespace tuner::cli
