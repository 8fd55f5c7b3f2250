#include "tuner/search/progress.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tuner::search {
namespace {

/// In a family's space a good kernel of few configurations may be met late, however well another size
/// predicts.
constexpr std::size_t least = 40;

std::size_t stretch_of(std::size_t candidates) {
  constexpr double roots = 2.5;
  return std::max(least, static_cast<std::size_t>(roots * std::sqrt(static_cast<double>(candidates))));
}

}  // namespace

Progress::Progress(std::size_t candidates) : m_stretch(stretch_of(candidates)) {}

void Progress::add(std::optional<double> log_time) {
  const double before = m_best.empty() ? std::numeric_limits<double>::infinity() : m_best.back();
  m_best.push_back(std::min(before, log_time.value_or(before)));
}

std::optional<Progress::Gain> Progress::gain(bool half) const {
  if (m_best.empty() || std::isinf(m_best.back())) return std::nullopt;
  const std::size_t stretch = half ? std::max(least, m_stretch / 2) : m_stretch;
  const bool is_complete = m_best.size() > stretch;
  const auto begin = m_best.end() - static_cast<std::ptrdiff_t>(std::min(m_best.size(), stretch + 1));
  const auto first = std::find_if(begin, m_best.end(), [](double best) { return !std::isinf(best); });
  return Gain{1 - std::exp(m_best.back() - *first), is_complete};
}

}  // namespace tuner::search
