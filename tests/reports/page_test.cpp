#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "reports/json.hpp"
#include "tests/reports/sample.hpp"
#include "tests/support/contains.hpp"

using namespace tests;

TEST_SUITE("page") {
  namespace {

  using nlohmann::json;

  std::string between(const std::string& text, const std::string& begin, const std::string& end) {
    const std::size_t from = text.find(begin);
    REQUIRE(from != std::string::npos);
    return text.substr(from + begin.size(), text.find(end, from + begin.size()) - from - begin.size());
  }

  /// What the page's script reads.
  json data_of(const std::string& page) {
    return json::parse(between(page, R"(<script type="application/json" id="data">)", "</script>"));
  }

  /// A trial's value by column; null where it has none.
  json value_of(const json& column, std::size_t row) {
    if (column.is_array()) return column.at(row);
    if (column.contains("all")) return column["all"];
    const int code = column["codes"].at(row);
    return code < 0 ? json(nullptr) : column["values"].at(static_cast<std::size_t>(code));
  }

  /// Of a trial's JSON, as a column's name says it: `measurement.median_ns`.
  json at_path(const json& trial, const std::string& path) {
    const json* place = &trial;
    for (std::size_t begin = 0; begin <= path.size();) {
      const std::size_t end = std::min(path.find('.', begin), path.size());
      if (!place->is_object() || !place->contains(path.substr(begin, end - begin))) return nullptr;
      place = &(*place)[path.substr(begin, end - begin)];
      begin = end + 1;
    }
    return *place;
  }

  std::size_t occurrences(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }

  }  // namespace

  TEST_CASE("a page holds what the JSON report says, its trials by column") {
    const reports::ReportInput input = sample_input();
    const json page = data_of(written(reports::to_html, input));
    const json report = json::parse(written(reports::to_json, input));
    for (const char* key : {"schema_version", "title", "command", "generated_at", "notes", "runs"})
      CHECK(page[key] == report[key]);
    const json& drawn = page["environments"][0];
    const json& told = report["environments"][0];
    CHECK(drawn["ceilings"] == told["ceilings"]);
    CHECK(drawn["failures"] == told["failures"]);
    REQUIRE(drawn["problems"].size() == told["problems"].size());
    for (std::size_t i = 0; i < told["problems"].size(); ++i) {
      for (const auto& [key, value] : told["problems"][i].items()) {
        if (key != "final") CHECK(drawn["problems"][i][key] == value);
      }
    }
    const json& columns = drawn["trials"]["columns"];
    REQUIRE(drawn["trials"]["count"] == told["trials"].size());
    for (const char* path : {"trial", "kernel", "status", "configuration.BLOCK_SIZE", "sizes.M", "block",
                             "metrics.GFLOP/s", "measurement.median_ns", "occupancy.fraction"}) {
      INFO(path);
      REQUIRE(columns.contains(path));
      for (std::size_t row = 0; row < told["trials"].size(); ++row)
        CHECK(value_of(columns[path], row) == at_path(told["trials"][row], path));
    }
  }

  TEST_CASE("a page knows when and how fast a trial raced that was measured again") {
    reports::ReportInput input = sample_input();
    input.first_races[input.trials[1].key] = {"2026-01-02T03:04:05.000000Z", 1234.5};
    const json columns = data_of(written(reports::to_html, input))["environments"][0]["trials"]["columns"];
    CHECK(value_of(columns["first_race.measured_at"], 1) == "2026-01-02T03:04:05.000000Z");
    CHECK(value_of(columns["first_race.median_ns"], 1) == 1234.5);
    CHECK(value_of(columns["first_race.median_ns"], 0).is_null());
  }

  TEST_CASE("a page says the headline and how far a space was searched in the words of other answers") {
    reports::ReportInput input = sample_input();
    input.answers.front().searched = model::Searched{44, 44, std::nullopt, 0};
    input.usages[input.answers.front().winner.key] = {"tuner best 256", " --family f",
                                                      "-DTUNER_KERNEL=shared"};
    const json environment = data_of(written(reports::to_html, input))["environments"][0];
    CHECK(contains(environment["headlines"].begin()->get<std::string>(), "At 3 sizes"));
    CHECK(environment["problems"][0]["searched_text"] == "searched whole: all 44");
    CHECK(environment["problems"][0]["command"] == "tuner best 256");
    CHECK(environment["problems"][0]["selection"] == " --family f");
    CHECK(environment["problems"][0]["flags"] == "-DTUNER_KERNEL=shared");
  }

  TEST_CASE("a page puts each trial to its problem, whatever the names of sizes, and also of ceilings") {
    reports::ReportInput input = sample_input();
    std::vector<model::TrialRecord> others = input.trials;
    for (model::TrialRecord& trial : others) {
      trial.key = model::DigestBuilder().add(trial.key.hex()).finish();
      for (std::size_t i = 0; i < 3; ++i) trial.problem.sizes[i].name = std::string("XYZ").substr(i, 1);
      trial.role = model::Role::ceiling;
    }
    input.trials.insert(input.trials.end(), others.begin(), others.end());
    input.answers = answers_of(input.trials, {});
    const json environment = data_of(written(reports::to_html, input))["environments"][0];
    const json& problems = environment["problems"];
    REQUIRE(problems.size() == 6);
    CHECK(problems[0]["family"] == "matmul (M x N x K)");
    CHECK(problems[3]["family"] == "matmul (X x Y x Z)");
    CHECK(environment["headlines"].size() == 2);
    for (std::size_t i = 0; i < input.trials.size(); ++i) {
      const json& place = environment["trials"]["problems"][i];
      REQUIRE(place.is_number());
      CHECK(problems[place.get<std::size_t>()]["problem"] ==
            json::parse(db::json_of(input.trials[i].problem).dump()));
    }
  }

  TEST_CASE("a page is one file that asks for nothing") {
    const std::string page = written(reports::to_html, sample_input());
    for (const char* part : {"<link", "@import", "url(", "src=", "fetch(", "XMLHttpRequest", "import("})
      CHECK_MESSAGE(!contains(page, part), part);
    // The one address names the library that draws, in the comment at its head.
    CHECK(occurrences(page, "://") == occurrences(page, "/*! https://github.com/leeoniya/uPlot (v"));
    CHECK(contains(page, "Permission is hereby granted"));  // its licence goes where it goes
    CHECK_FALSE(contains(page, "{{"));
    CHECK_FALSE(contains(page, "\nimport "));
    CHECK_FALSE(contains(page, "\nexport "));
  }

  TEST_CASE("hostile names and logs end no element and are read back as they are") {
    reports::ReportInput input = sample_input();
    const std::string hostile = "</script><script>alert(1)</script><!-- \"'\\ {{DATA}}";
    input.title = "a <b> & {{SCRIPT}}";
    for (auto& trial : input.trials) trial.kernel = hostile;
    input.trials.back().compile_log = "\xFF\xFE bytes " + std::string(5000, 'x');
    const std::string page = written(reports::to_html, input);
    CHECK(occurrences(page, "<script") == 3);
    CHECK(occurrences(page, "</script>") == 3);
    CHECK_FALSE(contains(page, "<!--"));
    CHECK(contains(page, "<title>a &lt;b&gt; &amp; {{SCRIPT}}</title>"));
    const json columns = data_of(page)["environments"][0]["trials"]["columns"];
    CHECK(columns["kernel"]["all"] == hostile);
    for (const json& text : columns["compile_log"]["values"]) CHECK(text.get<std::string>().size() < 520);
  }

  TEST_CASE("a page of no trial and of one") {
    CHECK(data_of(written(reports::to_html, {}))["environments"].empty());
    reports::ReportInput input;
    input.trials = {measured("only", {}, cube(64), 1000)};
    input.answers = answers_of(input.trials, {});
    const json environment = data_of(written(reports::to_html, input))["environments"][0];
    CHECK(environment["trials"]["count"] == 1);
    CHECK(environment["problems"][0]["best"] == environment["trials"]["columns"]["trial"]["all"]);
  }

  TEST_CASE("a page of 100,000 trials takes a few hundred bytes for each") {
    reports::ReportInput input;
    constexpr std::int64_t trials = 100'000;
    for (std::int64_t i = 0; i < trials; ++i) {
      input.trials.push_back(measured("shared", {{"BLOCK_SIZE", i}, {"PARTITION", model::Value("row")}},
                                      cube(512), 1000 + static_cast<double>(i) / 7));
    }
    const std::string page = written(reports::to_html, input);
    CHECK(page.size() < 300 * trials);
    CHECK(data_of(page)["environments"][0]["trials"]["count"] == trials);
  }
}
