#include "tuner/device/cpu/sanitize/finding.hpp"

#include <fmt/format.h>

namespace tuner::device::cpu::sanitize {

std::string_view to_string(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::out_of_bounds:
      return "out of bounds";
    case Finding::Kind::undefined_behaviour:
      return "undefined behaviour";
    case Finding::Kind::race:
      return "race";
    case Finding::Kind::divergence:
      return "divergence";
    case Finding::Kind::launch:
      return "launch error";
    case Finding::Kind::compilation:
      return "compile error";
    case Finding::Kind::crash:
      return "crash";
    case Finding::Kind::timeout:
      return "timeout";
  }
  return "";
}

std::string Finding::line() const {
  const std::string place = where.file.empty() ? "" : fmt::format(" at {}:{}", where.file, where.line);
  const std::string more = occurrences > 1 ? fmt::format(" (and {} more sizes)", occurrences - 1) : "";
  return fmt::format("{} {}, {}: {}{}: {}{}", kernel, configuration.text(), problem.text(), to_string(kind),
                     place, text, more);
}

}  // namespace tuner::device::cpu::sanitize
