#include <fmt/format.h>

#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "reports/findings.hpp"
#include "reports/json.hpp"
#include "reports/report.hpp"
#include "reports/text.hpp"
#include "tuner/model/embedded_file.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace reports {

std::span<const tuner::model::EmbeddedFile> embedded_files();  // generated

std::string_view embedded_text(std::string_view path) {
  for (const tuner::model::EmbeddedFile& file : embedded_files()) {
    if (file.path == path) return file.text;
  }
  throw tuner::model::Error("the binary lacks " + std::string(path));
}

namespace {

/// Of each trial the place of its problem.
Json places(const Trials& trials, const std::vector<ProblemSummary>& problems) {
  std::unordered_map<const model::TrialRecord*, std::size_t> known;
  for (std::size_t place = 0; place < problems.size(); ++place)
    for (const model::TrialRecord* trial : problems[place].trials) known.emplace(trial, place);
  Json out = Json::array();
  for (const model::TrialRecord* trial : trials) {
    const auto place = known.find(trial);
    out.push_back(place == known.end() ? Json() : Json(place->second));
  }
  return out;
}

/// What people read or type, beside the problem's figures.
void add_words(const ProblemSummary& summary, const ReportInput& input, Json& problem) {
  problem["searched_text"] = summary.searched ? searched_text(*summary.searched) : "";
  if (problem["final"].is_object()) problem["final"].erase("coverage");
  if (summary.best == nullptr) return;
  const auto usage = input.usages.find(summary.best->key);
  if (usage == input.usages.end()) return;
  problem["command"] = usage->second.command;
  problem["selection"] = usage->second.selection;
  problem["flags"] = usage->second.flags;
}

Json page_json(const ReportInput& input) {
  Json out = heading_json(input);
  out["id_digits"] = input.id_digits;
  out["database_flag"] = input.database_flag;
  out["environments"] = Json::array();
  for (const EnvironmentGroup& group : by_environment(view(input.trials))) {
    std::vector<ProblemSummary> problems;
    std::vector<std::string> families;  // of the problems
    Json headlines = Json::object();
    for (const FamilyGroup& family : by_family(group.trials)) {
      const std::vector<ProblemSummary> own = by_problem(family.trials, input.winners);
      problems.insert(problems.end(), own.begin(), own.end());
      families.resize(problems.size(), family.name);
      headlines[family.name] = headline(own, input.ceilings);
    }
    Json one = group_json(group, problems, input);
    for (std::size_t i = 0; i < problems.size(); ++i) {
      add_words(problems[i], input, one["problems"][i]);
      one["problems"][i]["family"] = families[i];
    }
    one["name"] = group.environment.text();
    one["headlines"] = std::move(headlines);
    one["trials"] = columns_json(group.trials, input);
    one["trials"]["problems"] = places(group.trials, problems);
    out["environments"].push_back(std::move(one));
  }
  return out;
}

/// JSON that no parser of HTML takes for an end of its element.
std::string script_safe(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char& c : json) out += c == '<' ? std::string_view("\\u003c") : std::string_view(&c, 1);
  return out;
}

/// Modules as one script, in the order of reports/CMakeLists.txt: their names share one scope, so what
/// imports and exports them goes.
std::string joined_modules() {
  std::string out;
  for (const tuner::model::EmbeddedFile& file : embedded_files()) {
    if (!file.path.ends_with(".js") || file.path.find("uplot") != std::string_view::npos) continue;
    std::string_view rest = file.text;
    while (!rest.empty()) {
      std::string_view line = tuner::util::split_first(rest, "\n");
      if (line.starts_with("import ")) continue;
      if (line.starts_with("export ")) line.remove_prefix(std::string_view("export ").size());
      out.append(line).append("\n");
    }
  }
  return out;
}

}  // namespace

std::string to_html(const ReportInput& input) {
  const std::map<std::string_view, std::string> parts = {
      {"TITLE", html_text(input.title)},
      {"STYLES",
       fmt::format("{}\n{}", embedded_text("page/uplot/uPlot.min.css"), embedded_text("page/page.css"))},
      {"DATA", script_safe(page_json(input).dump(-1, ' ', false, Json::error_handler_t::replace))},
      {"LIBRARY", fmt::format("/*\n{}*/\n{}", embedded_text("page/uplot/LICENSE"),
                              embedded_text("page/uplot/uPlot.iife.min.js"))},
      {"SCRIPT", joined_modules()}};
  std::string out;
  std::string_view rest = embedded_text("page/page.html");
  while (!rest.empty()) {  // text {{NAME}} text {{NAME}} text
    out += tuner::util::split_first(rest, "{{");
    if (!rest.empty()) out += parts.at(tuner::util::split_first(rest, "}}"));
  }
  return out;
}

}  // namespace reports
