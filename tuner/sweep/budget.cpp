#include "tuner/sweep/budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/model/digest.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::sweep {

BudgetShares::BudgetShares(const Budget& budget, std::function<double()> clock, DeviceSeconds device_seconds,
                           std::size_t devices)
    : m_budget(budget),
      m_clock(std::move(clock)),
      m_device_seconds(std::move(device_seconds)),
      m_devices(devices),
      m_began(m_clock()) {}

BudgetShares::Share BudgetShares::share(std::size_t problem, std::size_t problems,
                                        const Promised& promised) const {
  Share share;
  if (problems < 2 || !m_budget.is_shared) return share;
  const auto count = static_cast<std::int64_t>(problems - promised.problems);
  const auto part = [&](double left, double to_others) {
    return std::max(left - to_others, 0.0) / static_cast<double>(count);
  };
  if (m_budget.seconds) {
    const double now = m_clock();
    const auto at_once = static_cast<double>(std::min(problems, m_devices));
    share.until = now + part((m_began + *m_budget.seconds - now) * at_once, promised.seconds);
  }
  if (m_budget.device_seconds) {
    const double left = *m_budget.device_seconds - m_device_seconds(std::nullopt);
    share.device_until = m_device_seconds(problem) + part(left, promised.device_seconds);
  }
  if (m_budget.trials) {
    const std::int64_t left = *m_budget.trials - m_trials - promised.trials;
    share.trials = std::max<std::int64_t>((left + count - 1) / count, 1);
  }
  return share;
}

void BudgetShares::promise(std::size_t problem, const Share& share, std::int64_t begun,
                           Promised& promised) const {
  if (!share.until && !share.device_until && !share.trials) return;
  ++promised.problems;
  if (share.trials) promised.trials += *share.trials - begun;
  if (share.until) promised.seconds += std::max(*share.until - m_clock(), 0.0);
  if (share.device_until)
    promised.device_seconds += std::max(*share.device_until - m_device_seconds(problem), 0.0);
}

bool BudgetShares::is_over(std::size_t problem, const Share& share) const {
  return (share.until && m_clock() >= *share.until) ||
         (share.device_until && m_device_seconds(problem) >= *share.device_until);
}

bool BudgetShares::is_late() const {
  return m_budget.seconds && m_clock() - m_began >= *m_budget.seconds;
}

bool BudgetShares::is_spent() const {
  return is_late() ||
         (m_budget.device_seconds && m_device_seconds(std::nullopt) >= *m_budget.device_seconds) ||
         (m_budget.trials && m_trials >= *m_budget.trials);
}

bool Shard::has(std::string_view kernel, const model::Configuration& configuration) const {
  const model::Digest digest =
      model::DigestBuilder().add("shard").add(kernel).add(configuration.canonical_json()).finish();
  std::uint64_t drawn = 0;
  for (std::size_t i = 0; i < sizeof drawn; ++i) drawn = drawn << 8U | digest.bytes[i];
  return drawn % static_cast<std::uint64_t>(of) == static_cast<std::uint64_t>(number - 1);
}

std::string Shard::text() const {
  return fmt::format("{}/{}", number, of);
}

Shard parse_shard(std::string_view text) {
  constexpr int most = 100'000;
  const auto slash = text.find('/');
  const auto number = util::parse_number<int>(text.substr(0, slash));
  const auto of =
      slash == std::string_view::npos ? std::nullopt : util::parse_number<int>(text.substr(slash + 1));
  if (!number || !of || *of < 1 || *of > most) {
    throw model::UsageError(fmt::format("'{}' is no shard", text),
                            "write which of how many, as in 3/16: the third of sixteen");
  }
  if (*number < 1 || *number > *of) {
    throw model::UsageError(fmt::format("there is no shard {} of {}", *number, *of),
                            fmt::format("they are numbered 1/{} to {}/{}", *of, *of, *of));
  }
  return {*number, *of};
}

}  // namespace tuner::sweep
