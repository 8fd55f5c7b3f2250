#include "reports/layout.hpp"

#include <doctest/doctest.h>

#include "tests/reports/sample.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/golden.hpp"

using namespace tests;
using model::TrialStatus;
using model::Value;
using reports::Axis;

namespace {

/// A kernel with a two-dimensional block and one with a single parameter, in two partitions, 16 to 64.
std::vector<model::TrialRecord> block_trials() {
  std::vector<model::TrialRecord> trials;
  for (const std::int64_t size : {16, 32, 64}) {
    for (const std::int64_t block : {8, 16, 32}) {
      for (const char* partition : {"row", "column"}) {
        const double ns = static_cast<double>(size * size * 10 + block) * (partition[0] == 'r' ? 1 : 3);
        trials.push_back(measured("naive",
                                  {{"BLOCK_X", block}, {"BLOCK_Y", block}, {"PARTITION", Value(partition)}},
                                  cube(size), ns));
        trials.push_back(
            measured("shared", {{"BLOCK_SIZE", block}, {"PARTITION", Value(partition)}}, cube(size), ns / 2));
      }
    }
  }
  return trials;
}

Axis blocks() {
  Axis axis{.kind = Axis::Kind::choice, .heading = "block", .parameters = {}, .choices = {}};
  for (const std::int64_t b : {8, 16, 32}) {
    axis.choices.push_back(
        {std::to_string(b) + "²", "", {{"BLOCK_SIZE", b}, {"BLOCK_X", b}, {"BLOCK_Y", b}}});
  }
  return axis;
}

Axis sizes() {
  return {.kind = Axis::Kind::size, .heading = "N", .parameters = {}, .choices = {}};
}
Axis kernels() {
  return {.kind = Axis::Kind::kernel, .heading = {}, .parameters = {}, .choices = {}};
}

/// Size × block in GFLOP/s, `NA` where a block exceeds the matrix.
reports::TableLayout size_by_block() {
  reports::TableLayout layout;
  layout.title = "naive";
  layout.filter.kernels = {"naive"};
  layout.filter.fixed = {{"PARTITION", Value("row")}};
  layout.rows = {sizes()};
  layout.columns = {
      {.kind = Axis::Kind::parameter, .heading = {}, .parameters = {"BLOCK_X", "BLOCK_Y"}, .choices = {}}};
  layout.cell = {"GFLOP/s", "", 1};
  layout.not_applicable = {{"BLOCK_X", "N"}, {"BLOCK_Y", "M"}};
  return layout;
}

std::string markdown_of(const reports::TableLayout& table, const std::vector<model::TrialRecord>& trials) {
  reports::Layout layout;
  layout.tables = {table};
  reports::ReportInput input;
  input.trials = trials;
  return reports::to_markdown(reports::build_layout(layout, input));
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("a table size by block tells NA, untried and failed apart") {
  auto trials = block_trials();
  std::erase_if(trials, [](const auto& t) {
    return t.problem.size_text() == "64" && t.configuration.text() == "BLOCK_X=8 BLOCK_Y=8 PARTITION=row";
  });
  for (auto& trial : trials) {
    if (trial.problem.size_text() != "32" ||
        trial.configuration.text() != "BLOCK_X=16 BLOCK_Y=16 PARTITION=row")
      continue;
    trial.outcome.status = TrialStatus::wrong_result;
  }
  check_golden("layout_size_by_block.md", markdown_of(size_by_block(), trials));
}

TEST_CASE("a table of ms: size by block and kernel, in one partition") {
  reports::TableLayout layout;
  layout.title = "partition column, ms";
  layout.filter.fixed = {{"PARTITION", Value("column")}};
  layout.filter.kernels = {"naive", "shared"};
  layout.rows = {sizes()};
  layout.columns = {blocks(), kernels()};
  layout.cell = {"time_ms", "", 1};
  check_golden("layout_partition.md", markdown_of(layout, block_trials()));
}

TEST_CASE("a parameter at one size, with what limits it beside") {
  std::vector<model::TrialRecord> trials;
  for (const std::int64_t elements : {1, 2, 4, 8}) {
    trials.push_back(measured("tile", {{"BLOCK_SIZE", 32}, {"ELEMENTS", elements}}, cube(1024),
                              6e5 / static_cast<double>(elements)));
    trials.back().occupancy->fraction = 1.0 / static_cast<double>(elements);
    trials.push_back(measured("tile", {{"BLOCK_SIZE", 16}, {"ELEMENTS", elements}}, cube(1024), 1));
  }
  reports::TableLayout layout;
  layout.title = "elements per thread";
  layout.caption = "BLOCK_SIZE 32.";
  layout.filter.fixed = {{"BLOCK_SIZE", 32}};
  layout.filter.sizes = {"1024"};
  layout.rows = {
      {.kind = Axis::Kind::parameter, .heading = "elements", .parameters = {"ELEMENTS"}, .choices = {}}};
  layout.cell = {"GFLOP/s", "TFLOP/s", 0.001};
  layout.extra = {{"occupancy", "", 1}, {"registers", "", 1}, {"limiter", "", 1}};
  check_golden("layout_elements.md", markdown_of(layout, trials));
}

TEST_CASE("a table without a size axis never mixes sizes") {
  reports::TableLayout layout;
  layout.title = "two rows";
  layout.filter.fixed = {{"PARTITION", Value("row")}};
  layout.rows = {kernels()};
  layout.cell = {"time_ms", "", 1};
  const std::string text = markdown_of(layout, block_trials());
  CHECK(contains(text, "#### matmul 16\n"));
  CHECK(contains(text, "#### matmul 64\n"));
  layout.filter.sizes = {"64"};
  CHECK_FALSE(contains(markdown_of(layout, block_trials()), "####"));
}

TEST_CASE("listed sizes and kernels appear although nothing was measured") {
  reports::TableLayout layout = size_by_block();
  layout.filter.sizes = {"8", "16", "128"};
  layout.columns = {blocks()};
  layout.not_applicable = {{"BLOCK_SIZE", "N"}};
  const std::string text = markdown_of(layout, block_trials());
  CHECK(contains(text, "|   8 |     - |    NA |  NA |"));
  CHECK(contains(text, "| 128 |     - |     - |   - |"));
}

TEST_CASE("classes have a table each, and padded rows are another table's business") {
  auto trials = block_trials();
  trials[0].environment.device = "Other GPU";
  trials[2].problem.row_padding = 32;
  const std::string text = markdown_of(size_by_block(), trials);
  CHECK(contains(text, "## Other GPU"));
  CHECK(contains(text, "## Sample GPU"));
  CHECK_FALSE(contains(text, "pad"));
}

TEST_CASE("a choice may name a kernel, so that a column is a kernel in one configuration") {
  reports::TableLayout layout;
  layout.title = "columns";
  layout.rows = {sizes()};
  Axis columns{.kind = Axis::Kind::choice, .heading = {}, .parameters = {}, .choices = {}};
  columns.choices = {
      {"plain 8", "naive", {{"BLOCK_X", 8}}}, {"any shared", "shared", {}}, {"nothing", "", {}}};
  layout.columns = {columns};
  layout.cell = {"kernel", "", 1};
  const std::string text = markdown_of(layout, block_trials());
  CHECK(contains(text, "|  16 | naive   | shared     | -       |"));
}

TEST_CASE("a whole layout is a document with a section a class, charts among it") {
  reports::Layout layout;
  layout.title = "Notes";
  layout.introduction = "Tables as in the notes.";
  layout.tables = {size_by_block()};
  layout.charts = {{"versions", {}, kernels(), {"GFLOP/s", "", 1}}};
  reports::ReportInput input;
  input.trials = block_trials();
  input.command = "tuner report --layout notes";
  const reports::Document document = reports::build_layout(layout, input);
  const auto files = reports::svg_files(document);
  REQUIRE(files.size() == 1);
  CHECK(files[0].name == "versions.svg");
  CHECK(contains(files[0].text, ">shared</text>"));
  const std::string folder = "out dir/";
  CHECK(contains(reports::to_markdown(document, &folder), "![versions](out%20dir/versions.svg)"));
  CHECK(contains(reports::to_markdown(document, &folder), "\nTables as in the notes.\n"));
}

TEST_SUITE_END();
