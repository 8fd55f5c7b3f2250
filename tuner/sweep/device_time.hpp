#pragma once
#include <optional>
#include <string>

#include "tuner/model/record_fields.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::sweep {

/// Where a device's share of a sweep went, in seconds. Together they are the time of the sweep.
struct DeviceTime {
  double first = 0;      ///< idle before its first job
  double starting = 0;   ///< a process and a context, as far as its first job waits for them
  double inputs = 0;     ///< of trials and finals, their references included
  double trials = 0;     ///< loading, verifying and timing them
  double libraries = 0;  ///< the same of trials of libraries, which start with the first of them
  double finals = 0;     ///< what they take beside inputs
  double held = 0;       ///< a trial waits for the leave to launch, or loads meanwhile
  double compilers = 0;  ///< idle while something is compiled
  double others = 0;     ///< idle while nothing is compiled: other devices are at work
  double between = 0;    ///< idle while the sweep decides and writes down
  double last = 0;       ///< idle after its last job

  /// All but what rounds to nothing: `trials 5.1 s, finals 1.2 s`.
  std::string text() const;
};

TUNER_FIELDS(DeviceTime, first, starting, inputs, trials, libraries, finals, held, compilers, others, between,
             last);

/// Takes the time of a device. One thread at a time.
class DeviceClock {
 public:
  using Part = double DeviceTime::*;

  DeviceClock();
  void begin_job(Part part);
  /// The job of a runner that tells its phases enters one.
  void enter(model::TrialPhase phase);
  void hold();
  void end_job();
  /// It has been idle until now, for that reason.
  void idle(Part why) { m_idle.*why += lap(); }
  /// What there was; nothing follows.
  DeviceTime end();

 private:
  double lap();

  DeviceTime m_spent;
  DeviceTime m_idle;  ///< since its last job
  double m_since = 0;
  bool m_has_begun = false;  ///< a job
  Part m_job = nullptr;      ///< what most of its time goes to
  Part m_now = nullptr;
};

}  // namespace tuner::sweep
