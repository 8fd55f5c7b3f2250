// Where a mistake can be planted, and what the source is with it.
#include "tests/mutants/sites.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

std::vector<std::string> mutants_of(std::string_view text, bool is_sql = false) {
  std::vector<std::string> all;
  for (const mutants::Site& site : mutants::sites_of(text, is_sql))
    all.push_back(mutants::mutated(text, site));
  return all;
}

}  // namespace

TEST_SUITE("mutants") {
  TEST_CASE("a comparison and a connective are sites, each by itself") {
    CHECK(mutants_of("  if (a < b && c) {") ==
          std::vector<std::string>{"  if (a <= b && c) {", "  if (a < b || c) {"});
  }

  TEST_CASE("a call that is a whole line can be missing, a return cannot") {
    CHECK(mutants_of("  m_rows.clear();\n") == std::vector<std::string>{"  \n"});
    CHECK(mutants_of("  count += x;\n") == std::vector<std::string>{"  \n", "  count -= x;\n"});
    CHECK(mutants_of("  return f(x);\n").empty());
    CHECK(mutants_of("  const int a = f(x);\n").empty());
  }

  TEST_CASE("comments, strings, preprocessor lines and what is compiled away have no sites") {
    CHECK(mutants_of("// a < b\n").empty());
    CHECK(mutants_of("  f(\"a < b\",\n").empty());
    CHECK(mutants_of("  f(R\"(a < b)\",\n").empty());
    CHECK(mutants_of("#if A < B && C\n").empty());
    CHECK(mutants_of("static_assert(a < b);\n").empty());
    CHECK(mutants_of("  std::map<int, T&&> x;\n").empty());
    CHECK(mutants_of("  const int n = 1'000'000;\n  if (n < m)\n").size() == 1);
  }

  TEST_CASE("SQL has sites of its own") {
    CHECK(mutants_of("WHERE a < 1 -- b < 2\n", true) == std::vector<std::string>{"WHERE a <= 1 -- b < 2\n"});
    CHECK(mutants_of("ORDER BY t DESC\n", true) == std::vector<std::string>{"ORDER BY t ASC\n"});
  }

  TEST_CASE("a mutation is told by its line, before and after") {
    const std::string text = "int x;\n  if (a < b) f();\n";
    const auto sites = mutants::sites_of(text, false);
    REQUIRE(sites.size() == 1);
    CHECK(mutants::line_of(text, sites[0]) == "2: if (a < b) f();  ->  if (a <= b) f();");
  }
}
