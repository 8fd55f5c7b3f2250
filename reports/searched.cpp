#include "reports/searched.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/numbers.hpp"

namespace reports {
namespace {

/// `205,216`.
std::string grouped(std::int64_t number) {
  std::string text = fmt::format("{}", number);
  for (auto place = static_cast<std::int64_t>(text.size()) - 3; place > 0; place -= 3)
    text.insert(static_cast<std::size_t>(place), ",");
  return text;
}

/// Per cent, at most two digits of them: an expectation is no more exact than that.
std::string rough_percent(double fraction) {
  const double percent = 100 * fraction;
  if (percent < 0.05) return "0";
  constexpr double two_digits = 9.95;
  return percent < two_digits ? fmt::format("{:.1f}", percent) : fmt::format("{:.0f}", percent);
}

std::string part_text(const model::Searched& searched) {
  const double share = static_cast<double>(searched.tried) / static_cast<double>(searched.candidates);
  constexpr double nearly_all = 0.995;
  if (share >= nearly_all) {
    return fmt::format("searched all but {} of {}", grouped(searched.candidates - searched.tried),
                       grouped(searched.candidates));
  }
  return fmt::format("searched {} of {}", percent_text(share), grouped(searched.candidates));
}

}  // namespace

std::string gain_text(const model::Outlook& outlook) {
  return fmt::format("{} % ({}–{} %)", rough_percent(outlook.gain), rough_percent(outlook.low),
                     rough_percent(outlook.high));
}

std::string searched_text(const model::Searched& searched) {
  if (searched.whole()) return fmt::format("searched whole: all {}", grouped(searched.candidates));
  std::string text = part_text(searched);
  if (!searched.outlook) return text;
  text += "; expected remaining gain " + gain_text(*searched.outlook);
  if (searched.outlook_tried < searched.tried)
    text += fmt::format(", as of the first {}", grouped(searched.outlook_tried));
  return text;
}

std::vector<std::pair<std::string, std::string>> searched_lines(const std::vector<LabelledSearch>& searches) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const auto& [label, searched] : searches) {
    if (!searched) continue;
    const std::string text = searched_text(*searched);
    const auto same =
        std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.second == text; });
    if (same == lines.end())
      lines.emplace_back(label, text);
    else
      same->first += ", " + label;
  }
  return lines;
}

nlohmann::ordered_json searched_json(const std::optional<model::Searched>& searched) {
  if (!searched) return nullptr;
  nlohmann::ordered_json outlook = nullptr;
  if (searched->outlook) {
    outlook = {{"gain", searched->outlook->gain},
               {"low", searched->outlook->low},
               {"high", searched->outlook->high},
               {"estimate", searched->outlook->estimate},
               {"tried", searched->outlook_tried}};
  }
  return {{"candidates", searched->candidates},
          {"tried", searched->tried},
          {"whole", searched->whole()},
          {"outlook", std::move(outlook)}};
}

}  // namespace reports
