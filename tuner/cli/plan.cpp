#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "db/planning.hpp"
#include "tuner/cli/backend.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/outlined_sweep.hpp"
#include "tuner/cli/run_sentences.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/measure/sampler.hpp"
#include "tuner/search/open_candidates.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/strategy_choice.hpp"
#include "tuner/sweep/trial_maker.hpp"
#include "tuner/util/processors.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

/// What a sweep will take, as far as the past or a sample tells.
struct SweepPlan {
  std::int64_t trials = 0;
  std::int64_t known = 0;
  std::int64_t problems = 0;
  std::int64_t binaries = 0;               ///< that the trials left need, each once
  std::int64_t references = 0;             ///< of them for references
  std::int64_t cached = 0;                 ///< of both, those in the cache
  bool is_sampled = false;                 ///< binaries and compiling are told by a sample of what is left
  double compile_seconds = 0;              ///< of one core, for what is not in the cache
  std::vector<std::string> compile_basis;  ///< a sentence a kernel: by what it is expected
  double device_seconds = 0;               ///< at one clock
  std::size_t clocks = 1;                  ///< at which it is done one after the other
  std::vector<std::string> device_basis;   ///< the same for the device, a sentence a family
  std::int64_t left() const { return trials - known; }
  double all_device_seconds() const { return device_seconds * static_cast<double>(clocks); }
};

/// A trial of a short kernel on an H200, verified and timed (docs/measurement.md).
constexpr double assumed_seconds_a_trial = 0.03;
/// docs/energy.md
constexpr double energy_seconds_a_trial = 0.5;
constexpr double energy_seconds_a_finalist = 2.5;
constexpr double seconds_a_part = 3600;
/// Less than this a part is not worth its start.
constexpr std::int64_t least_trials_a_part = 50;
constexpr std::size_t sample_size = 6;

/// Timed work of a trial whose launch takes `median_ns`. Where slow trials are dropped, most take no more
/// samples than the last cut waits for.
double timed_seconds(const model::MeasurePolicy& policy, double median_ns) {
  constexpr double longest_ns = 2e9;  // for the fewest samples, see measure::Sampler
  constexpr double fewest_samples = 6;
  const bool is_batched = !policy.flush_l2 && median_ns < policy.batch_below_ns;
  const double sample_ns = is_batched ? std::max(policy.batch_ns, median_ns) : median_ns;
  const double samples = policy.cuts.empty() ? policy.samples : policy.cuts.back().samples;
  const double limit_ns = std::max(policy.time_limit_ns, std::min(fewest_samples * sample_ns, longest_ns));
  return std::min(samples * sample_ns, limit_ns) / 1e9;
}

/// Nothing for a method of another version.
std::optional<model::MeasurePolicy> policy_of(const model::Environment& environment) {
  for (const std::string_view name : measure::policy_names())
    if (model::MeasurePolicy policy = measure::policy(name, environment.l2 == "cold");
        policy.name == environment.method)
      return policy;
  return std::nullopt;
}

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

/// Compiles a few configurations of each kernel that the database knows no compile times of, past the cache.
/// Throws what a missing compiler throws.
class Planner {
 public:
  explicit Planner(const OutlinedSweep& sweep) : m_sweep(sweep), m_cache(binary_cache(sweep.settings)) {}

