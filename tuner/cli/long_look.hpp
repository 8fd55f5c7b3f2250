#pragma once
#include <atomic>
#include <optional>
#include <string>

#include "tuner/cli/terminal/line_printer.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/space/counted_space.hpp"

namespace tuner::cli {

/// Watches what may take long before anything else can be said: it ends with a budget of time or a signal,
/// and is shown after a second.
class LongLook {
 public:
  /// The references must outlive what go_on() gives. `seconds`: absent: no limit.
  LongLook(terminal::LinePrinter& printer, std::string what, std::optional<double> seconds,
           const std::atomic<bool>& stop)
      : m_printer(printer), m_what(std::move(what)), m_seconds(seconds), m_stop(stop) {}

  space::GoOn go_on() const {
    return [this, clock = terminal::steady_clock(), began = terminal::steady_clock()()] {
      const double passed = clock() - began;
      if (passed > 1) m_printer.status(m_what, 0);
      return !m_stop && (!m_seconds || passed < *m_seconds);
    };
  }

 private:
  terminal::LinePrinter& m_printer;
  std::string m_what;
  std::optional<double> m_seconds;
  const std::atomic<bool>& m_stop;
};

}  // namespace tuner::cli
