#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "reports/findings.hpp"
#include "reports/json.hpp"
#include "reports/report.hpp"
#include "tests/reports/sample.hpp"
#include "tests/support/contains.hpp"

using tuner::model::Outlook;
using tuner::model::Searched;

TEST_SUITE("reports") {
  namespace {

  Searched some_searched() {
    return {205'216, 12'313, Outlook{0, 0, 0.001, "gain of late", 160, 0.11, 0.64}, 12'313};
  }

  }  // namespace

  TEST_CASE("how far a space was searched is said in per cent, with what is expected of the rest") {
    CHECK(reports::searched_text(some_searched()) ==
          "searched 6 % of 205,216; nothing gained in the last 160 trials; of such searches 11 % ended over "
          "5 % "
          "behind, 64 % on the worst kind of space");
    Searched more = some_searched();
    more.tried = 20'522;
    CHECK(reports::searched_text(more) ==
          "searched 10 % of 205,216; nothing gained in the last 160 trials; of such searches 11 % ended over "
          "5 % "
          "behind, 64 % on the worst kind of space, as of the first 12,313");
    more.outlook.reset();
    CHECK(reports::searched_text(more) == "searched 10 % of 205,216");
    CHECK(reports::searched_text({44, 44, std::nullopt, 0}) == "searched whole: all 44");
    // Nearly all is not all.
    CHECK(reports::searched_text({45'000, 44'999, std::nullopt, 0}) == "searched all but 1 of 45,000");
  }

  TEST_CASE("what is left is said as what was observed, and as no more than that") {
    Outlook outlook;
    outlook.gain = 0.034;
    outlook.high = 0.1;
    outlook.stretch = 1200;
    CHECK(reports::outlook_text(outlook) == "3.4 % gained in the last 1,200 trials");
    outlook.gain = 0.0004;
    outlook.behind = 0.042;
    outlook.behind_at_worst = 0.5;
    CHECK(reports::outlook_text(outlook, " at 512") ==
          "nothing gained in the last 1,200 trials at 512; of such searches 4.2 % ended over 5 % behind, 50 "
          "% on the "
          "worst kind of space");
    Outlook random{0.05, 0.01, 0.2, "order statistics"};
    random.faster = 0.012;
    CHECK(reports::outlook_text(random) == "at most 1.2 % of the rest are faster (95 % sure)");
    CHECK(reports::outlook_text({0.12, 0.034, 0.5, "model"}) ==
          "an earlier version expected 12 % more (3.4–50 %)");
  }

  TEST_CASE("how far many sizes were searched is one sentence, with the worst of what is left") {
    const Searched whole{44, 44, std::nullopt, 0};
    Searched half{100, 50, Outlook{0.02, 0, 0.1, "gain of late", 40}, 50};
    CHECK(reports::searched_summary({{"256", whole}, {"512", whole}}) == "whole at all 2 sizes");
    CHECK(reports::searched_summary({{"256", std::nullopt}}).empty());
    CHECK(reports::searched_summary(
              {{"256", whole}, {"512", std::nullopt}, {"1024", some_searched()}, {"2048", half}}) ==
          "whole at 1 of 4 sizes; 6 % to 50 % of 100 to 205,216 configurations at 2 sizes; unknown at 1; "
          "2.0 % gained in the last 40 trials at 2048, and no more elsewhere");
    CHECK(reports::searched_summary({{"256", whole}, {"1024", some_searched()}}) ==
          "whole at 1 of 2 sizes; 6 % of 205,216 configurations at 1024; "
          "nothing gained in the last 160 trials at 1024; of such searches 11 % ended over 5 % behind, 64 % "
          "on the worst kind of space");
    CHECK(reports::searched_summary({{"256", half}, {"1024", half}}) ==
          "50 % of 100 configurations at 2 sizes; 2.0 % gained in the last 40 trials at each");
    // Of a space too irregular to count so many were drawn: it has more.
    const Searched few{16'384, 192, std::nullopt, 0};
    const Searched more{16'384, 199, std::nullopt, 0};
    CHECK(reports::searched_text(few) == "searched 1.17 % of 16,384");
    CHECK(reports::searched_summary({{"512", few}, {"1024", more}}) ==
          "1.17 % to 1.21 % of 16,384 configurations at 2 sizes");
    CHECK(reports::searched_cell(whole) == "whole");
    CHECK(reports::searched_cell(half) == "50 %");
    CHECK(reports::searched_cell(Searched{45'000, 44'999, std::nullopt, 0}) == "all but 1");
    CHECK(reports::searched_cell(std::nullopt).empty());
  }

  TEST_CASE("a report names ideas and searches where they are known") {
    reports::ReportInput input;
    input.trials = tests::sample_trials();
    CHECK_FALSE(contains(reports::to_markdown(reports::build_report(input)), "origin"));
    for (auto& trial : input.trials) trial.origin = "NVIDIA A100";
    db::BestAnswer answer;
    answer.tuning_case.problem = tests::cube(512);
    answer.tuning_case.environment = tests::sample_environment();
    answer.winner = input.trials[3];
    answer.searched = some_searched();
    input.answers = {answer};
    const std::string text = reports::to_markdown(reports::build_report(input));
    CHECK(contains(text, "| origin "));
    CHECK(contains(text, "NVIDIA A100"));
    std::string in_one_line;  // a report wraps what is long
    std::istringstream words(text);
    for (std::string word; words >> word;) in_one_line += word + ' ';
    CHECK(contains(
        in_one_line,
        "6 % of 205,216 configurations at 512; unknown at 2; nothing gained in the last 160 trials at 512; "
        "of such searches 11 % ended over 5 % behind, 64 % on the worst kind of space"));
    const auto json = nlohmann::json::parse(written(reports::to_json, input));
    CHECK(json["environments"][0]["trials"][0]["origin"] == "NVIDIA A100");
    const auto& problems = json["environments"][0]["problems"];
    const auto& searched = problems[1]["searched"];
    CHECK(searched["candidates"] == 205'216);
    CHECK(searched["whole"] == false);
    CHECK(searched["outlook"]["estimate"] == "gain of late");
    CHECK(searched["outlook"]["stretch"] == 160);
    CHECK(searched["outlook"]["behind_at_worst"] == 0.64);
    CHECK(problems[0]["searched"].is_null());
    CHECK(contains(written(reports::to_csv, input), ",NVIDIA A100,"));
  }
}
