#pragma once
#include <string>

#include "tuner/model/compile_job.hpp"

namespace tuner::test {

/// What a scripted worker does with a job. It reads it from the name of the first kernel of the job, so that
/// specs, plans and jobs carry their script with them: `hang`, `exit`, the name of a status (`wrong_result`),
/// or the name of a kernel under tests/faulty/, which behaves as the real one would. Every other name is a
/// good kernel.
enum class Behaviour {
  good,
  report_status,  ///< an outcome with status_of()
  lose_device,    ///< an outcome that says the driver's context is gone
  crash,          ///< dies of a segmentation fault
  abort,          ///< prints a line and aborts
  exit,           ///< exits with code 3
  hang,           ///< while timing
  slow,           ///< good after 300 ms
  nap,            ///< good after 3 ms
  flood,          ///< good after printing 8 MiB
  throw_exception,
  throw_error,           ///< says that nothing can go on, with a hint and an exit code
  vanish,                ///< exits before it says that it has begun
  garbage,               ///< writes what is no frame
  half_frame,            ///< writes the first half of a good answer, then exits
  half_frame_hang,       ///< writes the first half of a good answer, then hangs
  huge_frame,            ///< announces 4 GiB
  deep_frame,            ///< a frame with 100,000 arrays within each other
  wrong_message,         ///< a well-formed message that is no answer
  leave,                 ///< good, and exits when it has answered
  wrong_on_probes,       ///< good, and in no time, but wrong on the probes if it is sent any
  unprepared,            ///< says that the inputs of its problem cannot be made
  crash_preparing,       ///< dies while it makes them
  crash_preparing_once,  ///< the same where there is the file TUNER_TEST_CRASH, which it removes
  hang_preparing,        ///< prints something, and never gets done with it
  crash_probing,         ///< dies in its probes
  tell_reference,        ///< says which reference it was given
  odd_culprit,           ///< its final names a finalist that there is not
  odd_fastest,           ///< its final was won by one
  odd_standings,         ///< its final tells of one finalist too few
  odd_winner,            ///< its final was won by it, even where it may not win
};

Behaviour behaviour_of(const std::string& entry);
/// The status a kernel with Behaviour::report_status or lose_device gets.
model::TrialStatus status_of(const std::string& entry);

}  // namespace tuner::test
