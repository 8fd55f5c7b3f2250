#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tuner/sweep/device_thread.hpp"
#include "tuner/sweep/final_stage.hpp"

namespace tuner::sweep {

/// A device of a sweep, and what it is at.
struct Lane {
  /// A run of a trial that has raced, to see how far the devices are apart.
  struct Comparison {
    std::string foreign;  ///< a GPU that is none of the sweep's, which the trial was measured on
  };
  using Work = std::variant<std::monostate, Compiled, FinalStage::Final, Comparison>;

  std::size_t number = 0;  ///< as in Services::runners
  std::string uuid;
  std::unique_ptr<DeviceThread> thread;  ///< null: the device has left the sweep
  Work work;
  double began = 0;                  ///< with `work`, by the clock
  bool launching = false;            ///< it has not said yet that it is about to launch
  bool probes = false;               ///< it runs the probes of its trial's binary
  std::optional<std::size_t> group;  ///< whose inputs it used last
  Summary::Device did;

  bool is_there() const { return thread != nullptr; }
  bool is_busy() const { return !std::holds_alternative<std::monostate>(work); }
  bool is_idle() const { return is_there() && !is_busy(); }
  bool is_launching() const { return launching; }
  bool speaks() const { return is_there() && thread->has_event(); }
};

/// All of them.
class Lanes {
 public:
  using Is = bool (Lane::*)() const;

  /// `ring` is called from the lanes' threads, see DeviceThread. The runners must outlive the object.
  Lanes(const std::vector<model::TrialRunner*>& runners, std::function<double()> clock,
        const std::function<void()>& ring);

  std::size_t size() const { return m_lanes.size(); }
  auto begin() { return m_lanes.begin(); }
  auto end() { return m_lanes.end(); }
  bool any(Is is) const { return count(is) > 0; }
  std::size_t count(Is is) const;
  /// How many others used the inputs of `group` last.
  std::size_t others_at(std::size_t group, const Lane& lane) const;

  void start(Lane& lane, Lane::Work work, DeviceThread::Job job);
  /// What the lane was at; it is idle now.
  Lane::Work finish(Lane& lane);
  /// Of all of them, at what has ended.
  double busy_seconds() const;

 private:
  std::function<double()> m_clock;
  std::vector<Lane> m_lanes;
};

}  // namespace tuner::sweep
