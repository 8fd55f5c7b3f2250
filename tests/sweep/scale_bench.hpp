#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fake_compiler.hpp"
#include "tests/support/memory_results.hpp"
#include "tests/support/simple_final.hpp"
#include "tuner/sweep/sweep.hpp"

/// A kernel with one parameter on a fake device, for tests of the sweep.
namespace tuner::test {

/// SCALE over 1, 2, 4, 8, 16; its problem is one size.
inline model::KernelSpec scale_spec() {
  model::KernelSpec spec;
  spec.name = "scale";
  spec.family = "scaling";
  spec.source = {{"scale.cu", "extern \"C\" __global__ void scale(float* x) {}"}};
  spec.sizes = {"N"};
  spec.types = {model::ElementType::float32};
  model::ParameterSpec parameter;
  parameter.name = "SCALE";
  for (const std::int64_t value : {1, 2, 4, 8, 16}) parameter.values.emplace_back(value);
  spec.parameters = {parameter};
  model::ArgumentSpec x;
  x.name = "x";
  x.type = model::ElementType::float32;
  x.pointer = true;
  x.access = model::Access::out;
  x.extent = {{"N", {}}};
  spec.arguments = {x};
  model::StepSpec step;
  step.entry = "scale";
  step.grid = {{"ceil_div(N, 32 * SCALE)", {}}};
  step.block = {{"32", {}}};
  spec.steps = {step};
  spec.metrics = {{"elements/ns", {"1.0 * N / time_ns", {}}}};
  return spec;
}

/// What the binary of a library is.
inline constexpr int library_scale = 99;

/// Binaries are the macro's value; a value in `broken` does not compile.
inline FakeCompiler::Answer scale_answer(std::set<std::string> broken) {
  return [broken = std::move(broken)](const model::CompileJob& job) {
    model::Compilation out = FakeCompiler::usual_answer(job);
    if (job.host_library) {
      out.binary = {std::byte(library_scale)};
      return out;
    }
    const auto scale = std::find_if(job.macros.begin(), job.macros.end(),
                                    [](const auto& macro) { return macro.name == "SCALE"; });
    REQUIRE(scale != job.macros.end());
    out.binary = {std::byte(std::stoi(scale->value))};
    out.kernels.at(0).registers = scale->value == "8" ? 24 : 32;
    if (broken.contains(scale->value)) {
      out.status = model::TrialStatus::compile_error;
      out.log = "scale.cu(1): error: no such scale\n1 error detected";
    }
    return out;
  };
}

inline model::TrialOutcome failed_in(model::TrialStatus status, const std::string& detail,
                                     bool device_lost = false) {
  model::TrialOutcome outcome;
  outcome.status = status;
  outcome.detail = detail;
  outcome.device_lost = device_lost;
  return outcome;
}

/// Says what `behave` says for a scale.
class ScaleRunner final : public model::TrialRunner {
 public:
  using Behave = std::function<model::TrialOutcome(int scale, const model::TrialJob& job)>;
  explicit ScaleRunner(Behave behave, std::size_t number = 0) : m_behave(std::move(behave)) {
    m_device.id = "cuda:" + std::to_string(number);
    m_device.uuid = "GPU-" + std::to_string(number);
  }
  const model::DeviceInfo& device() const override { return m_device; }
  void rename(const std::string& uuid) { m_device.uuid = uuid; }
  model::TrialOutcome run(const model::TrialJob& job) override {
    launched.push_back(std::to_integer<int>(job.binary.at(0)));
    return m_raced[job.key] = m_behave(launched.back(), job);
  }
  model::FinalOutcome run_final(const model::FinalJob& job) override {
    finals.emplace_back();
    is_in_final = true;
    if (on_final) on_final(job);
    for (const model::TrialJob& trial : job.trials)
      finals.back().push_back(std::to_integer<int>(trial.binary.at(0)));
    for (std::size_t i = 0; i < finals.back().size(); ++i) {
      const auto failure = fail_in_final.find(finals.back()[i]);
      if (failure != fail_in_final.end()) return {{}, 0, 0, 0, failure->second, i};
    }
    model::FinalOutcome outcome = simple_final(
        [this](const model::TrialJob& trial) {
          const auto raced = m_raced.find(trial.key);
          return raced != m_raced.end() ? raced->second
                                        : m_behave(std::to_integer<int>(trial.binary.at(0)), trial);
        },
        job);
    if (doubt) doubt(outcome);
    is_in_final = false;
    return outcome;
  }
  std::function<void(model::FinalOutcome&)> doubt;  ///< what a final says beside the medians; may be null
  std::function<void(const model::FinalJob&)> on_final;  ///< may be null
  std::vector<int> launched;
  std::vector<std::vector<int>> finals;              ///< scales of the finalists of each
  std::map<int, model::TrialOutcome> fail_in_final;  ///< failures by scale
  bool is_in_final = false;

