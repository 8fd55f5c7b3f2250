// A report of 49 sizes and three kernels with 20 parameters each is still to be read.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "reports/report.hpp"
#include "tests/reports/sample.hpp"
#include "tuner/util/text.hpp"

using namespace tests;

TEST_SUITE("reports") {
  namespace {

  reports::ReportInput many_sizes() {
    reports::ReportInput input;
    input.title = "Many";
    for (std::int64_t size = 128; size <= 49 * 128; size += 128) {
      for (std::int64_t kernel = 0; kernel < 3; ++kernel) {
        for (std::int64_t variant = 0; variant < 2; ++variant) {
          std::vector<model::Assignment> values;
          for (std::int64_t p = 0; p < 20; ++p)
            values.push_back({fmt::format("LONG_PARAMETER_{}", p), (size / 128 * p + variant) % 3});
          model::TrialRecord trial = measured(fmt::format("kernel_{}", kernel), std::move(values), cube(size),
                                              1000.0 * static_cast<double>(size + 10 * kernel + variant));
          trial.key = tuner::model::DigestBuilder().add(size).add(kernel).add(variant).finish();
          trial.environment = sample_environment();
          trial.workload.operations = 1e9;
          input.trials.push_back(std::move(trial));
        }
      }
      db::BestAnswer answer;
      answer.tuning_case.problem = cube(size);
      answer.tuning_case.environment = sample_environment();
      answer.winner = input.trials[input.trials.size() - 6];
      answer.tied = {input.trials[input.trials.size() - 5]};
      input.answers.push_back(std::move(answer));
    }
    return input;
  }

  int times_in(const std::string& text, const std::string& part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }

  }  // namespace

  TEST_CASE("of many sizes no line of Markdown is wider than a row of the widest table") {
    const std::string text = reports::to_markdown(reports::build_report(many_sizes()));
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::string_view line = tuner::util::split_first(rest, "\n");
      const std::size_t width = tuner::util::display_width(line);
      const bool is_row = line.starts_with("|");
      CHECK_MESSAGE(width <= (is_row ? 250U : 170U), line);
    }
    // The configurations stand in a list, not in the rows of tables.
    CHECK(times_in(text, "LONG_PARAMETER_7=") == 3);  // three different ones
  }
}
