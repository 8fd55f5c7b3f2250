#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>

#include "reports/document.hpp"
#include "reports/json.hpp"
#include "reports/text.hpp"
#include "tuner/util/text.hpp"

namespace reports {
namespace {

Tick at(double value) {
  return {value,
          value == std::floor(value) && value < 1e15 ? fmt::format("{:.0f}", value) : significant(value, 3)};
}

}  // namespace

std::vector<Tick> linear_ticks(double max) {
  if (!(max > 0) || !std::isfinite(max)) return {{0, "0"}, {1, "1"}};
  const double raw = max / 5;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = power;
  for (const double factor : {2.0, 5.0, 10.0}) {
    if (step < raw * (1 - 1e-9)) step = factor * power;
  }
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  const int count = static_cast<int>(std::ceil(max / step - 1e-9));
  std::vector<Tick> ticks;
  for (int i = 0; i <= count; ++i) ticks.push_back({i * step, fmt::format("{:.{}f}", i * step, decimals)});
  return ticks;
}

std::vector<Tick> binary_ticks(double min, double max, int most) {
  const int first = static_cast<int>(std::ceil(std::log2(min) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log2(max) + 1e-9));
  if (last - first < 1) {
    if (min == max) return {at(min)};
    return {at(min), at(max)};
  }
  const int stride = (last - first) / most + 1;
  std::vector<Tick> ticks;
  for (int exponent = last; exponent >= first; exponent -= stride) ticks.push_back(at(std::exp2(exponent)));
  std::reverse(ticks.begin(), ticks.end());
  return ticks;
}

std::vector<double> spread_apart(const std::vector<double>& wanted, double gap, double low, double high) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return wanted[a] < wanted[b]; });

  // Clusters of touching positions, each centred on what its members want; a cluster that touches its
  // neighbour joins it (pool adjacent violators, on positions with their rank times the gap taken off).
  struct Cluster {
    double sum = 0;
    std::size_t count = 0;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Cluster> clusters;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    clusters.push_back({wanted[order[rank]] - gap * static_cast<double>(rank), 1});
    while (clusters.size() > 1 && clusters[clusters.size() - 2].mean() > clusters.back().mean()) {
      const Cluster joined = clusters.back();
      clusters.pop_back();
      clusters.back().sum += joined.sum;
      clusters.back().count += joined.count;
    }
  }
  const double last_rank = static_cast<double>(std::max<std::size_t>(order.size(), 1) - 1);
  const double top = std::max(low, high - gap * last_rank);
  std::vector<double> out(wanted.size());
  std::size_t rank = 0;
  for (const Cluster& cluster : clusters) {
    const double base = std::clamp(cluster.mean(), low, top);
    for (std::size_t i = 0; i < cluster.count; ++i, ++rank)
      out[order[rank]] = base + gap * static_cast<double>(rank);
  }
  return out;
}

namespace util = tuner::util;
namespace {

constexpr double width = 860;
constexpr double height = 480;
constexpr double left = 70;
constexpr double top = 56;
constexpr double bottom = height - 62;
constexpr double label_gap = 16;  ///< between the names of two lines
constexpr std::size_t longest_name = 30;
constexpr std::size_t colours = 7;  ///< in chart.css
constexpr std::array<const char*, 3> dashes = {"", " stroke-dasharray=\"7 4\"", " stroke-dasharray=\"2 4\""};

/// Of neighbours in the palette; null: a circle.
constexpr std::array<const char*, 4> shapes = {nullptr, "m-3.5 -3.5h7v7h-7z", "m0 -4.5l4.2 7.5h-8.4z",
                                               "m0 -4.6l4.6 4.6l-4.6 4.6l-4.6 -4.6z"};

bool is_drawable(const Point& point) {
  return std::isfinite(point.x) && point.x > 0 && std::isfinite(point.y) && point.y >= 0;
}

/// The series that have something to draw, with those points alone.
std::vector<Series> drawable(const Chart& chart) {
  std::vector<Series> out;
  for (const Series& series : chart.series) {
    Series kept{series.name, {}};
    std::copy_if(series.points.begin(), series.points.end(), std::back_inserter(kept.points), is_drawable);
    if (!kept.points.empty()) out.push_back(std::move(kept));
  }
  return out;
}

/// Where values lie on the paper.
struct Scale {
  double min_log = 0;
  double max_log = 1;
  double max_y = 1;
  double right = width;

  double x(double value) const {
    return left + (std::log2(value) - min_log) / (max_log - min_log) * (right - left);
  }
  double y(double value) const { return bottom - value / max_y * (bottom - top); }
};

std::string shown_name(const Series& series) {
  return util::one_line(series.name, longest_name);
}

class SvgWriter {
 public:
  explicit SvgWriter(const Chart& chart) : m_chart(chart), m_series(drawable(chart)) { measure(); }

  std::string write() {
    open();
    if (m_series.empty()) {
      text("", width / 2, height / 2, "middle", "no data");
    } else {
      axes();
      lines();
      names();
    }
    m_out += "</svg>\n";
    return std::move(m_out);
  }

