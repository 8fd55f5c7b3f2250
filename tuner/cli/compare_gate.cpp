// A comparison with a limit as continuous integration reads it.
#include <fmt/format.h>

#include <cstring>
#include <map>

#include "reports/summary.hpp"
#include "reports/text.hpp"
#include "tuner/cli/compare.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

using measure::Allowed;

/// Names that tell cases apart: by their sizes, and where these are equal by what the sizes are called, else
/// by the environment too.
class CaseNames {
 public:
  explicit CaseNames(const ComparedSides& sides) {
    for (const Compared& one : sides.both) count(one.a);
    for (const model::TrialRecord& missing : sides.only_b) count(missing);
  }
  std::string of(const model::TrialRecord& trial) const {
    for (const int words : {1, 2})
      if (m_counts.at(place(trial) + name(trial, words)) == 1) return name(trial, words);
    return name(trial, 3);
  }
  /// Of a test's class.
  static std::string place(const model::TrialRecord& trial) {
    return trial.problem.family + " on " + trial.environment.device;
  }

 private:
  static std::string name(const model::TrialRecord& trial, int words) {
    std::string text = reports::size_label(trial.problem);
    if (words > 1) text += fmt::format(" ({})", trial.problem.dimension_names());
    return words > 2 ? text + ", " + trial.environment.text() : text;
  }
  void count(const model::TrialRecord& trial) {
    for (const int words : {1, 2}) ++m_counts[place(trial) + name(trial, words)];
  }
  std::map<std::string, int> m_counts;
};

/// Who was compared, where that is not one configuration of one source.
std::string what_changed(const Compared& one) {
  const auto name = [](const model::TrialRecord& trial) {
    return trial.kernel + ' ' + trial.configuration.text();
  };
  if (name(one.a) != name(one.b)) return fmt::format("{}, not {}", name(one.a), name(one.b));
  if (one.a.definition.empty() || one.b.definition.empty()) return name(one.a);
  return name(one.a) +
         (one.a.definition == one.b.definition ? ", of the same sources" : ", of edited sources");
}

/// What is said of one comparison, however it ended.
std::string said_of(const Compared& one, const Limit& limit, std::size_t index) {
  const measure::Slowdown& judged = limit.slowdowns[index];
  const std::string times = fmt::format(
      "{} by {}, {} of the time before {}; {}", reports::time_text(measurement_of(one.a).median_ns),
      reports::time_text(measurement_of(one.b).median_ns),
      reports::ratio_interval_text(judged.ratio, judged.low, judged.high),
      one.in_turn ? "in turn" : "at the fastest samples", what_changed(one));
  const std::string share = reports::percent_text(limit.share);
  if (!limit.refusals[index].empty()) return fmt::format("not judged: {}; {}", limit.refusals[index], times);
  if (judged.allowed == Allowed::no) return fmt::format("more than {} slower: {}", share, times);
  if (judged.allowed == Allowed::yes) return fmt::format("not more than {} slower: {}", share, times);
  return fmt::format("undecided whether more than {} slower: {}", share, times);
}

constexpr const char* not_measured = "in B, and not measured by A in this environment";

std::string junit_case(const CaseNames& names, const model::TrialRecord& trial, const std::string& inner) {
  const double seconds = trial.outcome.measurement ? trial.outcome.measurement->median_ns * 1e-9 : 0;
  return fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.9f}\">{}</testcase>\n",
                     reports::html_text(CaseNames::place(trial)), reports::html_text(names.of(trial)),
                     seconds, inner);
}

/// A message of a workflow command, or with `is_property` one of its properties.
std::string github_text(const std::string& text, bool is_property) {
  return util::percent_encoded(
      text, is_property ? +[](char c) { return std::strchr("%\r\n:,", c) == nullptr; }
                        : +[](char c) { return std::strchr("%\r\n", c) == nullptr; });
}

std::string github_line(const char* level, const CaseNames& names, const model::TrialRecord& trial,
                        const std::string& message) {
  return fmt::format("::{} title={}::{}\n", level,
                     github_text(trial.problem.family + ' ' + names.of(trial), true),
                     github_text(message, false));
}

}  // namespace

std::string compare_junit(const ComparedSides& sides, const Limit& limit) {
  const CaseNames names(sides);
  std::string cases;
  std::size_t failures = 0;
  std::size_t skipped = sides.only_b.size();
  for (std::size_t i = 0; i < sides.both.size(); ++i) {
    const std::string said = reports::html_text(said_of(sides.both[i], limit, i));
    const Allowed allowed = limit.slowdowns[i].allowed;
    const char* kind = allowed == Allowed::no ? "failure" : "skipped";
    failures += allowed == Allowed::no ? 1 : 0;
    skipped += allowed == Allowed::undecided ? 1 : 0;
    cases += junit_case(names, sides.both[i].a,
                        allowed == Allowed::yes ? fmt::format("<system-out>{}</system-out>", said)
                                                : fmt::format("<{} message=\"{}\"/>", kind, said));
  }
  for (const model::TrialRecord& missing : sides.only_b)
    cases += junit_case(names, missing, fmt::format("<skipped message=\"{}\"/>", not_measured));
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"tuner compare\" "
      "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n{}  </testsuite>\n</testsuites>\n",
      sides.both.size() + sides.only_b.size(), failures, skipped, cases);
}

std::string compare_github(const ComparedSides& sides, const Limit& limit) {
  const CaseNames names(sides);
  std::string out;
  std::size_t good = 0;
  for (std::size_t i = 0; i < sides.both.size(); ++i) {
    const Allowed allowed = limit.slowdowns[i].allowed;
    good += allowed == Allowed::yes ? 1 : 0;
    if (allowed == Allowed::yes) continue;
    out += github_line(allowed == Allowed::no ? "error" : "warning", names, sides.both[i].a,
                       said_of(sides.both[i], limit, i));
  }
  for (const model::TrialRecord& missing : sides.only_b)
    out += github_line("warning", names, missing, not_measured);
  return out + fmt::format("::notice title=tuner compare::{} of {} not more than {} slower\n", good,
                           util::counted(sides.both.size(), "size"),
                           github_text(reports::percent_text(limit.share), false));
}

}  // namespace tuner::cli
