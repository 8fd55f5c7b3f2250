#include <doctest/doctest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "tests/support/expectation.hpp"
#include "tests/support/run_program.hpp"
#include "tests/sweep/scripted_sweep.hpp"

using namespace tuner;
using model::TrialStatus;

namespace {

using Results = std::map<model::Digest, test::ScriptedResult>;

/// How a child's breaking of the protocol, or its death, must end.
const std::map<std::string, TrialStatus>& faults() {
  static const std::map<std::string, TrialStatus> table = {
      {"crash", TrialStatus::crashed},
      {"abort", TrialStatus::crashed},
      {"exit", TrialStatus::crashed},
      {"throw", TrialStatus::crashed},
      {"garbage", TrialStatus::crashed},
      {"half_frame", TrialStatus::crashed},
      {"half_frame_hang", TrialStatus::timeout},
      {"huge_frame", TrialStatus::crashed},
      {"deep_frame", TrialStatus::crashed},
      {"wrong_message", TrialStatus::crashed},
      {"compile_crash", TrialStatus::crashed},
      {"compile_exit", TrialStatus::crashed},
      {"compile_hang", TrialStatus::timeout},
      {"compile_garbage", TrialStatus::crashed},
      {"compile_half_frame", TrialStatus::crashed},
  };
  return table;
}

const std::filesystem::path faulty_folder = TUNER_SOURCE_DIR "/tests/faulty";

/// By kernel, what the specs of tests/faulty/ and the table above expect.
std::map<std::string, std::vector<TrialStatus>> expectations() {
  std::map<std::string, std::vector<TrialStatus>> expected;
  for (const model::KernelSpec& kernel : test::scripted_kernels({faulty_folder}))
    expected[kernel.name] = test::expected_statuses(kernel.description);
  // What no device can launch is no part of any space.
  std::erase_if(expected, [](const auto& kernel) { return kernel.second.empty(); });
  for (const auto& [entry, status] : faults()) expected[entry] = {status};
  expected["fine"] = {TrialStatus::ok};
  return expected;
}

std::string kernel_of(const test::ScriptedResult& result) {
  return result.what.substr(0, result.what.find(' '));
}

Results swept(const test::TemporaryFolder& folder, const std::string& name,
              std::vector<std::filesystem::path> specs) {
  test::ScriptedSweep sweep;
  sweep.specs = std::move(specs);
  sweep.database = folder / (name + ".db");
  sweep.deadline = std::chrono::seconds(2);  // each that hangs takes so long
  const sweep::Summary summary = test::run_scripted_sweep(sweep);
  CHECK(summary.ending == sweep::Ending::done);
  CHECK(summary.finished == summary.planned);
  return test::results_in(sweep.database);
}

}  // namespace

TEST_SUITE("tuner::sweep faults") {
  TEST_CASE("among all that misbehave every good configuration gets the result it gets alone") {
    const test::TemporaryFolder folder;
    test::write_scripted_spec(folder / "good", "fine", 20);
    for (const auto& [entry, status] : faults()) test::write_scripted_spec(folder / "bad", entry, 2);
    const auto expected = expectations();
    const std::vector<TrialStatus> good = {TrialStatus::ok};

    const Results all = swept(folder, "all", {faulty_folder, folder / "good", folder / "bad"});
    std::set<std::string> kernels;
    for (const auto& [key, result] : all) {
      CAPTURE(result.what);
      CAPTURE(result.detail);
      kernels.insert(kernel_of(result));
      const std::vector<TrialStatus>& allowed = expected.at(kernel_of(result));
      const auto status = model::parse_word<model::TrialStatus>(result.status);
      CHECK(std::find(allowed.begin(), allowed.end(), *status) != allowed.end());
      CHECK((status == TrialStatus::ok || !result.detail.empty()));
    }
    CHECK(kernels.size() == expected.size());

    std::vector<std::filesystem::path> alone = {folder / "good"};
    for (const char* name : {"good_one_each", "good_strided", "good_shared", "printf_flood"})
      alone.push_back(faulty_folder / (name + std::string(".toml")));
    const Results undisturbed = swept(folder, "alone", alone);
    Results among_faults = all;
    std::erase_if(among_faults,
                  [&](const auto& item) { return expected.at(kernel_of(item.second)) != good; });
    CHECK(among_faults == undisturbed);
    CHECK((::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD));
  }
}
