#include <doctest/doctest.h>

#include <array>
#include <random>
#include <string>

#include "tests/space/spec_builder.hpp"
#include "tests/support/fuzz.hpp"
#include "tuner/space/kernel_space.hpp"

using namespace tuner;
using namespace tuner::space;

namespace {

std::string random_expression(std::mt19937& random) {
  static constexpr std::array<const char*, 56> pieces{"N",
                                                      "B",
                                                      "MODE",
                                                      "'fast'",
                                                      "'x'",
                                                      "length",
                                                      "PAD",
                                                      "ELEMENT_BYTES",
                                                      "warp_size",
                                                      "time_ns",
                                                      "0",
                                                      "1",
                                                      "2",
                                                      "7",
                                                      "-1",
                                                      "1e3",
                                                      ".5",
                                                      "0x10",
                                                      "9223372036854775807",
                                                      "99999999999999999999",
                                                      "+",
                                                      "-",
                                                      "*",
                                                      "/",
                                                      "%",
                                                      "==",
                                                      "!=",
                                                      "<",
                                                      "<=",
                                                      ">",
                                                      ">=",
                                                      "<<",
                                                      ">>",
                                                      "&",
                                                      "|",
                                                      "^",
                                                      "&&",
                                                      "||",
                                                      "!",
                                                      "?",
                                                      ":",
                                                      "(",
                                                      ")",
                                                      ",",
                                                      "min",
                                                      "max",
                                                      "ceil_div",
                                                      "round_up",
                                                      "abs",
                                                      "is_pow2",
                                                      "log2",
                                                      " ",
                                                      "'",
                                                      "\xC3\xA9",
                                                      "$",
                                                      "1.5.2"};
  std::string text;
  const std::size_t length = random() % 24;
  for (std::size_t i = 0; i < length; ++i) text += pieces[random() % pieces.size()];
  return text;
}

std::string random_bytes(std::mt19937& random) {
  std::string text;
  const std::size_t length = random() % 40;
  for (std::size_t i = 0; i < length; ++i) text += static_cast<char>(random() % 256);
  return text;
}

/// Well-formed text of every operator, so that evaluation is reached, not only the parser's errors.
std::string random_sum(std::mt19937& random, int depth) {
  static constexpr std::array<const char*, 9> leaves{
      "N", "B", "length", "0", "1", "3", "-5", "64", "4611686018427387904"};
  static constexpr std::array<const char*, 18> operators{
      "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "<<", ">>", "&", "|", "^", "&&", "||"};
  if (depth == 0) return leaves[random() % leaves.size()];
  const std::string a = random_sum(random, depth - 1);
  const std::string b = random_sum(random, depth - 1);
  switch (random() % 8) {
    case 0:
      return "(" + a + " ? " + b + " : " + random_sum(random, depth - 1) + ")";
    case 1:
      return "min(" + a + ", " + b + ")";
    case 2:
      return "ceil_div(" + a + ", " + b + ")";
    case 3:
      return "round_up(" + a + ", " + b + ")";
    case 4:
      return (random() % 2 == 0 ? "log2(" : "sqrt(") + a + ")";
    case 5:
      return "!abs(" + a + ")";
    default:
      return "(" + a + ") " + operators[random() % operators.size()] + " (" + b + ")";
  }
}

model::KernelSpec spec_with(const std::string& text) {
  model::KernelSpec spec = scale_spec();
  spec.parameters.push_back(parameter("MODE", words({"fast", "slow"})));
  spec.constraints = {expression(text, 1, 1)};
  return spec;
}

/// Whether it was understood.
bool try_out(const std::string& text) {
  CAPTURE(text);
  const model::KernelSpec spec = spec_with(text);
  const std::vector<model::Diagnostic> found = validate(spec);
  for (const model::Diagnostic& diagnostic : found) {
    CHECK(diagnostic.where.column >= 1);
    CHECK(diagnostic.where.column <= static_cast<int>(std::max<std::size_t>(1, text.size())));
    CHECK_FALSE(diagnostic.message.empty());
  }
  if (!found.empty()) return false;
  const KernelSpace kernel(spec);
  const model::Problem problem = make_problem(spec, {100}, std::nullopt, 0);
  kernel.list(problem, {});
  return true;
}

}  // namespace

TEST_SUITE_BEGIN("tuner::space");

TEST_CASE("any text is either understood or refused with a column inside it") {
  test::fuzz([](unsigned seed) {
    std::mt19937 random(seed);
    int understood = 0;
    for (int i = 0; i < 4000; ++i) understood += try_out(random_expression(random)) ? 1 : 0;
    for (int i = 0; i < 2000; ++i) try_out(random_bytes(random));
    CHECK(understood > 20);
  });
}

TEST_CASE("any well-formed expression can be evaluated in both arithmetics") {
  test::fuzz([](unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 2000; ++i) {
      const std::string text = random_sum(random, static_cast<int>(random() % 4));
      CHECK(try_out(text));
      model::KernelSpec spec = scale_spec();
      spec.metrics = {{"m", expression(text)}};
      if (!validate(spec).empty()) continue;  // bit operations
      metrics(spec, make_problem(spec, {100}, std::nullopt, 0), model::Configuration({{"B", 32}}), 5.0);
    }
  });
}

TEST_SUITE_END();
