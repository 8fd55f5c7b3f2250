#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "tuner/device/buffer_contents.hpp"
#include "tuner/device/compare_function.h"
#include "tuner/measure/verify.hpp"

namespace tuner::measure {
namespace {

constexpr std::size_t most_runs = 1 << 16;

}  // namespace

void WrongPlace::add(bool wrong, bool judged) {
  const std::int64_t index = m_seen++;
  m_judged += judged ? 1 : 0;
  m_wrong += wrong ? 1 : 0;
  const bool goes_on = m_in_run && (wrong || !judged);
  if (goes_on) {
    m_runs.back().end = m_seen;
  } else if (wrong && m_runs.size() < most_runs) {
    m_runs.push_back({index, m_seen});
    m_in_run = true;
  } else {
    m_too_many = m_too_many || wrong;
    m_in_run = false;
  }
}

bool WrongPlace::is_regular(std::size_t count) const {
  for (std::size_t i = 1; i < m_runs.size(); ++i) {
    if (m_runs[i].begin - m_runs[i - 1].begin != distance()) return false;
    if (i < count && m_runs[i].length() != m_runs[0].length()) return false;
  }
  return true;
}

bool WrongPlace::is_ends_of_rows() const {
  if (!is_regular(m_runs.size() - 1)) return false;
  const std::int64_t row = distance();
  if (std::find(m_rows.begin(), m_rows.end(), row) == m_rows.end()) return false;
  const bool whole_rows = m_seen % row == 0 && m_runs[0].end == row;
  const std::int64_t below = (m_seen - m_runs.back().begin) / row;  // rows that are wrong as a whole
  return whole_rows && m_runs.back().end == m_seen && 2 * m_runs[0].length() < row &&
         2 * below * row < m_seen;
}

WrongPlace::Kind WrongPlace::kind() const {
  if (m_wrong == m_judged) return Kind::all;
  if (m_too_many || m_runs.empty()) return Kind::elsewhere;
  if (m_runs.size() == 1) {
    const Run& run = m_runs[0];
    return run.end == m_seen && 2 * run.length() < m_seen ? Kind::edges : Kind::one_tile;
  }
  if (is_ends_of_rows()) return Kind::edges;
  // Two runs always have a distance; three that agree say something.
  if (m_runs.size() < 3 || !is_regular(m_runs.size())) return Kind::elsewhere;
  const std::int64_t rows = m_seen / distance();
  return static_cast<std::int64_t>(m_runs.size()) < rows ? Kind::one_tile : Kind::repeated;
}

std::string WrongPlace::text() const {
  switch (kind()) {
    case Kind::all:
      return "all of them";
    case Kind::edges: {
      if (m_runs.size() == 1) return fmt::format("the edge alone, the last {}", m_runs[0].length());
      const std::int64_t below = (m_seen - m_runs.back().begin) / distance();
      const std::string ends =
          fmt::format("the edges alone, the last {} of every {}", m_runs[0].length(), distance());
      return below == 0 ? ends : fmt::format("{} and the last {}", ends, below * distance());
    }
    case Kind::one_tile:
      if (m_runs.size() > 1)
        return fmt::format("one tile alone, {} rows of {}, {} apart", m_runs.size(), m_runs[0].length(),
                           distance());
      return m_wrong == 1 ? "one alone" : fmt::format("one piece alone, {} in a row", m_runs[0].length());
    case Kind::repeated:
      return fmt::format("{} of every {}, throughout", m_runs[0].length(), distance());
    case Kind::elsewhere:
      break;
  }
  return "";
}

namespace {

constexpr std::int64_t most_read = 16 << 20;
constexpr std::int64_t read_at_once = 1 << 20;
constexpr std::size_t most_told = 4;
/// Results further off than so many times the terms of the spec are hardly those of a forgotten operation.
constexpr int most_times_terms = 16;

/// A part of an output on the host, with what is held against it.
struct Part {
  std::int64_t first = 0;
  std::vector<device::Word> got;  ///< what is compared: the output, or what its comparison said of it
  std::vector<double> values;     ///< of the output
  std::vector<double> expected;
  std::vector<double> magnitude;
};

std::vector<device::Word> read_words(device::Device& device, device::Address from, std::int64_t first,
                                     std::int64_t count, int type) {
  const auto size = static_cast<std::size_t>(device::fill_size(type));
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * size);
  device.read(from + static_cast<device::Address>(first) * size, bytes);
  std::vector<device::Word> words(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < words.size(); ++i) std::memcpy(&words[i], bytes.data() + i * size, size);
  return words;
}

std::vector<double> read_doubles(device::Device& device, device::Address from, std::int64_t first,
                                 std::int64_t count) {
  std::vector<double> out(static_cast<std::size_t>(count));
  device.read(from + static_cast<device::Address>(first) * sizeof(double),
              std::as_writable_bytes(std::span(out)));
  return out;
}

/// As few digits as tell two numbers apart.
std::pair<std::string, std::string> told_apart(double a, double b) {
  for (int digits = 3; digits < 17; ++digits) {
    std::string left = fmt::format("{:.{}g}", a, digits);
    std::string right = fmt::format("{:.{}g}", b, digits);
    if (left != right) return {std::move(left), std::move(right)};
  }
  return {fmt::format("{:.17g}", a), fmt::format("{:.17g}", b)};
}

std::string place_text(const model::BufferPlan& buffer, std::int64_t number) {
  const int components = model::components(buffer.type);  // 4 at most
  if (components == 1) return fmt::format("{}[{}]", buffer.name, number);
  constexpr const char* names = "xyzw";
  const std::int64_t component = number % components;
  return fmt::format("{}[{}].{}", buffer.name, number / components, names[component]);
}

/// In numbers, of elements with so many `components`: what kernel and reference are given as integers.
std::vector<std::int64_t> row_lengths(const model::Plan& plan, int components) {
  std::vector<std::int64_t> lengths;
  const auto add = [&](const std::vector<model::Step>& steps) {
    for (const model::Step& step : steps) {
      for (const model::Operand& operand : step.operands) {
        if (operand.kind != model::Operand::Kind::scalar) continue;
        lengths.push_back(operand.integer * components);
        for (const model::StructNumber& number : operand.numbers)
          lengths.push_back(number.integer * components);
        for (const std::int64_t integer : operand.integers) lengths.push_back(integer * components);
      }
    }
  };
  add(plan.steps);
  add(plan.verify.reference);
  return lengths;
}

/// Judges the numbers of an output one after the other, as the device did.
class Judge {
 public:
  Judge(const model::Plan& plan, const model::BufferPlan& buffer, const device::CompareRequest& request,
        bool has_comparison)
      : m_plan(plan),
        m_buffer(buffer),
        m_request(request),
        m_type(static_cast<int>(model::component_type(request.type))),
        m_rule(device::rule_of(request)),
        m_has_comparison(has_comparison),
        m_place(row_lengths(plan, model::components(buffer.type))) {}

