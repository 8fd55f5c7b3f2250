#pragma once
#include <sys/types.h>

#include <memory>

#include "tuner/util/files.hpp"

namespace tuner::cli::terminal {

/// The program that shows standard output a screen at a time: $PAGER as a shell has it, else `less`, with
/// LESS=-FRX where that is unset, so that what fits on the screen is just printed. Standard error goes there
/// too where it is a terminal, since the pager owns the screen. Ctrl-C is the pager's.
class Pager {
 public:
  /// Null where standard output is no terminal, $PAGER is empty or `cat`, or there is no such program.
  static std::unique_ptr<Pager> open();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;
  /// Waits until the reader has gone, and has both outputs back where they were.
  ~Pager();

 private:
  Pager() = default;

  pid_t m_process = -1;
  util::FileDescriptor m_out;  ///< what standard output was
  util::FileDescriptor m_err;  ///< of stderr; empty where it stayed
};

}  // namespace tuner::cli::terminal
