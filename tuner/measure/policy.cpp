#include "tuner/measure/policy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "tuner/model/error.hpp"

namespace tuner::measure {
namespace {

model::MeasurePolicy quick() {
  model::MeasurePolicy out;
  out.name = "quick-3";
  out.samples = 6;  // the fewest that give a 95 % interval
  out.final.contestants = 6;
  out.final.choosing_rounds = 12;
  out.final.confirming_rounds = 8;
  out.batch_ns = 200'000;
  out.time_limit_ns = 2e7;
  return out;
}

model::MeasurePolicy thorough() {
  model::MeasurePolicy out;
  out.name = "thorough-2";
  out.samples = 60;
  out.cuts = {{1, 5}, {5, 2}};
  out.final.choosing_rounds = 100;
  out.final.confirming_rounds = 60;
  out.final.time_limit_ns = 2e10;
  out.batch_ns = 1'000'000;
  out.time_limit_ns = 1e10;
  return out;
}

/// For tables that show slow versions beside fast ones: nothing is dropped, so each trial gets less time.
model::MeasurePolicy complete() {
  model::MeasurePolicy out;
  out.name = "complete-2";
  out.samples = 12;
  out.cuts.clear();
  out.time_limit_ns = 5e8;
  return out;
}

/// Every configuration alike and no final: what a sweep costs without racing, and what racing is held
/// against.
model::MeasurePolicy exhaustive() {
  model::MeasurePolicy out;
  out.name = "exhaustive-1";
  out.samples = 100;
  out.time_limit_ns = 2e9;
  out.cuts.clear();
  out.final.contestants = 0;
  return out;
}

struct Named {
  std::string_view name;
  model::MeasurePolicy policy;
};

std::array<Named, 5> policies() {
  return {Named{"quick", quick()}, Named{"standard", model::MeasurePolicy{}}, Named{"thorough", thorough()},
          Named{"complete", complete()}, Named{"exhaustive", exhaustive()}};
}

}  // namespace

model::MeasurePolicy policy(std::string_view name, bool flush_l2) {
  for (Named& candidate : policies()) {
    if (candidate.name != name) continue;
    candidate.policy.flush_l2 = flush_l2;
    return candidate.policy;
  }
  throw model::UsageError(fmt::format("there is no measuring policy '{}'", name),
                          fmt::format("use one of: {}", fmt::join(policy_names(), ", ")));
}

std::vector<std::string_view> policy_names() {
  std::vector<std::string_view> out;
  for (const Named& candidate : policies()) out.push_back(candidate.name);
  return out;
}

}  // namespace tuner::measure
