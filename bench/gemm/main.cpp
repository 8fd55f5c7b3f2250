// Is the product that the tuner finds faster than the vendor's? One `tuner run` from an empty home over 29
// squares, four odd sizes and four rectangles; cuBLAS, and the fastest of cuBLASLt's heuristics, are sampled
// in turn with the best configurations, back to back, in the final of each size. A ratio is the library's
// time by the tuned one's.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "bench/support/empty_home.hpp"
#include "db/best.hpp"
#include "db/database.hpp"
#include "db/finals.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/winner.hpp"

namespace {

using namespace tuner;

struct Options {
  std::string tuner = "build/release/bin/tuner";
  std::string device = "cuda:0";
  std::string kernel = "sgemm";
};

constexpr const char* squares = "512..4096:128";
constexpr const char* others = "1001,1919,2047,3001,64x4096x4096,4096x64x4096,4096x4096x64,8192x512x2048";

/// What must be reached against cuBLAS.
const std::map<std::string, double>& bars() {
  static const std::map<std::string, double> all = {
      {"512", 1.30}, {"1024", 1.20}, {"2048", 1.05}, {"4096", 1.07}};
  return all;
}
constexpr double bar_of_squares = 1.05;
constexpr double bar_of_others = 1.00;
constexpr double mean_bar = 1.22;
constexpr double mean_bar_lt = 1.10;
constexpr double ffma_bar = 0.85;

const char* met(bool is) {
  return is ? "met" : "MISSED";
}

/// A size's answer.
struct Line {
  std::string size;
  bool square = false;
  double tflops = 0;
  std::map<std::string, model::BaselineRatio> ratios;  ///< by library
};

std::string size_text(const model::Problem& problem) {
  const auto& sizes = problem.sizes;
  const bool cube =
      std::all_of(sizes.begin(), sizes.end(), [&](const auto& d) { return d.value == sizes[0].value; });
  if (cube) return fmt::format("{}", sizes[0].value);
  return fmt::format("{}x{}x{}", sizes[0].value, sizes[1].value, sizes[2].value);
}

Line line_of(const db::BestAnswer& answer) {
  Line line;
  line.size = size_text(answer.winner.problem);
  const std::int64_t side = answer.winner.problem.sizes[0].value;
  line.square = line.size == fmt::format("{}", side) && side % 128 == 0;
  line.tflops = answer.winner.workload.operations / answer.winner.outcome.measurement->median_ns / 1000;
  for (const model::TrialRecord& baseline : answer.baselines) {
    line.ratios[baseline.kernel] =
        model::baseline_ratio(baseline, answer.winner, answer.final ? &*answer.final : nullptr);
  }
  return line;
}

double bar_of(const Line& line) {
  const auto named = bars().find(line.size);
  return named != bars().end() ? named->second : line.square ? bar_of_squares : bar_of_others;
}

/// Of the squares.
double geometric_mean(const std::vector<Line>& lines, const std::string& library) {
  double sum = 0;
  int count = 0;
  for (const Line& line : lines) {
    const auto ratio = line.ratios.find(library);
    if (!line.square || ratio == line.ratios.end()) continue;
    sum += std::log(ratio->second.ratio);
    ++count;
  }
  return count == 0 ? 0 : std::exp(sum / count);
}

void print(const Line& line) {
  fmt::print("{:>13} {:>8.1f}", line.size, line.tflops);
  for (const char* library : {"cuBLAS", "cuBLASLt"}) {
    const auto found = line.ratios.find(library);
    if (found == line.ratios.end()) {
      fmt::print("  {:>24}", "-");
      continue;
    }
    const model::BaselineRatio& r = found->second;
    fmt::print("  {:>24}",
               fmt::format("{}{:.3f} ({:.3f}-{:.3f})", r.paired ? "" : "~", r.ratio, r.low, r.high));
  }
  const auto cublas = line.ratios.find("cuBLAS");
  if (cublas != line.ratios.end())
    fmt::print("  {:.2f} {}", bar_of(line), met(cublas->second.ratio >= bar_of(line)));
  fmt::print("\n");
}

std::vector<Line> lines_of(const db::Connection& database) {
  std::vector<Line> lines;
  db::TrialFilter filter;
  filter.family = "matmul";
  for (const db::BestAnswer& answer : db::best_of_each(database, filter)) lines.push_back(line_of(answer));
  return lines;
}

double ffma_tflops(const db::Connection& database) {
  double most = 0;
  for (const model::Ceiling& ceiling : db::ceilings(database)) {
    if (ceiling.kind == "arithmetic" && ceiling.type == model::ElementType::float32)
      most = ceiling.value / 1e12;
  }
  return most;
}

void run(const Options& options) {
  const bench::EmptyHome home;
  const std::string file = (home.path() / "bench.db").string();
  const double seconds =
      home.run({options.tuner, "run", "--kernel", options.kernel, "--sizes",
                fmt::format("{},{}", squares, others), "--device", options.device, "--db", file});
  const db::Connection database = db::open_for_reading(file);
  const std::vector<Line> lines = lines_of(database);
  fmt::print("{:>13} {:>8}  {:>24}  {:>24}  bar\n", "size", "TFLOP/s", "x cuBLAS", "x cuBLASLt");
  for (const Line& line : lines) print(line);
  const double mean = geometric_mean(lines, "cuBLAS");
  const double mean_lt = geometric_mean(lines, "cuBLASLt");
  fmt::print(
      "geometric mean of the squares: {:.3f} x cuBLAS (bar {:.2f}: {}), {:.3f} x cuBLASLt (bar {:.2f}: {})\n",
      mean, mean_bar, met(mean >= mean_bar), mean_lt, mean_bar_lt, met(mean_lt >= mean_bar_lt));
  const double ffma = ffma_tflops(database);
  for (const Line& line : lines) {
    if (line.size != "4096" || ffma <= 0) continue;
    fmt::print("at 4096 {:.1f} % of the measured {:.1f} TFLOP/s (bar {:.0f} %: {})\n",
               100 * line.tflops / ffma, ffma, 100 * ffma_bar, met(line.tflops / ffma >= ffma_bar));
  }
  fmt::print("{:.1f} s in all, from an empty cache\n", seconds);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Holds the tuned matrix product against cuBLAS and cuBLASLt."};
  app.add_option("--tuner", options.tuner, "the program")->capture_default_str();
  app.add_option("--device", options.device, "as tuner takes it")->capture_default_str();
  app.add_option("--kernel", options.kernel, "which of the family: a name, or matmul for all")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
    return 0;
  } catch (const model::Error& error) {
    fmt::print(stderr, "bench_gemm: {}\n{}\n", error.what(), error.hint());
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_gemm: {}\n", error.what());
  }
  return 1;
}
