#include "bench/devices/preparing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bench/devices/simulated.hpp"
#include "db/result_store.hpp"

namespace bench {
namespace {

using namespace tuner;

constexpr Load load = {6, 20, 900, 500, 400};
constexpr std::int64_t trials_a_problem = 100;
constexpr std::int64_t budget = 1000;  ///< of `random`
constexpr int compilers = 32;
/// Time to compile a new binary, exponentially distributed. Other binaries come from a cache.
constexpr double compile_mean_ms = 400;
constexpr double cached_ms = 4;
constexpr std::size_t lookahead = 24;  ///< of `learn`

/// Proposes so many of the candidates in random order, and waits for results as `learn` does.
class Waiting final : public search::Strategy {
 public:
  Waiting(const search::SearchSpace& space, std::uint64_t seed) : m_order(space.size()) {
    for (std::size_t i = 0; i < m_order.size(); ++i) m_order[i] = i;
    std::erase_if(m_order, [&](std::size_t candidate) { return space.is_begun(candidate); });
    std::shuffle(m_order.begin(), m_order.end(), std::mt19937_64(seed));
    m_order.resize(std::min(m_order.size(), static_cast<std::size_t>(trials_a_problem)));
  }
  std::optional<search::Proposal> next() override {
    if (m_next == m_order.size()) return std::nullopt;
    return search::Proposal{m_order[m_next++], "waiting"};
  }
  void report(std::size_t, const search::Result&) override {}
  std::size_t lookahead() const override { return bench::lookahead; }

 private:
  std::vector<std::size_t> m_order;
  std::size_t m_next = 0;
};

search::StrategyKind waiting_kind() {
  search::StrategyKind kind;
  kind.name = "waiting";
  kind.make = [](const search::SearchSpace& space, std::uint64_t seed,
                 const search::Settings&) -> std::unique_ptr<search::Strategy> {
    return std::make_unique<Waiting>(space, seed);
  };
  return kind;
}

/// Takes as long as NVRTC does; what one of them has compiled is known to all.
class SlowCompiler final : public compile::Compiler {
 public:
  struct Shared {
    std::mutex mutex;
    std::set<model::Digest> made;
  };
  explicit SlowCompiler(Shared& shared) : m_shared(shared) {}
  std::string name() const override { return m_quick.name(); }
  model::Compilation compile(const model::CompileJob& job) override {
    const model::Digest key = job.key();
    bool is_new = false;
    {
      const std::lock_guard lock(m_shared.mutex);
      is_new = m_shared.made.insert(key).second;
    }
    const double share = (static_cast<double>(model::DigestHash{}(key) % 1000) + 0.5) / 1000;
    const double ms = is_new ? -compile_mean_ms * std::log(share) : cached_ms;
    std::this_thread::sleep_for(duration<double, std::milli>(ms));
    return m_quick.compile(job);
  }

 private:
  Shared& m_shared;
  QuickCompiler m_quick;
};

/// Returns the seconds it took.
double run(const std::string& strategy, std::size_t devices, double alone_s,
           const std::filesystem::path& database) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 512; size <= 4096; size += 256) sizes.push_back(size);
  sweep::Request request = imagined_request({7, 7, 7}, sizes);
  const search::StrategyKind own = waiting_kind();
  request.own_strategies = {&own, 1};
  request.strategy = strategy;
  for (const char* const library : {"one", "other"}) add_library(request, library);
  std::vector<std::unique_ptr<SimulatedRunner>> runners;
  std::vector<model::TrialRunner*> all;
  for (std::size_t i = 0; i < devices; ++i)
    all.push_back(runners.emplace_back(std::make_unique<SimulatedRunner>(i, load)).get());
  db::ResultStore store(database);
  const sweep::TrialList list = sweep::list_trials(request, store);
  if (strategy == "random") request.budget.trials = budget + list.baselines_left(request);
  SlowCompiler::Shared shared;
  compile::CompilePool pool(compilers, [&] { return std::make_unique<SlowCompiler>(shared); });
  Silent observer;
  const std::atomic<bool> stop{false};
  sweep::Services services{pool, all, store, store, observer, {}, seconds_now, stop};
  const double began = seconds_now();
  const sweep::Summary summary = sweep::sweep(request, list, services);
  const double wall_s = seconds_now() - began;
  std::size_t preparations = 0;
  double busy_s = 0;
  for (const auto& runner : runners) {
    preparations += runner->preparations();
    busy_s += runner->busy_s;
  }
  fmt::print("{:>10}{:>8}{:>8}{:>10.1f}{:>8.2f}{:>7.2f}{:>14}\n", strategy, devices, summary.finished, wall_s,
             alone_s > 0 ? alone_s / wall_s : 1, busy_s / wall_s / static_cast<double>(devices),
             preparations);
  for (const sweep::Summary::Device& device : summary.devices)
    fmt::print("{:>18}: {}\n", device.id, device.time.text());
  std::fflush(stdout);
  return wall_s;
}

}  // namespace

bool report_preparing(const std::filesystem::path& folder) {
  fmt::print("{:>10}{:>8}{:>8}{:>10}{:>8}{:>7}{:>14}\n", "strategy", "devices", "trials", "seconds", "ratio",
             "busy", "preparations");
  bool is_enough = true;
  for (const auto& [strategy, wanted] : {std::pair{"waiting", 1.75}, std::pair{"random", 1.85}}) {
    double alone_s = 0;
    for (const std::size_t devices : {1, 2, 4}) {
      const double wall_s =
          run(strategy, devices, alone_s, folder / fmt::format("{}-{}.db", strategy, devices));
      if (devices == 1) alone_s = wall_s;
      if (devices == 2) is_enough = is_enough && alone_s / wall_s >= wanted;
    }
  }
  return is_enough;
}

}  // namespace bench
