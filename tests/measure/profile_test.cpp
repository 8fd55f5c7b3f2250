#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/measure/trial_fixture.hpp"
#include "tuner/model/error.hpp"

using tests::FakeArguments;
using tests::TrialFixture;
using tuner::model::TrialStatus;

namespace {

/// Counts launches of the kernel, in two passes.
class LaunchCounters final : public tuner::device::Counters {
 public:
  explicit LaunchCounters(tests::FakeScript& script) : m_script(script) {}
  tuner::model::Profile count(const std::vector<std::string>& named, const std::function<void()>& before_each,
                              const std::function<void()>& work) override {
    tuner::model::Profile profile;
    for (; profile.passes < 2; ++profile.passes) {
      before_each();
      const int before = m_script.launches["kernel"];
      work();
      profile.counters.push_back({named.front(), double(m_script.launches["kernel"] - before), "launch"});
    }
    return profile;
  }

 private:
  tests::FakeScript& m_script;
};

struct Counted : TrialFixture {
  Counted() {
    counters = [this] { return std::make_unique<LaunchCounters>(script); };
  }
  tuner::model::Profile profile(const tuner::model::TrialJob& what = job()) {
    return runner().profile({what, {"launches"}});
  }
};

}  // namespace

TEST_SUITE("tuner::measure counts") {
  TEST_CASE_FIXTURE(Counted, "a pass counts one run, with another run before it, and nothing is timed") {
    const auto counted = profile();
    CHECK(counted.outcome.status == TrialStatus::ok);
    CHECK_FALSE(counted.outcome.measurement);
    CHECK(counted.passes == 2);
    REQUIRE(counted.counters.size() == 2);
    for (const auto& counter : counted.counters) CHECK(counter.value == 1);
    CHECK(script.count("flush_l2") == 0);
  }

  TEST_CASE_FIXTURE(Counted, "where the trial was measured on cold caches, each pass begins with them") {
    auto cold = job();
    cold.policy.flush_l2 = true;
    profile(cold);
    CHECK(script.count("flush_l2") == 2);
  }

  TEST_CASE_FIXTURE(Counted, "what is wrong is not counted") {
    script.kernels["kernel"] = [](const FakeArguments&) {};
    const auto counted = profile();
    CHECK(counted.outcome.status == TrialStatus::wrong_result);
    CHECK(counted.counters.empty());
  }

  TEST_CASE_FIXTURE(TrialFixture, "a device without counters says so") {
    CHECK_THROWS_AS(runner().profile({job(), {}}), tuner::model::Error);
  }
}
