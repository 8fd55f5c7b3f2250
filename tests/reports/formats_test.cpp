#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "reports/json.hpp"
#include "tests/reports/sample.hpp"
#include "tests/support/golden.hpp"

using namespace tests;

namespace {

/// A reader of RFC 4180, written for these tests alone.
std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& field = rows.back().back();
    if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      field += text[i++];
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && text[i] == ',') {
      rows.back().emplace_back();
    } else if (!quoted && text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
      ++i;
      rows.push_back({""});
    } else {
      field += text[i];
    }
  }
  rows.pop_back();
  return rows;
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("CSV and JSON of a sweep") {
  check_golden("report.csv", written(reports::to_csv, sample_input()));
  check_golden("report.json", written(reports::to_json, sample_input()));
}

TEST_CASE("every CSV row has the columns of the heading, whatever its fields hold") {
  reports::ReportInput input = sample_input();
  input.trials[0].kernel = "a,\"b\"\r\nc";
  input.trials[1].kernel = "=HYPERLINK(\"http://x\")";
  input.trials.push_back(measured("words", {{"PARTITION", model::Value("row")}}, cube(64), 100));
  const auto rows = read_csv(written(reports::to_csv, input));
  REQUIRE(rows.size() == input.trials.size() + 1);
  for (const auto& row : rows) CHECK(row.size() == rows[0].size());
  const auto column = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(rows[0].begin(), rows[0].end(), name) - rows[0].begin());
  };
  CHECK(rows[1][column("kernel")] == "a,\"b\"\r\nc");
  CHECK(rows[2][column("kernel")] == "'=HYPERLINK(\"http://x\")");
  CHECK(rows.back()[column("configuration.PARTITION")] == "row");
  CHECK(rows[1][column("configuration.PARTITION")].empty());
}

TEST_CASE("CSV of nothing is the heading alone") {
  CHECK(read_csv(written(reports::to_csv, {})).size() == 1);
}

TEST_CASE("JSON names its schema, refers to trials by key and survives what a compiler writes") {
  reports::ReportInput input = sample_input();
  input.trials.back().compile_log = "bad \xFF\xFE bytes";
  input.trials[0].outcome.verification.error_ratio = std::numeric_limits<double>::infinity();
  const auto json = nlohmann::json::parse(written(reports::to_json, input));
  CHECK(json["schema_version"] == 3);
  REQUIRE(json["environments"].size() == 1);
  const auto& group = json["environments"][0];
  CHECK(group["trials"].size() == input.trials.size());
  CHECK(group["trials"][0]["verification"]["error_ratio"] == "inf");
  CHECK(group["failures"]["unlaunchable"] == 2);
  const auto& problem = group["problems"][1];
  CHECK(problem["problem"]["sizes"]["M"] == 512);
  CHECK(problem["tied"].size() == 1);
  const auto is_best = [&](const auto& trial) { return trial["trial"] == problem["best"]; };
  CHECK(std::count_if(group["trials"].begin(), group["trials"].end(), is_best) == 1);
}

TEST_CASE("each trial of a JSON report is a line, without blanks between its fields") {
  const std::string text = written(reports::to_json, sample_input());
  const nlohmann::ordered_json whole = nlohmann::ordered_json::parse(text);
  for (const auto& trial : whole["environments"][0]["trials"])
    CHECK(text.find('\n' + trial.dump()) != std::string::npos);
}

TEST_CASE("JSON of nothing is valid and empty") {
  const auto json = nlohmann::json::parse(written(reports::to_json, {}));
  CHECK(json["environments"].is_array());
  CHECK(json["environments"].empty());
}

TEST_SUITE_END();
