#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "tests/space/spec_builder.hpp"
#include "tests/support/contains.hpp"
#include "tuner/space/space.hpp"

using namespace tuner;
using namespace tuner::space;

namespace {

/// The value of an integer expression, seen through the public seam: as a derived value passed to the kernel.
/// N is 12 and MODE, a parameter of words, is `fast`. Nothing where the value is undefined; throws where the
/// text is refused.
std::optional<std::int64_t> value(const std::string& text) {
  model::KernelSpec spec = scale_spec();
  spec.parameters.push_back(parameter("MODE", words({"fast", "slow"})));
  spec.parameters.push_back(parameter("STYLE", words({"fast", "plain"})));
  spec.arguments.push_back(scalar("result", model::ElementType::int64, text));
  const model::Configuration configuration(
      {{"B", 32}, {"MODE", model::Value("fast")}, {"STYLE", model::Value("plain")}});
  const auto plan =
      make_plan(spec, make_problem(spec, {12}, std::nullopt, 0), configuration, model::DeviceLimits{});
  if (const auto* made = std::get_if<model::Plan>(&plan)) return made->steps[0].operands[3].integer;
  return std::nullopt;
}

std::optional<double> real_value(const std::string& text) {
  model::KernelSpec spec = scale_spec();
  spec.metrics = {{"m", expression(text)}};
  const auto values =
      metrics(spec, make_problem(spec, {12}, std::nullopt, 0), model::Configuration({{"B", 32}}), 8.0);
  const auto found = values.find("m");
  return found == values.end() ? std::nullopt : std::optional<double>(found->second);
}

/// The only diagnostic a constraint with this text gives.
model::Diagnostic mistake(const std::string& text) {
  model::KernelSpec spec = scale_spec();
  spec.parameters.push_back(parameter("MODE", words({"fast", "slow"})));
  spec.constraints = {expression(text, 3, 20)};
  const std::vector<model::Diagnostic> found = validate(spec);
  REQUIRE(found.size() == 1);
  return found[0];
}

}  // namespace

TEST_SUITE_BEGIN("tuner::space");

TEST_CASE("operators have C's meaning and precedence") {
  CHECK(value("1 + 2 * 3") == 7);
  CHECK(value("(1 + 2) * 3") == 9);
  CHECK(value("7 / 2 - -7 / 2") == 6);
  CHECK(value("-7 % 3") == -1);
  CHECK(value("10 - 4 - 3") == 3);
  CHECK(value("1 << 4 | 1 ^ 3 & 2") == (1 << 4 | (1 ^ (3 & 2))));
  CHECK(value("-16 >> 2") == -4);
  CHECK(value("1 + 1 == 2") == 1);
  CHECK(value("1 < 2 == 1") == 1);
  CHECK(value("3 != 3 || 2 >= 2 && 0 < 1") == 1);
  CHECK(value("!5 + !0") == 1);
  CHECK(value("0 ? 1 : 0 ? 2 : 3") == 3);
  CHECK(value("0x1F + 0") == 31);
  CHECK(value("5 && 7") == 1);
  CHECK(value("0 || 9") == 1);
  CHECK(value("- - 3") == 3);
  CHECK(value("+N") == 12);
}

TEST_CASE("functions compute what their names say") {
  CHECK(value("min(3, 1, 2) + max(3, 7)") == 8);
  CHECK(value("ceil_div(7, 2)") == 4);
  CHECK(value("ceil_div(8, 2)") == 4);
  CHECK(value("ceil_div(-7, 2)") == -3);
  CHECK(value("ceil_div(0, 5)") == 0);
  CHECK(value("round_up(13, 8)") == 16);
  CHECK(value("round_up(16, 8)") == 16);
  CHECK(value("abs(-4) + abs(4)") == 8);
  CHECK(value("is_pow2(64) * 10 + is_pow2(0) + is_pow2(-2) + is_pow2(12)") == 10);
  CHECK(value("log2(1)") == 0);
  CHECK(value("log2(1023)") == 9);
  CHECK(value("sqrt(99)") == 9);
  CHECK(value("sqrt(100)") == 10);
  CHECK(value("sqrt(9223372036854775807)") == 3037000499);
  CHECK_FALSE(value("sqrt(-1)"));
}

