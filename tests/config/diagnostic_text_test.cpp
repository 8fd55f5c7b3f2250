#include <doctest/doctest.h>

#include <array>

#include "config/mistakes.hpp"
#include "tuner/util/text.hpp"

using tuner::model::Diagnostic;
using tuner::model::SourceText;

TEST_SUITE_BEGIN("config");

TEST_CASE("a diagnostic quotes its line with a caret below") {
  const std::array texts{SourceText{"k.toml", "first\nsorce = 1\r\nlast"}};
  CHECK(config::diagnostic_text({{"k.toml", 2, 1}, "unknown key \"sorce\"", "did you mean \"source\"?"},
                                texts) ==
        "k.toml:2:1: unknown key \"sorce\"\n"
        "    2 | sorce = 1\n"
        "      | ^\n"
        "  did you mean \"source\"?");
}

TEST_CASE("without a line, a file or a hint those are left out") {
  const std::array texts{SourceText{"k.toml", "first"}};
  CHECK(config::diagnostic_text({{"k.toml", 0, 0}, "does not exist", ""}, texts) == "k.toml: does not exist");
  CHECK(config::diagnostic_text({{"other", 1, 1}, "m", "h"}, texts) == "other:1:1: m\n  h");
  CHECK(config::diagnostic_text({{"k.toml", 9, 1}, "m", ""}, texts) == "k.toml:9:1: m");
}

TEST_CASE("the caret counts columns of the terminal, not bytes") {
  const std::array texts{SourceText{"k.toml", "é漢\tx = 1"}};
  CHECK(config::diagnostic_text({{"k.toml", 1, 4}, "m", ""}, texts) ==
        "k.toml:1:4: m\n"
        "    1 | é漢 x = 1\n"
        "      |     ^");
}

TEST_CASE("a long line is cut around the caret") {
  const std::array texts{SourceText{"k.toml", std::string(500, 'a') + "HERE" + std::string(500, 'b')}};
  const std::string text = config::diagnostic_text({{"k.toml", 1, 501}, "m", ""}, texts);
  const std::size_t quote = text.find("1 | ");
  const std::size_t here = text.find("HERE");
  REQUIRE(here != std::string::npos);
  const std::size_t line_end = text.find('\n', quote);
  const std::size_t caret = text.find('^');
  const std::size_t caret_line = text.rfind('\n', caret);
  // The ellipsis before the cut takes three bytes and one column.
  CHECK(caret - caret_line - 1 == here - text.rfind('\n', here) - 1 - 2);
  CHECK(line_end - quote < 180);
}

TEST_CASE("no line of a diagnostic is wider than the terminal, and the caret stays below its character") {
  const std::string source = std::string(100, 'a') + " = HERE" + std::string(100, 'b');
  const std::array texts{SourceText{"k.toml", source}};
  const std::string message = "a message of so many words that a narrow terminal takes several lines for it";
  for (const std::size_t columns : {30U, 40U, 80U, 120U}) {
    CAPTURE(columns);
    const std::string text = config::diagnostic_text({{"k.toml", 1, 104}, message, message}, texts, columns);
    std::string_view rest = text;
    std::size_t here = 0, caret = 1;
    while (!rest.empty()) {
      const std::string_view line = tuner::util::split_first(rest, "\n");
      CHECK(tuner::util::display_width(line) <= columns);
      if (line.find("HERE") < line.size())
        here = tuner::util::display_width(line.substr(0, line.find("HERE")));
      if (line.find('^') < line.size()) caret = line.find('^');
    }
    CHECK(here == caret);
  }
}

TEST_CASE("control characters never reach the terminal") {
  const std::array texts{SourceText{"k.toml", "\x1b[31mred"}};
  const std::string text = config::diagnostic_text({{"k.toml", 1, 1}, "m\x1b", "h\x1b"}, texts);
  CHECK(text.find('\x1b') == std::string::npos);
}

TEST_SUITE_END();
