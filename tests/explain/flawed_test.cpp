// Kernels with a planted flaw each (tests/flawed): it is what binds them first. Their machine code is what
// NVRTC makes of them for sm_90; what only counters show is worked out from the addresses of a warp.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>

#include "config/kernel_file.hpp"
#include "tests/compile/nvrtc_jobs.hpp"
#include "tuner/compile/compiler.hpp"
#include "tuner/device/cuda/occupancy/occupancy.hpp"
#include "tuner/explain/explain.hpp"
#include "tuner/model/error.hpp"
#include "tuner/sass/listing.hpp"
#include "tuner/space/kernel_space.hpp"

using namespace tuner;
using explain::Finding;
using explain::Subject;

namespace {

constexpr int lanes = 32;
using OfLane = std::function<std::int64_t(int)>;

/// 32-byte sectors of 4-byte words that the lanes of a warp touch.
double sectors(const OfLane& word) {
  constexpr std::int64_t words_of_sector = 8;
  std::set<std::int64_t> touched;
  for (int lane = 0; lane < lanes; ++lane) touched.insert(word(lane) / words_of_sector);
  return static_cast<double>(touched.size());
}

/// Wavefronts that an access of shared memory takes: as many as the fullest bank has words.
double wavefronts(const OfLane& word) {
  std::map<std::int64_t, std::set<std::int64_t>> of_bank;
  for (int lane = 0; lane < lanes; ++lane) of_bank[word(lane) % lanes].insert(word(lane));
  std::size_t most = 0;
  for (const auto& [bank, words] : of_bank) most = std::max(most, words.size());
  return static_cast<double>(most);
}

/// What a run on N columns would count of the kernel, for each of its accesses alike.
std::vector<model::Counter> counters_of(const std::string& kernel) {
  constexpr double loads = 1e6;
  const OfLane in_row = [](int lane) { return lane; };
  const auto global = [&](const OfLane& word) {
    return std::vector<model::Counter>{
        {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", loads, ""},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", loads * sectors(word), ""}};
  };
  if (kernel == "uncoalesced") return global([](int lane) { return lane % 32 * 32; });
  std::vector<model::Counter> all = global(in_row);
  if (kernel == "bank_conflicts") {
    const double each = wavefronts([](int lane) { return lane * 32 + 5; });
    all.push_back({"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", loads * each, ""});
    all.push_back({"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", loads * (each - 1), ""});
  }
  if (kernel == "divergence") {
    // A warp walks four loops one after another, each with the lanes of its branch.
    double of_threads = 0;
    for (int branch = 0; branch < 4; ++branch)
      for (int lane = 0; lane < lanes; ++lane) of_threads += lane % 4 == branch ? 1 : 0;
    all.push_back({"smsp__inst_executed.sum", 4 * loads, ""});
    all.push_back({"smsp__thread_inst_executed.sum", loads * of_threads, ""});
  }
  return all;
}

std::vector<std::string> nvdisasm_places() {
  std::vector<std::string> places = compile::toolkit_program_places("nvdisasm", "TUNER_NVDISASM");
  places.emplace_back(TUNER_SOURCE_DIR "/build/nvdisasm/nvdisasm");  // where ./run puts it
  return places;
}

/// The kernel compiled for an H200 and planned on 2^20 columns of 64 rows; without times, which take a GPU.
Subject subject_of(const std::string& name, const std::optional<sass::Disassembler>& disassembler) {
  const auto loaded =
      config::load_kernel_file(std::string(TUNER_SOURCE_DIR "/tests/flawed/") + name + ".toml");
  REQUIRE(loaded.mistakes.empty());
  const space::KernelSpace kernel(loaded.kernels.front());
  Subject subject;
  subject.device = device::cuda::known_device("sm_90");
  REQUIRE(subject.device);
  const model::DeviceInfo& device = *subject.device;
  const model::Problem problem = space::make_problem(kernel.spec(), {1 << 20, 64}, std::nullopt, 0);
  const auto configurations = kernel.list(problem, device.limits);
  REQUIRE(configurations.size() == 1);
  model::TrialRecord& trial = subject.winner.trial;
  trial.kernel = name;
  trial.problem = problem;
  trial.configuration = configurations[0];
  trial.workload = kernel.workload(problem);
  const auto planned = kernel.make_plan(problem, trial.configuration, device.limits);
  const auto* const plan = std::get_if<model::Plan>(&planned);
  REQUIRE(plan != nullptr);
  trial.grid = plan->steps.front().grid;
  trial.block = plan->steps.front().block;
  trial.dynamic_shared_bytes = plan->steps.front().dynamic_shared_bytes;
  compile::nvrtc::NvrtcCompiler compiler = test::real_compiler();
  const model::Compilation made =
      compiler.compile(kernel.compile_job(problem, trial.configuration, "sm_90", compiler.name()));
  REQUIRE_MESSAGE(made.status == model::TrialStatus::ok, made.log);
  trial.resources = made.kernels.front();
  trial.occupancy = device::cuda::occupancy(device.limits, device.compute_major, device.compute_minor,
                                            *trial.resources, trial.block, trial.dynamic_shared_bytes);
  if (disassembler) {
    const sass::Listing listing = sass::read_listing(disassembler->listing(made.binary));
    const sass::Code* const code = listing.find(trial.resources->symbol);
    REQUIRE(code != nullptr);
    subject.winner.code = analyse(*code, listing.architecture, trial.resources->spill_bytes() > 0);
  }
  subject.winner.counters = counters_of(name);
  return subject;
}

struct Flaw {
  const char* kernel;
  const char* rule;
  const char* text;  ///< with the numbers that were planted, where these are exact
};

constexpr std::array in_machine_code = {
    Flaw{"spills", "spills", "are spills"},
    Flaw{"doubles", "doubles", "calculate in FP64 or convert to or from it"},
    Flaw{"redundant_loads", "redundant loads", "have the address of the turn before"}};
constexpr std::array elsewhere = {
    Flaw{"few_blocks", "few blocks", "its 8 blocks leave 124 of 132 multiprocessors idle (94 %)"},
    Flaw{"tail", "tail", "its 133 blocks give 1 of 132 multiprocessors 2 and the others 1"},
    Flaw{"uncoalesced", "uncoalesced", "a load touches 32 sectors of global memory where"},
    Flaw{"bank_conflicts", "bank conflicts",
         "31 M of 32 M wavefronts of shared memory are bank conflicts (97 %)"},
    Flaw{"divergence", "divergence", "8 of 32 threads take part in an instruction: 75 %"}};

void check_named_first(const Flaw& flaw, const std::optional<sass::Disassembler>& disassembler) {
  CAPTURE(flaw.kernel);
  const std::vector<Finding> found = explain::explain(subject_of(flaw.kernel, disassembler));
  REQUIRE(!found.empty());
  CHECK_MESSAGE(found.front().rule == flaw.rule, found.front().text);
  CHECK_MESSAGE(found.front().text.find(flaw.text) != std::string::npos, found.front().text);
  CHECK(!found.front().next.empty());
  // There is no second one.
  for (std::size_t i = 1; i < found.size(); ++i)
    CHECK_MESSAGE((found[i].rule == flaw.rule || !found[i].is_flaw()), found[i].text);
}

}  // namespace

TEST_SUITE("kernels with a planted flaw") {
  TEST_CASE("what the launch and the counters show is named first" * doctest::skip(test::no_toolkit())) {
    for (const Flaw& flaw : elsewhere) check_named_first(flaw, std::nullopt);
  }

  TEST_CASE("what machine code shows is named first, and of the others it shows no flaw" *
            doctest::skip(test::no_toolkit())) {
    std::optional<sass::Disassembler> disassembler;
    try {
      disassembler.emplace(nvdisasm_places());
    } catch (const model::Error& error) {
      MESSAGE("skipped: " << error.what());
      return;
    }
    for (const Flaw& flaw : in_machine_code) check_named_first(flaw, disassembler);
    for (const Flaw& flaw : elsewhere) check_named_first(flaw, disassembler);
  }
}