 private:
  void measure() {
    double min_x = 0, max_x = 0, max_y = 0;
    std::size_t longest = 0;
    for (const Series& series : m_series) {
      longest = std::max(longest, util::display_width(shown_name(series)));
      for (const Point& point : series.points) {
        min_x = min_x == 0 ? point.x : std::min(min_x, point.x);
        max_x = std::max(max_x, point.x);
        max_y = std::max(max_y, point.y);
      }
    }
    if (m_series.empty()) return;
    m_x_ticks = binary_ticks(min_x, max_x, 12);
    m_y_ticks = linear_ticks(max_y);
    // A little air at both ends, and a whole octave around a single size.
    const double air = min_x == max_x ? 0.5 : 0.03 * std::log2(max_x / min_x);
    m_scale = {std::log2(min_x) - air, std::log2(max_x) + air, m_y_ticks.back().value,
               width - 34 - 7.0 * static_cast<double>(longest)};
  }

  void open() {
    const std::string title = html_text(m_chart.title);
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tuner-chart\" viewBox=\"0 0 {0} {1}\" "
        "width=\"{0}\" "
        "height=\"{1}\" role=\"img\" aria-label=\"{2}\">\n<style>\n{3}</style>\n"
        "<rect class=\"paper\" width=\"{0}\" height=\"{1}\" rx=\"6\"/>\n",
        width, height, title, embedded_text("chart.css"));
    text("title", left, 26, "start", m_chart.title);
  }

  void axes() {
    for (const Tick& tick : m_y_ticks) {
      const double y = m_scale.y(tick.value);
      line(tick.value == 0 ? "axis" : "grid", left, y, m_scale.right, y);
      text("", left - 8, y + 4, "end", tick.label);
    }
    for (const Tick& tick : m_x_ticks) {
      const double x = m_scale.x(tick.value);
      line("axis", x, bottom, x, bottom + 5);
      text("", x, bottom + 20, "middle", tick.label);
    }
    text("", left, top - 12, "start", m_chart.y_label);
    text("", (left + m_scale.right) / 2, bottom + 44, "middle", m_chart.x_label);
  }

  void lines() {
    for (std::size_t i = 0; i < m_series.size(); ++i) {
      add("<g class=\"c{}\">\n<polyline class=\"line\"{} points=\"", i % colours,
          dashes[i / colours % dashes.size()]);
      for (const Point& point : m_series[i].points)
        add("{:.1f},{:.1f} ", m_scale.x(point.x), m_scale.y(point.y));
      m_out.back() = '"';
      m_out += "/>\n";
      for (const Point& point : m_series[i].points) mark(i, point);
      m_out += "</g>\n";
    }
  }

  /// Its title is what a browser shows under the pointer.
  void mark(std::size_t series, const Point& point) {
    const double x = m_scale.x(point.x);
    const double y = m_scale.y(point.y);
    const char* kind = point.approximate ? "mark hollow" : "mark";
    const std::string title =
        html_text(fmt::format("{}, {}: {}{} {}", m_series[series].name, significant(point.x),
                              point.approximate ? "~" : "", significant(point.y), m_chart.y_label));
    const char* shape = shapes[series % shapes.size()];
    if (shape == nullptr)
      add("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\">", kind, x, y);
    else
      add("<path class=\"{}\" d=\"M{:.1f} {:.1f}{}\">", kind, x, y, shape);
    add("<title>{}</title></{}>\n", title, shape == nullptr ? "circle" : "path");
  }

  void names() {
    std::vector<double> wanted;
    for (const Series& series : m_series) wanted.push_back(m_scale.y(series.points.back().y));
    const double room = (bottom - top) / static_cast<double>(m_series.size());
    const std::vector<double> placed = spread_apart(wanted, std::min(label_gap, room), top, bottom);
    for (std::size_t i = 0; i < m_series.size(); ++i) {
      const double end = m_scale.x(m_series[i].points.back().x);
      line("leader", end + 7, wanted[i], m_scale.right + 8, placed[i]);
      add("<g class=\"c{}\">", i % colours);
      text("name", m_scale.right + 12, placed[i] + 4, "start", shown_name(m_series[i]));
      m_out += "</g>\n";
    }
  }

  void line(const char* kind, double x1, double y1, double x2, double y2) {
    add("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kind, x1, y1, x2,
        y2);
  }
  void text(const char* kind, double x, double y, const char* anchor, const std::string& content) {
    add("<text{}{}{} x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", *kind == 0 ? "" : " class=\"",
        kind, *kind == 0 ? "" : "\"", x, y, anchor, html_text(content));
  }
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    m_out += fmt::format(format, std::forward<Args>(args)...);  // format_to would compile all of fmt here
  }

  const Chart& m_chart;
  std::vector<Series> m_series;
  std::vector<Tick> m_x_ticks;
  std::vector<Tick> m_y_ticks;
  Scale m_scale;
  std::string m_out;
};

}  // namespace

bool Chart::empty() const {
  return std::none_of(series.begin(), series.end(), [](const Series& s) {
    return std::any_of(s.points.begin(), s.points.end(), is_drawable);
  });
}

std::string render_svg(const Chart& chart) {
  return SvgWriter(chart).write();
}

}  // namespace reports
