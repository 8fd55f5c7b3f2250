#include "bench/search/ends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "tuner/search/strategies.hpp"

namespace bench {
namespace {

using namespace tuner;

/// As a sweep asks for it.
constexpr std::size_t results_an_outlook = 10;

std::size_t middle(std::vector<std::size_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

}  // namespace

End play_to_end(const Laboratory& laboratory, const std::string& strategy, std::uint64_t seed,
                std::size_t depth, double until) {
  const auto searcher = search::strategy_named(strategy).make(laboratory.space(), seed);
  End end;
  double best_ns = std::numeric_limits<double>::infinity();
  std::deque<std::size_t> under_way;
  std::size_t news = 0;
  bool enough = false;
  while (true) {
    if (news >= results_an_outlook || (news > 0 && under_way.empty())) {
      end.outlook = searcher->outlook();
      enough = end.outlook && end.outlook->high < until;
      news = 0;
    }
    while (!enough && under_way.size() < depth) {
      const auto proposal = searcher->next();
      if (!proposal) break;
      under_way.push_back(proposal->candidate);
    }
    if (under_way.empty()) break;
    const std::size_t done = under_way.front();
    under_way.pop_front();
    const search::Result result = laboratory.result(done);
    searcher->report(done, result);
    ++end.tried;
    ++news;
    if (model::is_failure(result.status)) ++end.failed;
    if (result.time_ns) best_ns = std::min(best_ns, *result.time_ns);
  }
  end.behind = best_ns / laboratory.best_ns() - 1;
  return end;
}

double Ends::share_behind(double more_than) const {
  const auto count =
      std::count_if(all.begin(), all.end(), [&](const End& one) { return one.behind > more_than; });
  return static_cast<double>(count) / static_cast<double>(all.size());
}

double Ends::share_failed() const {
  double tried = 0, failed = 0;
  for (const End& one : all) {
    tried += static_cast<double>(one.tried);
    failed += static_cast<double>(one.failed);
  }
  return failed / tried;
}

std::string Ends::heading() {
  return fmt::format("{:22} {:>8} {:>7} {:>7} {:>7} {:>7} {:>8} {:>9}", "space", "searches", "trials",
                     "failed", "> 1 %", "> 5 %", "at most", "said");
}

std::string Ends::line() const {
  std::vector<std::size_t> tried, failed;
  double worst = 0, said = 0;
  for (const End& one : all) {
    tried.push_back(one.tried);
    failed.push_back(one.failed);
    worst = std::max(worst, one.behind);
    if (one.outlook) said = std::max(said, one.outlook->behind_at_worst);
  }
  return fmt::format("{:22} {:8} {:7} {:7} {:5.0f} % {:5.0f} % {:6.1f} % {:>7}", space, all.size(),
                     middle(tried), middle(failed), 100 * share_behind(0.01), 100 * share_behind(0.05),
                     100 * worst, fmt::format("<= {:.0f} %", 100 * said));
}

std::string experience(const std::vector<Ends>& spaces) {
  constexpr double often = 0.2;
  std::string text;
  for (const bool fails : {false, true}) {
    double behind = 0, searches = 0;
    const Ends* worst = nullptr;
    for (const Ends& one : spaces) {
      if ((one.share_failed() >= often) != fails) continue;
      const auto count = static_cast<double>(one.all.size());
      behind += one.share_behind(0.05) * count;
      searches += count;
      if (!worst || one.share_behind(0.05) > worst->share_behind(0.05)) worst = &one;
    }
    if (!worst) continue;
    text += fmt::format("{}: {:.1f} % of {} searches ended over 5 % behind, at worst {:.0f} % ({})\n",
                        fails ? "a fifth or more failed" : "fewer failed", 100 * behind / searches, searches,
                        100 * worst->share_behind(0.05), worst->space);
  }
  return text;
}

}  // namespace bench
