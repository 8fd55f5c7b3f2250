#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <set>
#include <thread>
#include <utility>

#include "bench/support/imagined.hpp"
#include "tuner/sweep/sweep.hpp"

namespace bench {

namespace model = tuner::model;
namespace sweep = tuner::sweep;
using std::chrono::duration;

/// How long a trial takes, depending on the trial.
struct Load {
  double least_ms;
  double most_ms;
  /// Inputs and reference of a problem of N = 4096, before its first trial on a device; as a product of
  /// matrices, in proportion to the third power.
  double preparing_ms = 0;
  double mean_s() const { return (least_ms + most_ms) / 2 * 1e-3; }
};
/// What of it passes before the first launch.
constexpr double loading_ms = 1.5;
constexpr double final_ms = 60;

inline double seconds_now() {
  return duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Sleeps for as long as a trial takes, and the first of a problem for its preparation.
class SimulatedRunner final : public model::TrialRunner {
 public:
  SimulatedRunner(std::size_t number, const Load& load) : m_load(load) {
    m_device.id = fmt::format("cuda:{}", number);
    m_device.uuid = fmt::format("GPU-{}", number);
  }
  const model::DeviceInfo& device() const override { return m_device; }
  model::TrialOutcome run(const model::TrialJob& job) override {
    return run_with_notice(job, [] {});
  }
  model::TrialOutcome run_with_notice(const model::TrialJob& job,
                                      const std::function<void()>& before_launch) override {
    const double began = seconds_now();
    make_inputs(job);
    const double prepared_ms = 1e3 * (seconds_now() - began);
    before_launch();
    const double share = static_cast<double>(model::DigestHash{}(job.key) % 1000) / 1000;
    const double trial_ms = m_load.least_ms + (m_load.most_ms - m_load.least_ms) * share;
    // Who is let go late has lost what is beyond loading.
    const double late_ms = std::max(0.0, 1e3 * (seconds_now() - began) - prepared_ms - loading_ms);
    const double spent_ms = 1e3 * (seconds_now() - began) - prepared_ms - late_ms;
    sleep_ms(trial_ms - spent_ms);
    busy_s += seconds_now() - began - 1e-3 * late_ms;
    model::TrialOutcome out;
    out.measurement = bench::measured(1e6 * (1 + share));
    return out;
  }
  model::FinalOutcome run_final(const model::FinalJob& job) override {
    const double began = seconds_now();
    make_inputs(job.trials.front());
    sleep_ms(final_ms);
    busy_s += seconds_now() - began;
    model::FinalOutcome out;
    for (const model::TrialJob& trial : job.trials) {
      model::Standing& standing = out.standings.emplace_back();
      standing.measurement = bench::measured(trial.best_ns);
      standing.tied = true;
    }
    out.rounds = 20;
    return out;
  }
  double busy_s = 0;  ///< real time: a sleep lasts longer than was asked for, and no device waits for that
  std::size_t preparations() const { return m_prepared.size(); }

 private:
  void make_inputs(const model::TrialJob& job) {
    if (m_load.preparing_ms == 0 || !m_prepared.insert(job.plan.inputs_key()).second) return;
    const double n = static_cast<double>(job.plan.buffers.front().elements);
    sleep_ms(m_load.preparing_ms * std::pow(n / 4096, 3));
  }
  static void sleep_ms(double milliseconds) {
    std::this_thread::sleep_for(duration<double, std::milli>(milliseconds));
  }

  Load m_load;
  std::set<model::Digest> m_prepared;
  model::DeviceInfo m_device;
};

class Silent final : public sweep::Observer {
 public:
  void planned(std::int64_t, std::int64_t, bool) override {}
  void launching(const model::TrialRecord&) override {}
  void finished(const model::TrialRecord&) override {}
  void left_out(const model::TrialRecord&) override {}
  void final_begins(const model::Problem&, std::size_t) override {}
  void notice(const std::string&) override {}
};

}  // namespace bench
