#include "tuner/search/learn/ending.hpp"

#include <algorithm>
#include <limits>

namespace tuner::search::learn {
namespace {

/// Of each kernel, and of the fastest one's; docs/search.md has what that costs.
constexpr std::size_t of_each = 4;
constexpr std::size_t of_the_best = 20;
/// A kernel that fails as often in turn, where it is thought likely to work, is as good as one that never
/// works.
constexpr std::size_t most_failures = 32;

}  // namespace

KernelCoverage::KernelCoverage(const SearchSpace& space) : m_space(space), m_counts(space.kernels.size()) {
  for (std::size_t kernel = 0; kernel < m_counts.size(); ++kernel)
    m_counts[kernel].all = space.candidates.count(kernel);
}

void KernelCoverage::end(std::size_t candidate, bool failed) {
  Count& count = m_counts[kernel_of(candidate)];
  ++count.ended;
  count.failed += failed ? 1 : 0;
  count.failed_in_turn = failed ? count.failed_in_turn + 1 : 0;
}

bool KernelCoverage::is_given_up(const Count& count) {
  return count.failed_in_turn >= most_failures || count.ended == count.all;
}

std::size_t KernelCoverage::minimum_samples(std::size_t kernel, std::optional<std::size_t> best) const {
  if (m_counts.size() < 2) return 0;
  return std::min(m_counts[kernel].all, best && kernel_of(*best) == kernel ? of_the_best : of_each);
}

std::optional<std::size_t> KernelCoverage::lacking(std::optional<std::size_t> best) const {
  std::optional<std::size_t> found;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t kernel = 0; kernel < m_counts.size(); ++kernel) {
    const std::size_t wanted = minimum_samples(kernel, best);
    const Count& count = m_counts[kernel];
    const std::size_t worthy = count.begun - count.failed;
    if (worthy >= wanted || is_given_up(count) || count.begun == count.all) continue;
    const double share = static_cast<double>(worthy) / static_cast<double>(wanted);
    if (share >= least) continue;
    least = share;
    found = kernel;
  }
  return found;
}

bool KernelCoverage::is_complete(std::optional<std::size_t> best) const {
  for (std::size_t kernel = 0; kernel < m_counts.size(); ++kernel)
    if (m_counts[kernel].ended - m_counts[kernel].failed < minimum_samples(kernel, best) &&
        !is_given_up(m_counts[kernel]))
      return false;
  return true;
}

}  // namespace tuner::search::learn
