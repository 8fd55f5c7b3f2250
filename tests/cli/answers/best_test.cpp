#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"
#include "tuner/cli/answers/best_formats.hpp"
#include "tuner/cli/answers/best_table.hpp"
#include "tuner/cli/answers/best_why.hpp"

using db_test::key;
using db_test::timed_trial;
namespace cli = tuner::cli::answers;
namespace model = tuner::model;

namespace {

/// b, chosen in a final where a was the fastest and c slower.
db::BestAnswer after_final() {
  db::BestAnswer answer;
  answer.contest.problem = db_test::cube(512);
  answer.contest.comparison_class = db_test::sample_class();
  answer.exact = true;
  answer.winner = timed_trial("b", 512, 1012);
  answer.winner.outcome.measurement->includes_launch_latency = false;
  answer.tied = {timed_trial("a", 512, 1010)};
  answer.tied_count = 1;
  answer.final = db_test::sample_final();
  return answer;
}

/// The same as it raced.
db::BestAnswer after_race() {
  db::BestAnswer answer = after_final();
  answer.winner = answer.tied.at(0);
  answer.tied.clear();
  answer.tied_count = 0;
  answer.final.reset();
  return answer;
}

std::string why(const db::BestAnswer& answer) {
  return cli::why(answer, "512", "");
}

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("the table says what is chosen among ties and what was not re-measured") {
    const std::string text = cli::best_text({after_final()});
    CHECK(contains(text, "1.002 (0.999–1.006)"));
    CHECK(contains(text, "chosen: fewest registers"));
    CHECK_FALSE(contains(text, "*"));
    const std::string raced = cli::best_text({after_race()});
    CHECK(contains(raced, "1.010 µs † *"));
    CHECK(contains(raced, "\n* not re-measured"));
    CHECK(contains(raced, "\n† too short"));
    CHECK_FALSE(contains(raced, "time / fastest"));
    CHECK_FALSE(contains(raced, "chosen"));
  }

  TEST_CASE("the share of the device's ceiling is shown where work and ceiling are known") {
    db::BestAnswer answer = after_final();
    answer.winner.workload = {506, 0};  // in 1012 ns
    CHECK_FALSE(contains(cli::best_text({answer}), "of ceiling"));
    answer.ceilings = {{"NVIDIA H200", "arithmetic", model::ElementType::float32, 1e9, "GFLOP/s", {}, ""}};
    CHECK(contains(cli::best_text({answer}), "50 % arithmetic"));
    CHECK(contains(why(answer), "50 % of the device's arithmetic ceiling, 1.00 Gop/s"));
    CHECK(nlohmann::json::parse(cli::best_json({answer}, "512"))["answers"][0]["winner"]["ceiling_share"] ==
          nlohmann::json({{"fraction", 0.5}, {"ceiling", "arithmetic"}}));
  }

  TEST_CASE("why tells the final's rounds, its rule, its fastest and its age") {
    const std::string text = why(after_final());
    CHECK(contains(text, "the best 3 were sampled in turn in 60 rounds"));
    CHECK(contains(text, "3 more at a lowered clock"));
    CHECK(contains(text, "fewest registers, then the smallest block, then name"));
    CHECK(contains(text, "it is 1.002 (0.999–1.006) of the fastest's time"));
    CHECK(contains(text, "NAME=a 1.010 µs, the fastest"));
    CHECK_FALSE(contains(text, "since"));
    db::BestAnswer old = after_final();
    old.newcomers = {{"naive", 3}};
    CHECK(contains(why(old), "naive"));
  }

  TEST_CASE("why says that a winner was not re-measured, and where it beats an older final") {
    CHECK(contains(why(after_race()), "not measured again in turn with the others"));
    CHECK_FALSE(contains(why(after_race()), "no final has considered it"));
    db::BestAnswer newer = after_race();
    newer.had_final = true;
    CHECK(contains(why(newer), "no final has considered it"));
  }

  TEST_CASE("the best of a kernel that lost is not said to be chosen") {
    db::BestAnswer answer = after_final();
    answer.winner = timed_trial("c", 512, 1050);
    answer.tied.clear();
    answer.tied_count = 0;
    CHECK(contains(why(answer), "it is 1.040 (1.030–1.050) of the fastest's time"));
    CHECK_FALSE(contains(why(answer), "chosen"));
    CHECK_FALSE(contains(cli::best_text({answer}), "chosen"));
  }

  TEST_CASE("JSON carries the final, each one's ratio in it, and how the samples were taken") {
    const auto answer = nlohmann::json::parse(cli::best_json({after_final()}, "512"))["answers"][0];
    CHECK(answer["remeasured"] == true);
    CHECK(answer["final"]["chosen"] == key("b").hex());
    CHECK(answer["final"]["fastest"] == key("a").hex());
    CHECK(answer["final"]["rounds"] == 60);
    CHECK(answer["final"]["entries"].size() == 3);
    CHECK(answer["final"]["entries"][2]["trial"] == key("c").hex());
    CHECK(answer["winner"]["in_final"]["ratio_high"] == 1.006);
    CHECK(answer["tied"][0]["in_final"]["ratio"] == 1);
    CHECK(answer["winner"]["throttled_samples"] == 2);
    CHECK(answer["winner"]["power_w"] == 512.5);
    const auto raced = nlohmann::json::parse(cli::best_json({after_race()}, "512"))["answers"][0];
    CHECK(raced["remeasured"] == false);
    CHECK(raced["final"].is_null());
    CHECK(raced["winner"]["in_final"].is_null());
  }

  TEST_CASE("the header says in a comment whether its configuration was re-measured") {
    CHECK(contains(cli::best_header(after_final()),
                   "// re-measured in 60 rounds against 2 others, tied with 1"));
    CHECK(contains(cli::best_header(after_race()), "// not re-measured"));
    CHECK(cli::best_flags(after_final()).find("measured") == std::string::npos);
  }

  TEST_CASE("a word that is a macro's whole value is one in header and flags, others keep their vocabulary") {
    db::BestAnswer answer = after_race();
    answer.winner.configuration =
        tuner::model::Configuration({{"CUTOFF", tuner::model::Value(std::string("0.5"))},
                                     {"ORDER", tuner::model::Value(std::string("row"))}});
    const std::string header = cli::best_header(answer);
    CHECK(contains(header, "#define CUTOFF 0.5\n"));
    CHECK(contains(header, "#define ORDER ORDER_row\n"));
    CHECK(contains(cli::best_flags(answer), "-DCUTOFF=0.5 -DORDER_row="));
  }

  TEST_CASE(
      "header and flags give what the source saw of spelled words and of macros worked out from others") {
    db::BestAnswer answer = after_race();
    const auto word = [](const char* text) { return tuner::model::Value(std::string(text)); };
    answer.winner.configuration = tuner::model::Configuration(
        {{"ELEMENT", word("float4")}, {"ORDER", word("row")}, {"TILE", tuner::model::Value(8)}});
    answer.winner.macros = tuner::model::Configuration({{"ELEMENT", word("float4")}, {"ROWS", word("16")}});
    const std::string header = cli::best_header(answer);
    CHECK(contains(header, "#define ELEMENT float4\n"));
    CHECK_FALSE(contains(header, "ELEMENT_float4"));
    CHECK(contains(header, "#define ORDER ORDER_row\n"));
    CHECK(contains(header, "#define TILE 8\n#define ROWS 16\n"));
    CHECK(contains(cli::best_flags(answer), "-DTILE=8 -DROWS=16"));
  }
}