  SweepPlan plan() {
    m_plan.known = m_plan.trials = m_sweep.list.known();
    m_plan.problems = static_cast<std::int64_t>(m_sweep.list.groups.size());
    for (const sweep::Group& group : m_sweep.list.groups) {
      m_plan.trials += group.expected() - group.count_known();
      if (!compiler_kind(m_sweep.backend.device).empty()) add_binaries(group);
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
      const sweep::Work& work = group.work_of_kernel(m_sweep.request, kernel);
      const sweep::TrialMaker maker(m_sweep.request, work, group.problem);
      const space::ConfigurationList& list = group.lists[kernel];
      if (list.counted()) {
        add_sampled(list, work, maker);
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

  /// Of a counted list: what a random sample needs, times what it stands for, but no more binaries than there
  /// are values in them, or trials in the shard.
  void add_sampled(const space::ConfigurationList& list, const sweep::Work& work,
                   const sweep::TrialMaker& maker) {
    constexpr std::size_t most = 512;
    search::RandomSource random(m_sweep.request.seed);
    const SweepPlan before = m_plan;
    std::size_t launchable = 0;
    for (std::size_t i = 0; i < most; ++i) {
      const std::size_t index = random.below(list.size());
      const sweep::Trial trial = maker.make(list[index]);
      if (trial.record.outcome.status != model::TrialStatus::ok) continue;
      ++launchable;
      add_binary({trial.record.binary_key, trial.reference_key}, work, maker, list, index);
    }
    const double stands_for = static_cast<double>(list.size()) / static_cast<double>(most);
    const double parts = m_sweep.request.shard ? m_sweep.request.shard->of : 1;
    const double trials = static_cast<double>(launchable) * stands_for / parts;
    const auto met = static_cast<double>(m_plan.binaries - before.binaries);
    const model::KernelSpec& spec = work.kernel.spec();
    double combinations = 1;
    for (const model::ParameterSpec& one : spec.parameters)
      if (!one.runtime || !spec.macros.empty())
        combinations *= static_cast<double>(one.values.size() + (one.when ? 1 : 0));
    const double whole = std::min({met * stands_for, combinations, trials});
    m_plan.is_sampled = true;
    m_plan.binaries = before.binaries + static_cast<std::int64_t>(whole);
    if (met > 0)
      m_plan.compile_seconds =
          before.compile_seconds + (m_plan.compile_seconds - before.compile_seconds) * whole / met;
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
    for (const db::CompileTime& time :
         db::compile_times(m_sweep.known.connection(), spec.family, spec.name, m_sweep.request.compiler,
                           m_sweep.request.device, static_cast<int>(sweep::CompileTimes::most_results)))
      expectation.learn(spec.name, time.configuration, time.compile_ms);
    const bool from_past = expectation.knows();
    const std::size_t failed = from_past ? 0 : compile_sample(spec.name, maker, list, expectation);
    expectation.settle(spec.name);
    m_plan.compile_basis.push_back(
        from_past
            ? fmt::format("{}: from the times of {}", spec.name,
                          util::counted(expectation.known(), "earlier compilation"))
            : fmt::format("{}: as a sample of {} took, compiled just now{}", spec.name, expectation.known(),
                          failed > 0 ? fmt::format("; {} failed: `tuner compile` says why", failed) : ""));
    return expectation;
  }

  /// How many of them do not compile.
  std::size_t compile_sample(const std::string& kernel, const sweep::TrialMaker& maker,
                             const space::ConfigurationList& list, Expectation& expectation) {
    std::map<compile::CompilePool::Ticket, model::Configuration> under_way;
    for (const std::size_t index : search::covering_sample(list, sample_size)) {
      sweep::Trial trial = maker.make(list[index]);
      if (trial.record.outcome.status == model::TrialStatus::ok)
        under_way.emplace(sample_pool().submit(std::move(trial.job)), list[index]);
    }
    std::size_t failed = 0;
    while (const auto finished = sample_pool().take()) {
      expectation.learn(kernel, under_way.at(finished->ticket), finished->compilation->compile_ms);
      failed += finished->compilation->status != model::TrialStatus::ok ? 1 : 0;
    }
    return failed;
  }

  /// Past the cache: a plan keeps none of its binaries.
  compile::CompilePool& sample_pool() {
    if (!m_pool) {
      worker::RemoteCompilerSettings remote = compiler_settings(m_sweep.settings);
      remote.name = m_sweep.request.compiler;
      const auto child = compile_worker(m_sweep.settings, compiler_kind(m_sweep.backend.device));
      m_pool.emplace(m_sweep.backend.compile_jobs,
                     [remote, child] { return std::make_unique<worker::RemoteCompiler>(child, remote); });
    }
    return *m_pool;
  }

  void add_device_time(const sweep::Group& group) {
    const std::int64_t left = group.expected() - group.count_known();
    if (left <= 0) return;
    const PlannedPace pace = planned_pace(group.problem);
    m_plan.device_seconds += static_cast<double>(left) * pace.seconds;
    add_basis(group.problem.family + ": " + pace.basis);
    const model::MeasurePolicy& policy = m_sweep.request.policy;
    const auto finalists = std::min<std::int64_t>(policy.final.finalists, group.expected());
    if (!policy.energy || finalists == 0) return;
    m_plan.device_seconds += static_cast<double>(finalists) * energy_seconds_a_finalist;
    add_basis(fmt::format("{}: {} s for the energy of each of at most {}", group.problem.family,
                          energy_seconds_a_finalist, util::counted(finalists, "finalist")));
  }

  struct PlannedPace {
    double seconds = 0;
    std::string basis;
  };

  /// Of results that were measured otherwise it is told what differs, and their timed work and energy are
  /// replaced by those of this sweep.
  PlannedPace planned_pace(const model::Problem& problem) const {
    const sweep::Request& request = m_sweep.request;
    const bool has_energy = request.policy.objective != model::Objective::time;
    const double energy = has_energy ? energy_seconds_a_trial : 0;
    const std::string with_energy = has_energy ? fmt::format(", {} s of it for its energy", energy) : "";
    const model::Environment own = sweep::environment(request, problem.type);
    const auto pace = db::pace(m_sweep.known.connection(), problem, own, has_energy);
    if (!pace) {
      const double seconds = assumed_seconds_a_trial + timed_seconds(request.policy, 0) -
                             timed_seconds(measure::policy("standard"), 0) + energy;
      return {seconds, fmt::format("{:.0f} ms a trial{}, assumed: nothing of it was measured on {}",
                                   1000 * seconds, with_energy, request.device.name)};
    }
    double seconds = pace->seconds;
    std::string of = fmt::format("the median gap between {} of {}", util::counted(pace->results, "result"),
                                 pace->problem.text());
    const bool is_alike = db::measures_alike(pace->environment, own);
    if (is_alike && pace->has_energy == has_energy)
      return {seconds, fmt::format("{:.0f} ms a trial, {}", 1000 * seconds, of)};
    of = fmt::format("{:.0f} ms, {}", 1000 * seconds, of);
    if (!is_alike) {
      const model::Environment& other = pace->environment;
      of += fmt::format(" by {}, L2 {}, {}", other.method, other.l2, other.execution_word());
      if (const auto policy = policy_of(other)) seconds -= timed_seconds(*policy, pace->median_ns);
      seconds = std::max(seconds, 0.0) + timed_seconds(request.policy, pace->median_ns);
    }
    if (pace->has_energy && !has_energy) {
      of += " with energy";
      seconds -= energy_seconds_a_trial;
    }
    if (!pace->has_energy) seconds += energy;
    seconds = std::max(seconds, 0.0);
    return {seconds, fmt::format("{:.0f} ms a trial{}, from {}", 1000 * seconds,
                                 pace->has_energy ? "" : with_energy, of)};
  }

  void add_basis(const std::string& basis) {
    if (std::ranges::find(m_plan.device_basis, basis) == m_plan.device_basis.end())
      m_plan.device_basis.push_back(basis);
  }

  const OutlinedSweep& m_sweep;
  std::shared_ptr<compile::BinaryCache> m_cache;
  std::optional<compile::CompilePool> m_pool;
  std::unordered_set<model::Digest, model::DigestHash> m_seen;
  std::map<std::string, Expectation> m_expected;
  SweepPlan m_plan;
};

/// Into how many parts, to be done at once, the sweep is split so that each takes about an hour.
int sensible_parts(const SweepPlan& plan, int compilers) {
  const double wall = std::max(plan.compile_seconds / compilers, plan.all_device_seconds());
  const auto by_time = static_cast<std::int64_t>(std::ceil(wall / seconds_a_part));
  return static_cast<int>(
      std::clamp<std::int64_t>(by_time, 1, std::max<std::int64_t>(plan.left() / least_trials_a_part, 1)));
}

std::string hours_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  return seconds < 3600 ? fmt::format("{:.1f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

bool may_end_early(const OutlinedSweep& sweep) {
  const sweep::StrategyChoice choice(sweep.request.strategy);
  return std::ranges::any_of(sweep.list.groups, [&](const sweep::Group& group) {
    return choice.until(group.count_competing(sweep.request), sweep.request.until).has_value();
  });
}

/// `label: value`, both in the columns where the other lines have theirs.
void write_fact(std::string_view label, const std::string& value) {
  constexpr std::size_t label_columns = 11;
  write_prose(fmt::format("{:<{}}{}", label, label_columns, value), label_columns);
}

/// Whether the budget ends a sweep that takes so many seconds.
void write_budget(const config::Settings& settings, const SweepPlan& plan, double seconds) {
  const config::Budget budget = settings.budget();
  const auto ends = [](auto most, double needed) {
    return most.count() > 0 && needed > static_cast<double>(most.count());
  };
  if (budget.time.count() <= 0 && budget.device_time.count() <= 0 && budget.trials <= 0) return;
  const bool is_cut = ends(budget.time, seconds) || (budget.trials > 0 && plan.left() > budget.trials) ||
                      ends(budget.device_time, plan.device_seconds);
  write_fact("budget:",
             "--budget " + settings.text("budget") + (is_cut ? " ends it before that" : " is enough"));
}

/// By what times are expected: of many kernels the first few.
void write_basis(const std::vector<std::string>& basis) {
  constexpr std::size_t most_told = 6;
  for (std::size_t i = 0; i < std::min(basis.size(), most_told); ++i) write_fact("", basis[i]);
  if (basis.size() > most_told) write_fact("", fmt::format("and {} more", basis.size() - most_told));
}

void write_split(const SweepPlan& plan, const OutlinedSweep& sweep, const OutlineOptions& options) {
  const int compilers = sweep.backend.compile_jobs;
  const double compiling = plan.compile_seconds / compilers;
  const double device = plan.all_device_seconds();
  const bool compile_bound = compiling > device;
  write_fact(
      "in one:",
      fmt::format(
          "{} or more: {}", hours_text(std::max(compiling, device)),
          compile_bound
              ? fmt::format(
                    "{} are the bottleneck; run `tuner compile` with the same flags first, without a GPU",
                    util::counted(compilers, "compiler"))
              : "the device is the bottleneck"));
  write_budget(sweep.settings, plan, std::max(compiling, plan.device_seconds));
  const int parts = sensible_parts(plan, compilers);
  if (options.shard && options.shard->of > 1) {
    write_fact("this is:", "shard " + options.shard->text());
  } else if (parts > 1) {
    write_fact("to split:", fmt::format("into {0}, of about {1} each: --shard 1/{0} to --shard {0}/{0}",
                                        parts, hours_text(std::max(compiling, device) / parts)));
  } else {
    write_fact("to split:", "not worth it");
  }
}

int show_plan(const Context& context, const OutlineOptions& options) {
  const OutlinedSweep sweep(context, options);
  if (sweep.signals.stop()) return sweep.signals.exit_code();
  for (const std::string& notice : sweep.notices) write_err(notice);
  for (const std::string& left_out : exclusion_texts(sweep.list)) write_err(left_out);
  if (const std::string again = reopened_text(sweep.list.reopened()); !again.empty()) write_err(again);
  SweepPlan plan = Planner(sweep).plan();
  plan.clocks = clocks_of(options).size();
  write_prose(fmt::format("{} ({}), {}", sweep.request.device.name, sweep.request.device.architecture,
                          sweep.request.compiler));
  write_fact("trials:",
             fmt::format("{}{} on {}; {} known, {} left",
                         may_end_early(sweep) ? "at most "
                         : plan.is_sampled    ? "about "
                                              : "",
                         plan.trials, util::counted(plan.problems, "problem"), plan.known, plan.left()));
  if (plan.left() == 0) return 0;
  if (!compiler_kind(sweep.backend.device).empty()) {
    write_fact("binaries:",
               fmt::format("{}{}, and {} of references; {} of both are in the cache",
                           plan.is_sampled ? "about " : "", plan.binaries, plan.references, plan.cached));
    write_fact("compiling:", fmt::format("{} of one core", hours_text(plan.compile_seconds)));
    write_basis(plan.compile_basis);
  }
  write_fact("measuring:",
             fmt::format("{} of the device{}", hours_text(plan.device_seconds),
                         plan.clocks > 1 ? fmt::format(", for each of {} clocks", plan.clocks) : ""));
  write_basis(plan.device_basis);
  write_split(plan, sweep, options);
  return 0;
}

}  // namespace

void add_plan(const CommandPlace& place) {
  Command<OutlineOptions> command(
      place, "plan", "Say what a sweep would take, and how to split it; no GPU needed", show_plan);
  add_outline_flags(command);
  command->footer(
      "Takes the flags of `tuner run`. The database says what compiling and measuring the same kernels took. "
      "For a kernel that it does not know, a few configurations are compiled now.\n"
      "Example: tuner plan --gpu sm_90 --sizes 512..4096");
}

}  // namespace tuner::cli