  void look_at(const Part& part) {
    for (std::size_t i = 0; i < part.got.size(); ++i) {
      const std::int64_t number = part.first + static_cast<std::int64_t>(i);
      const bool judged = device::bits_of_double(part.expected[i]) != device::poison_double;
      const bool poison = is_poison(part.got[i], number);
      const double got = device::value_of(m_type, part.got[i]);
      const bool wrong = device::error_of(m_rule, m_type, got, poison, part.expected[i], part.magnitude[i],
                                          m_request.ignore_unwritten) > device::most_error(m_rule);
      m_place.add(wrong, judged);
      if (wrong) m_share = std::max(m_share, share_of_magnitude(part, i, judged && !poison));
      if (wrong && m_told.size() < most_told) m_told.push_back(describe(part, i, number, judged, poison));
    }
  }

  const std::vector<std::string>& told() const { return m_told; }
  const WrongPlace& place() const { return m_place; }

  /// The fewest rounding terms that allow all errors, where the spec says a few less.
  std::optional<std::int64_t> enough_terms() const {
    const double said = m_plan.verify.rounding_terms;
    if (m_rule.bound_factor <= 0) return std::nullopt;
    const auto last = static_cast<std::int64_t>(std::min(said, 1e6) * most_times_terms);
    std::int64_t below = 0;
    std::int64_t enough = std::max<std::int64_t>(last, most_times_terms);
    const auto allows = [&](std::int64_t terms) {
      const auto factor = bound_factor(static_cast<double>(terms),
                                       m_plan.verify.accumulator.value_or(m_buffer.type), m_buffer.type);
      return factor.has_value() && *factor >= m_share;
    };
    if (!allows(enough)) return std::nullopt;
    while (below + 1 < enough) {
      const std::int64_t middle = below + (enough - below) / 2;
      (allows(middle) ? enough : below) = middle;
    }
    return enough;
  }

 private:
  /// How far off beyond the other tolerances, as a share of the reference's magnitude.
  double share_of_magnitude(const Part& part, std::size_t i, bool is_number) const {
    const double error = std::fabs(part.values[i] - part.expected[i]) - other_tolerance(part.expected[i]);
    const bool is_rounding = is_number && part.magnitude[i] > 0 && std::isfinite(error);
    return is_rounding ? error / part.magnitude[i] : std::numeric_limits<double>::infinity();
  }

  bool is_poison(device::Word bits, std::int64_t number) const {
    return bits == device::poison_bits(m_type, static_cast<device::Word>(number), m_request.other_poison);
  }

