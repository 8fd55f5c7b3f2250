#include <doctest/doctest.h>

#include "tuner/compile/compiler.hpp"
#include "tuner/model/error.hpp"

using tuner::compile::tidy_log;

TEST_SUITE_BEGIN("tuner::compile log text");

TEST_CASE("a plain log stays as it is, but for white space at its end") {
  CHECK(tidy_log("main.cu(3): error\n\tx\n\n  ") == "main.cu(3): error\n\tx");
  CHECK(tidy_log("") == "");
  CHECK(tidy_log("\n\n") == "");
  CHECK(tidy_log("größer ≥ 𝛼") == "größer ≥ 𝛼");
}

TEST_CASE("what is not UTF-8 is replaced") {
  CHECK(tidy_log("a\xFF z") == "a\xEF\xBF\xBD z");
  CHECK(tidy_log("\xC0\xAF") == "\xEF\xBF\xBD\xEF\xBF\xBD");  // overlong
  CHECK(tidy_log("\xE0\x9F\xBF").size() == 9);                // likewise
  CHECK(tidy_log("\xED\xA0\x80") == "\xEF\xBF\xBD");          // surrogate
  CHECK(tidy_log("\xE2\x82") == "\xEF\xBF\xBD\xEF\xBF\xBD");  // cut short
  CHECK(tidy_log("\xF4\x90\x80\x80").size() == 12);           // beyond U+10FFFF
}

TEST_CASE("control characters cannot play with a terminal") {
  CHECK(tidy_log("a\x1b[31mb\x7f") == "a [31mb");
  CHECK(tidy_log("one\r\ntwo") == "one\ntwo");
  CHECK(tidy_log(std::string_view("a\0b", 3)) == "a b");
}

TEST_CASE("a long log keeps its first and its last lines and says how much is gone") {
  std::string raw = "first error\n";
  for (int i = 0; i < 5000; ++i) raw += "line " + std::to_string(i) + "\n";
  raw += "5000 errors detected";
  const std::string log = tidy_log(raw, 1000);
  CHECK(log.size() < 1100);
  CHECK(log.rfind("first error\n", 0) == 0);
  CHECK(log.find("5000 errors detected") == log.size() - 20);
  const std::size_t note = log.find("[... ");
  REQUIRE(note != std::string::npos);
  const std::size_t kept = log.size() - std::string("\n[... 12345 bytes left out ...]\n").size();
  const long long left_out = std::stoll(log.substr(note + 5));
  CHECK(left_out + static_cast<long long>(kept) >= static_cast<long long>(raw.size()) - 2);
  CHECK(left_out + static_cast<long long>(kept) <= static_cast<long long>(raw.size()) + 2);
}

TEST_CASE("a long log of one line is cut between characters") {
  std::string raw;
  for (int i = 0; i < 4000; ++i) raw += "ü";
  const std::string log = tidy_log(raw, 1001);
  CHECK(log.find("\xEF\xBF\xBD") == std::string::npos);
  CHECK(log.size() < 1100);
  CHECK(tidy_log(log) == log);
}

TEST_CASE("a compiler that was killed, or lacked memory or room on a disk, says nothing of its source") {
  using tuner::compile::compiler_died;
  CHECK(
      compiler_died("g++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\n"));
  CHECK(compiler_died("collect2: fatal error: ld terminated with signal 9 [Killed]\n"));
  CHECK(compiler_died("clang: error: linker command failed due to signal (use -v to see invocation)\n"));
  CHECK(compiler_died(
      "clang: error: clang frontend command failed with exit code 139 (use -v to see invocation)\n"));
  CHECK_FALSE(
      compiler_died("clang: error: linker command failed with exit code 1 (use -v to see invocation)\n"));
  CHECK(compiler_died("k.cu(1): catastrophic error: out of memory\n\n1 catastrophic error detected"));
  CHECK(compiler_died("\ncc1plus: out of memory allocating 65536 bytes after a total of 1 bytes\n"));
  CHECK_FALSE(compiler_died("k.cu:1:1: error: static assertion failed: the tile is out of memory\n"));
  CHECK_THROWS_WITH_AS(compiler_died("/usr/bin/ld: final link failed: No space left on device\n"),
                       "a compiler cannot write its files: No space left on device", tuner::model::Error);
}

TEST_CASE("the first error comes first, and nothing is lost") {
  using tuner::compile::error_first;
  const std::string gcc =
      "In file included from a.h:1,\n                 from k.cu:2:\nb.h:3:1: error: no\n  3 | x\n";
  CHECK(error_first(gcc) ==
        "b.h:3:1: error: no\nIn file included from a.h:1,\n                 from k.cu:2:\n  3 | x\n");
  CHECK(error_first("k.cu(1): warning #1: w\nmap(2): error: a\nk.cu(3): error: b", "map(") ==
        "k.cu(3): error: b\nk.cu(1): warning #1: w\nmap(2): error: a\n");
  CHECK(error_first("only: note\n") == "only: note\n");
  CHECK(error_first("") == "");
  CHECK(error_first("k.cu:1:1: fatal error: x") == "k.cu:1:1: fatal error: x");
}

TEST_CASE("what a log says in one line is its error, and no note") {
  using tuner::compile::gist;
  CHECK(gist("note: options left out on the CPU: -arch\nk.cu(3): error: b\nmore") == "k.cu(3): error: b");
  CHECK(gist("note: options left out on the CPU: -arch\ncc1plus: killed\n") == "cc1plus: killed");
  CHECK(gist("k.cu:3: note: declared here\n\nptxas fatal : out of it") == "ptxas fatal : out of it");
  CHECK(gist("note: nothing else") == "note: nothing else");
  CHECK(gist("") == "");
}

TEST_SUITE_END();
