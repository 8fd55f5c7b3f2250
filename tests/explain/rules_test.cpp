// Each rule with evidence that makes it speak, and without.
#include <doctest/doctest.h>

#include <functional>
#include <map>

#include "tests/support/contains.hpp"
#include "tuner/explain/explain.hpp"

using namespace tuner;
using explain::Finding;
using explain::Subject;
using sass::Kind;

namespace {

model::TrialRecord timed(double median_ns) {
  model::TrialRecord trial;
  trial.kernel = "product";
  trial.environment.device = "H";
  trial.environment.l2 = "warm";
  trial.outcome.measurement.emplace().median_ns = median_ns;
  trial.configuration = model::Configuration({{"TILE", model::Value(64)}, {"STAGES", model::Value(2)}});
  return trial;
}

/// On a device with 100 multiprocessors, whose launch fills it, and of which nothing else is known.
Subject usual() {
  Subject subject;
  subject.winner.trial = timed(1e6);
  model::TrialRecord& trial = subject.winner.trial;
  trial.grid = {100, 10, 1};
  trial.block = {256, 1, 1};
  trial.resources.emplace().registers = 64;
  trial.occupancy = model::Occupancy{2, 16, 0.25, {"registers"}};
  subject.device.emplace();
  subject.device->compute_major = 9;
  subject.device->limits.multiprocessors = 100;
  subject.trials = {{trial.configuration, 1, false}};
  return subject;
}

/// A hot loop of so many instructions of each kind.
sass::KernelCode code_with(const std::map<Kind, int>& counts) {
  sass::KernelCode code;
  code.architecture = "sm_90";
  code.loops.emplace_back();
  code.hot_loop = 0;
  sass::Mix& mix = code.loops[0].mix;
  for (const auto& [kind, count] : counts) {
    mix.of_kind[static_cast<std::size_t>(kind)] = count;
    mix.instructions += count;
  }
  mix.multiply_adds = mix.count(Kind::multiply_add);
  return code;
}

void add_ceilings(Subject& subject) {
  const auto ceiling = [&](const char* kind, double value) {
    model::Ceiling one;
    one.device = "H";
    one.kind = kind;
    one.value = value;
    subject.ceilings.push_back(one);
  };
  ceiling("arithmetic", 1e12);
  ceiling("memory", 1e11);
  ceiling("l2", 5e11);
  ceiling("launch", 2e-6);
}

model::Configuration with(const char* name, std::int64_t value) {
  model::Configuration configuration = timed(1).configuration;
  configuration.set(std::string(name) == "TILE" ? 0 : 1, model::Value(value));
  return configuration;
}

struct Case {
  std::function<void(Subject&)> evidence;
  std::string says;
};

const std::map<std::string, Case>& cases() {
  static const std::map<std::string, Case> all = {
      {"uncoalesced",
       {[](Subject& s) {
          s.winner.counters = {{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 1000, ""},
                               {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 32000, ""}};
        },
        "a load touches 32 sectors of global memory where 16 would do: 50 % of its 32 k sectors"}},
      {"bank conflicts",
       {[](Subject& s) {
          s.winner.counters = {{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 3200, ""},
                               {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 3100, ""}};
        },
        "3100 of 3200 wavefronts of shared memory are bank conflicts (97 %)"}},
      {"divergence",
       {[](Subject& s) {
          s.winner.counters = {{"smsp__inst_executed.sum", 1000, ""},
                               {"smsp__thread_inst_executed.sum", 8000, ""}};
        },
        "8 of 32 threads take part in an instruction: 75 %"}},
      {"spills",
       {[](Subject& s) {
          s.winner.code = code_with({{Kind::multiply_add, 80}, {Kind::local_load, 20}});
          s.winner.code->loops[0].mix.spill_loads = 15;
          s.winner.code->loops[0].mix.spill_stores = 5;
        },
        "20 of 100 instructions in a turn of the hot loop are spills: 15 loads and 5 stores"}},
      {"doubles",
       {[](Subject& s) {
          s.winner.code = code_with({{Kind::multiply_add, 90}, {Kind::conversion, 10}});
          s.winner.code->loops[0].mix.doubles = 10;
        },
        "10 of 100 instructions in a turn of the hot loop calculate in FP64 or convert to or from it (10 %), "
        "and its type is float"}},
      {"redundant loads",
       {[](Subject& s) {
          s.winner.code = code_with({{Kind::multiply_add, 4}, {Kind::global_load, 3}});
          s.winner.code->loops[0].mix.unchanged_loads = 2;
        },
        "2 of 3 loads from global memory in a turn of the hot loop have the address of the turn before"}},
      {"redundant traffic",
       {[](Subject& s) {
          s.winner.trial.workload.bytes = 1e6;
          s.winner.counters = {{"dram__bytes_read.sum", 3.5e6, "byte"},
                               {"dram__bytes_write.sum", 0.5e6, "byte"}};
        },
        "DRAM moves 4 MB where the problem needs 1 MB: 4 times"}},
      {"few blocks",
       {[](Subject& s) {
          s.winner.trial.grid = {40, 1, 1};
        },
        "its 40 blocks leave 60 of 100 multiprocessors idle (60 %)"}},
      {"few warps",
       {[](Subject& s) {
          s.winner.trial.grid = {100, 1, 1};
          s.winner.trial.block = {32, 1, 1};
        },
        "a multiprocessor has 1 of its warps for 4 schedulers, so 75 %"}},
      {"tail",
       {[](Subject& s) {
          s.winner.trial.grid = {201, 1, 1};
        },
        "its 201 blocks give 1 of 100 multiprocessors 3 and the others 2; 200 run at once, and the last wave "
        "has 1: if all take alike, 33 %"}},
      {"launch",
       {[](Subject& s) {
          add_ceilings(s);
          s.winner.trial.outcome.measurement->median_ns = 4000;
        },
        "an empty launch takes 2.00 µs of its 4.00 µs: 50 %"}},
      {"ceiling",
       {[](Subject& s) {
          add_ceilings(s);
          s.winner.trial.workload = {9e8, 1e7};  // 0.9 of 1 Top/s, 10 of 100 GB/s
        },
        "arithmetic binds it: 900 G of 1 T op/s (90 %), so at most 10 % are left; memory reaches 10 G of 100 "
        "G "
        "B/s (10 %)"}},
      {"busy pipe",
       {[](Subject& s) {
          s.winner.counters = {{"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", 91, "%"}};
        },
        "the tensor cores are busy in 91 % of the cycles: at most 9.0 %"}},
      {"stalls",
       {[](Subject& s) {
          s.winner.counters = {
              {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 6, ""},
              {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", 1, ""}};
        },
        "for each instruction that is issued, 6 warps wait for global or local memory; 7 for all"}},
      {"load units",
       {[](Subject& s) {
          s.winner.code = code_with({{Kind::multiply_add, 4}, {Kind::global_load, 8}});
        },
        "a turn of the hot loop loads or stores 8 times for 4 multiply-adds; a multiprocessor begins one "
        "access "
        "a cycle and 4 multiply-adds, so arithmetic can reach about 12 %"}},
      {"issue slots",
       {[](Subject& s) {
          add_ceilings(s);
          s.winner.trial.workload.operations = 7e8;
          s.winner.code = code_with({{Kind::multiply_add, 75}, {Kind::shared_load, 10}, {Kind::integer, 15}});
        },
        "75 of 100 instructions in a turn of the hot loop are multiply-adds, the most frequent other is "
        "integer (15): arithmetic can "
        "reach about 75 %; it reaches 70 %"}},
      {"runner-up",
       {[](Subject& s) {
          s.runner_up.emplace(explain::Side{s.winner.trial, {}, {}});
          s.runner_up->trial.configuration = with("STAGES", 3);
          s.runner_up->trial.resources->registers = 96;
          s.runner_up_ratio = 1.05;
          s.in_turn = true;
        },
        "(STAGES=3 in place of 2) is 5.0 % slower: it has 96 registers a thread in place of 64"}},
      {"influence",
       {[](Subject& s) {
          s.trials.clear();
          for (const int tile : {16, 32, 64, 128})
            for (const int stages : {1, 2, 3, 4, 5, 6}) {
              model::Configuration configuration = with("TILE", tile);
              configuration.set(1, model::Value(stages));
              s.trials.push_back({configuration, tile == 64 ? 1 : tile == 16 ? 2 : 1.5, tile == 16});
            }
        },
        "TILE explains"}},
      {"end of list",
       {[](Subject& s) {
          s.trials.push_back({with("TILE", 32), 1.25, false});
          s.trials.push_back({with("TILE", 16), 2, false});
        },
        "TILE=64 is the largest of its values that were tried (16, 32, 64), and 32 alone costs 25 %"}},
      {"constraint",
       {[](Subject& s) {
          s.trials.push_back({with("TILE", 32), 1.25, false});
          s.listed = {{"TILE",
                       {model::Value(32), model::Value(64), model::Value(128)},
                       {{model::Value(128), "TILE * STAGES <= 128"}}}};
        },
        "TILE has a value 128 that nothing timed has: `TILE * STAGES <= 128` keeps it from the winner. On "
        "the "
        "other side 32 costs 25 %"}},
      {"occupancy",
       {[](Subject& s) {
          s.winner.code = code_with({{Kind::multiply_add, 100}});
          s.occupancy = [](const model::KernelResources& resources, std::int64_t) {
            const int blocks = resources.registers <= 60 ? 3 : 2;
            return model::Occupancy{blocks, 8 * blocks, 0.125 * blocks, {"registers"}};
          };
        },
        "its 64 registers a thread leave a multiprocessor 2 of its blocks (25 % of its warps); 4 registers "
        "less"}}};
  return all;
}

std::vector<Finding> found_by(std::string_view rule, const Subject& subject) {
  std::vector<Finding> all = explain::explain(subject);
  std::erase_if(all, [&](const Finding& finding) { return finding.rule != rule; });
  return all;
}

}  // namespace

TEST_SUITE("tuner::explain rules") {
  TEST_CASE("each rule speaks where its evidence is, with its numbers, and not where it is missing") {
    for (const explain::Rule& rule : explain::rules()) {
      const std::string name(rule.name);
      CAPTURE(name);
      REQUIRE(cases().contains(name));
      CHECK(found_by(name, usual()).empty());
      Subject subject = usual();
      cases().at(name).evidence(subject);
      const std::vector<Finding> found = found_by(name, subject);
      REQUIRE(!found.empty());
      CHECK_MESSAGE(contains(found.front().text, cases().at(name).says), found.front().text);
      CHECK(found.front().about == rule.about);
      CHECK(!found.front().from.empty());
    }
    CHECK(cases().size() == explain::rules().size());
  }

  TEST_CASE("nothing known gives nothing said") {
    CHECK(explain::explain(Subject()).empty());
  }

  TEST_CASE("a flaw is named before a limit, and the larger before the smaller") {
    Subject subject = usual();
    cases().at("issue slots").evidence(subject);
    cases().at("busy pipe").evidence(subject);
    subject.winner.trial.grid = {40, 1, 1};
    subject.winner.code->loops[0].mix.doubles = 80;
    const std::vector<Finding> all = explain::explain(subject);
    REQUIRE(all.size() >= 3);
    CHECK(all[0].rule == "doubles");
    CHECK(all[1].rule == "few blocks");
    CHECK(all[1].is_flaw());
    CHECK_FALSE(all[2].is_flaw());
  }

  TEST_CASE("of specialised warps nothing is said of occupancy, nor where nobody knows whether they are") {
    Subject subject = usual();
    cases().at("occupancy").evidence(subject);
    CHECK(found_by("occupancy", subject).size() == 1);
    subject.winner.code->hands_registers_over = true;
    CHECK(found_by("occupancy", subject).empty());
    subject.winner.code.reset();
    CHECK(found_by("occupancy", subject).empty());
    subject.device->compute_major = 8;  // registers are handed over from sm_90 on
    CHECK(found_by("occupancy", subject).size() == 1);
  }

  TEST_CASE("occupancy is no limit where all blocks run at once, or half of the warps are there") {
    Subject subject = usual();
    cases().at("occupancy").evidence(subject);
    subject.winner.trial.grid = {200, 1, 1};
    CHECK(found_by("occupancy", subject).empty());
    subject.winner.trial.grid = {1000, 1, 1};
    subject.winner.trial.occupancy->fraction = 0.75;
    CHECK(found_by("occupancy", subject).empty());
  }

  TEST_CASE("blocks that run at once have a tail only where arithmetic keeps multiprocessors busy") {
    Subject subject = usual();
    subject.winner.trial.grid = {101, 1, 1};  // of 200 that run at once
    CHECK(found_by("tail", subject).empty());
    add_ceilings(subject);
    subject.winner.trial.workload = {5e8, 1e6};  // half of the arithmetic ceiling, a hundredth of memory's
    CHECK(contains(found_by("tail", subject).at(0).text, "its 101 blocks give 1 of 100 multiprocessors 2"));
    subject.winner.trial.workload.bytes = 9e7;
    CHECK(found_by("tail", subject).empty());
  }

  TEST_CASE("of one kernel what the values say is not said again as blocks and threads") {
    Subject subject = usual();
    cases().at("runner-up").evidence(subject);
    subject.runner_up->trial.block = {512, 1, 1};
    subject.runner_up->trial.dynamic_shared_bytes = 4096;
    CHECK_FALSE(contains(found_by("runner-up", subject).at(0).text, "block"));
    subject.runner_up->trial.kernel = "other";
    CHECK(contains(found_by("runner-up", subject).at(0).text, "512 threads a block in place of 256"));
    CHECK(
        contains(found_by("runner-up", subject).at(0).text, "4 KiB of shared memory a block in place of 0"));
    subject.runner_up_ratio = 3;
    CHECK(contains(found_by("runner-up", subject).at(0).text, "is 3 times slower"));
    subject.runner_up_ratio = 0.98;
    CHECK(contains(found_by("runner-up", subject).at(0).text, "is 2.0 % faster"));
  }

  TEST_CASE("the widest access that the machine code has decides how many sectors a load needs") {
    Subject subject = usual();
    subject.winner.counters = {{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 1000, ""},
                               {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 16000, ""}};
    CHECK(found_by("uncoalesced", subject).empty());  // perhaps 16 bytes a lane
    subject.winner.code = code_with({{Kind::global_load, 1}});
    subject.winner.code->accesses = {{1, {sass::Space::global, false, 32}, 1}};
    CHECK(contains(found_by("uncoalesced", subject).at(0).text,
                   "16 sectors of global memory where 4 would do"));
    // Outside of the hot loop, and as an asynchronous copy.
    subject.winner.code->accesses.push_back({0, {sass::Space::global_to_shared, false, 128}, 1});
    CHECK(found_by("uncoalesced", subject).empty());
  }

  TEST_CASE("traffic is no flaw where DRAM is mostly idle, nor are few bank conflicts") {
    Subject subject = usual();
    cases().at("redundant traffic").evidence(subject);
    REQUIRE(found_by("redundant traffic", subject).size() == 1);
    subject.winner.counters.push_back({"dram__throughput.avg.pct_of_peak_sustained_elapsed", 23, ""});
    CHECK(found_by("redundant traffic", subject).empty());
    subject.winner.counters = {{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 1000, ""},
                               {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 180, ""}};
    CHECK(found_by("bank conflicts", subject).at(0).weight < 1);
  }

  TEST_CASE("what is idle or waits is no reason where a pipe is at its limit") {
    for (const char* rule : {"divergence", "stalls"}) {
      CAPTURE(rule);
      Subject subject = usual();
      cases().at(rule).evidence(subject);
      for (model::Counter& counter : subject.winner.counters)
        if (counter.metric == "smsp__thread_inst_executed.sum") counter.value = 27000;  // of 32000
      REQUIRE(found_by(rule, subject).size() == 1);
      subject.winner.counters.push_back(
          {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", 96, ""});
      CHECK(found_by(rule, subject).empty());
    }
    // Pipes are counted where blocks are; only what the whole device reaches excuses few blocks.
    Subject subject = usual();
    cases().at("few blocks").evidence(subject);
    subject.winner.counters = {{"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", 96, ""}};
    CHECK(found_by("few blocks", subject).size() == 1);
    subject.winner.counters = {{"dram__throughput.avg.pct_of_peak_sustained_elapsed", 96, ""}};
    CHECK(found_by("few blocks", subject).empty());
  }

  TEST_CASE("a runner-up differs by counters only where the difference can cost time, in plain words") {
    Subject subject = usual();
    cases().at("runner-up").evidence(subject);
    const std::string stall = "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio";
    subject.winner.counters = {{stall, 0.01, ""},
                               {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", 0.02, ""}};
    subject.runner_up->counters = {
        {stall, 0.04, ""}, {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", 0.09, ""}};
    CHECK_FALSE(contains(found_by("runner-up", subject).at(0).text, "waiting"));
    CHECK_FALSE(contains(found_by("runner-up", subject).at(0).text, "tensor"));
    subject.runner_up->counters[0].value = 0.5;
    CHECK(contains(found_by("runner-up", subject).at(0).text,
                   "warps waiting for shared memory at an issue in place of 0.01"));
  }

  TEST_CASE("multiply-adds that wait for registers of one bank take two issue slots") {
    Subject subject = usual();
    subject.winner.code = code_with({{Kind::multiply_add, 80}, {Kind::integer, 20}});
    subject.winner.code->loops[0].mix.conflicts = 60;
    CHECK(contains(found_by("issue slots", subject).at(0).text,
                   "the most frequent other is integer (20), and 60 multiply-adds wait a cycle for registers "
                   "of one bank: arithmetic can "
                   "reach about 50 %"));
  }

  TEST_CASE("where nothing says how much arithmetic there is, a few multiply-adds bind nothing") {
    Subject subject = usual();
    subject.winner.trial.workload.operations = 0;
    subject.winner.code = code_with({{Kind::multiply_add, 40}, {Kind::integer, 60}});
    CHECK(found_by("issue slots", subject).size() == 1);
    subject.winner.code = code_with({{Kind::multiply_add, 20}, {Kind::integer, 80}});
    CHECK(found_by("issue slots", subject).empty());
  }

  TEST_CASE("a limit that is far from what is reached binds nothing") {
    Subject subject = usual();
    cases().at("issue slots").evidence(subject);
    CHECK(found_by("issue slots", subject).size() == 1);
    subject.winner.trial.workload.operations = 3e8;  // 30 % where 75 % could be
    CHECK(found_by("issue slots", subject).empty());
  }

  TEST_CASE("data that stays in the cache is held against the cache") {
    Subject subject = usual();
    add_ceilings(subject);
    const auto cache = std::ranges::find(subject.ceilings, "l2", &model::Ceiling::kind);
    cache->cache_bytes = 1'000'000'000;
    subject.winner.trial.workload.bytes = 4e8;
    const auto found = found_by("ceiling", subject);
    REQUIRE(found.size() == 1);
    CHECK(contains(
        found[0].text,
        "the L2 cache, where the data stays, binds it: 400 G of 500 G B/s (80 %), so at most 20 % are left"));
    cache->cache_bytes = 1000;  // four times what memory can give
    CHECK(found_by("ceiling", subject)[0].text == found[0].text);
    subject.winner.trial.environment.l2 = "cold";
    CHECK(contains(found_by("ceiling", subject)[0].text, "memory binds it"));
  }

  TEST_CASE("no ceiling is said to be far where one is not known") {
    Subject subject = usual();
    add_ceilings(subject);
    subject.winner.trial.workload = {1e8, 1e7};  // a tenth of each
    CHECK(
        contains(found_by("ceiling", subject).at(0).text, "no ceiling is near: arithmetic reaches 100 G of"));
    subject.winner.trial.problem.type = model::ElementType::bfloat16;
    CHECK(
        found_by("ceiling", subject).at(0).text ==
        "memory reaches 10 G of 100 G B/s (10 %); the arithmetic ceiling of __nv_bfloat16 was not measured");
    subject.winner.trial.workload.operations = 0;
    CHECK(found_by("ceiling", subject).at(0).text == "memory reaches 10 G of 100 G B/s (10 %)");
  }

  TEST_CASE(
      "spills outside of the hot loop are no flaw, and without machine code the compiler's count counts") {
    Subject subject = usual();
    subject.winner.trial.resources->spill_load_bytes = 8;
    CHECK(contains(found_by("spills", subject).at(0).text, "loads 8 bytes of registers, says the compiler"));
    subject.winner.code = code_with({{Kind::multiply_add, 4}});
    CHECK(found_by("spills", subject).empty());
  }

  TEST_CASE("a value of which the one before is not slower says nothing of what lies beyond") {
    Subject subject = usual();
    subject.trials.push_back({with("TILE", 32), 1.005, false});
    subject.trials.push_back({with("TILE", 16), 2, false});
    CHECK(found_by("end of list", subject).empty());
    subject.trials[1].ratio = 1.25;
    CHECK(found_by("end of list", subject).size() == 1);
    subject.trials[1].is_bound = true;
    CHECK(contains(found_by("end of list", subject).at(0).text, "and 32 alone costs ~25 %"));
    subject.listed = {
        {"TILE", {model::Value(64), model::Value(128)}, {}}};  // it is not the end of the spec's list
    CHECK(found_by("end of list", subject).empty());
  }

  TEST_CASE("few trials, and times that nothing foretells, say nothing of parameters") {
    Subject subject = usual();
    cases().at("influence").evidence(subject);
    const std::vector<Finding> found = found_by("influence", subject);
    REQUIRE(!found.empty());
    CHECK(contains(found[0].text, "that is known loses: 32: 50 %, 128: 50 %, 16: ~100 %"));
    CHECK(contains(found[0].text, "24 trials, 6 of them lower bounds"));
    subject.trials.resize(15);
    CHECK(found_by("influence", subject).empty());
  }

  TEST_CASE("of many values the worst is said too, marked as the others are, and a tie loses nothing") {
    Subject subject = usual();
    subject.trials.clear();
    for (const int tile : {8, 16, 24, 32, 64, 128, 256, 512})
      for (const int stages : {1, 2, 3}) {
        model::Configuration configuration = with("TILE", tile);
        configuration.set(1, model::Value(stages));
        subject.trials.push_back({configuration,
                                  tile == 64  ? 1
                                  : tile == 8 ? 1.00001
                                              : 1 + tile / 100.0,
                                  tile == 512});
      }
    CHECK(contains(found_by("influence", subject).at(0).text,
                   "loses: 8: 0 %, 16: 16 %, 24: 24 %, 32: 32 %, …, 512: ~512 %"));
  }

  TEST_CASE("a constraint of many lines is named by its first words") {
    Subject subject = usual();
    cases().at("constraint").evidence(subject);
    subject.listed[0].barred[0].by = "  TILE == 32\n  || TILE == 64\n" + std::string(200, ' ') + "|| true";
    CHECK(contains(found_by("constraint", subject).at(0).text, "`TILE == 32   || TILE == 64 "));
    CHECK(found_by("constraint", subject).at(0).text.size() < 200);
  }
}