TEST_CASE("what has no value makes a rejection, not a number") {
  for (const char* text :
       {"1 / (N - 12)", "N % 0", "9223372036854775807 + 1", "-9223372036854775807 - 2",
        "9223372036854775807 * 2", "(-9223372036854775807 - 1) / -1", "-(-9223372036854775807 - 1)",
        "abs(-9223372036854775807 - 1)", "1 << 63", "1 << 64", "1 << -1", "1 >> 64", "log2(0)",
        "ceil_div(1, 0)", "ceil_div(1, -1)", "round_up(9223372036854775807, 2)"}) {
    CAPTURE(text);
    CHECK_FALSE(value(text).has_value());
  }
  CHECK(value("(-9223372036854775807 - 1) % -1") == 0);
  CHECK(value("-1 << 63") == -9223372036854775807 - 1);
}

TEST_CASE("what is not needed is not evaluated") {
  CHECK(value("N == 12 || 1 / 0") == 1);
  CHECK(value("N != 12 && 1 / 0") == 0);
  CHECK(value("N == 12 ? 5 : 1 / 0") == 5);
  CHECK(value("N != 12 ? 1 / 0 : 6") == 6);
  CHECK_FALSE(value("N == 12 && 1 / 0").has_value());
}

TEST_CASE("words compare with the parameters that offer them") {
  CHECK(value("MODE == 'fast'") == 1);
  CHECK(value("MODE != 'fast'") == 0);
  CHECK(value("'slow' == MODE") == 0);
  CHECK(value("MODE == STYLE") == 0);
  CHECK(value("MODE == 'fast' ? N : 0") == 12);
  CHECK(value("MODE") == model::word_code("fast"));  // as a kernel argument
}

TEST_CASE("names are sizes, padding, element properties and device limits") {
  CHECK(value("N + PAD + length") == 24);
  CHECK(value("ELEMENT_BYTES * 10 + ELEMENT_IS_INTEGER") == 40);
  model::DeviceLimits limits;
  CHECK(value("max_threads_per_block") == limits.max_threads_per_block);
  CHECK(value("max_static_shared_bytes") == limits.shared_bytes_per_block);
  CHECK(value("max_shared_bytes_per_block") == limits.shared_bytes_per_block_optin);
  CHECK(value("max_grid_y + max_block_z") == limits.max_grid_y + limits.max_block_z);
}

TEST_CASE("metrics are evaluated in double precision") {
  CHECK(real_value("7 / 2") == doctest::Approx(3.5));
  CHECK(real_value("N / time_ns") == doctest::Approx(1.5));
  CHECK(real_value("1e-9 * 2.5E3 + .5") == doctest::Approx(0.5000025));
  CHECK(real_value("9223372036854775807 * 9223372036854775807") == doctest::Approx(8.507059e37));
  CHECK(real_value("7.5 % 2") == doctest::Approx(1.5));
  CHECK(real_value("(0.5 && 2) + (0.5 || 0) + !0.5") == doctest::Approx(2));
  CHECK(real_value("(0.0 && 2) + (0.0 || 0) + !0.0") == doctest::Approx(1));
  CHECK(real_value("log2(10)") == doctest::Approx(3.321928));
  CHECK(real_value("1 / sqrt(64)") == 0.125);
  CHECK_FALSE(real_value("sqrt(-1)").has_value());
  CHECK(real_value("ceil_div(7.5, 2) + round_up(7.5, 2)") == doctest::Approx(12));
  CHECK(real_value("min(2.5, 3) + max(1, 0.5) + abs(-0.5)") == doctest::Approx(4));
  CHECK(real_value("is_pow2(0.5) * 100 + is_pow2(8) * 10 + is_pow2(12)") == doctest::Approx(10));
  CHECK(real_value("B == 32 ? length : 0") == doctest::Approx(12));
}

