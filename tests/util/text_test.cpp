#include "tuner/util/text.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>

using namespace tuner;

TEST_SUITE_BEGIN("util");

TEST_CASE("a word is found among others as a whole") {
  CHECK(util::has_word("ptx cubin c", "c"));
  CHECK(util::has_word("ptx cubin c", "ptx"));
  CHECK_FALSE(util::has_word("ptx cubin c", "cub"));
  CHECK_FALSE(util::has_word("ptx cubin c", "ptx cubin"));
  CHECK_FALSE(util::has_word("ptx  cubin", ""));
  CHECK_FALSE(util::has_word("", "c"));
}

TEST_CASE("one line for a terminal has no control characters and is elided between characters") {
  CHECK(util::one_line("a\x1b[31mb\r\nc") == "a [31mb  c");
  CHECK(util::one_line("abcdef", 6) == "abcdef");
  CHECK(util::one_line("abcdef", 5) == "abcd…");
  CHECK(util::one_line("漢字漢字", 5) == "漢字…");
  CHECK(util::one_line("abc", 0).empty());
  CHECK(util::display_width("µ×✗†") == 4);
  CHECK(util::display_width("漢e\u0301") == 3);
}

TEST_CASE("identifiers are cut where they can still be told apart, and not before people can read them") {
  CHECK(util::telling_length({"abcdef", "abcxyz", "q"}, 1) == 4);
  CHECK(util::telling_length({"abcdef", "abcxyz", "q"}, 5) == 5);
  CHECK(util::telling_length({"same", "same"}, 2) == 2);
  CHECK(util::telling_length({}, 7) == 7);
}

TEST_CASE("one thing is told in the singular, none and many in the plural") {
  CHECK(util::counted(0, "trial") == "0 trials");
  CHECK(util::counted(1, "launch") == "1 launch");
  CHECK(util::counted(2, "launch") == "2 launches");
  CHECK(util::counted(2, "binary") == "2 binaries");
  CHECK(util::counted(2, "process") == "2 processes");
}

TEST_CASE("a mistyped word is told from one that was never meant") {
  constexpr std::array<std::string_view, 4> words = {"BLOCK_SIZE", "TILE_M", "TILE_N", "x"};
  CHECK(util::nearest("BLOCK_SZIE", words) == "BLOCK_SIZE");  // two neighbours swapped
  CHECK(util::nearest("block_size", words) == "BLOCK_SIZE");
  CHECK(util::nearest("TILE_K", words) == "TILE_M");  // the first of equals
  CHECK(util::nearest("UNROLL", words).empty());
  CHECK(util::nearest("BLOCK", words) == "BLOCK_SIZE");  // the only one that begins so
  CHECK(util::nearest("TIL", words).empty());
  CHECK(util::nearest("BL", words).empty());
  CHECK(util::nearest("y", words).empty());
  CHECK(util::nearest("X", words) == "x");
  CHECK(util::nearest("xx", words) == "x");  // a letter too many
  CHECK(util::nearest(std::string(100'000, 'x'), words).empty());
  CHECK(util::did_you_mean("TILE_MM", words) == "did you mean `TILE_M`?");
  CHECK(util::did_you_mean("TILE_MM", words, '"') == "did you mean \"TILE_M\"?");
  CHECK(util::did_you_mean("UNROLL", words).empty());
}

TEST_CASE("a number is the whole text or none") {
  CHECK(util::parse_number<int>("42") == 42);
  CHECK(util::parse_number<int>("-1") == -1);
  CHECK_FALSE(util::parse_number<int>(" 42"));
  CHECK_FALSE(util::parse_number<int>("42x"));
  CHECK_FALSE(util::parse_number<int>("99999999999"));
  CHECK(util::parse_number<double>("1e3") == 1000);
  CHECK_FALSE(util::parse_number<double>("inf"));
}

TEST_CASE("a word for a shell comes back as it was") {
  CHECK(util::shell_quote("--sizes=512..4096") == "--sizes=512..4096");
  CHECK(util::shell_quote("") == "''");
  CHECK(util::shell_quote("it's $HOME") == "'it'\\''s $HOME'");
}

TEST_CASE("bytes that are not plain are percent-encoded, of UTF-8 each") {
  CHECK(util::percent_encoded("/home/a-b_c.d~/1") == "/home/a-b_c.d~/1");
  CHECK(util::percent_encoded("a b%?#\xC3\xA4") == "a%20b%25%3F%23%C3%A4");
  CHECK(util::percent_encoded("a:b", [](char c) { return c != ':'; }) == "a%3Ab");
}

TEST_SUITE_END();
