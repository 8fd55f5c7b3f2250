#include "tuner/search/learn/kernel_coverage.hpp"

#include <algorithm>
#include <limits>

namespace tuner::search::learn {
namespace {

/// Of each kernel, and of the fastest one's; docs/search.md has what that costs.
constexpr std::size_t of_each = 4;
constexpr std::size_t of_the_best = 20;

}  // namespace

KernelCoverage::KernelCoverage(const SearchSpace& space) : m_space(space), m_counts(space.kernels.size()) {
  for (const SearchSpace::Candidate& candidate : space.candidates) ++m_counts[candidate.kernel].all;
}

void KernelCoverage::begin(std::size_t candidate) {
  ++m_counts[kernel_of(candidate)].begun;
}

void KernelCoverage::end(std::size_t candidate) {
  ++m_counts[kernel_of(candidate)].ended;
}

std::size_t KernelCoverage::owed(std::size_t kernel, std::optional<std::size_t> best) const {
  if (m_counts.size() < 2) return 0;
  return std::min(m_counts[kernel].all, best && kernel_of(*best) == kernel ? of_the_best : of_each);
}

std::optional<std::size_t> KernelCoverage::lacking(std::optional<std::size_t> best) const {
  std::optional<std::size_t> found;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t kernel = 0; kernel < m_counts.size(); ++kernel) {
    const std::size_t wanted = owed(kernel, best);
    if (m_counts[kernel].begun >= wanted) continue;
    const double share = static_cast<double>(m_counts[kernel].begun) / static_cast<double>(wanted);
    if (share >= least) continue;
    least = share;
    found = kernel;
  }
  return found;
}

bool KernelCoverage::is_complete(std::optional<std::size_t> best) const {
  for (std::size_t kernel = 0; kernel < m_counts.size(); ++kernel)
    if (m_counts[kernel].ended < owed(kernel, best)) return false;
  return true;
}

}  // namespace tuner::search::learn
