#include "tuner/source/tokens.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

std::string names(std::string_view text) {
  std::string all;
  for (const tuner::source::IncludeLine& include : tuner::source::include_lines(text))
    all += include.name + " ";
  return all;
}

using tuner::source::tokens_of;

}  // namespace

TEST_SUITE_BEGIN("tuner::source");

TEST_CASE("includes in quotes are found, with their place") {
  const auto includes =
      tuner::source::include_lines("int a;\n#include \"one.cuh\"\n  #  include\t\"dir/two.cuh\"\n");
  REQUIRE(includes.size() == 2);
  CHECK(includes[0].name == "one.cuh");
  CHECK(includes[0].line == 2);
  CHECK(includes[0].column == 11);
  CHECK(includes[1].name == "dir/two.cuh");
  CHECK(includes[1].line == 3);
}

TEST_CASE("includes in angle brackets are told from those in quotes") {
  const auto includes =
      tuner::source::include_lines("#include <lib/a.h>\n# include \"b.h\"\n#include <open\n");
  REQUIRE(includes.size() == 2);
  CHECK(includes[0].name == "lib/a.h");
  CHECK(includes[0].bracketed);
  CHECK(includes[0].column == 11);
  CHECK_FALSE(includes[1].bracketed);
}

TEST_CASE("includes behind a condition are told from those that are always made") {
  const auto includes = tuner::source::include_lines(
      "#pragma once\n#include <a>\n#if A\n#include <b>\n#ifdef B\n# endif\n#else\n#include <c>\n# endif\n"
      "#include <d>\n");
  std::string always;
  for (const auto& include : includes)
    if (include.always) always += include.name;
  CHECK(includes.size() == 4);
  CHECK(always == "ad");
}

TEST_CASE("includes of macros and in comments are none") {
  CHECK(names("#include MACRO\n//#include \"b\"\n/*\n#include \"c\"\n*/\n#include \"d\"") == "d ");
  CHECK(names("/* one */ /* two\n#include \"a\"\n*/ int x; // /*\n#include \"b\"") == "b ");
  CHECK(names("const char* s = \"/*\";\n#include \"a\"\nint n = 1'000; /*\n#include \"b\"") == "a ");
  CHECK(names("#include \"\"\n#include \"open\n") == "");
}

TEST_CASE("numbers, strings and continued lines are one token each, and directives end with their line") {
  const auto texts = [](const std::string& source) {
    std::vector<std::string> all;
    for (const auto& token : tokens_of(source)) all.emplace_back(token.text);
    return all;
  };
  using Texts = std::vector<std::string>;
  CHECK(texts("1.5e+3f-x") == Texts{"1.5e+3f", "-", "x"});
  CHECK(texts("0x1p-3 1'000 2+3") == Texts{"0x1p-3", "1'000", "2", "+", "3"});
  CHECK(texts(R"("a\"b" 'c' d)") == Texts{R"("a\"b")", "'c'", "d"});
  CHECK(texts("R\"x(a)\" )x\" b") == Texts{"R\"x(a)\" )x\"", "b"});
  CHECK(texts("a // b \\\n c\nd /* e */ f") == Texts{"a", "d", "f"});
  CHECK(texts("a /* b") == Texts{"a"});
  const auto tokens = tokens_of("#define A \\\n b\nc\n");
  REQUIRE(tokens.size() == 5);
  CHECK(tokens[3].text == "b");
  CHECK(tokens[3].in_directive);
  CHECK_FALSE(tokens[3].starts_line);
  CHECK_FALSE(tokens[4].in_directive);
  CHECK(tokens[4].starts_line);
}

TEST_CASE("any text gives tokens that lie in it, in order") {
  const std::string pieces = "\"'\\/*R(){};#\n<a1.eE+__shared__ extern [];";
  unsigned state = 1;
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 60; ++i) {
      state = state * 1664525U + 1013904223U;
      text += pieces.substr((state >> 16U) % pieces.size(), 1 + (state >> 8U) % 3 * 5);
    }
    std::size_t end = 0;
    for (const auto& token : tokens_of(text)) {
      REQUIRE(token.offset >= end);
      end = token.offset + token.text.size();
      REQUIRE(end <= text.size());
    }
  }
}

TEST_CASE("quotes that nobody closes end with their line, a directive's too") {
  const auto tokens = tokens_of("#error don't\nint x;");
  REQUIRE(tokens.size() == 7);
  CHECK(tokens[2].text == "don");
  CHECK_FALSE(tokens[3].text.empty());
  CHECK(tokens[4].text == "int");
  CHECK_FALSE(tokens[4].in_directive);
  CHECK(tokens[4].line == 2);
}

TEST_CASE("directives have a name, the tokens behind it and their text") {
  const auto lines =
      tuner::source::lines_of("int a;\n#  define B(x) \\\n  x + 1  // one\nint c = B(2);\n#\n# 7 \"f\"\n");
  REQUIRE(lines.directives.size() == 3);
  CHECK(lines.directives[0].name == "define");
  CHECK(lines.directives[0].tokens.front().text == "B");
  CHECK(lines.directives[0].text == "#  define B(x) \\\n  x + 1");
  CHECK(lines.directives[0].line == 2);
  CHECK(lines.directives[1].name.empty());
  CHECK(lines.directives[1].tokens.empty());
  CHECK(lines.directives[2].tokens.size() == 2);
  CHECK(lines.code.size() == 11);
}

TEST_SUITE_END();
