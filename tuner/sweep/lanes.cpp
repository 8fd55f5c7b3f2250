#include "tuner/sweep/lanes.hpp"

#include <algorithm>
#include <utility>

namespace tuner::sweep {

Lanes::Lanes(const std::vector<model::TrialRunner*>& runners, std::function<double()> clock,
             const std::function<void()>& ring)
    : m_clock(std::move(clock)) {
  for (model::TrialRunner* runner : runners) {
    Lane& lane = m_lanes.emplace_back();
    lane.number = m_lanes.size() - 1;
    lane.uuid = runner->device().uuid;
    lane.did.id = runner->device().id;
    lane.thread = std::make_unique<DeviceThread>(*runner, ring);
  }
}

std::size_t Lanes::count(Is is) const {
  return static_cast<std::size_t>(
      std::count_if(m_lanes.begin(), m_lanes.end(), [is](const Lane& lane) { return (lane.*is)(); }));
}

std::size_t Lanes::others_at(std::size_t group, const Lane& lane) const {
  return static_cast<std::size_t>(std::count_if(m_lanes.begin(), m_lanes.end(), [&](const Lane& other) {
    return &other != &lane && other.is_there() && other.group == group;
  }));
}

void Lanes::start(Lane& lane, Lane::Work work, DeviceThread::Job job) {
  lane.work = std::move(work);
  lane.began = m_clock();
  lane.launching = std::holds_alternative<model::TrialJob>(job);
  lane.thread->start(std::move(job));
}

Lane::Work Lanes::finish(Lane& lane) {
  lane.did.measuring_seconds += m_clock() - lane.began;
  lane.launching = false;
  return std::exchange(lane.work, std::monostate{});
}

double Lanes::busy_seconds() const {
  double seconds = 0;
  for (const Lane& lane : m_lanes) seconds += lane.did.measuring_seconds;
  return seconds;
}

}  // namespace tuner::sweep
