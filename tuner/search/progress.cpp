#include "tuner/search/progress.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tuner::search {
namespace {

/// In a family's space a good kernel of few configurations may be met late, however well another size
/// predicts.
constexpr std::size_t least = 40;
/// Where hardly as many work.
constexpr std::size_t fewest_without_gain = 20;

std::size_t stretch_of(double candidates, bool half) {
  constexpr double roots = 2.5;
  const auto whole = static_cast<std::size_t>(roots * std::sqrt(candidates));
  return std::max(least, half ? whole / 2 : whole);
}

}  // namespace

void Progress::add(std::optional<double> log_time) {
  const double before = m_best.empty() ? std::numeric_limits<double>::infinity() : m_best.back();
  m_best.push_back(std::min(before, log_time.value_or(before)));
}

std::optional<Progress::Gain> Progress::gain(double candidates, bool half, std::size_t at_most) const {
  if (m_best.empty() || std::isinf(m_best.back())) return std::nullopt;
  const std::size_t stretch = std::min(stretch_of(candidates, half), std::max(fewest_without_gain, at_most));
  const std::size_t over = std::min(m_best.size() - 1, stretch);
  const auto begin = m_best.end() - static_cast<std::ptrdiff_t>(over + 1);
  const auto first = std::find_if(begin, m_best.end(), [](double best) { return !std::isinf(best); });
  return Gain{1 - std::exp(m_best.back() - *first), over, over == stretch};
}

std::size_t Progress::since_improved() const {
  if (m_best.empty()) return 0;
  const auto first = std::find(m_best.begin(), m_best.end(), m_best.back());
  return static_cast<std::size_t>(m_best.end() - first) - 1;
}

}  // namespace tuner::search
