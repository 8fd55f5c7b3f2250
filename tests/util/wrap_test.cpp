#include <doctest/doctest.h>

#include <random>

#include "tuner/util/text.hpp"

using tuner::util::filled;
using tuner::util::wrapped;
using tuner::util::wrapped_command;
using tuner::util::wrapped_message;
using tuner::util::wrapped_text;

using Lines = std::vector<std::string>;

TEST_SUITE_BEGIN("util");

TEST_CASE("text is broken at blanks, and words only where they are wider than a line") {
  CHECK(wrapped("one two three", 7) == Lines{"one two", "three"});
  CHECK(wrapped("one two three", 80) == Lines{"one two three"});
  CHECK(wrapped("abcdefgh ij", 3) == Lines{"abc", "def", "gh", "ij"});
  CHECK(wrapped("µµµµ µµ", 4) == Lines{"µµµµ", "µµ"});
  CHECK(wrapped("", 10) == Lines{""});
  CHECK(wrapped("a  b", 10) == Lines{"a  b"});
  CHECK(wrapped("a  b", 3) == Lines{"a", "b"});
}

TEST_CASE("lines of the text stay lines, and what they begin with is kept") {
  CHECK(wrapped("a\n\n  b c", 4) == Lines{"a", "", "  b", "  c"});
  CHECK(wrapped_text("one two\nthree four\n", 6, 2) == "one\n  two\nthree\n  four\n");
  CHECK(wrapped_text("a\x1b[2Jb", 80) == "a [2Jb\n");
}

TEST_CASE("no line is wider than asked for, and no word is lost") {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    std::string text;
    std::string letters;
    const int words = 1 + static_cast<int>(random() % 12);
    for (int i = 0; i < words; ++i) {
      const std::string word(1 + random() % 14, static_cast<char>('a' + random() % 26));
      text += (i == 0 ? "" : " ") + word;
      letters += word;
    }
    const std::size_t columns = 1 + random() % 20;
    const std::size_t hanging = random() % 25;
    CAPTURE(text);
    CAPTURE(columns);
    CAPTURE(hanging);
    std::string found;
    const std::string whole = wrapped_text(text, columns, hanging);
    std::string_view rest = whole;
    while (!rest.empty()) {
      const std::string_view line = tuner::util::split_first(rest, "\n");
      CHECK(tuner::util::display_width(line) <= columns);
      for (const char c : line) {
        if (c != ' ') found += c;
      }
    }
    CHECK(found == letters);
  }
}

TEST_CASE("a paragraph is broken at blanks, and a line is as full as it can be") {
  CHECK(filled("one two three", 7) == Lines{"one two", "three"});
  CHECK(filled("one two three", 6) == Lines{"one", "two", "three"});
  CHECK(filled("  one \n two  ", 80) == Lines{"one two"});
  CHECK(filled("", 80) == Lines{""});
  CHECK(filled("µs µs µs", 5) == Lines{"µs µs", "µs"});
}

TEST_CASE("a word wider than a line is cut behind a mark that fits, or where the line ends") {
  CHECK(filled("a auto|always|never b", 12) == Lines{"a", "auto|always|", "never b"});
  CHECK(filled("abcdefgh", 3) == Lines{"abc", "def", "gh"});
  CHECK(filled("漢字漢字", 5) == Lines{"漢字", "漢字"});
  CHECK(filled("漢字", 1) == Lines{"漢", "字"});  // not even a letter fits, and it ends all the same
  CHECK(filled("ab", 0) == Lines{"a", "b"});
}

TEST_CASE("a command that is broken can still be pasted into a shell") {
  CHECK(wrapped_command("tuner run --budget 5m", 80) == Lines{"tuner run --budget 5m"});
  CHECK(wrapped_command("tuner run --budget 5m", 21) == Lines{"tuner run --budget 5m"});
  CHECK(wrapped_command("tuner run --budget 5m", 20) == Lines{"tuner run --budget \\", "  5m"});
  CHECK(wrapped_command("tuner run --budget 5m", 12) == Lines{"tuner run \\", "  --budget \\", "  5m"});
  CHECK(wrapped_command("tuner run", 3) == Lines{"tuner \\", "  run"});
}

TEST_CASE("a command is never broken inside quotes, where a break would be part of the word") {
  CHECK(wrapped_command("tuner best --where 'registers <= 64 and x'", 30) ==
        Lines{"tuner best --where \\", "  'registers <= 64 and x'"});
  CHECK(wrapped_command("a 'it'\\''s b' \"c d\" e\\ f", 4) ==
        Lines{"a \\", "  'it'\\''s b' \\", "  \"c d\" \\", "  e\\ f"});
}

TEST_CASE("of a message the first line is wrapped, with its words whole, and what stands below is kept") {
  CHECK(wrapped_message("one two three\n  a command that is longer\n", 7) ==
        "one two\n  three\n  a command that is longer\n");
  CHECK(wrapped_message("database: /a/long/path", 12) == "database:\n  /a/long/path\n");
  CHECK(wrapped_message("database: /a/path/longer/still", 12) == "database:\n  /a/path/longer/still\n");
  CHECK(wrapped_message("report:   x", 40) == "report:   x\n");
  CHECK(wrapped_message("  a hint of many words", 12) == "  a hint of\n    many\n    words\n");
  CHECK(wrapped_message("a\x1b[31m\n\tb", 40) == "a [31m\n b\n");
  CHECK(wrapped_message("", 10) == "\n");
}

TEST_CASE("a number keeps its unit") {
  CHECK(wrapped("at most all 95 %, or 4.4 µs", 15) == Lines{"at most all", "95 %, or 4.4 µs"});
  CHECK(wrapped("at most all 95 %, or 4.4 µs", 14) == Lines{"at most all", "95 %, or", "4.4 µs"});
  CHECK(wrapped("a 5 sizes b", 4) == Lines{"a 5", "size", "s b"});
  CHECK(wrapped("123 ms", 4) == Lines{"123", "ms"});
}
