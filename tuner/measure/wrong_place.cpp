#include "tuner/measure/wrong_place.hpp"

#include <fmt/format.h>

#include <algorithm>

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
  // Two runs have a distance, whatever they are; three that agree say something.
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

}  // namespace tuner::measure
