#include "reports/text.hpp"

#include <doctest/doctest.h>

#include "tuner/util/text.hpp"

TEST_SUITE_BEGIN("reports");

TEST_CASE("text from outside cannot become Markdown markup, a table column or HTML") {
  CHECK(reports::markdown_text("a|b`c`*d*\n<script>&") == "a\\|b\\`c\\`\\*d\\* &lt;script&gt;&amp;");
  CHECK(reports::markdown_text("register_tile") == "register_tile");
  CHECK(reports::markdown_text("__global__") == "\\__global_\\_");
  CHECK(reports::markdown_text("~~gone~~ ~3.2") == "\\~\\~gone\\~\\~ ~3.2");
}

TEST_CASE("a code block's fence is longer than any inside it") {
  CHECK(reports::markdown_code_block("a\n````\nb") == "`````\na\n````\nb\n`````\n");
  CHECK(reports::markdown_code_block("plain\n") == "```\nplain\n```\n");
}

TEST_CASE("HTML text has no markup and no character that XML forbids") {
  CHECK(reports::html_text("<b a=\"1\">'&'\x01") == "&lt;b a=&quot;1&quot;&gt;&#39;&amp;&#39; ");
}

TEST_CASE("a CSV field is quoted where it must be and never a formula") {
  CHECK(reports::csv_text("plain") == "plain");
  CHECK(reports::csv_text("-") == "-");
  CHECK(reports::csv_text("a,\"b\"\nc") == "\"a,\"\"b\"\"\nc\"");
  CHECK(reports::csv_text("=cmd|' /C calc'!A0") == "'=cmd|' /C calc'!A0");
  CHECK(reports::csv_text("@SUM(1,2)") == "\"'@SUM(1,2)\"");
}

TEST_CASE("bytes that are not UTF-8 are replaced, one by one") {
  CHECK(tuner::util::valid_utf8("a\xFF\xC3(µ\xE2\x82") == "a\uFFFD\uFFFD(µ\uFFFD\uFFFD");
  CHECK(tuner::util::valid_utf8("\xC0\x80") == "\uFFFD\uFFFD");
  CHECK(tuner::util::valid_utf8("\xED\xA0\x80").find('\xED') == std::string::npos);
}

TEST_CASE("the first lines say how many more there were") {
  CHECK(reports::first_lines("a\nb\nc\nd", 2) == "a\nb\n… 2 more lines\n");
  CHECK(reports::first_lines("a\nb\n", 2) == "a\nb\n");
  CHECK(reports::first_lines("a\nb\nc\n", 2) == "a\nb\n… 1 more line\n");
}

TEST_CASE("a slug is a safe file name whatever it is made from") {
  CHECK(reports::slug("matmul GFLOP/s") == "matmul-gflop-s");
  CHECK(reports::slug("../../etc/passwd") == "etc-passwd");
  CHECK(reports::slug("\xFF/") == "chart");
}

TEST_SUITE_END();
