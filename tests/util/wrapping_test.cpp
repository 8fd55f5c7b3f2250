#include "tuner/util/wrapping.hpp"

#include <doctest/doctest.h>

#include "tuner/util/text.hpp"

using namespace tuner;
using Lines = std::vector<std::string>;

TEST_CASE("a text is broken at blanks, and a line is as full as it can be") {
  CHECK(util::wrapped("one two three", 7) == Lines{"one two", "three"});
  CHECK(util::wrapped("one two three", 6) == Lines{"one", "two", "three"});
  CHECK(util::wrapped("  one \n two  ", 80) == Lines{"one two"});
  CHECK(util::wrapped("", 80) == Lines{""});
  CHECK(util::wrapped("µs µs µs", 5) == Lines{"µs µs", "µs"});
}

TEST_CASE("a word wider than a line is cut behind a mark that fits, or where the line ends") {
  CHECK(util::wrapped("a auto|always|never b", 12) == Lines{"a", "auto|always|", "never b"});
  CHECK(util::wrapped("abcdefgh", 3) == Lines{"abc", "def", "gh"});
  CHECK(util::wrapped("漢字漢字", 5) == Lines{"漢字", "漢字"});
  CHECK(util::wrapped("漢字", 1) == Lines{"漢", "字"});  // not even a letter fits, and it ends all the same
  CHECK(util::wrapped("ab", 0) == Lines{"a", "b"});
}

TEST_CASE("a command that is broken can still be pasted into a shell") {
  CHECK(util::wrapped_command("tuner run --budget 5m", 80) == Lines{"tuner run --budget 5m"});
  CHECK(util::wrapped_command("tuner run --budget 5m", 21) == Lines{"tuner run --budget 5m"});
  CHECK(util::wrapped_command("tuner run --budget 5m", 20) == Lines{"tuner run --budget \\", "  5m"});
  CHECK(util::wrapped_command("tuner run --budget 5m", 12) == Lines{"tuner run \\", "  --budget \\", "  5m"});
  CHECK(util::wrapped_command("tuner run", 3) == Lines{"tuner \\", "  run"});
}
