#include "tuner/sweep/device_time.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>
#include <vector>

namespace tuner::sweep {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Reads the parts as a record's fields are read.
struct Listed {
  std::vector<std::string> parts;
  void operator()(const char* name, double seconds) {
    constexpr double least = 0.05;
    if (seconds >= least) parts.push_back(fmt::format("{} {:.1f} s", name, seconds));
  }
};

}  // namespace

std::string DeviceTime::text() const {
  Listed listed;
  describe(listed, *this);
  return fmt::format("{}", fmt::join(listed.parts, ", "));
}

DeviceClock::DeviceClock() : m_since(seconds_now()) {}

double DeviceClock::lap() {
  const double now = seconds_now();
  return now - std::exchange(m_since, now);
}

void DeviceClock::begin_job(Part part) {
  m_idle.between += lap();
  const DeviceTime idle = std::exchange(m_idle, {});
  if (m_has_begun) {
    m_spent.compilers += idle.compilers;
    m_spent.others += idle.others;
    m_spent.between += idle.between;
  } else {
    m_spent.first = idle.compilers + idle.others + idle.between;
  }
  m_job = part;
  m_now = std::exchange(m_has_begun, true) ? part : &DeviceTime::starting;
}

void DeviceClock::enter(model::TrialPhase phase) {
  m_spent.*m_now += lap();
  m_now = phase == model::TrialPhase::preparing ? &DeviceTime::inputs : m_job;
}

void DeviceClock::hold() {
  m_spent.held += lap();
}

void DeviceClock::end_job() {
  m_spent.*m_now += lap();
}

DeviceTime DeviceClock::end() {
  m_idle.between += lap();
  m_spent.last = m_idle.compilers + m_idle.others + m_idle.between;
  return m_spent;
}

}  // namespace tuner::sweep
