#include <doctest/doctest.h>

#include "tests/e2e/user.hpp"

using tuner::test::has;
using tuner::test::User;

TEST_SUITE("tuner command line, help and settings") {
  TEST_CASE("every command has help that ends with 0 and goes to stdout") {
    const User user;
    for (const char* command : {"run", "best", "report", "list", "show", "compare", "check", "config",
                                "export", "import", "merge", "cache"}) {
      CAPTURE(command);
      const auto help = user.types({command, "--help"});
      CHECK(help.exit_code == 0);
      CHECK(has(help.out, command));
      CHECK(help.err.empty());
    }
    const auto all = user.types({"--help"});
    CHECK(all.exit_code == 0);
    CHECK_FALSE(has(all.out, "worker"));
    CHECK(has(user.types({"--version"}).out, "tuner "));
  }

  TEST_CASE(
      "settings come from the flag, then the environment, then the project, then the shipped defaults") {
    User user;
    tuner::test::write_text(user.home / "tuner.toml", "l2 = \"cold\"\nmeasure = \"quick\"\n");
    user.environment["TUNER_MEASURE"] = "thorough";
    const std::string shown = user.types({"config", "--seed", "42"}).out;
    const auto line = [&](const std::string& name) {
      const auto at = shown.find("\n" + name + " ");
      REQUIRE(at != std::string::npos);
      return shown.substr(at + 1, shown.find('\n', at + 1) - at - 1);
    };
    CHECK(has(line("seed"), "--seed"));
    CHECK(has(line("measure"), "thorough"));
    CHECK(has(line("measure"), "TUNER_MEASURE"));
    CHECK(has(line("l2"), "tuner.toml:1"));
    CHECK(has(line("strategy"), "default"));
  }

  TEST_CASE("a spec file replaces the shipped kernel of its name") {
    const User user;
    const std::string naive = std::string(TUNER_SOURCE_DIR) + "/kernels/matmul/naive.toml";
    const auto list = user.types({"list", "kernels", naive, "shared"});
    CHECK(list.exit_code == 0);
    CHECK(has(list.out, "naive "));
    CHECK(has(list.out, "shared "));
    CHECK_FALSE(has(list.out, "register_tile"));
  }

  TEST_CASE("the shipped kernels are listed with their parameters") {
    const User user;
    const auto list = user.types({"list", "kernels"});
    CHECK(list.exit_code == 0);
    for (const char* name : {"naive", "shared", "register_tile", "register_tile_2d"})
      CHECK(has(list.out, name));
  }
}
