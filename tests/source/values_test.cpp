#include "tuner/source/values.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <random>

using namespace tuner::source;

namespace {

const Value n = symbol_value("n");
const Value b = symbol_value("b");
const Value t = symbol_value("t");

/// With numbers for the symbols; nothing where the value is no number then.
std::optional<std::int64_t> worked_out(const Value& value, std::int64_t of_n, std::int64_t of_b) {
  const Value result = replaced(value, [&](const std::string& name) -> std::optional<Value> {
    return number_value(name == "n" ? of_n : of_b);
  });
  if (result.kind != Value::Kind::number) return std::nullopt;
  return result.number;
}

}  // namespace

TEST_SUITE("source::Value") {
  TEST_CASE("sums and products are kept simplified") {
    CHECK(text_of(add(add(n, number_value(3)), subtract(number_value(1), n))) == "4");
    CHECK(text_of(multiply(multiply(number_value(2), n), number_value(4))) == "8 * n");
    CHECK(text_of(multiply(number_value(2), add(n, number_value(3)))) == "2 * n + 6");
    CHECK(text_of(subtract(n, multiply(number_value(3), b))) == "n - 3 * b");
    CHECK(text_of(divide(multiply(number_value(12), n), number_value(4))) == "3 * n");
    CHECK(text_of(divide(multiply(number_value(12), n), number_value(32))) == "3 * n / 8");
  }

  TEST_CASE("every way to round a quotient up is ceil_div") {
    const Value by_symbol = divide(subtract(add(n, b), number_value(1)), b);
    CHECK(text_of(by_symbol) == "ceil_div(n, b)");
    CHECK(text_of(divide(add(n, number_value(255)), number_value(256))) == "ceil_div(n, 256)");
    CHECK(text_of(add(divide(subtract(n, number_value(1)), b), number_value(1))) == "ceil_div(n, b)");
    CHECK(text_of(round_up_quotient(divide(call("real", {n}), call("real", {b})))) == "ceil_div(n, b)");
    CHECK(text_of(divide(add(number_value(999999), b), b)) == "ceil_div(1000000, b)");
    CHECK(text_of(divide(add(n, b), b)) == "ceil_div(n + 1, b)");
    CHECK(text_of(divide(add(n, number_value(29)), number_value(32))) == "ceil_div(n - 2, 32)");
    CHECK(text_of(divide(add(n, number_value(32)), number_value(32))) == "ceil_div(n + 1, 32)");
    CHECK(text_of(divide(add(n, number_value(128)), number_value(256))) == "(n + 128) / 256");
    CHECK(text_of(divide(subtract(n, number_value(1)), b)) == "(n - 1) / b");
  }

  TEST_CASE("brackets are written where they are needed") {
    CHECK(text_of(multiply(add(n, number_value(1)), b)) == "(n + 1) * b");
    CHECK(text_of(call("%", {n, multiply(b, t)})) == "n % (b * t)");
    CHECK(text_of(call("?:", {call("<", {n, b}), n, add(b, number_value(1))})) == "n < b ? n : b + 1");
  }

  TEST_CASE("a product that is a size of its own replaces its factors wherever they stand together") {
    const Value rows = multiply(b, t);
    const Value by = symbol_value("rows");
    CHECK(text_of(factored(multiply(multiply(b, t), n), rows, by)) == "rows * n");
    CHECK(text_of(factored(call("ceil_div", {multiply(multiply(number_value(32), b), t), n}), rows, by)) ==
          "ceil_div(32 * rows, n)");
    CHECK(text_of(factored(multiply(b, n), rows, by)) == "b * n");
  }

  TEST_CASE("the least number may be divided by -1") {
    const Value least = number_value(std::numeric_limits<std::int64_t>::min());
    CHECK(divide(least, number_value(-1)).is(least.number));
    CHECK(call("%", {least, number_value(-1)}).is(0));
    CHECK(divide(multiply(least, n), number_value(-1)).is_known());
  }

  TEST_CASE("simplified expressions are worth what their parts are") {
    std::mt19937_64 random(7);
    const auto below = [&](std::uint64_t end) { return static_cast<std::int64_t>(random() % end); };
    for (int round = 0; round < 2000; ++round) {
      const std::int64_t of_n = 1 + below(5000);
      const std::int64_t of_b = 1 + below(300);
      // Each step has its own arithmetic beside it.
      Value value = n;
      std::int64_t right = of_n;
      for (int step = 0; step < 4; ++step) {
        const std::int64_t by = 1 + below(40);
        switch (below(6)) {
          case 0:
            value = add(value, number_value(by)), right += by;
            break;
          case 1:
            value = multiply(number_value(by), value), right *= by;
            break;
          case 2:
            value = add(value, b), right += of_b;
            break;
          case 3:
            value = divide(subtract(add(value, b), number_value(1)), b), right = (right + of_b - 1) / of_b;
            break;
          case 4:
            value = divide(add(value, b), b), right = right / of_b + 1;
            break;
          default:
            value = divide(value, number_value(by)), right /= by;
            break;
        }
      }
      CAPTURE(text_of(value));
      CHECK(worked_out(value, of_n, of_b) == right);
    }
  }
}
