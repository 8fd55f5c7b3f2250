// How soon does a strategy find the best configuration of spaces that were measured whole? Plays strategies
// over recorded spaces with many seeds and prints a table; docs/results/search-strategies says what the
// columns mean. See README.md for where recorded spaces are to be had.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

#include "bench/search/constructed.hpp"
#include "bench/search/curves.hpp"
#include "bench/search/ends.hpp"
#include "bench/search/laboratory.hpp"
#include "bench/search/metric.hpp"
#include "bench/search/proposal_cost.hpp"
#include "tuner/model/error.hpp"
#include "tuner/search/strategies.hpp"

namespace {

using namespace bench;
namespace fs = std::filesystem;

/// Below this budget the score of 25 seeds says little: its deviation for random search is 0.15.
constexpr std::size_t small_budget = 100;

struct Options {
  std::vector<std::string> spaces;
  std::vector<std::string> strategies = {"learn"};
  std::size_t seeds = 25;
  std::size_t seeds_if_small = 200;
  std::uint64_t first_seed = 1000;
  std::size_t depth = 1;
  std::size_t more = 500;
  std::string prior;
  std::size_t cost = 0;
  bool ends = false;
  std::vector<std::string> constructed;
  bool elsewhere = false;
  double until = 0.01;
  std::string svg;
  Pipeline pipeline;
};

std::vector<fs::path> files_of(const std::vector<std::string>& given) {
  std::vector<fs::path> files;
  for (const std::string& one : given) {
    if (!fs::is_directory(one)) {
      files.emplace_back(one);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(one))
      if (entry.path().filename().string().find(".json") != std::string::npos) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string name_of(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.substr(0, name.find(".json"));
}

struct Sum {
  double score = 0, worst = 1, time = 0, first20 = 0;
  std::vector<double> to_1;
};

void print_space(const std::string& name, const Laboratory& laboratory, const Times& times,
                 const Options& options, std::map<std::string, Sum>& sums) {
  const std::size_t seeds =
      times.budget < small_budget ? std::max(options.seeds, options.seeds_if_small) : options.seeds;
  std::vector<Curve> curves;
  for (const std::string& strategy : options.strategies) {
    std::vector<Trace> traces;
    double seconds = 0;
    std::size_t proposals = 0;
    for (std::size_t s = 0; s < seeds; ++s) {
      Play one{strategy, options.first_seed + s, options.depth, std::max(times.budget, options.more),
               times.best};
      Run run = play(laboratory, one);
      seconds += run.strategy_seconds;
      proposals += run.proposals;
      traces.push_back(run.trace);
    }
    const Score s = score(times, traces);
    fmt::print("{:22} {:6} {:5}  {:14} {:7.3f} {:7.3f} {:7.3f} {:6.0f} {:6.0f} {:8.3f}\n", name,
               times.time_ms.size(), times.budget, strategy.substr(0, 14), s.score, s.by_time, s.first20,
               s.to_1_percent, s.to_5_percent, 1e3 * seconds / static_cast<double>(proposals));
    std::fflush(stdout);
    Sum& sum = sums[strategy];
    sum.score += s.score;
    sum.time += s.by_time;
    sum.first20 += s.first20;
    sum.worst = std::min(sum.worst, s.score);
    sum.to_1.push_back(s.to_1_percent);
    curves.push_back({strategy, std::move(traces)});
  }
  if (!options.svg.empty())
    std::ofstream(fs::path(options.svg) / ("search-" + name + ".svg")) << curves_svg(name, times, curves);
}

int run(const Options& options) {
  const std::vector<fs::path> files = files_of(options.spaces);
  for (const std::string& strategy : options.strategies) tuner::search::strategy_named(strategy);
  fmt::print("{:22} {:>6} {:>5}  {:14} {:>7} {:>7} {:>7} {:>6} {:>6} {:>8}\n", "space", "N", "B", "strategy",
             "score", "time", "first20", "to 1%", "to 5%", "ms/prop.");
  std::map<std::string, Sum> sums;
  for (const fs::path& file : files) {
    Laboratory laboratory({tuner::interchange::read_recorded_space(file)});
    if (!options.prior.empty()) laboratory.set_prior(tuner::interchange::read_recorded_space(options.prior));
    const Times times(laboratory.times_ms(), options.pipeline);
    print_space(name_of(file), laboratory, times, options, sums);
  }
  for (auto& [strategy, sum] : sums) {
    std::sort(sum.to_1.begin(), sum.to_1.end());
    const auto n = static_cast<double>(files.size());
    fmt::print("MEAN {}: score {:.3f} worst {:.3f} time {:.3f} first20 {:.3f} to 1% {:.0f}\n", strategy,
               sum.score / n, sum.worst, sum.time / n, sum.first20 / n, sum.to_1[sum.to_1.size() / 2]);
  }
  return 0;
}

void print_ends(Ends ends, std::vector<Ends>& all) {
  fmt::print("{}\n", ends.line());
  std::fflush(stdout);
  all.push_back(std::move(ends));
}

/// Searches that are left to end by themselves: how good their answers are, and what they said of the rest.
int run_ends(const Options& options) {
  const std::string& strategy = options.strategies.front();
  fmt::print("{}\n", Ends::heading());
  std::vector<Ends> all;
  for (const fs::path& file : files_of(options.spaces)) {
    Laboratory laboratory({tuner::interchange::read_recorded_space(file)});
    if (!options.prior.empty()) laboratory.set_prior(tuner::interchange::read_recorded_space(options.prior));
    Ends ends{name_of(file), {}};
    for (std::size_t s = 0; s < options.seeds; ++s)
      ends.all.push_back(
          play_to_end(laboratory, strategy, options.first_seed + s, options.depth, options.until));
    print_ends(std::move(ends), all);
  }
  for (const Construction& kind : constructions()) {
    const auto& wanted = options.constructed;
    const auto is_wanted = [&](const std::string& name) {
      return name == (kind.is_held_out ? "held_out" : "all") || name == kind.name;
    };
    if (std::none_of(wanted.begin(), wanted.end(), is_wanted)) continue;
    Ends ends{std::string(kind.name), {}};
    for (std::size_t s = 0; s < options.seeds; ++s) {
      const std::uint64_t seed = options.first_seed + s;
      Laboratory laboratory(construct(kind, seed));
      if (options.elsewhere) laboratory.set_prior(construct_elsewhere(kind, seed));
      ends.all.push_back(play_to_end(laboratory, strategy, seed, options.depth, options.until));
    }
    print_ends(std::move(ends), all);
  }
  fmt::print("{}", experience(all));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Plays strategies over recorded spaces");
  app.add_option("spaces", options.spaces, "files, or folders of them");
  app.add_option("--svg", options.svg, "a folder for a curve of each space");
  app.add_option("--cost", options.cost, "what so many proposals cost in a space of 204,800 candidates");
  app.add_flag("--ends", options.ends, "searches that end by themselves: how far behind, and what they said");
  app.add_option("--constructed", options.constructed,
                 "with --ends: kinds of spaces that are made up; all, or held_out");
  app.add_flag("--elsewhere", options.elsewhere, "with --constructed: another size of the device is known");
  app.add_option("--until", options.until, "with --ends: as of tuner run, a share");
  app.add_option("--strategy", options.strategies, "as of tuner run; several times for several");
  app.add_option("--seeds", options.seeds);
  app.add_option("--seeds-if-small", options.seeds_if_small, "where the budget is under 100");
  app.add_option("--first-seed", options.first_seed);
  app.add_option("--depth", options.depth, "proposals under way");
  app.add_option("--more", options.more, "evaluations at least, for the columns to 1 % and 5 %");
  app.add_option("--prior", options.prior, "a record of the same kernel that strategies know");
  app.add_option("--workers", options.pipeline.workers, "compilers of the simulated pipeline");
  app.add_option("--compile-ms", options.pipeline.compile_ms, "what each takes");
  try {
    app.parse(argc, argv);
    if (options.cost != 0) {
      bool within = true;
      for (const std::string& strategy : options.strategies)
        within = print_proposal_cost(strategy, options.cost) && within;
      return within ? 0 : 1;
    }
    return options.ends || !options.constructed.empty() ? run_ends(options) : run(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const tuner::model::Error& error) {
    fmt::print(stderr, "bench_search: {} {}\n", error.what(), error.hint());
    return 1;
  }
}
