#include <doctest/doctest.h>

#include <string>

#include "config/settings.hpp"
#include "tests/support/contains.hpp"
#include "tuner/model/error.hpp"

using tuner::model::UsageError;
using Sizes = std::vector<std::vector<std::int64_t>>;

namespace {

template <class Parse>
std::string complaint(Parse parse, std::string_view text) {
  try {
    parse(text);
  } catch (const UsageError& error) {
    CHECK(!error.hint().empty());
    return error.what();
  }
  return "accepted";
}

std::string size_complaint(std::string_view text) {
  return complaint(config::parse_sizes, text);
}

}  // namespace

TEST_SUITE_BEGIN("config");

TEST_CASE("sizes double, step, stand alone, or name each dimension") {
  CHECK(config::parse_sizes("512..4096") == Sizes{{512}, {1024}, {2048}, {4096}});
  CHECK(config::parse_sizes("512..5000") == Sizes{{512}, {1024}, {2048}, {4096}});
  CHECK(config::parse_sizes("512..1024:128") == Sizes{{512}, {640}, {768}, {896}, {1024}});
  CHECK(config::parse_sizes("512,1000,2047") == Sizes{{512}, {1000}, {2047}});
  CHECK(config::parse_sizes("512x1024x256") == Sizes{{512, 1024, 256}});
  CHECK(config::parse_sizes(" 64..128 , 7x9,100 ") == Sizes{{64}, {128}, {7, 9}, {100}});
  CHECK(config::parse_sizes("8..8") == Sizes{{8}});
}

TEST_CASE("repeated sizes are kept once, in the order written") {
  CHECK(config::parse_sizes("1024,512..2048") == Sizes{{1024}, {512}, {2048}});
}

TEST_CASE("a bad size is refused with its piece and the reason") {
  CHECK(contains(size_complaint("100,4096..512"), "'4096..512': the range ends before it starts"));
  CHECK(contains(size_complaint("0"), "start at 1"));
  CHECK(contains(size_complaint("1e9"), "'1e9' is not a whole number"));
  CHECK(contains(size_complaint("512.."), "'512..': a number is missing"));
  CHECK(contains(size_complaint("..512"), "a number is missing"));
  CHECK(contains(size_complaint("-512"), "positive"));
  CHECK(contains(size_complaint("512..-1"), "positive"));
  CHECK(contains(size_complaint("99999999999999999999"), "the largest size"));
  CHECK(contains(size_complaint("9223372036854775807"), "the largest size"));
  CHECK(contains(size_complaint("1..9223372036854775807"), "the largest size"));
  CHECK(contains(size_complaint("512..4096:0"), "start at 1"));
  CHECK(contains(size_complaint("512..4096:"), "a number is missing"));
  CHECK(contains(size_complaint("512..1024..2048"), "not a whole number"));
  CHECK(contains(size_complaint("512x"), "a number is missing"));
  CHECK(contains(size_complaint("512:128"), "not a whole number"));
  CHECK(contains(size_complaint("1.5"), "not a whole number"));
  CHECK(contains(size_complaint("abc"), "not a whole number"));
  CHECK(contains(size_complaint("512,,1024"), "a number is missing"));
  CHECK(contains(size_complaint(""), "a number is missing"));
  CHECK(contains(size_complaint("1x2x3x4x5x6x7x8x9"), "dimensions"));
  CHECK(contains(size_complaint("1..1000000:1"), "more than 4096"));
  CHECK(contains(size_complaint("1..4000:1,5000..9000:1"), "more than 4096"));
}

TEST_CASE("the largest size doubles without overflow") {
  CHECK(config::parse_sizes("1..1099511627776").size() == 41);
}

TEST_CASE("paddings are a list from zero on") {
  CHECK(config::parse_paddings("0,32") == std::vector<std::int64_t>{0, 32});
  CHECK(config::parse_paddings("32, 32") == std::vector<std::int64_t>{32});
  CHECK(config::parse_paddings("1048576") == std::vector<std::int64_t>{1048576});
  CHECK(contains(complaint(config::parse_paddings, "1048577"), "the largest padding is 1048576"));
  CHECK(contains(complaint(config::parse_paddings, "0,-1"), "'-1': rows cannot be shortened"));
  CHECK(contains(complaint(config::parse_paddings, "0,"), "missing"));
  CHECK(contains(complaint(config::parse_paddings, "1e3"), "not a whole number"));
  CHECK(contains(complaint(config::parse_paddings, "99999999999999999999"), "largest padding"));
}

TEST_CASE("budgets are times or trials") {
  CHECK(config::parse_budget("90s").time == std::chrono::seconds(90));
  CHECK(config::parse_budget("5m").time == std::chrono::minutes(5));
  CHECK(config::parse_budget("1h30m").time == std::chrono::minutes(90));
  CHECK(config::parse_budget("2d").time == std::chrono::hours(48));
  CHECK(config::parse_budget("500").trials == 500);
  CHECK(config::parse_budget("500").time.count() == 0);
}

TEST_CASE("a bad budget is refused with the reason") {
  const auto refused = [](std::string_view text, std::string_view part) {
    return contains(complaint(config::parse_budget, text), part);
  };
  CHECK(refused("0", "no trial"));
  CHECK(refused("0s", "no time"));
  CHECK(refused("-5m", "a whole number is missing"));
  CHECK(refused("5 m", "unexpected"));
  CHECK(refused("5y", "unexpected 'y'"));
  CHECK(refused("5m30", "30 of what?"));
  CHECK(refused("30m1h", "unexpected 'h'"));
  CHECK(refused("5m5m", "unexpected 'm'"));
  CHECK(refused("", "a whole number is missing"));
  CHECK(refused("99999999999999999999", "too large"));
  CHECK(refused("999d", "more than a year"));
}

TEST_SUITE_END();