 private:
  model::DeviceInfo m_device;
  Behave m_behave;
  std::map<model::Digest, model::TrialOutcome> m_raced;
};

inline model::TrialOutcome ok_in(double median_ns) {
  model::TrialOutcome outcome;
  outcome.measurement = model::Measurement{};
  outcome.measurement->median_ns = median_ns;
  outcome.measurement->samples_ns = {median_ns};
  return outcome;
}

class Watcher final : public sweep::Observer {
 public:
  void planned(std::int64_t total, std::int64_t known, bool) override { plan = {total, known}; }
  void launching(const model::TrialRecord&) override {}
  void finished(const model::TrialRecord& trial) override {
    ++ended;
    if (on_finished) on_finished(trial);
  }
  void left_out(const model::TrialRecord&) override { ++left; }
  void final_begins(const model::Problem&, std::size_t) override {}
  void search_ended(const model::SearchRecord& search) override { searches.push_back(search); }
  void notice(const std::string& text) override { notices.push_back(text); }
  std::vector<std::string> notices;
  std::vector<model::SearchRecord> searches;
  std::pair<std::int64_t, std::int64_t> plan;
  int ended = 0;
  int left = 0;
  std::function<void(const model::TrialRecord&)> on_finished;
};

struct Bench {
  std::vector<std::int64_t> sizes = {1024};
  std::set<std::string> broken;
  ScaleRunner::Behave behave = [](int scale, const model::TrialJob&) { return ok_in(1000.0 / scale); };
  MemoryResults results;
  Watcher watcher;
  sweep::LaunchOracle oracle;
  std::atomic<bool> stop{false};
  std::atomic<double> later_s = 0;  ///< what the clock is advanced by
  std::vector<int> launched;
  std::vector<std::vector<int>> finals;              ///< scales of the finalists of each
  std::map<int, model::TrialOutcome> fail_in_final;  ///< failures by scale
  std::function<void(model::FinalOutcome&)> doubt;
  std::function<void(const model::FinalJob&)> on_final;
  std::function<void(sweep::Request&)> adjust;
  std::function<void(int scale)> on_compile;  ///< called by compilers, in their threads
  /// The same, with the macros of the job.
  std::function<void(const std::vector<model::Macro>& macros)> on_compile_with;
  std::vector<search::StrategyKind> strategies;  ///< sweep::Request::own_strategies

  sweep::Request request() {
    sweep::Request out;
    sweep::Work work{space::KernelSpace(scale_spec()), {}};
    for (const std::int64_t size : sizes) {
      work.problems.push_back(space::make_problem(work.kernel.spec(), {size}, std::nullopt, 0));
    }
    out.work = {work};
    out.device.name = "Fake GPU";
    out.device.kind = "cuda";
    out.device.architecture = "sm_90";
    out.device.memory_bytes = std::int64_t{1} << 33;
    out.compiler = "fake 1";
    out.seed = 7;
    out.own_strategies = strategies;
    out.run.id = model::Digest::random();
    if (adjust) adjust(out);
    return out;
  }

  /// What a sweep on these runners works with. Each look at its clock takes a millisecond.
  sweep::Services services(compile::CompilePool& pool, std::vector<model::TrialRunner*> runners) {
    const auto clock = [this, now = 0.0]() mutable { return (now += 0.001) + later_s; };
    return {pool, std::move(runners), results, results, watcher, oracle, clock, stop};
  }

  sweep::Summary run_on(const sweep::Request& what, const sweep::TrialList& list,
                        std::vector<model::TrialRunner*> runners, int compilers = 2) {
    FakeCompilerLog log;
    const auto answer = [this, scale = scale_answer(broken)](const model::CompileJob& job) {
      model::Compilation compilation = scale(job);
      if (on_compile_with) on_compile_with(job.macros);
      if (on_compile && !compilation.binary.empty()) on_compile(std::to_integer<int>(compilation.binary[0]));
      return compilation;
    };
    compile::CompilePool pool(compilers, [&] { return std::make_unique<FakeCompiler>(log, answer); });
    sweep::Services all = services(pool, std::move(runners));
    return sweep::sweep(what, list, all);
  }
  sweep::Summary run_on(const sweep::Request& what, std::vector<model::TrialRunner*> runners,
                        int compilers = 2) {
    return run_on(what, sweep::list_trials(what, results), std::move(runners), compilers);
  }

  sweep::Summary run() {
    ScaleRunner runner(behave);
    runner.fail_in_final = fail_in_final;
    runner.doubt = doubt;
    runner.on_final = on_final;
    const sweep::Summary summary = run_on(request(), {&runner});
    launched = runner.launched;
    finals = runner.finals;
    return summary;
  }

  model::TrialRecord trial(const std::string& configuration) const {
    for (const auto& [key, record] : results.trials()) {
      if (record.configuration.text() == configuration) return record;
    }
    FAIL("no trial of " << configuration);
    throw 0;
  }
};

/// A library that solves the problem of the scale spec.
inline model::KernelSpec library_spec(const std::string& name = "libscale") {
  model::KernelSpec spec = scale_spec();
  model::BaselineSpec library;
  library.name = name;
  library.source = {{"libscale.cpp", "calls " + name}};
  library.arguments = {{"x", {}}};
  spec.baselines = {library};
  return space::baselines(spec).front();
}

inline void add_library(sweep::Request& request) {
  request.work.push_back({space::KernelSpace(library_spec()), request.work.front().problems});
}

/// Has SCALE take `values` instead.
inline void edit_values(sweep::Request& request, const std::vector<std::int64_t>& values) {
  model::KernelSpec spec = scale_spec();
  spec.parameters[0].values.clear();
  for (const std::int64_t value : values) spec.parameters[0].values.emplace_back(value);
  request.work[0].kernel = space::KernelSpace(spec);
}

}  // namespace tuner::test
