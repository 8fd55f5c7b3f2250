#pragma once
#include <string>
#include <vector>

namespace reports {

struct Tick {
  double value = 0;
  std::string label;
};

/// Ticks from 0 at steps of 1, 2 or 5 times a power of ten, the last at or above `max`; about five of them.
std::vector<Tick> linear_ticks(double max);

/// Ticks at powers of two within [min, max], every second or third one where there are more than `most`; at
/// the ends themselves where fewer than two powers lie between. Requires 0 < min <= max.
std::vector<Tick> binary_ticks(double min, double max, int most);

/// Moves positions apart so that neighbours in rising order are at least `gap` apart and all lie in [low,
/// high] if there is room; keeps their order and moves them no further than needed. Answers in the order
/// given.
std::vector<double> spread_apart(const std::vector<double>& wanted, double gap, double low, double high);

struct Point {
  double x = 0;
  double y = 0;
  bool approximate = false;  ///< drawn hollow
};

struct Series {
  std::string name;
  std::vector<Point> points;  ///< by rising x; x > 0, y >= 0 and finite
};

/// A line chart: y from zero, x on a logarithmic axis of base 2, one line a series with its name at its end.
struct Chart {
  std::string title;
  std::string x_label;  ///< with unit
  std::string y_label;  ///< with unit
  std::vector<Series> series;

  bool empty() const;
};

/// A self-contained SVG of 860 × 480 units: own style, light and dark by prefers-color-scheme, the colours of
/// Okabe and Ito (Color Universal Design, 2008), which people with any colour vision tell apart; markers and
/// dashes differ too. Points outside the contract of Series are left out.
std::string render_svg(const Chart& chart);

}  // namespace reports
