#include "bench/search/curves.hpp"

#include <fmt/format.h>

#include "reports/document.hpp"

namespace bench {
namespace {

/// Evenly on the logarithmic axis of evaluations.
reports::Series series(const std::string& name, const std::vector<double>& best_so_far, double best) {
  reports::Series out{name, {}};
  for (double k = 1; k <= static_cast<double>(best_so_far.size()); k *= 1.25) {
    const auto evaluation = static_cast<std::size_t>(k);
    if (!out.points.empty() && out.points.back().x == static_cast<double>(evaluation)) continue;
    out.points.push_back(
        {static_cast<double>(evaluation), 100 * (best_so_far[evaluation - 1] / best - 1), false});
  }
  return out;
}

}  // namespace

std::string curves_svg(const std::string& space, const Times& times, const std::vector<Curve>& curves) {
  reports::Chart chart{space, "evaluations", "% above the best", {}};
  chart.series.push_back(series("random, exact", times.random, times.best));
  for (const Curve& curve : curves)
    chart.series.push_back(
        series(curve.strategy, best_so_far(times, curve.traces, times.random.size()), times.best));
  return reports::render_svg(chart);
}

}  // namespace bench
