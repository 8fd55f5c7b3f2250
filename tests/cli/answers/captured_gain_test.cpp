#include <doctest/doctest.h>

#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"
#include "tuner/cli/answers/best.hpp"

namespace cli = tuner::cli::answers;
using db_test::timed_trial;

TEST_SUITE("cli") {
  namespace {

  /// At `size` the winner takes 1 µs, and the default twice as long.
  db::BestAnswer answer_at(std::int64_t size) {
    db::BestAnswer answer;
    answer.tuning_case.problem = db_test::cube(size);
    answer.tuning_case.environment = db_test::sample_environment();
    answer.exact = true;
    answer.winner = timed_trial("b", size, 1000);
    answer.untuned = timed_trial("a", size, 2000);
    return answer;
  }

  /// 100 launches at 512 that take so long each, half of the kernel's time and a quarter of the program's.
  cli::CapturedUses uses_of(double launch_ns) {
    const double cost = 100 * launch_ns;
    return {"app", {{{512, 512, 512}, cost, 100}, {{64, 64, 64}, cost, 1}}, 2 * cost, 4 * cost};
  }

  }  // namespace

  TEST_CASE("what a program gains is of the sizes that were measured, with their share of its time") {
    const auto sentences = cli::gain_sentences({answer_at(512)}, uses_of(2000));
    REQUIRE(sentences.size() == 1);
    CHECK(
        contains(sentences[0], "app: 2.00× the default's speed on 25 % of the GPU time, which saves 12.5 %"));
    CHECK(contains(sentences[0], "50 % of the kernel's time is at sizes without an answer"));
    CHECK_FALSE(contains(cli::gain_sentences({answer_at(512), answer_at(64)}, uses_of(2000))[0],
                         "without an answer"));
  }

  TEST_CASE(
      "launches that take another time in the program than here are told, with what may be the reason") {
    const auto longer = cli::gain_sentences({answer_at(512)}, uses_of(3000));
    REQUIRE(longer.size() == 2);
    CHECK(contains(longer[1], "in the program these launches take 1.50× the default's time here"));
    CHECK(contains(longer[1], "`tuner run --l2 cold` measures"));
    const auto shorter = cli::gain_sentences({answer_at(512)}, uses_of(1000));
    REQUIRE(shorter.size() == 2);
    CHECK(contains(shorter[1], "0.500×"));
    CHECK(contains(shorter[1], "so that it may gain another share"));
    CHECK(cli::gain_sentences({answer_at(512)}, uses_of(2100)).size() == 1);
  }

  TEST_CASE("a size that was measured with several paddings counts once, with the least") {
    db::BestAnswer padded = answer_at(512);
    padded.tuning_case.problem.row_padding = 32;
    padded.untuned = timed_trial("a", 512, 4000);
    for (const auto& all : {db::BestAnswers{answer_at(512), padded}, {padded, answer_at(512)}}) {
      const std::string text = cli::gain_sentences(all, uses_of(2000)).at(0);
      CHECK(contains(text, "2.00× the default's speed on 25 % of the GPU time, which saves 12.5 %"));
    }
    CHECK(contains(cli::gain_sentences({padded}, uses_of(4000)).at(0), "4.00× the default's speed on 25 %"));
  }

  TEST_CASE("an answer that is slower than the default costs") {
    db::BestAnswer slower = answer_at(512);
    slower.untuned = timed_trial("a", 512, 800);
    CHECK(contains(cli::gain_sentences({slower}, uses_of(800)).at(0),
                   "0.800× the default's speed on 25 % of the GPU time, which costs 6.25 %"));
  }

  TEST_CASE("where no rule chooses among types, what chooses is said") {
    db::BestAnswer half = answer_at(512);
    half.tuning_case.environment.type = tuner::model::ElementType::float16;
    const std::string text = cli::gain_sentences({answer_at(512), half}, uses_of(2000)).at(0);
    CAPTURE(text);
    CHECK(contains(text, "`tuner best` takes --type (__half | float)"));
  }

  TEST_CASE("without a default, a measured size or a time nothing is promised") {
    CHECK(contains(cli::gain_sentences({answer_at(128)}, uses_of(2000)).at(0),
                   "none of its sizes was measured"));
    db::BestAnswer alone = answer_at(512);
    alone.untuned.reset();
    CHECK(contains(cli::gain_sentences({alone}, uses_of(2000)).at(0), "none of its sizes was measured"));
    cli::CapturedUses untimed = uses_of(2000);
    untimed.program_ns = 0;
    CHECK(contains(cli::gain_sentences({answer_at(512)}, untimed).at(0), "no launch was timed"));
  }
}
