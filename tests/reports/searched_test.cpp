#include "reports/searched.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "reports/report.hpp"
#include "tests/reports/sample.hpp"
#include "tests/support/contains.hpp"

using tuner::model::Outlook;
using tuner::model::Searched;

namespace {

Searched some_searched() {
  return {205'216, 12'313, Outlook{0.004, 0, 0.011, "model"}, 12'313};
}

}  // namespace

TEST_SUITE("reports") {
  TEST_CASE("how far a space was searched is said in per cent, with what is expected of the rest") {
    CHECK(reports::searched_text(some_searched()) ==
          "searched 6 % of 205,216; expected remaining gain 0.4 % (0–1.1 %)");
    Searched more = some_searched();
    more.tried = 20'522;
    CHECK(reports::searched_text(more) ==
          "searched 10 % of 205,216; expected remaining gain 0.4 % (0–1.1 %), as of the first 12,313");
    more.outlook.reset();
    CHECK(reports::searched_text(more) == "searched 10 % of 205,216");
    CHECK(reports::searched_text({44, 44, std::nullopt, 0}) == "searched whole: all 44");
    // Nearly all is not all.
    CHECK(reports::searched_text({45'000, 44'999, std::nullopt, 0}) == "searched all but 1 of 45,000");
    CHECK(reports::gain_text({0.12, 0.034, 0.5, ""}) == "12 % (3.4–50 %)");
  }

  TEST_CASE("how far many sizes were searched is one sentence, with the worst of what is left") {
    const Searched whole{44, 44, std::nullopt, 0};
    Searched half{100, 50, Outlook{0.02, 0, 0.05, "model"}, 50};
    CHECK(reports::searched_summary({{"256", whole}, {"512", whole}}) == "whole at all 2 sizes");
    CHECK(reports::searched_summary({{"256", std::nullopt}}).empty());
    CHECK(reports::searched_summary(
              {{"256", whole}, {"512", std::nullopt}, {"1024", some_searched()}, {"2048", half}}) ==
          "whole at 1 of 4 sizes; 6 % to 50 % of the configurations at 2 sizes; not known of 1; "
          "expected remaining gain 2.0 % (0–5.0 %) at 2048, the most of all");
    CHECK(reports::searched_summary({{"256", whole}, {"1024", some_searched()}}) ==
          "whole at 1 of 2 sizes; 6 % of the configurations at 1024; "
          "expected remaining gain 0.4 % (0–1.1 %) at 1024");
    CHECK(reports::searched_summary({{"256", half}, {"1024", half}}) ==
          "50 % of the configurations at 2 sizes; expected remaining gain 2.0 % (0–5.0 %) at each");
    CHECK(reports::searched_cell(whole) == "whole");
    CHECK(reports::searched_cell(half) == "50 %");
    CHECK(reports::searched_cell(Searched{45'000, 44'999, std::nullopt, 0}) == "all but 1");
    CHECK(reports::searched_cell(std::nullopt).empty());
  }

  TEST_CASE("a report names ideas and searches where they are known") {
    reports::ReportInput input;
    input.trials = tests::sample_trials();
    CHECK_FALSE(contains(reports::to_markdown(reports::build_report(input)), "idea"));
    for (auto& trial : input.trials) trial.idea = "NVIDIA A100";
    tuner::model::Winner winner;
    winner.problem = tests::cube(512);
    winner.comparison_class = tests::sample_class();
    winner.trial = input.trials[3].key;
    winner.searched = some_searched();
    input.winners = {winner};
    const std::string text = reports::to_markdown(reports::build_report(input));
    CHECK(contains(text, "| idea "));
    CHECK(contains(text, "NVIDIA A100"));
    CHECK(contains(text,
                   "6 % of the configurations at 512; not known of 2; expected remaining gain "
                   "0.4 % (0–1.1 %) at 512"));
    const auto json = nlohmann::json::parse(reports::to_json(input));
    CHECK(json["classes"][0]["trials"][0]["idea"] == "NVIDIA A100");
    const auto& problems = json["classes"][0]["problems"];
    const auto& searched = problems[1]["searched"];
    CHECK(searched["candidates"] == 205'216);
    CHECK(searched["whole"] == false);
    CHECK(searched["outlook"]["estimate"] == "model");
    CHECK(problems[0]["searched"].is_null());
    CHECK(contains(reports::to_csv(input), ",NVIDIA A100,"));
  }
}