TEST_CASE("a metric without a value is absent") {
  CHECK_FALSE(real_value("1 / (N - 12)").has_value());
  CHECK_FALSE(real_value("log2(0)").has_value());
  CHECK_FALSE(real_value("1e300 * 1e300").has_value());
}

TEST_CASE("a mistake is reported at its own column of the file") {
  const model::Diagnostic unknown = mistake("B > 0 && BB > 1");
  CHECK(unknown.where.line == 3);
  CHECK(unknown.where.column == 29);
  CHECK(contains(unknown.message, "unknown name `BB`"));
  CHECK(unknown.hint == "did you mean `B`?");
  CHECK(mistake("1 +").where.column == 22);
  CHECK(mistake("").where.column == 20);
  CHECK(mistake("(1").where.column == 21);
}

TEST_CASE("each mistake has a message that names it, and a hint") {
  CHECK(contains(mistake("B = 3").hint, "=="));
  CHECK(contains(mistake("MODE == \"fast\"").hint, "single quotes"));
  CHECK(contains(mistake("MODE == fast").hint, "'fast'"));
  CHECK(contains(mistake("MODE == 'fats'").message, "'fats'"));
  CHECK(mistake("MODE == 'fas'").hint == "did you mean `fast`?");
  CHECK(contains(mistake("MODE == 'other'").hint, "fast, slow"));
  CHECK(contains(mistake("MODE").message, "words"));
  CHECK(contains(mistake("MODE + 1").message, "words"));
  CHECK(contains(mistake("B == 'fast'").message, "not compared with a parameter"));
  CHECK(contains(mistake("'fast' == 'fast'").message, "not compared with a parameter"));
  CHECK(contains(mistake("MODE == 1").message, "not a word"));
  CHECK(contains(mistake("MODE < 'fast'").message, "number is needed"));
  CHECK(contains(mistake("'fast").message, "closing quote"));
  CHECK(contains(mistake("1 < B < 3").hint, "&&"));
  CHECK(contains(mistake("ceildiv(N, B)").hint, "ceil_div"));
  CHECK(contains(mistake("ceil_div(N)").message, "2 arguments"));
  CHECK(contains(mistake("min(N)").message, "two or more"));
  CHECK(contains(mistake("abs(N, 1)").message, "one argument"));
  CHECK(contains(mistake("min > 1").message, "without its arguments"));
  CHECK(contains(mistake("1.5 * B").message, "decimal"));
  CHECK(contains(mistake("B > 32u").message, "32u"));
  CHECK(contains(mistake("B > 010").message, "starts with 0"));
  CHECK(contains(mistake("B > 0x").message, "not a number"));
  CHECK(contains(mistake("B > 9223372036854775808").message, "out of range"));
  CHECK(contains(mistake("time_ns > 1").message, "metrics only"));
  CHECK(contains(mistake("ELEMENT_TYPE == 1").message, "macro"));
  CHECK(contains(mistake("B $ 1").message, "unexpected `$`"));
  CHECK(contains(mistake("B N").message, "found `N`"));
  CHECK(contains(mistake(std::string(200, '(')).message, "nested too deeply"));
  CHECK(contains(mistake(std::string(200, '-') + "1").message, "nested too deeply"));
  CHECK(contains(mistake("1" + std::string(5000, ' ')).message, "characters"));
}

TEST_CASE("a chain as long as an expression may be is no deep nesting") {
  std::string sum = "1";
  while (sum.size() < 4000) sum += "+1";
  CHECK(value(sum) == static_cast<std::int64_t>(sum.size() / 2 + 1));
}

TEST_SUITE_END();
