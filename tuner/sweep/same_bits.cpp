#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/model/error.hpp"
#include "tuner/sweep/sweep.hpp"
#include "tuner/sweep/trial_maker.hpp"

namespace tuner::sweep {

model::BitsRelation SameBits::relation(const model::Problem& problem, const std::string& kernel,
                                       const std::optional<model::OutputBits>& bits) const {
  const auto reference = std::ranges::find_if(references, [&](const Reference& one) {
    return one.problem == problem && (one.kernel.empty() || one.kernel == kernel);
  });
  return reference == references.end() ? model::BitsRelation::unknown : compare_bits(reference->bits, bits);
}

bool gives_bits(const Request& request, const model::TrialRecord& trial) {
  return !request.same_bits || !model::may_win(trial.role) ||
         request.same_bits->relation(trial.problem, trial.kernel, trial.outcome.output_bits) ==
             model::BitsRelation::same;
}

namespace {

/// A configuration that others are held against.
struct Wanted {
  const Work* work = nullptr;
  bool is_tuned = false;  ///< else it is a rival's, and is not measured here
  model::Problem problem;
  model::Configuration configuration;
};

std::vector<model::Problem> problems_of(const Request& request) {
  std::vector<model::Problem> problems;
  for (const Work& work : request.work) {
    for (const model::Problem& problem : work.problems)
      if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(problem);
  }
  return problems;
}

/// Whether the kernel runs what the trial that was named ran: after an edit its configuration may give other
/// bits.
bool is_of_today(const model::TrialRecord& named, const space::KernelSpace& kernel) {
  return named.definition.empty() || named.definition == kernel.definition();
}

/// Of each kernel its default, or the one that was named, on each problem of the sweep.
std::vector<Wanted> wanted_of(const Request& request, const std::vector<model::Problem>& problems) {
  std::vector<Wanted> wanted;
  const auto& as = request.same_bits->as;
  for (const auto* list : {&request.work, &request.rivals}) {
    for (const Work& work : *list) {
      const model::KernelSpec& spec = work.kernel.spec();
      if (!model::may_win(spec.role)) continue;
      if (as && (as->kernel != spec.name || !is_of_today(*as, work.kernel))) continue;
      for (const model::Problem& problem : problems) {
        if (problem.family != spec.family) continue;
        auto one = as ? std::optional(as->configuration)
                      : work.kernel.default_configuration(problem, request.device.limits);
        if (one && work.kernel.contains(problem, *one, request.device.limits))
          wanted.push_back({&work, list == &request.work, problem, std::move(*one)});
      }
    }
  }
  return wanted;
}

/// The bits of a trial where they are of the inputs of this sweep. A recording has those of its own.
std::optional<model::OutputBits> known_bits(const Request& request, const Wanted& one,
                                            model::ResultSource& source) {
  const Trial trial = TrialMaker(request, *one.work, one.problem).make(one.configuration);
  const auto known = source.find(trial.record.key);
  if (!known || !known->outcome.output_bits) return std::nullopt;
  const auto inputs = model::inputs_drawn_key(trial.plan, trial.reference_key, request.inputs_seed);
  const bool is_of_these = !request.recorded_device.empty() || known->outcome.output_bits->inputs == inputs;
  return is_of_these ? known->outcome.output_bits : std::nullopt;
}

void measure(const Request& request, const std::vector<Wanted>& wanted, const ReferenceTask& task) {
  std::vector<Chosen> chosen;
  for (const Wanted& one : wanted) {
    if (one.is_tuned && !known_bits(request, one, task.source))
      chosen.push_back({one.work->kernel.spec().name, one.problem, one.configuration});
  }
  if (chosen.empty()) return;
  Request alone = request;
  alone.same_bits->references.clear();  // so that none is dropped for another
  alone.shard.reset();
  alone.budget = {};
  alone.policy.final.finalists = 0;
  alone.strategy = "exhaustive";
  alone.until = 0;
  alone.fresh = true;  // what is known of them says nothing of their bits
  alone.run.id = model::Digest::random();
  alone.run.command_line += "  # whose bits are asked for";
  const TrialList list = list_chosen(alone, chosen, task.source);
  if (list.total() > 0) task.sweep(alone, list);
}

}  // namespace

void find_references(Request& request, const ReferenceTask& task) {
  SameBits& same = *request.same_bits;
  const std::vector<model::Problem> problems = problems_of(request);
  const std::vector<Wanted> wanted = wanted_of(request, problems);
  measure(request, wanted, task);
  std::vector<std::string> without;
  for (const Wanted& one : wanted) {
    const std::string& kernel = one.work->kernel.spec().name;
    if (const auto bits = known_bits(request, one, task.source))
      same.references.push_back({one.problem, same.as ? "" : kernel, *bits});
    else if (one.is_tuned)
      without.push_back(fmt::format("{} {}", kernel, one.problem.text()));
  }
  // Its spec may be gone; what it gave then is known for its own size.
  const bool is_of_sweep = same.as && std::ranges::find(problems, same.as->problem) != problems.end();
  if (is_of_sweep && same.as->outcome.output_bits && wanted.empty())
    same.references.push_back({same.as->problem, "", *same.as->outcome.output_bits});
  for (const model::Problem& problem : problems) {
    const bool is_known =
        std::ranges::find(same.references, problem, &SameBits::Reference::problem) != same.references.end();
    if (wanted.empty() && !is_known) without.push_back(problem.text());
  }
  const std::string what = same.as ? same.as->key.hex().substr(0, 12) : std::string("the default");
  if (same.references.empty()) {
    throw model::UsageError(
        fmt::format("nothing can be held against {}: {}", what,
                    !wanted.empty() ? "its outputs have no digest, which only a deterministic kernel that "
                                      "passes verification has"
                    : same.as       ? "no kernel of the sweep has its configuration, as it was then"
                                    : "constraints exclude it"),
        same.as || !wanted.empty()
            ? "`tuner show TRIAL` says what became of it; without --same-bits-as all bits count"
            : "without --same-bits-as all bits count");
  }
  if (!without.empty()) {
    task.observer.notice(
        fmt::format("no trial can be a finalist of {}: {} has no digest of its outputs there",
                    fmt::join(without, ", "), what));
  }
}

}  // namespace tuner::sweep
