#pragma once
#include <string>
#include <vector>

namespace reports {

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
