#include <doctest/doctest.h>

#include <array>
#include <random>
#include <string>
#include <variant>

#include "config/mistakes.hpp"
#include "config/settings.hpp"
#include "tests/config/spec_texts.hpp"
#include "tests/support/fuzz.hpp"
#include "tuner/model/error.hpp"
#include "tuner/space/kernel_space.hpp"

namespace {

/// Changes `text` in one to four places: a byte flipped, inserted or deleted, a token put in, a stretch
/// moved.
std::string mutated(std::string text, std::mt19937_64& random) {
  static constexpr std::array<std::string_view, 18> tokens = {"[",
                                                              "]",
                                                              "{",
                                                              "}",
                                                              "\"",
                                                              "'''",
                                                              "=",
                                                              ",",
                                                              ".",
                                                              "\n",
                                                              "#",
                                                              "[[",
                                                              "-9223372036854775808",
                                                              "nan",
                                                              "1e400",
                                                              "\xff",
                                                              "\\u0000",
                                                              "constraints"};
  const auto below = [&random](std::size_t n) { return n == 0 ? 0 : random() % n; };
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
    const std::size_t at = below(text.size());
    switch (below(5)) {
      case 0:
        text[at] = static_cast<char>(random() & 0xFF);
        break;
      case 1:
        text.insert(at, 1, static_cast<char>(random() & 0x7F));
        break;
      case 2:
        text.erase(at, 1 + below(20));
        break;
      case 3:
        text.insert(at, tokens[below(tokens.size())]);
        break;
      default:
        text.insert(below(text.size()), text.substr(at, below(40)));
        break;
    }
  }
  return text;
}

/// A spec that was read is sound: its first configurations can be planned, or are rejected with a reason.
void plan_some(const tuner::model::KernelSpec& spec) {
  const tuner::space::KernelSpace kernel(spec);
  const tuner::model::Problem problem =
      tuner::space::make_problem(spec, std::vector<std::int64_t>(spec.sizes.size(), 100), std::nullopt, 0);
  int visits = 0;
  kernel.enumerate(problem, {}, [&](const tuner::model::Configuration& configuration) {
    const auto plan = kernel.make_plan(problem, configuration, {});
    const auto* rejection = std::get_if<tuner::space::Rejection>(&plan);
    REQUIRE((!rejection || !rejection->reason.empty()));
    return ++visits < 20;
  });
}

}  // namespace

TEST_SUITE_BEGIN("config");

TEST_CASE("a mutated spec never crashes the reader, and is either sound or has mistakes with a place") {
  tuner::test::fuzz([](unsigned seed) {
    std::mt19937_64 random(seed);
    int refused = 0;
    for (int i = 0; i < 1000; ++i) {
      const std::string text = mutated(std::string(spec_texts::good), random);
      const config::LoadedKernels loaded = spec_texts::load(text);
      const std::string shown = config::diagnostics_text(loaded.mistakes, loaded.texts);
      CAPTURE(text);
      CAPTURE(shown);
      REQUIRE(loaded.kernels.size() + (loaded.mistakes.empty() ? 0 : 1) == 1);
      const bool is_toml = std::holds_alternative<config::Node>(config::parse_toml(text, "k.toml"));
      if (!is_toml) REQUIRE(loaded.kernels.empty());
      for (const auto& mistake : loaded.mistakes) {
        REQUIRE(!mistake.message.empty());
        REQUIRE(mistake.where.file.find("k.") != std::string::npos);
      }
      for (const auto& kernel : loaded.kernels) plan_some(kernel);
      refused += loaded.kernels.empty() ? 1 : 0;
    }
    CHECK(refused > 100);
  });
}

TEST_CASE("a mutated settings file never crashes the reader") {
  const config::EnvironmentVariables nothing = [](const std::string&) {
    return std::optional<std::string>("/home/u");
  };
  const std::string good =
      "db = \"~/x.db\"\nsizes = [512, \"64..128\"]\nl2 = \"cold\"\nrun_timeout_s = 2.5\nbudget = 500\n";
  tuner::test::fuzz([&](unsigned seed) {
    std::mt19937_64 random(seed);
    for (int i = 0; i < 2000; ++i) {
      const std::string text = mutated(good, random);
      CAPTURE(text);
      try {
        for (const auto& setting : config::read_settings(text, "tuner.toml", "/", nothing))
          REQUIRE(setting.where.line > 0);
      } catch (const tuner::model::UsageError& error) {
        REQUIRE(std::string(error.what()).find("tuner.toml") == 0);
      }
    }
  });
}

TEST_SUITE_END();
