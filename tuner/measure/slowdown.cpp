#include "tuner/measure/slowdown.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/measure/statistics.hpp"

namespace tuner::measure {
namespace {

/// Between two processes on one idle GPU, where too few problems tell: the scatter of 29 sizes on an H200 was
/// 0.07 to 0.15 % in standard deviations.
constexpr double usual_scatter = 0.0012;
constexpr double least_scatter = 0.0007;
/// Of fewer ratios the median deviation says little.
constexpr std::size_t telling_problems = 8;
/// Turns the median absolute deviation of a normal distribution into its standard deviation.
constexpr double mad_scale = 1.4826;
constexpr double false_alarms = 0.01;

struct Floor {
  double log_fastest = 0;
  double spacing = 0;  ///< of the logarithms of the two fastest; 0 where there is one
};

Floor floor_of(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  const std::size_t wanted = std::min<std::size_t>(sorted.size(), 2);
  std::partial_sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(wanted), sorted.end());
  return {std::log(sorted.front()), wanted < 2 ? 0 : std::log(sorted[1] / sorted[0])};
}

double scatter_of(const std::vector<double>& log_ratios) {
  if (log_ratios.size() < telling_problems) return usual_scatter;
  const double middle = median(log_ratios);
  std::vector<double> deviations;
  for (const double ratio : log_ratios) deviations.push_back(std::abs(ratio - middle));
  // A median deviation of n ratios is itself uncertain by about 1.2 / sqrt(n) of it.
  const double doubt = 1 + 1.2 / std::sqrt(static_cast<double>(log_ratios.size()));
  return std::max(least_scatter, mad_scale * median(deviations) * doubt);
}

/// The standard normal deviate that is exceeded with probability `p` < 0.5, by bisection.
double upper_deviate(double p) {
  double low = 0;
  double high = 10;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) / 2 > p ? low : high) = middle;
  }
  return low;
}

}  // namespace

std::string_view to_string(Allowed allowed) {
  switch (allowed) {
    case Allowed::yes:
      return "allowed";
    case Allowed::no:
      return "too slow";
    case Allowed::undecided:
      break;
  }
  return "undecided";
}

std::vector<Slowdown> slowdowns(const std::vector<TwoOccasions>& problems, double limit) {
  std::vector<double> log_ratios;
  std::vector<double> own;
  for (const TwoOccasions& problem : problems) {
    const Floor a = floor_of(problem.a);
    const Floor b = floor_of(problem.b);
    log_ratios.push_back(a.log_fastest - b.log_fastest);
    own.push_back(std::hypot(a.spacing, b.spacing) / 2);
  }
  if (problems.empty()) return {};
  const double scatter = scatter_of(log_ratios);
  const double deviate = upper_deviate(false_alarms / static_cast<double>(problems.size()));
  std::vector<Slowdown> out;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const double margin = deviate * std::hypot(scatter, own[i]);
    Slowdown slowdown;
    slowdown.ratio = std::exp(log_ratios[i]);
    slowdown.low = std::exp(log_ratios[i] - margin);
    slowdown.high = std::exp(log_ratios[i] + margin);
    if (slowdown.low > 1 + limit)
      slowdown.allowed = Allowed::no;
    else if (slowdown.high <= 1 + limit)
      slowdown.allowed = Allowed::yes;
    out.push_back(slowdown);
  }
  return out;
}

}  // namespace tuner::measure
