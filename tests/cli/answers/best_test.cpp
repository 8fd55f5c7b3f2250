#include "tuner/cli/answers/best.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"

using db_test::key;
using db_test::timed_trial;
namespace cli = tuner::cli::answers;
namespace model = tuner::model;

TEST_SUITE("cli") {
  namespace {

  /// b, chosen in a final where a was the fastest and c slower.
  db::BestAnswer after_final() {
    db::BestAnswer answer;
    answer.tuning_case.problem = db_test::cube(512);
    answer.tuning_case.environment = db_test::sample_environment();
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

  const cli::Style style{[](const model::Digest& key) { return key.hex().substr(0, 7); }, 400};

  std::string why(const db::BestAnswer& answer, const std::vector<db::Ranked>& ranked = {}) {
    return cli::why(answer, {"512", ""}, ranked, {}, style);
  }

  std::string text_of(const std::vector<db::BestAnswer>& answers) {
    return cli::best_text(answers, style);
  }

  }  // namespace

  TEST_CASE("the answer of one size is a block that says what was not re-measured") {
    const std::string text = text_of({after_final()});
    CHECK(contains(text, "matmul 512: NVIDIA H200"));
    CHECK(contains(text, "  time / fastest  1.002 (0.999–1.006)\n"));
    CHECK(contains(text, "  trial           " + key("b").hex().substr(0, 7) + '\n'));
    CHECK(contains(text, "  tied            with 1\n"));
    CHECK_FALSE(contains(text, "*"));
    const std::string raced = text_of({after_race()});
    CHECK(contains(raced, "1.010 µs † *"));
    CHECK(contains(raced, "\n* not re-measured"));
    CHECK(contains(raced, "\n† too short"));
    CHECK_FALSE(contains(raced, "time / fastest"));
    CHECK_FALSE(contains(raced, "tied"));
  }

  TEST_CASE("the answers of several sizes are a table by size, what is the same said once") {
    std::vector<db::BestAnswer> answers;
    for (const std::int64_t size : {2048, 512}) {
      db::BestAnswer& answer = answers.emplace_back(after_race());
      answer.tuning_case.problem = answer.winner.problem = db_test::cube(size);
      answer.winner.configuration = model::Configuration(
          {{"TILE_M", model::Value(size / 16)}, {"TILE_K", model::Value(std::int64_t{8})}});
    }
    const std::string text = text_of(answers);
    CHECK(text.find("\n 512  ") < text.find("\n2048  "));
    CHECK(contains(text, "TILE_M=32  "));
    CHECK(contains(text, "TILE_M=128  "));
    CHECK(contains(text, "the same in all rows: register_tile TILE_K=8\n"));
    answers.push_back(after_race());
    answers.back().tuning_case.problem = answers.back().winner.problem = db_test::cube(1024);
    answers.back().winner.kernel = "other";
    CHECK(contains(text_of(answers), "the same in all rows of register_tile: TILE_K=8\n"));
  }

  TEST_CASE("what a final says of its fastest is not said of another answer") {
    db::BestAnswer answer = after_final();
    answer.check.final_ns = 1798;
    answer.check.in_turn_ns = 1537;
    answer.check.faster_elsewhere = 1;
    CHECK(contains(text_of({answer}), "‡ unsettled"));
    CHECK(contains(why(answer), "in turn with its rivals"));
    const auto says_nothing = [](const db::BestAnswer& of) {
      CHECK_FALSE(contains(text_of({of}), "‡"));
      CHECK_FALSE(contains(text_of({of}), "unsettled"));
      CHECK_FALSE(contains(why(of), "in turn with its rivals"));
      CHECK_FALSE(contains(why(of), "unsettled"));
    };
    answer.winner = timed_trial("c", 512, 1050);  // the best that meets a condition
    says_nothing(answer);
    answer.winner = timed_trial("d", 512, 1050);
    answer.final.reset();
    says_nothing(answer);
  }

  TEST_CASE(
      "where configurations are too wide they stand below the figures, with the sizes they are best at") {
    std::vector<db::BestAnswer> answers;
    for (const std::int64_t size : {512, 1024, 2048}) {
      db::BestAnswer& answer = answers.emplace_back(after_race());
      answer.tuning_case.problem = answer.winner.problem = db_test::cube(size);
      const std::string word(70, size == 2048 ? 'x' : 'y');
      answer.winner.configuration = model::Configuration({{"WORD", model::Value(word)}});
    }
    const std::string text = cli::best_text(answers, {style.id, 80});
    CHECK(contains(text, "\n512, 1024:"));
    CHECK(contains(text, "\n2048:"));
    CHECK_FALSE(contains(text, "configuration"));
  }

  TEST_CASE("two families, and two classes of one, stand apart") {
    std::vector<db::BestAnswer> answers = {after_race(), after_race(), after_race()};
    answers[1].tuning_case.problem.family = answers[1].winner.problem.family = "sum";
    answers[2].tuning_case.environment = answers[2].winner.environment =
        db_test::sample_environment("Other GPU");
    const std::string text = text_of(answers);
    CHECK(contains(text, "matmul 512: NVIDIA H200"));
    CHECK(contains(text, "sum 512: NVIDIA H200"));
    CHECK(contains(text, "matmul 512: Other GPU"));
  }

  TEST_CASE("the share of the device's ceiling is shown where work and ceiling are known") {
    db::BestAnswer answer = after_final();
    answer.winner.workload = {506, 0};  // in 1012 ns
    CHECK_FALSE(contains(text_of({answer}), "of ceiling"));
    answer.ceilings = {{"NVIDIA H200", "arithmetic", model::ElementType::float32, 1e9, "GFLOP/s", {}, ""}};
    CHECK(contains(text_of({answer}), "50 % arithmetic"));
    CHECK(contains(why(answer), "50 % of the device's arithmetic ceiling, 1.00 Gop/s"));
    CHECK(nlohmann::json::parse(cli::best_json({answer}, "512"))["answers"][0]["winner"]["ceiling_share"] ==
          nlohmann::json({{"fraction", 0.5}, {"ceiling", "arithmetic"}}));
  }

  TEST_CASE("a table of several sizes names the ceiling that its shares are of") {
    std::vector<db::BestAnswer> answers = {after_race(), after_race()};
    for (db::BestAnswer& answer : answers) {
      answer.winner.workload = {505, 0};  // in 1010 ns
      answer.ceilings = {{"NVIDIA H200", "arithmetic", model::ElementType::float32, 1e9, "GFLOP/s", {}, ""},
                         {"NVIDIA H200", "memory", model::ElementType::float32, 2e9, "GB/s", {}, ""}};
    }
    answers[1].tuning_case.problem = answers[1].winner.problem = db_test::cube(2048);
    CHECK(contains(text_of(answers), "  50 %  "));
    CHECK(contains(text_of(answers), "\nof ceiling: arithmetic, 1.00 Gop/s\n"));
    answers[1].winner.workload = {0, 505};
    CHECK(contains(text_of(answers), "\nof ceiling: arithmetic, 1.00 Gop/s; at 2048 of memory, 2.00 GB/s\n"));
  }

  TEST_CASE("why tells the final's rounds, its rule, who is tied, and who was not there") {
    const std::string text = why(after_final());
    CHECK(contains(text, "measured again in turn with 2 others, 60 rounds"));
    CHECK(contains(text, "3 more at a lowered clock"));
    CHECK(contains(text, "its time is 1.002 (0.999–1.006) of the fastest's"));
    CHECK(contains(
        text, "cannot be told from 1 other; chosen by the rule: fewest registers, then the smallest block"));
    CHECK(contains(text, "NAME b → a, 1.010 µs"));
    db::BestAnswer cool = after_final();
    cool.final->throttled_rounds = 0;
    CHECK_FALSE(contains(why(cool), "clock"));
    db::BestAnswer old = after_final();
    old.newcomers = {{"naive", 3}};
    CHECK(contains(why(old), "3 of naive; none is clearly faster"));
  }

  TEST_CASE("nothing is said to be the fastest beside a tied rival, and a choice of one is no choice") {
    db::BestAnswer answer = after_final();
    answer.winner = timed_trial("a", 512, 1010);
    answer.final->chosen = key("a");
    answer.final->entries[1].ratio = 0.999;
    answer.tied = {timed_trial("b", 512, 1009)};
    CHECK_FALSE(contains(why(answer), "is the fastest"));
    CHECK_FALSE(contains(why(answer), "of the fastest's"));
    answer.tied.clear();
    answer.tied_count = 0;
    CHECK_FALSE(contains(why(answer), "chosen"));
  }

  TEST_CASE("a final with nobody near is told as such, not as a contest of one") {
    db::BestAnswer answer = after_final();
    answer.final->entries.resize(2);
    answer.baselines = {timed_trial("a", 512, 1300)};
    answer.baselines[0].role = model::Role::baseline;
    answer.tied.clear();
    answer.tied_count = 0;
    CHECK(contains(why(answer),
                   "measured again in turn with the libraries in 60 rounds: no other trial was near"));
    CHECK_FALSE(contains(why(answer), "the best 1"));
  }

  TEST_CASE("why says by how much the next one is behind and what it has instead") {
    const db::BestAnswer answer = after_final();
    db::Ranked own{answer.winner, 1.002, 0.999, 1.006, true};
    db::Ranked tied{answer.tied.at(0), 1, 1, 1, true};
    db::Ranked next{timed_trial("c", 512, 1050), 1.04, 1.03, 1.05, true};
    next.trial.resources->registers += 16;
    const std::string text = why(answer, {own, tied, next});
    CHECK(contains(text, "the next one, " + key("c").hex().substr(0, 7) +
                             ": 3.8 % slower; NAME b → c; 16 more registers"));
  }

  TEST_CASE("why says that a winner was not re-measured, and where it beats an older final") {
    CHECK(contains(why(after_race()), "not measured again in turn with the others"));
    CHECK_FALSE(contains(why(after_race()), "no final has considered it"));
    db::BestAnswer newer = after_race();
    newer.had_final = true;
    CHECK(contains(why(newer), "not near enough to the best for a final"));
    newer.beats_final = true;
    CHECK(contains(why(newer), "no final has considered it"));
    const cli::Asked asked{.size = "512", .racing = "tuner run --kernel k.toml --same-bits-as default"};
    CHECK(contains(cli::why(newer, asked, {}, {}, style),
                   "`tuner run --kernel k.toml --same-bits-as default` races it"));
  }

  TEST_CASE("the best of a kernel that lost is not said to be chosen") {
    db::BestAnswer answer = after_final();
    answer.winner = timed_trial("c", 512, 1050);
    answer.tied.clear();
    answer.tied_count = 0;
    CHECK(contains(why(answer), "its time is 1.040 (1.030–1.050) of the fastest's"));
    CHECK_FALSE(contains(why(answer), "chosen"));
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
    CHECK(answer["winner"]["measurement"]["throttled_samples"] == 2);
    CHECK(answer["winner"]["measurement"]["power_w"] == 512.5);
    const auto raced = nlohmann::json::parse(cli::best_json({after_race()}, "512"))["answers"][0];
    CHECK(raced["remeasured"] == false);
    CHECK(raced["final"].is_null());
    CHECK(raced["winner"]["in_final"].is_null());
  }

  TEST_CASE("the header says in a comment whether its configuration was re-measured") {
    CHECK(contains(cli::best_comments(after_final()), "// measured again in turn with 2 others, 60 rounds"));
    CHECK(contains(cli::best_comments(after_race()), "// not re-measured"));
    db::BestAnswer dropped = after_race();
    dropped.winner.outcome.status = model::TrialStatus::dropped;
    CHECK(contains(cli::best_comments(dropped), "so its time is approximate: it is the best known"));
    dropped.is_by_rule = true;  // of that size another may be better
    CHECK(contains(cli::best_comments(dropped), "so its time is approximate\n"));
  }

  TEST_CASE("a library is no answer, and not for want of a trial") {
    db::Unanswered size;
    size.only_libraries = true;
    CHECK(cli::missing(size, "cuBLAS").reason == "cuBLAS is a library, which is never chosen");
    CHECK(cli::missing(size, "").reason == "only libraries were tried, and they are never chosen");
    size.only_libraries = false;
    CHECK(cli::missing(size, "cuBLAS").reason == "cuBLAS was not tried");
  }

  TEST_CASE("families that lack an answer for one reason are one line, and each reason is said") {
    std::vector<cli::Missing> sizes;
    for (int family = 0; family < 50; ++family) {
      for (const int size : {512, 1024}) {
        db::Case tuning_case;
        tuning_case.problem = db_test::cube(size);
        tuning_case.environment = db_test::sample_environment();
        tuning_case.problem.family = fmt::format("k{:02}", family);
        sizes.push_back({tuning_case, "none of 5 trials has a time: 5 wrong_result"});
      }
    }
    CHECK(cli::missing_lines(sizes) ==
          std::vector<std::string>{"no answer at 512, 1024: none of 5 trials has a time: 5 wrong_result "
                                   "(k00, k01, k02, k03 and 46 more)"});
    sizes.at(7).reason = "nothing was tried";
    CHECK(cli::missing_lines(sizes).size() == 3);
    sizes.erase(sizes.begin() + 2, sizes.end());
    CHECK(cli::missing_lines(sizes) ==
          std::vector<std::string>{"no answer at 512, 1024: none of 5 trials has a time: 5 wrong_result"});
  }
}