  double other_tolerance(double expected) const {
    const double size = std::fabs(expected);
    return m_rule.absolute + m_rule.relative * size + m_rule.ulps * device::ulp_of(m_type, size);
  }

  /// What the number may be off.
  double allowed(double expected, double magnitude) const {
    const double bound = m_rule.bound_factor > 0 ? m_rule.bound_factor * magnitude : 0;
    return other_tolerance(expected) + bound;
  }

  std::string describe(const Part& part, std::size_t i, std::int64_t number, bool judged, bool poison) const {
    const std::string where = place_text(m_buffer, number);
    const double value = part.values[i];
    if (m_has_comparison) {
      const double said = device::value_of(m_type, part.got[i]);
      if (std::isnan(said) && m_request.tolerance.share > 0)
        return fmt::format("{} = {:.6g}, which no share excuses", where, value);
      return fmt::format("{} = {:.6g}, which its comparison gives {:.3g}, and at most 1 is right", where,
                         value, said);
    }
    // The poison of short integers is a result that a kernel may well have.
    const bool unwritten = poison && !m_request.ignore_unwritten &&
                           (device::fill_size(m_type) >= 4 || m_type == device::fill_boolean);
    if (!judged) return fmt::format("{} = {:.6g}, and the reference leaves it alone", where, value);
    const double expected = part.expected[i];
    if (std::isnan(expected))
      return fmt::format("{} = {:.6g}, and what is expected is no number", where, value);
    const double most = allowed(expected, part.magnitude[i]);
    const std::string bound = most > 0 ? fmt::format(" ± {:.1g}", most) : " exactly";
    if (unwritten)
      return fmt::format("{} was never written{}, expected {:.6g}{}", where, other_source(), expected, bound);
    const auto [left, right] = told_apart(value, expected);
    return fmt::format("{} = {}, expected {}{}", where, left, right, bound);
  }

  /// A workspace begins as the same value that is no number, and it lies beyond inputs. A CPU keeps it in
  /// what is computed from it.
  std::string other_source() const {
    std::string sources;
    for (const model::BufferPlan& buffer : m_plan.buffers)
      if (buffer.access == model::Access::workspace && sources.empty())
        sources = fmt::format(", or is made of what was never written to {}", buffer.name);
    if (!model::is_floating(model::component_type(m_buffer.type))) return sources;
    return sources + (sources.empty() ? ", or is made of" : " or of") + " what lies beyond an input";
  }

  const model::Plan& m_plan;
  const model::BufferPlan& m_buffer;
  const device::CompareRequest& m_request;
  int m_type;
  device::CompareRule m_rule;
  bool m_has_comparison;
  WrongPlace m_place;
  double m_share = 0;  ///< the largest error, of the reference's magnitude
  std::vector<std::string> m_told;
};

Part read_part(device::Device& device, const device::CompareRequest& request, device::Address output,
               model::ElementType output_type, std::int64_t first, std::int64_t count) {
  const int type = static_cast<int>(model::component_type(request.type));
  const int value_type = static_cast<int>(model::component_type(output_type));
  Part part;
  part.first = first;
  part.got = read_words(device, request.got, first, count, type);
  for (const device::Word word : read_words(device, output, first, count, value_type))
    part.values.push_back(device::value_of(value_type, word));
  part.expected = read_doubles(device, request.expected, first, count);
  part.magnitude = read_doubles(device, request.magnitude, first, count);
  return part;
}

}  // namespace

std::string wrong_values(device::Device& device, const model::Plan& plan, const Inputs& inputs,
                         std::size_t index, std::int64_t first_wrong) {
  const device::CompareRequest request = inputs.compare_request(plan, index);
  if (request.unordered_within > 0 || first_wrong < 0) return "";
  const model::BufferPlan& buffer = plan.buffers[index];
  const device::Address output = inputs.buffer(index)->address();
  const bool is_whole = buffer.numbers() <= most_read;
  const std::int64_t begin = is_whole ? 0 : first_wrong;
  const std::int64_t end = std::min(buffer.numbers(), begin + most_read);
  Judge judge(plan, buffer, request, request.got != output);
  for (std::int64_t first = begin; first < end; first += read_at_once) {
    judge.look_at(
        read_part(device, request, output, buffer.type, first, std::min(read_at_once, end - first)));
  }
  std::string text = fmt::format("{}", fmt::join(judge.told(), "; "));
  if (!is_whole) return text;
  if (const std::string place = judge.place().text(); !place.empty()) text += "; wrong: " + place;
  if (judge.place().kind() == WrongPlace::Kind::edges)
    text += "; a kernel for whole tiles alone says so in its constraints";
  if (const auto terms = judge.enough_terms())
    text += fmt::format("; {} rounding terms would allow this, and the spec has {}", *terms,
                        plan.verify.rounding_terms);
  return text;
}

}  // namespace tuner::measure
