#include <cstdlib>
#include <string>

#include "reports/table.hpp"
#include "tuner/model/trial.hpp"

namespace reports {
namespace {

using tuner::util::Tone;

Tone tone_of_status(std::string_view word) {
  if (word == "ok" || word == "done") return Tone::good;
  if (word == "lost" || word == "failed") return Tone::bad;
  if (word == "interrupted" || word == "unfinished") return Tone::doubtful;
  const auto status = tuner::model::parse_word<tuner::model::TrialStatus>(word);
  if (!status) return Tone::plain;
  return tuner::model::is_failure(*status) ? Tone::bad : Tone::doubtful;
}

Tone tone_of_verdict(std::string_view word) {
  if (word == "faster") return Tone::good;
  if (word == "slower") return Tone::bad;
  return word == "tied" ? Tone::doubtful : Tone::plain;
}

/// `1.24×`, `~0.97 (0.96–0.98)`: above 1 the answer is faster.
Tone tone_of_ratio(std::string_view cell) {
  if (cell.starts_with('~')) cell.remove_prefix(1);
  constexpr double shown = 0.005;  // what is told apart in a cell of two digits
  const double ratio = std::strtod(std::string(cell).c_str(), nullptr);
  if (ratio <= 0) return Tone::plain;
  return ratio >= 1 + shown ? Tone::good : ratio < 1 - shown ? Tone::bad : Tone::plain;
}

}  // namespace

Tone tone_of(std::string_view heading, std::string_view cell) {
  if (heading == "status" || heading == "state")
    return tone_of_status(cell.substr(0, cell.find_first_of(" :,")));
  if (heading == "A is") return tone_of_verdict(cell);
  if (heading.starts_with("× ")) return tone_of_ratio(cell);
  if (heading == "tied") return cell == "0" ? Tone::plain : Tone::doubtful;
  const bool is_doubtful = cell.ends_with(" unsettled") || cell.ends_with(" unverified");
  return is_doubtful || (heading == "results" && cell.starts_with("unverified")) ? Tone::doubtful
                                                                                 : Tone::plain;
}

}  // namespace reports
