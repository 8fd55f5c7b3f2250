#pragma once
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace tuner::device::cpu::sanitize {

/// How a child ended.
struct ChildEnd {
  bool finished = false;              ///< it ran `work` to its end
  bool timed_out = false;             ///< it was killed
  int signal = 0;                     ///< that ended it; 0: it exited
  std::vector<std::string> messages;  ///< what `work` told, in order
  std::string output;                 ///< standard output and error together, the first 256 KiB
};

/// Runs `work` in a forked child, so that what breaks the process breaks only that, and kills it after
/// `limit`. `work` is given a function that sends one line of text to this process. The calling process must
/// have no other threads. Throws model::Error where no child can be made.
ChildEnd run_isolated(const std::function<void(const std::function<void(const std::string&)>& tell)>& work,
                      std::chrono::milliseconds limit);

}  // namespace tuner::device::cpu::sanitize
