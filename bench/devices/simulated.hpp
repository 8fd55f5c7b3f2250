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
  double starting_ms = 0;  ///< a context, from when it is announced
  double library_ms = 0;   ///< the first launch of a library on a device
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
  void prepare() override { m_announced = seconds_now(); }
  void report_phases_to(std::function<void(model::TrialPhase)> listener) override {
    m_listener = std::move(listener);
  }
  model::TrialOutcome run(const model::TrialJob& job) override {
    return run_with_notice(job, [] {});
  }
  model::TrialOutcome run_with_notice(const model::TrialJob& job,
                                      const std::function<void()>& before_launch) override {
    const double began = seconds_now();
    start();
    if (job.plan.calls_library() && !std::exchange(m_has_library, true)) sleep_ms(m_load.library_ms);
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
    start();
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
  void start() {
    if (std::exchange(m_is_started, true) || m_load.starting_ms == 0) return;
    sleep_ms(m_load.starting_ms - 1e3 * (seconds_now() - m_announced));
  }
  /// A library's are its kernel's. None is evicted: an H200 keeps those of all matmul's sizes to 4096.
  void make_inputs(const model::TrialJob& job) {
    const std::int64_t elements = job.plan.buffers.front().elements;
    enter(model::TrialPhase::preparing);
    if (m_prepared.insert(elements).second)
      sleep_ms(m_load.preparing_ms * std::pow(static_cast<double>(elements) / 4096, 3));
    enter(model::TrialPhase::loading);
  }
  void enter(model::TrialPhase phase) const {
    if (m_listener) m_listener(phase);
  }
  static void sleep_ms(double milliseconds) {
    std::this_thread::sleep_for(duration<double, std::milli>(milliseconds));
  }

  Load m_load;
  std::set<std::int64_t> m_prepared;
  double m_announced = 0;
  bool m_is_started = false;
  bool m_has_library = false;
  std::function<void(model::TrialPhase)> m_listener;
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
