#include "tuner/model/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/model/case.hpp"
#include "tuner/model/configuration.hpp"

namespace tuner::model {

std::string Problem::dimension_names() const {
  std::string names;
  for (const Dimension& dimension : sizes) names += (names.empty() ? "" : " x ") + dimension.name;
  return names;
}

std::string Problem::kind() const {
  return fmt::format("{} ({})", family, dimension_names());
}

std::string Problem::size_text() const {
  if (sizes.empty()) return "-";
  const bool cube = std::all_of(sizes.begin(), sizes.end(),
                                [&](const Dimension& d) { return d.value == sizes.front().value; });
  if (cube) return fmt::format("{}", sizes.front().value);
  std::string out;
  for (const Dimension& dimension : sizes) {
    if (!out.empty()) out += 'x';
    out += fmt::format("{}", dimension.value);
  }
  return out;
}

std::string Problem::text() const {
  std::string out = fmt::format("{} {}", size_text(), cuda_name(type));
  if (row_padding != 0) out += fmt::format(" pad {}", row_padding);
  return out;
}

std::string Problem::sizes_json() const {
  std::string out = "{";
  for (const Dimension& dimension : sizes) {
    if (out.size() > 1) out += ',';
    out += fmt::format("{}:{}", json_quote(dimension.name), dimension.value);
  }
  return out + '}';
}

double distance(const Problem& a, const Problem& b) {
  constexpr double none = std::numeric_limits<double>::infinity();
  constexpr double of_padding = 0.25;
  if (a.sizes.size() != b.sizes.size()) return none;
  double sum = a.row_padding == b.row_padding ? 0 : of_padding * of_padding;
  for (std::size_t i = 0; i < a.sizes.size(); ++i) {
    if (a.sizes[i].name != b.sizes[i].name) return none;
    const double ratio = static_cast<double>(a.sizes[i].value) / static_cast<double>(b.sizes[i].value);
    sum += std::log2(ratio) * std::log2(ratio);
  }
  return std::sqrt(sum);
}

Digest Environment::key() const {
  DigestBuilder digest;
  digest.add("class 1")
      .add(device)
      .add(driver)
      .add(toolkit)
      .add(cuda_name(type))
      .add(l2)
      .add(method)
      .add(inputs);
  if (!execution.empty()) digest.add(execution);
  if (clock_mhz > 0) digest.add(clock_text());
  return digest.finish();
}

std::string Environment::text() const {
  std::string out =
      fmt::format("{}, driver {}, {}, {}, L2 {}, {}", device, driver, toolkit, cuda_name(type), l2, method);
  if (!execution.empty()) out += ", " + execution;
  if (clock_mhz > 0) out += ", " + clock_text();
  if (inputs != "spec") out += fmt::format(", inputs {}", inputs);
  return out;
}

std::string Environment::clock_text() const {
  return clock_mhz > 0 ? fmt::format("clock {:.0f} MHz", clock_mhz) : "clock free";
}

double time_bound_ns(Objective objective, double value, double idle_w) {
  if (!(idle_w > 0)) return std::numeric_limits<double>::infinity();
  const double bound = value / idle_w;
  return (objective == Objective::edp ? std::sqrt(bound) : bound) * 1e9;
}

Digest trial_key(const std::string& kernel, const Configuration& configuration, const Digest& binary_key,
                 const Plan& plan, const Digest& reference_key, const Problem& problem,
                 const Environment& environment) {
  DigestBuilder digest;
  digest.add("trial 1").add(kernel).add(configuration.canonical_json()).add(binary_key);
  plan.add_to(digest);
  digest.add(reference_key).add(problem.family).add(problem.sizes_json()).add(cuda_name(problem.type));
  return digest.add(problem.row_padding).add(environment.key()).finish();
}

BitsRelation compare_bits(const std::optional<OutputBits>& a, const std::optional<OutputBits>& b) {
  if (!a || !b || a->inputs != b->inputs) return BitsRelation::unknown;
  return a->outputs == b->outputs ? BitsRelation::same : BitsRelation::other;
}

Digest probe_key(const Digest& binary_key, const std::vector<Plan>& probes, const Digest& reference_key,
                 const Environment& environment) {
  DigestBuilder digest;
  digest.add("probe 1").add(binary_key).add(static_cast<std::int64_t>(probes.size()));
  for (const Plan& plan : probes) plan.add_to(digest);
  digest.add(reference_key).add(environment.device).add(environment.driver);
  return digest.finish();
}

}  // namespace tuner::model
