#include "tuner/sweep/budget_shares.hpp"

#include <algorithm>
#include <utility>

namespace tuner::sweep {

BudgetShares::BudgetShares(const Budget& budget, std::function<double()> clock,
                           std::function<double()> device_seconds, std::size_t devices)
    : m_budget(budget),
      m_clock(std::move(clock)),
      m_device_seconds(std::move(device_seconds)),
      m_devices(devices),
      m_began(m_clock()) {}

BudgetShares::Share BudgetShares::share(std::size_t problems, const Promised& promised) const {
  Share share;
  if (problems < 2 || !m_budget.is_shared) return share;
  const auto among = static_cast<double>(problems);
  if (m_budget.seconds) {
    const double now = m_clock();
    const double at_once = static_cast<double>(std::min(problems, m_devices));
    share.until = now + (m_began + *m_budget.seconds - now) * at_once / among;
  }
  if (m_budget.device_seconds) {
    const double taken = m_device_seconds();
    share.device_until = taken + (*m_budget.device_seconds - taken) / among;
  }
  if (m_budget.trials) {
    const auto count = static_cast<std::int64_t>(problems - promised.problems);
    const std::int64_t left = *m_budget.trials - m_trials - promised.trials;
    share.trials = std::max<std::int64_t>((left + count - 1) / count, 1);
  }
  return share;
}

bool BudgetShares::is_over(const Share& share) const {
  return (share.until && m_clock() >= *share.until) ||
         (share.device_until && m_device_seconds() >= *share.device_until);
}

bool BudgetShares::is_late() const {
  return m_budget.seconds && m_clock() - m_began >= *m_budget.seconds;
}

bool BudgetShares::is_spent() const {
  return is_late() || (m_budget.device_seconds && m_device_seconds() >= *m_budget.device_seconds) ||
         (m_budget.trials && m_trials >= *m_budget.trials);
}

}  // namespace tuner::sweep
