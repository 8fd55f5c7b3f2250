// What a list of mutations says.
#include "tests/mutants/list.hpp"

#include <doctest/doctest.h>

#include "tuner/model/error.hpp"

TEST_SUITE("mutants") {
  TEST_CASE("a list says the file and the test once for the mutations below them") {
    const auto read = mutants::read_list(
        "# of the final\nfile a.cpp\ntest a_test x.cpp y.cpp\n\n"
        "first-one\n  - a < b\n  + a > b\n\n"
        "second-one\n  after void f(\n  - g();\n  - h();\n  test b_test\n  case says, always\n\n"
        "third-one\n  - x\n  + y\n  equivalent: z decides\n",
        "room");
    REQUIRE(read.size() == 3);
    CHECK(read[0].file == "a.cpp");
    CHECK(read[0].program == "a_test");
    CHECK(read[0].test_files == "x.cpp y.cpp");
    CHECK(read[0].original == "a < b");
    CHECK(read[0].replacement == "a > b");
    CHECK(read[1].after == "void f(");
    CHECK(read[1].original == "g();\nh();");
    CHECK(read[1].replacement.empty());
    CHECK(read[1].program == "b_test");
    CHECK(read[1].test_files.empty());
    CHECK(read[1].test_case == "says, always");
    CHECK(read[2].program == "a_test");
    CHECK(read[2].test_case.empty());
    CHECK(read[2].equivalent == "z decides");
    CHECK(read[2].line == 16);
  }

  TEST_CASE("a mutation that changes nothing, or says no test, is refused with its line") {
    const auto message = [](const char* text) -> std::string {
      try {
        mutants::read_list(text, "room");
      } catch (const tuner::model::Error& error) {
        return error.what();
      }
      return "";
    };
    CHECK(message("file a.cpp\ntest t\nsome-name\n - x\n + x\n") ==
          "tests/mutants/room.txt:3: it changes nothing");
    CHECK(message("file a.cpp\nsome-name\n - x\n + y\n") == "tests/mutants/room.txt:2: it says no test");
    CHECK(message("file a.cpp\ntest t\nsome-name\n * x\n") ==
          "tests/mutants/room.txt:4: `*` is no part of a mutation");
    CHECK(message("flie a.cpp\n").find("`flie a.cpp` is neither") != std::string::npos);
  }
}
