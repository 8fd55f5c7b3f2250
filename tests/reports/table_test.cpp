#include "reports/table.hpp"

#include <doctest/doctest.h>

#include "tuner/model/error.hpp"

TEST_SUITE_BEGIN("reports");

TEST_CASE("columns are aligned by what is seen, not by bytes") {
  reports::Table table({{"size", reports::Align::right}, {"time"}});
  table.add_row({"8", "6.5 µs"});
  table.add_row({"1024", "✗"});
  CHECK(table.plain() ==
        "size  time\n"
        "────  ──────\n"
        "   8  6.5 µs\n"
        "1024  ✗\n");
  CHECK(table.markdown() ==
        "| size | time   |\n"
        "|-----:|--------|\n"
        "|    8 | 6.5 µs |\n"
        "| 1024 | ✗      |\n");
}

TEST_CASE("a cell cannot add a column, a row or an escape sequence") {
  reports::Table table({{"a|b"}, {"c"}});
  table.add_row({"x|y\n| z |", "\x1b[2J"});
  CHECK(table.markdown() ==
        "| a\\|b         | c     |\n"
        "|--------------|-------|\n"
        "| x\\|y \\| z \\| |  \\[2J |\n");
  CHECK(table.plain().find('\x1b') == std::string::npos);
}

TEST_CASE("a short row is filled up, a long one is a mistake of the caller") {
  reports::Table table({{"a"}, {"b"}});
  table.add_row({"1"});
  CHECK(table.rows()[0].size() == 2);
  CHECK_THROWS_AS(table.add_row({"1", "2", "3"}), tuner::model::Error);
}

TEST_SUITE_END();
