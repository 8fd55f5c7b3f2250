#include <doctest/doctest.h>

#include "tests/support/contains.hpp"
#include "tuner/model/error.hpp"
#include "tuner/space/space.hpp"

using tuner::model::Value;
using tuner::space::ConditionName;
using tuner::space::NamedCondition;

namespace {

const std::vector<ConditionName> names = {{"registers"}, {"ORDER", {"row", "column"}}, {"TILE"}};

bool holds(const std::string& text, std::int64_t registers, const std::string& order, std::int64_t tile) {
  return NamedCondition(text, names).holds({Value(registers), Value(order), Value(tile)});
}

tuner::model::UsageError mistake_in(const std::string& text) {
  try {
    const NamedCondition condition(text, names);
  } catch (const tuner::model::UsageError& error) {
    return error;
  }
  FAIL("no mistake was found in " << text);
  return tuner::model::UsageError("");
}

}  // namespace

TEST_SUITE_BEGIN("space");

TEST_CASE("a condition on names holds for the values that meet it") {
  CHECK(holds("registers <= 64", 64, "row", 1));
  CHECK_FALSE(holds("registers <= 64", 65, "row", 1));
  CHECK(holds("ORDER == 'row' && TILE % 2 == 0", 1, "row", 4));
  CHECK_FALSE(holds("ORDER == 'row' && TILE % 2 == 0", 1, "column", 4));
  CHECK(holds("max(TILE, registers) == 9", 9, "row", 4));
}

TEST_CASE("a condition that is undefined does not hold") {
  CHECK_FALSE(holds("registers / (TILE - TILE) == 0", 1, "row", 1));
}

TEST_CASE("a mistake in a condition is pointed at, with what was probably meant") {
  CHECK(contains(mistake_in("regsters <= 64").what(), "unknown name `regsters` at column 1"));
  CHECK(contains(mistake_in("regsters <= 64").hint(), "registers"));
  CHECK(contains(mistake_in("registers <=").what(), "`registers <=`"));
  CHECK(contains(mistake_in("ORDER == 'rwo'").what(), "rwo"));
  // What a device allows is no property of a trial.
  CHECK(contains(mistake_in("max_threads_per_block > 1").what(), "max_threads_per_block"));
}

TEST_CASE("what asks for an absent name does not hold, and the rest of the condition counts") {
  const auto holds_without = [](const std::string& text) {
    return NamedCondition(text, names, {"WIDTH"}).holds({Value(64), Value(std::string("row")), Value(4)});
  };
  CHECK(holds_without("WIDTH == 4 || TILE == 4"));
  CHECK_FALSE(holds_without("WIDTH == 4 && TILE == 4"));
  CHECK_FALSE(holds_without("WIDTH != 4"));
  CHECK_FALSE(holds_without("!(WIDTH == 4)"));
  CHECK(holds_without("TILE == 4 && (registers > 64 || !WIDTH || ORDER == 'row')"));
  CHECK_FALSE(holds_without("max(WIDTH, TILE) == 4 || WIDTH == 'wide'"));
}

TEST_CASE("of two equal names the first counts") {
  const NamedCondition condition("TILE == 1", {{"TILE"}, {"TILE"}});
  CHECK(condition.holds({Value(1), Value(2)}));
  CHECK_FALSE(condition.holds({Value(2), Value(1)}));
}

TEST_CASE("the names that a condition mentions are told, each once") {
  CHECK(tuner::space::names_in("b > a && b < max(c, 1)") == std::vector<std::string>{"b", "a", "c"});
}
