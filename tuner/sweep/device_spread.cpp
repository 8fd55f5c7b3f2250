#include "tuner/sweep/device_spread.hpp"

#include <algorithm>

namespace tuner::sweep {

void DeviceSpread::begin() {
  m_begun = true;
  std::fill(m_left.begin(), m_left.end(), runs);
}

bool DeviceSpread::is_under_way() const {
  return m_claimed > 0 ||
         std::any_of(m_left.begin(), m_left.end(), [](std::size_t left) { return left > 0; });
}

bool DeviceSpread::claim(std::size_t device) {
  if (m_left[device] == 0) return false;
  --m_left[device];
  ++m_claimed;
  return true;
}

void DeviceSpread::add(std::size_t device, std::optional<double> median_ns) {
  --m_claimed;
  if (median_ns) {
    m_times[device].push_back(*median_ns);
  } else {
    leave(device);
  }
}

void DeviceSpread::leave(std::size_t device) {
  m_left[device] = 0;
  m_times[device].clear();
}

void DeviceSpread::end() {
  std::fill(m_left.begin(), m_left.end(), 0);
}

std::optional<double> DeviceSpread::median_ns(std::size_t device) const {
  std::vector<double> times = m_times[device];
  if (times.size() < runs) return std::nullopt;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

double DeviceSpread::ratio(std::size_t device) const {
  const auto own = median_ns(device);
  if (!own) return 1;
  for (std::size_t i = 0; i < m_times.size(); ++i) {
    if (const auto first = median_ns(i)) return *own / *first;
  }
  return 1;
}

std::optional<double> DeviceSpread::correction_of(const std::string& uuid) const {
  if (uuid.empty()) return 1;
  for (std::size_t device = 0; device < m_uuids.size(); ++device) {
    if (m_uuids[device] == uuid || m_uuids[device].empty()) return correction(device);
  }
  const auto foreign = m_foreign.find(uuid);
  if (foreign == m_foreign.end()) return std::nullopt;
  const bool is_tied = foreign->second < 1 + tied_within && foreign->second > 1 / (1 + tied_within);
  return is_tied ? 1 : foreign->second;
}

double DeviceSpread::widest() const {
  double least = 1;
  double most = 1;
  for (std::size_t i = 0; i < m_times.size(); ++i) {
    least = std::min(least, ratio(i));
    most = std::max(most, ratio(i));
  }
  return most / least;
}

}  // namespace tuner::sweep
