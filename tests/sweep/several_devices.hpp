#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/sweep/scale_bench.hpp"
#include "tuner/sweep/device_spread.hpp"

namespace tuner::test {

/// A sweep on several devices.
struct Host {
  using Behave =
      std::function<model::TrialOutcome(std::size_t device, int scale, const model::TrialJob& job)>;
  Bench bench;
  std::size_t devices = 2;
  Behave behave = [](std::size_t, int scale, const model::TrialJob&) { return ok_in(1000.0 / scale); };
  std::vector<std::unique_ptr<ScaleRunner>> runners;
  sweep::Summary summary;
  std::vector<sweep::Chosen> chosen;  ///< if any: only these are raced

  void run() {
    const sweep::Request request = bench.request();
    runners.clear();
    std::vector<model::TrialRunner*> all;
    for (std::size_t device = 0; device < devices; ++device) {
      runners.push_back(std::make_unique<ScaleRunner>(
          [this, device](int scale, const model::TrialJob& job) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));  // so that nobody does everything
            return behave(device, scale, job);
          },
          device));
      runners.back()->on_final = bench.on_final;
      all.push_back(runners.back().get());
    }
    const sweep::TrialList list = chosen.empty() ? sweep::list_trials(request, bench.results)
                                                 : sweep::list_chosen(request, chosen, bench.results);
    summary = bench.run_on(request, list, all);
  }

  /// uuid to how many trials it raced last.
  std::map<std::string, int> shares() const {
    std::map<std::string, int> shares;
    for (const auto& [key, record] : bench.results.trials()) ++shares[record.gpu];
    return shares;
  }
  std::size_t launches() const {
    std::size_t launches = 0;
    for (const auto& runner : runners) launches += runner->launched.size();
    return launches;
  }
  std::size_t finals() const {
    std::size_t finals = 0;
    for (const auto& runner : runners) finals += runner->finals.size();
    return finals;
  }
  bool was_told(const std::string& text) const {
    return std::any_of(bench.watcher.notices.begin(), bench.watcher.notices.end(),
                       [&](const std::string& notice) { return notice.find(text) != std::string::npos; });
  }
};

/// 25 of them.
inline std::vector<std::int64_t> many_sizes() {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 512; size <= 2048; size += 64) sizes.push_back(size);
  return sizes;
}

/// What all devices run once so that they can be compared.
inline std::size_t comparisons(std::size_t devices) {
  return sweep::DeviceSpread::runs * devices;
}

}  // namespace tuner::test
