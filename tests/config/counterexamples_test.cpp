// Where reading settings and specs that is nearly right differs from what is.
#include <doctest/doctest.h>

#include <string>

#include "config/mistakes.hpp"
#include "config/settings.hpp"
#include "tests/config/spec_texts.hpp"
#include "tests/config/temporary_folder.hpp"
#include "tuner/model/error.hpp"

using namespace std::chrono_literals;
using tuner::model::UsageError;

TEST_SUITE("config") {
  namespace {

  std::string mistakes_of(std::string_view spec) {
    const config::LoadedKernels loaded = spec_texts::load(spec);
    return config::diagnostics_text(loaded.mistakes, loaded.texts);
  }

  }  // namespace

  TEST_CASE("a size has eight dimensions at most") {
    CHECK(config::parse_sizes("1x2x3x4x5x6x7x8").at(0).size() == 8);
    CHECK_THROWS_AS(config::parse_sizes("1x2x3x4x5x6x7x8x9"), UsageError);
  }

  TEST_CASE("blanks around the numbers of sizes say nothing") {
    CHECK(config::parse_sizes(" 8 , 16 .. 32 , 4 x 5 ") == config::parse_sizes("8,16..32,4x5"));
  }

  TEST_CASE("a time of the device is no time of the clock, and trials are no time of the device") {
    const config::Budget of_device = config::parse_budget("20s-gpu");
    CHECK(of_device.device_time == 20s);
    CHECK(of_device.time == 0s);
    const config::Budget of_clock = config::parse_budget("20s");
    CHECK(of_clock.time == 20s);
    CHECK(of_clock.device_time == 0s);
    CHECK_THROWS_AS(config::parse_budget("500-gpu"), UsageError);
  }

  TEST_CASE("a number in a budget is as large as it may be, and no larger") {
    CHECK(config::parse_budget("1000000000").trials == 1'000'000'000);
    for (const char* text : {"1000000001", "99999999999999999999", "99999999999999999999s"}) {
      CAPTURE(text);
      CHECK_THROWS_WITH_AS(config::parse_budget(text), doctest::Contains("is too large"), UsageError);
    }
    CHECK(config::parse_budget("365d").time == 365 * 24h);
    CHECK_THROWS_WITH_AS(config::parse_budget("365d1s"), doctest::Contains("more than a year"), UsageError);
  }

  TEST_CASE("a share is given in per cent, from 0 to below 100") {
    CHECK(config::parse_share("1%") == 0.01);
    CHECK(config::parse_share("0%") == 0);
    CHECK_THROWS_AS(config::parse_share("100%"), UsageError);
    CHECK_THROWS_AS(config::parse_share("-1%"), UsageError);
    CHECK_THROWS_AS(config::parse_share("0.01"), UsageError);
  }

  TEST_CASE("a repository within another has no settings of the outer one") {
    const TemporaryFolder folder;
    folder.write(".git/HEAD", "");
    folder.write("tuner.toml", "");
    folder.write("inner/.git/HEAD", "");
    CHECK(config::find_project_file(folder.path()) == folder.path() / "tuner.toml");
    CHECK_FALSE(config::find_project_file(folder.path() / "inner"));
  }

  TEST_CASE("a vector is no type to add up in") {
    CHECK(mistakes_of(spec_texts::with("rounding_terms = 1", "rounding_terms = 1\naccumulate = \"double\""))
              .empty());
    CHECK(mistakes_of(spec_texts::with("rounding_terms = 1", "rounding_terms = 1\naccumulate = \"float4\""))
              .find("no type that rounds") != std::string::npos);
  }

  TEST_CASE("the default of a parameter may be what it has where it does not apply, and nothing unheard of") {
    constexpr std::string_view conditional =
        "BLOCK = [64, 128, 256]\nPAD_BY = { values = [1, 2], when = \"ORDER == 'up'\", otherwise = 7 }";
    const auto with_default = [&](const std::string& value) {
      std::string text = spec_texts::with("BLOCK = [64, 128, 256]", conditional);
      const std::string from = "{ BLOCK = 128 }";
      return mistakes_of(
          text.replace(text.find(from), from.size(), "{ BLOCK = 128, PAD_BY = " + value + " }"));
    };
    CHECK(with_default("2") == "");
    CHECK(with_default("7") == "");
    CHECK(with_default("3").find("does not offer 3") != std::string::npos);
  }

  TEST_CASE("an unknown key is a mistake in every table of a spec") {
    const auto check = [](std::string_view from, std::string_view to) {
      CAPTURE(std::string(to));
      const std::string mistakes = mistakes_of(spec_texts::with(from, to));
      CAPTURE(mistakes);
      CHECK(mistakes.find("unknown key \"strange\"") != std::string::npos);
    };
    check("constraints =", "strange = 1\nconstraints =");
    check("[kernel]", "[kernel]\nstrange = 1");
    check("deterministic = true",
          "deterministic = true\noptions = [{ option = \"-DX\", when = \"BLOCK == 64\", strange = 1 }]");
    check("BLOCK = [64, 128, 256]", "BLOCK = { values = [64, 128, 256], strange = 1 }");
    check("[launch]", "[launch]\nstrange = 1");
    check("[[arguments]]", "[[arguments]]\nstrange = 1");
    check("type = \"int\"", "type = \"int\"\nstrange = 1");
    check("[verify]", "[verify]\nstrange = 1");
    check("[verify.launch]", "[verify.launch]\nstrange = 1");
    check("rounding_terms = 1", "rounding_terms = 1\ntolerance = { absolute = 1, strange = 1 }");
    check("[metrics]", "[workload]\noperations = \"N\"\nstrange = 1\n[metrics]");
    check("[metrics]", "[[baseline]]\nname = \"b\"\nsource = \"k.cu\"\ncall = \"b\"\nstrange = 1\n[metrics]");
    check("[metrics]",
          "[generate]\nsource = \"k.cu\"\nstrange = 1\n[generate.launch]\nentry = \"g\"\nblock = 32\ngrid = "
          "1\narguments = [\"A\"]\n[metrics]");
  }
}
