#include <doctest/doctest.h>

#include <string>

#include "config/source_tokens.hpp"

namespace {

std::string names(std::string_view text) {
  std::string all;
  for (const config::IncludeLine& include : config::include_lines(text)) all += include.name + " ";
  return all;
}

}  // namespace

TEST_SUITE_BEGIN("config");

TEST_CASE("includes in quotes are found, with their place") {
  const auto includes =
      config::include_lines("int a;\n#include \"one.cuh\"\n  #  include\t\"dir/two.cuh\"\n");
  REQUIRE(includes.size() == 2);
  CHECK(includes[0].name == "one.cuh");
  CHECK(includes[0].line == 2);
  CHECK(includes[0].column == 11);
  CHECK(includes[1].name == "dir/two.cuh");
  CHECK(includes[1].line == 3);
}

TEST_CASE("includes in angle brackets are told from those in quotes") {
  const auto includes = config::include_lines("#include <lib/a.h>\n# include \"b.h\"\n#include <open\n");
  REQUIRE(includes.size() == 2);
  CHECK(includes[0].name == "lib/a.h");
  CHECK(includes[0].bracketed);
  CHECK(includes[0].column == 11);
  CHECK_FALSE(includes[1].bracketed);
}

TEST_CASE("includes of macros and in comments are none") {
  CHECK(names("#include MACRO\n//#include \"b\"\n/*\n#include \"c\"\n*/\n#include \"d\"") == "d ");
  CHECK(names("/* one */ /* two\n#include \"a\"\n*/ int x; // /*\n#include \"b\"") == "b ");
  CHECK(names("const char* s = \"/*\";\n#include \"a\"\nint n = 1'000; /*\n#include \"b\"") == "a ");
  CHECK(names("#include \"\"\n#include \"open\n") == "");
}

TEST_SUITE_END();
