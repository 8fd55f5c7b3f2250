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

namespace {

reports::Table two_rows() {
  reports::Table table({{"size", reports::Align::right},
                        {"configuration", reports::Align::left, true},
                        {"nothing"},
                        {"time", reports::Align::right}});
  table.add_row({"512", "TILE_M=32 TILE_N=64 TILE_K=8", "", "8.5 µs"});
  table.add_row({"4096", "TILE_M=128", "", "2.4 ms"});
  return table;
}

}  // namespace

TEST_CASE("a table that fits a terminal is one, without the columns that are empty") {
  const reports::Table table = two_rows();
  CHECK(table.width() == 42);
  CHECK(table.fitted(42) ==
        "size  configuration                   time\n"
        "────  ────────────────────────────  ──────\n"
        " 512  TILE_M=32 TILE_N=64 TILE_K=8  8.5 µs\n"
        "4096  TILE_M=128                    2.4 ms\n");
}

TEST_CASE("where a table is too wide the cells that may wrap are broken over lines") {
  CHECK(two_rows().fitted(33) ==
        "size  configuration          time\n"
        "────  ───────────────────  ──────\n"
        " 512  TILE_M=32 TILE_N=64  8.5 µs\n"
        "      TILE_K=8\n"
        "4096  TILE_M=128           2.4 ms\n");
}

TEST_CASE("where that is too wide each row is a block of headings and values") {
  CHECK(two_rows().fitted(28) ==
        "512\n"
        "  configuration  TILE_M=32\n"
        "                 TILE_N=64\n"
        "                 TILE_K=8\n"
        "  time           8.5 µs\n"
        "\n"
        "4096\n"
        "  configuration  TILE_M=128\n"
        "  time           2.4 ms\n");
}

TEST_CASE("where there is no room for all columns the least important go, and are named") {
  reports::Table table({{"size", reports::Align::right},
                        {"kernel", reports::Align::left, false, 2},
                        {"time", reports::Align::right},
                        {"tied", reports::Align::right, false, 1}});
  table.add_row({"512", "register_tile", "8.5 µs", "0"});
  table.add_row({"4096", "sgemm", "2.4 ms", "3"});
  CHECK(table.fitted(33).find("not shown") == std::string::npos);
  CHECK(table.fitted(32, "--format json") ==
        "size  kernel           time\n"
        "────  ─────────────  ──────\n"
        " 512  register_tile  8.5 µs\n"
        "4096  sgemm          2.4 ms\n"
        "columns not shown: tied (33\n"
        "  columns or --format json show\n"
        "  all)\n");
  CHECK(table.fitted(20).starts_with("size    time\n────  ──────\n 512  8.5 µs\n4096  2.4 ms\ncolumns"));
  CHECK(table.fitted(20).find("kernel,") != std::string::npos);
}

TEST_CASE("a column that wraps stays readable as long as another can be left out") {
  reports::Table table(
      {{"kernel"}, {"types", reports::Align::left, true, 1}, {"description", reports::Align::left, true}});
  table.add_row({"naive", "float, double, int, half and some more", "one thread per element of the output"});
  CHECK(table.fitted(66).find("types") < table.fitted(66).find('\n'));
  CHECK(table.fitted(65).find("types") > table.fitted(65).find('\n'));
}

TEST_CASE("as CSV a table has every column, and cells that cannot break out") {
  reports::Table table({{"kernel"}, {"reason", reports::Align::left, true, 1}});
  table.add_row({"a,b", "say \"no\""});
  CHECK(table.csv() == "kernel,reason\r\n\"a,b\",\"say \"\"no\"\"\"\r\n");
}

TEST_CASE("a block whose first column has neither heading nor cells has no title") {
  reports::Table table({{""}, {"a"}, {"b"}});
  table.add_row({"", "1", "2"});
  CHECK(table.blocks(40) == "  a  1\n  b  2\n");
}

TEST_CASE("in a block a wide name stands above its value, and leaves room to those of others") {
  reports::Table table({{""}, {"registers"}, {"smsp__thread_inst_executed.sum"}});
  table.add_row({"", "231 a thread of the first kernel", "1004728"});
  CHECK(table.blocks(40) ==
        "  registers  231 a thread of the first\n             kernel\n"
        "  smsp__thread_inst_executed.sum\n             1004728\n");
}

TEST_CASE("a table has colours where a cell means something, and the same words and places without them") {
  reports::Table table(
      {{"size", reports::Align::right}, {"status"}, {"× cuBLAS", reports::Align::right}, {"A is"}, {"note"}});
  table.add_row({"512", "ok", "1.24", "faster", "ok"});
  table.add_row({"1024", "wrong_result", "~0.97 (0.96–0.98)", "slower", ""});
  table.add_row({"2048", "dropped", "1.00", "tied", ""});
  const std::string shown = table.fitted({80, true});
  CHECK(shown.starts_with("\x1b[1msize\x1b[0m  \x1b[1mstatus"));
  CHECK(shown.find("\n 512  \x1b[32mok\x1b[0m  ") != std::string::npos);
  CHECK(shown.find("\x1b[32m1.24\x1b[0m  \x1b[32mfaster\x1b[0m  ok\n") != std::string::npos);
  CHECK(
      shown.find("\x1b[31mwrong_result\x1b[0m  \x1b[31m~0.97 (0.96–0.98)\x1b[0m  \x1b[31mslower\x1b[0m\n") !=
      std::string::npos);
  CHECK(shown.find("\x1b[33mdropped\x1b[0m                    1.00  \x1b[33mtied\x1b[0m\n") !=
        std::string::npos);
  std::string plain = shown;
  for (std::size_t at = 0; (at = plain.find('\x1b')) != std::string::npos;)
    plain.erase(at, plain.find('m', at) + 1 - at);
  CHECK(plain == table.fitted(80));
}

TEST_CASE("a table that names its rows has colours by these names, as a block has") {
  reports::Table table({{""}, {"A 123"}, {"B 456"}});
  table.add_row({"status", "ok", "crashed"});
  CHECK(table.fitted({80, true}).find("\nstatus  \x1b[32mok\x1b[0m     \x1b[31mcrashed\x1b[0m\n") !=
        std::string::npos);
  reports::Table facts({{""}, {"status"}, {"tied"}, {"median"}});
  facts.add_row({"", "timeout", "with 3", "2 µs unverified"});
  CHECK(facts.blocks({80, true}) ==
        "  status  \x1b[31mtimeout\x1b[0m\n  tied    \x1b[33mwith 3\x1b[0m\n  median  \x1b[33m2 µs "
        "unverified\x1b[0m\n");
}

TEST_CASE("an empty table fits anywhere") {
  CHECK(reports::Table({{"a"}}).fitted(10).empty());
}
