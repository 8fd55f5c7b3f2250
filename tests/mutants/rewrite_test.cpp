// Where a mutation's place is, and what is made of it.
#include "tests/mutants/rewrite.hpp"

#include <doctest/doctest.h>

#include "tests/mutants/is_on.hpp"
#include "tuner/model/error.hpp"

namespace {

mutants::Mutation mutation(std::string file, std::string original, std::string replacement) {
  mutants::Mutation result;
  result.name = "some-name";
  result.room = "room";
  result.file = std::move(file);
  result.original = std::move(original);
  result.replacement = std::move(replacement);
  return result;
}

bool is_refused(std::string_view text, const mutants::Mutation& one) {
  try {
    mutants::find_place(text, one);
  } catch (const tuner::model::Error& error) {
    return std::string_view(error.what()).find("some-name") != std::string_view::npos;
  }
  return false;
}

/// Behind the lines that include what chooses.
std::string body(const std::string& text) {
  return text.substr(text.find("#endif\n") + 7);
}

}  // namespace

TEST_SUITE("mutants") {
  TEST_CASE("a text that is there twice, or no more, is refused by the mutation's name") {
    auto one = mutation("a.cpp", "a < b", "a > b");
    CHECK(is_refused("if (a < b) f(); if (a < b) g();", one));
    CHECK(is_refused("if (a <= b) f();", one));
    one.after = "f();";
    const std::string_view text = "if (a < b) f(); if (a < b) g();";
    CHECK(mutants::find_place(text, one).begin == text.rfind("a < b"));
    one.after = "h();";
    CHECK(is_refused(text, one));
  }

  TEST_CASE("line breaks of the source are nothing to a mutation") {
    const std::string_view text = "f(a <\n      b);";
    const mutants::Place place = mutants::find_place(text, mutation("a.cpp", "a < b", "a > b"));
    CHECK(text.substr(place.begin, place.end - place.begin) == "a <\n      b");
  }

  TEST_CASE("expressions become a choice of values, statements of branches") {
    const unsigned number = mutants::number_of("some-name");
    const auto made = [](std::string_view text, const mutants::Mutation& one) {
      return body(mutants::with_choices(text, {&one}));
    };
    CHECK(made("return a < b;", mutation("a.cpp", "a < b", "a > b")) ==
          "return (TUNER_MUTANT(" + std::to_string(number) + "U) ? (a > b) : (a < b));");
    CHECK(made("if (x) f();\n", mutation("a.cpp", "f();", "")) ==
          "if (x) if (TUNER_MUTANT(" + std::to_string(number) + "U)) {  } else { f(); }\n");
  }

  TEST_CASE("an embedded text is as it was, until its mutant is named") {
    const auto one = mutation("a.sql", "best = 1", "best = 0");
    const std::string text = mutants::with_choices("SELECT x WHERE best = 1;", {&one});
    CHECK(text.find("best = 0") != std::string::npos);
    CHECK(mutants::chosen(text) == "SELECT x WHERE best = 1;");
  }

  TEST_CASE("mutations do not lie within each other") {
    const auto outer = mutation("a.cpp", "a < b && c", "c");
    const auto inner = mutation("a.cpp", "a < b", "a > b");
    CHECK_THROWS_AS(mutants::with_choices("if (a < b && c) f();", {&outer, &inner}), tuner::model::Error);
  }

  TEST_CASE("a mutation is shown as a diff with three lines around it") {
    const std::string text = "1\n2\n3\n4\nif (a < b)\n  f();\n7\n8\n9\n10\n";
    CHECK(
        mutants::diff_of(text, mutation("a.cpp", "a < b", "a > b")) ==
        "--- a/a.cpp\n+++ b/a.cpp\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-if (a < b)\n+if (a > b)\n   f();\n 7\n 8\n");
  }
}
