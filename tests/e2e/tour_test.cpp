// The kernel of the tour in docs/kernel-specs.md, as it is printed there.
#include <doctest/doctest.h>

#include <fstream>

#include "tests/e2e/user.hpp"

using tuner::test::has;
using tuner::test::User;
using tuner::test::words_of;

TEST_SUITE("tuner command line, tour") {
  namespace {

  /// The blocks of code between two headings, in order, without their fences.
  std::vector<std::string> blocks(const std::string& text, const std::string& from, const std::string& to) {
    std::vector<std::string> found;
    const std::size_t end = text.find(to);
    REQUIRE(end != std::string::npos);
    std::size_t at = text.find(from);
    while ((at = text.find("\n```", at)) < end) {
      const std::size_t begin = text.find('\n', at + 1) + 1;
      const std::size_t close = text.find("```", begin);
      found.push_back(text.substr(begin, close - begin));
      at = close + 2;
    }
    return found;
  }

  }  // namespace

  TEST_CASE("the tour's kernel is sound, and tuned whole on the CPU") {
    const User user;
    const std::string document = tuner::test::read_text(TUNER_SOURCE_DIR "/docs/kernel-specs.md");
    const std::vector<std::string> printed = blocks(document, "\n## A tour", "\n## Reference");
    REQUIRE(printed.size() == 4);  // source, spec, reference, commands
    std::ofstream(user.home / "scale.cu") << printed[0];
    std::ofstream(user.home / "scale.toml") << printed[1];
    std::ofstream(user.home / "scale_reference.cu") << printed[2];
    CHECK(has(printed[3], "tuner check scale.toml"));
    const auto check = user.types({"check", "scale.toml", "--device", "cpu"});
    CHECK_MESSAGE(check.exit_code == 0, check.out, check.err);
    const std::string run = "run --kernel scale.toml --sizes 100000 --device cpu";
    CHECK(has(printed[3], "tuner " + run));
    const auto result = user.types({"run", "--kernel", "scale.toml", "--sizes", "100000", "--device", "cpu"});
    CHECK_MESSAGE(result.exit_code == 0, result.out, result.err);
    CHECK(has(words_of(result.out), "searched whole: all 11"));
  }
}
