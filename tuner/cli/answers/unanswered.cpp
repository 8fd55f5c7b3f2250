#include "tuner/cli/answers/unanswered.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "tuner/cli/answers/best_formats.hpp"
#include "tuner/cli/answers/words.hpp"

namespace tuner::cli::answers {

Missing missing(const db::Unanswered& size, const std::string& kernel) {
  if (size.ended.empty())
    return {size.contest, kernel.empty() ? "nothing was tried" : kernel + " was not tried"};
  std::vector<std::string> parts;
  std::int64_t trials = 0;
  for (const auto& [status, count] : size.ended) {
    trials += count;
    parts.push_back(fmt::format("{} {}", count, model::to_string(status)));
  }
  return {size.contest,
          fmt::format("none of {} {}trial{} has a time: {}", trials, kernel.empty() ? "" : kernel + ' ',
                      trials == 1 ? "" : "s", fmt::join(parts, ", "))};
}

std::vector<std::string> missing_lines(const std::vector<Missing>& sizes) {
  std::set<model::Digest> classes;
  std::set<std::string> families;
  for (const Missing& size : sizes) {
    classes.insert(size.contest.comparison_class.key());
    families.insert(size.contest.problem.family);
  }
  std::vector<std::pair<std::string, std::string>> lines;  // what else, sizes
  for (const Missing& size : sizes) {
    const db::Contest& contest = size.contest;
    std::string rest = size.reason;
    if (families.size() > 1) rest += " (" + contest.problem.family + ")";
    if (classes.size() > 1) rest += fmt::format(" ({})", contest.comparison_class.text());
    const auto same =
        std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == rest; });
    if (same == lines.end())
      lines.emplace_back(rest, size_label(contest.problem));
    else
      same->second += ", " + size_label(contest.problem);
  }
  std::vector<std::string> out;
  for (const auto& [rest, labels] : lines) out.push_back(fmt::format("no answer at {}: {}", labels, rest));
  return out;
}

nlohmann::ordered_json missing_json(const std::vector<Missing>& sizes) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Missing& size : sizes) {
    out.push_back({{"family", size.contest.problem.family},
                   {"size", size.contest.problem.size_text()},
                   {"class", class_json(size.contest.comparison_class)},
                   {"reason", size.reason}});
  }
  return out;
}

}  // namespace tuner::cli::answers
