#include <doctest/doctest.h>

#include <algorithm>

#include "reports/report.hpp"
#include "tests/reports/sample.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/golden.hpp"

using namespace tests;
using model::TrialStatus;

namespace {

reports::ReportInput sample_report() {
  reports::ReportInput input;
  input.title = "Sample sweep";
  input.command = "tuner report --format md";
  input.generated_at = "2026-01-02T03:06:00Z";
  input.notes = {"Figures of an imaginary device."};
  input.runs = {sample_run()};
  input.trials = sample_trials();
  input.answers = answers_of(input.trials);
  input.ceilings = sample_ceilings();
  return input;
}

std::string markdown(const reports::ReportInput& input) {
  return reports::to_markdown(reports::build_report(input));
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("the standard report of a sweep") {
  const std::string folder = "charts/";
  check_golden("report.md", reports::to_markdown(reports::build_report(sample_report()), &folder));
}

TEST_CASE("the report does not depend on the order of the rows") {
  reports::ReportInput input = sample_report();
  const std::string before = markdown(input);
  std::reverse(input.trials.begin(), input.trials.end());
  CHECK(markdown(input) == before);
}

TEST_CASE("no trials make a report that says so") {
  const std::string text = markdown({});
  CHECK(contains(text, "There are no trials to report."));
  CHECK_FALSE(contains(text, "|"));
}

TEST_CASE("where everything failed, every cell names the failure and nothing is a number") {
  reports::ReportInput input;
  input.trials = {failed("naive", {{"B", 8}}, cube(64), TrialStatus::crashed, "illegal address"),
                  failed("naive", {{"B", 16}}, cube(64), TrialStatus::timeout, "no answer in 5 s")};
  const std::string text = markdown(input);
  CHECK(contains(text, "| ✗ crashed |"));
  CHECK(contains(text, "illegal address"));
  CHECK_FALSE(contains(text, "fastest and slowest"));
}

TEST_CASE("two classes have a section each and no common table") {
  reports::ReportInput input;
  input.trials = {measured("a", {{"B", 8}}, cube(64), 1000), measured("a", {{"B", 8}}, cube(64), 5000)};
  input.trials[1].environment.device = "Other GPU";
  const std::string text = markdown(input);
  const std::size_t other = text.find("## Other GPU");
  const std::size_t sample = text.find("## Sample GPU");
  REQUIRE(other != std::string::npos);
  REQUIRE(sample != std::string::npos);
  CHECK(contains(text.substr(other, sample - other), "5.000 µs"));
  CHECK_FALSE(contains(text.substr(other, sample - other), "1.000 µs"));
  CHECK(contains(text, "2 environments"));
}

TEST_CASE("rectangular sizes, padding and other families keep their names") {
  reports::ReportInput input;
  auto wide = cube(512);
  wide.sizes[1].value = 2048;
  wide.row_padding = 32;
  auto sum = model::Problem{"reduction", {{"LENGTH", 1 << 20}}, model::ElementType::float32, 0};
  input.trials = {measured("a", {}, wide, 1000), measured("r", {{"THREADS", 128}}, sum, 2000)};
  input.trials[1].metrics = {{"GB/s", 400.0}};
  const std::string text = markdown(input);
  CHECK(contains(text, "512x2048x512 pad 32"));
  CHECK(contains(text, "### reduction: best per size"));
  CHECK(contains(text, "\nr: GB/s by size"));
  CHECK(contains(text, "1048576"));
}

TEST_CASE("hostile names, logs and commands stay text") {
  reports::ReportInput input = sample_report();
  input.title = "a <script>alert(1)</script>";
  input.command = "tuner report '```'";
  for (auto& trial : input.trials) trial.kernel = "k|`x`\n# no heading <b>";
  input.trials.back().compile_log = "```\n</pre><script>alert(2)</script>\n|a|b|\xFF\n";
  const std::string text = markdown(input);
  CHECK_FALSE(contains(text, "\n# no heading"));
  CHECK_FALSE(contains(text, "<b>"));
  CHECK(contains(text, "k\\|\\`x\\` \\# no heading &lt;b&gt;"));
  CHECK(contains(text, "````\n```\n</pre>"));
}

TEST_CASE("the contents lead to where GitHub has the headings") {
  reports::ReportInput input = sample_report();
  for (auto& trial : input.trials) {
    trial.environment.toolkit = "g++ 12.2.0";
    trial.problem.family = "my_family";
  }
  const std::string text = markdown(input);
  CHECK(contains(text, "-g-1220-float"));
  CHECK(contains(text, "(#my_family-best-per-size)"));
}

TEST_CASE("commands and expressions between backticks are code, in one line, and other backticks are text") {
  reports::ReportInput input = sample_report();
  const std::string command = "`tuner run --l2 cold --sizes 1024 * 2 # > 1`";
  input.notes = {"Other work may leave the L2 cold there, which with a long path before it " + command +
                     " measures, so that a line ends.",
                 "A lone ` and `` are text; `" + std::string(200, 'x') + "` is too long."};
  const std::string text = markdown(input);
  CHECK(contains(text, command));
  CHECK(contains(text, "A lone \\` and \\`\\` are text;"));
  CHECK(contains(text, "\\`xxx"));
}

TEST_SUITE_END();
