// Which class answers where several know the size: two GPUs, another driver, a quick look at what was tuned
// all night.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"
#include "tests/e2e/user.hpp"

using db_test::key;
using db_test::timed_trial;
using nlohmann::json;
using tuner::test::has;
using tuner::test::ProgramResult;
using tuner::test::User;
namespace model = tuner::model;

TEST_SUITE("tuner command line, which class answers") {
  namespace {

  /// How one class came to know a size.
  struct Sweep {
    int trials = 40;
    std::string device = "NVIDIA H200";
    std::string method = "standard-3";
    std::string driver = "580";
    std::string toolkit = "nvrtc 13.0";
    std::string l2 = "warm";
    std::string execution = "";
    std::string kind = "cuda";
    std::string kernel = "register_tile";
    /// How many configurations the space has of a search that ended by itself; 0: no search.
    int searched = 0;
    std::int64_t size = 512;
  };

  struct Owner : User {
    Owner() { environment["TUNER_DB"] = home / "tuner.db"; }

    /// Each sweep is newer than those before it, and its fastest trial takes as many ns as `ns`.
    void tunes(const Sweep& sweep, double ns) {
      db::ResultStore store(home / "tuner.db");
      model::RunRecord run = db_test::sample_run(std::to_string(ns));
      run.device.name = sweep.device;
      run.device.kind = sweep.kind;
      store.begin_run(run);
      model::Environment comparison = db_test::sample_environment(sweep.device);
      comparison.method = sweep.method;
      comparison.driver = sweep.driver;
      comparison.toolkit = sweep.toolkit;
      comparison.l2 = sweep.l2;
      comparison.execution = sweep.execution;
      for (int i = 0; i < sweep.trials; ++i) {
        model::TrialRecord trial =
            timed_trial(std::to_string(ns) + " " + std::to_string(i), sweep.size, ns + i);
        trial.environment = comparison;
        trial.kernel = sweep.kernel;
        trial.run = run.id;
        store.record(trial);
      }
      if (sweep.searched == 0) return;
      model::SearchRecord search = db_test::sample_search();
      search.problem = db_test::cube(512);
      search.environment = comparison;
      search.run = run.id;
      search.ending = model::SearchEnding::until;
      search.tried = sweep.trials;
      for (auto& part : search.parts) part.candidates = sweep.searched;
      store.record_search(search);
    }
    ProgramResult flags(const std::vector<std::string>& more = {}) const {
      std::vector<std::string> command = {"best", "512", "--format", "header"};
      command.insert(command.end(), more.begin(), more.end());
      return types(command);
    }
    /// The time of the answer that every format takes; empty where none does.
    std::string chosen(const std::vector<std::string>& more = {}) const {
      std::vector<std::string> command = {"best", "512", "--format", "json"};
      command.insert(command.end(), more.begin(), more.end());
      const json said = json::parse(types(command).out);
      const ProgramResult header = flags(more);
      if (!said["undecided"].empty()) {
        CHECK(header.exit_code == 2);
        CHECK(header.out.empty());
        for (const json& answer : said["answers"]) CHECK(answer["chosen"] == false);
        return "";
      }
      CHECK(header.exit_code == 0);
      CHECK(said["answers"][0]["chosen"] == true);
      const double ns = said["answers"][0]["winner"]["measurement"]["median_ns"];
      CHECK(has(header.out, std::to_string(static_cast<int>(ns / 1000)) + "."));
      return std::to_string(static_cast<int>(ns));
    }
  };

  }  // namespace

  TEST_CASE("a smoke test on the CPU does not replace the sweep of the night") {
    Owner owner;
    owner.tunes({}, 100'000);
    SUBCASE("of a few configurations") {
      owner.tunes({.trials = 3, .device = "Some CPU", .kind = "cpu"}, 900'000);
    }
    SUBCASE("of all of them") {
      owner.tunes({.device = "Some CPU", .kind = "cpu"}, 900'000);
    }
    SUBCASE("of a few, measured with more care") {
      owner.tunes({.trials = 3, .device = "Some CPU", .method = "thorough-2", .kind = "cpu"}, 900'000);
    }
    CHECK(owner.chosen() == "100000");
    CHECK(owner.chosen({"--gpu", "Some CPU"}) == "900000");
    CHECK(owner.chosen({"--environment", "some cpu"}) == "900000");
    CHECK(has(owner.flags().err, "the answer among 2 environments: "));
  }

  TEST_CASE("a quick look does not replace what was measured with more care") {
    Owner owner;
    owner.tunes({}, 100'000);
    SUBCASE("of all configurations") {
      owner.tunes({.method = "quick-3"}, 90'000);
      CHECK(has(owner.flags().err, "measured more carefully: standard, not quick"));
    }
    SUBCASE("of a few") {
      owner.tunes({.trials = 3, .method = "quick-3"}, 90'000);
      CHECK(has(owner.flags().err, "better searched: 40 configurations, not 3"));
    }
    CHECK(owner.chosen() == "100000");
    CHECK(owner.chosen({"--measure", "quick"}) == "90000");
    const ProgramResult table = owner.types({"best", "512"});
    CHECK(has(
        table.out,
        "matmul 512: NVIDIA H200, driver 580, nvrtc 13.0, float, L2 warm, standard-3, the answer among 2"));
    CHECK(table.out.find("90.0") > table.out.find("100.0"));  // the answer stands first
  }

  TEST_CASE("what was tried is what counts, and what a search that ended by itself has passed over") {
    Owner owner;
    owner.tunes({.trials = 30, .searched = 500}, 100'000);
    owner.tunes({.trials = 60, .driver = "590"}, 90'000);
    CHECK(owner.chosen() == "100000");
    CHECK(owner.chosen({"--environment", "driver 590"}) == "90000");
  }

  TEST_CASE("a fast new kernel whose environment knows few configurations is named, with its time") {
    Owner owner;
    owner.tunes({}, 100'000);
    owner.tunes({.trials = 3, .driver = "590", .kernel = "new_kernel"}, 50'000);
    CHECK(owner.chosen() == "100000");
    const std::string said =
        "faster and not the answer: new_kernel took 50.00 µs at 512 in another environment of this device, "
        "not 100.0 µs; --environment 590 chooses it";
    CHECK(has(owner.flags().err, said));
    CHECK(has(owner.types({"best", "512"}).out, said));
    CHECK(has(owner.types({"best"}).out, said));
    CHECK(
        json::parse(owner.types({"best", "512", "--format", "json"}).out)["answers"][0]["faster_elsewhere"] ==
        said.substr(said.find("new_kernel")));
  }

  TEST_CASE("a faster time of another GPU, or of a cold cache, says nothing of this one") {
    Owner owner;
    owner.tunes({.trials = 80}, 100'000);
    owner.tunes({.trials = 3, .device = "NVIDIA B200"}, 50'000);
    owner.tunes({.trials = 3, .l2 = "cold"}, 50'000);
    CHECK_FALSE(has(owner.flags().err, "faster and not the answer"));
    CHECK_FALSE(has(owner.types({"best", "512"}).out, "faster and not the answer"));
  }

  TEST_CASE("of one GPU searched and measured alike the newest versions answer, whatever was measured last") {
    Owner owner;
    SUBCASE("measured last") {
      owner.tunes({}, 100'000);
      owner.tunes({.driver = "590"}, 110'000);
    }
    SUBCASE("measured first") {
      owner.tunes({.driver = "590"}, 110'000);
      owner.tunes({}, 100'000);
    }
    SUBCASE("numbers are no text") {
      owner.tunes({.driver = "580.159.04"}, 110'000);
      owner.tunes({.driver = "580.95.05"}, 100'000);
    }
    CHECK(owner.chosen() == "110000");
    CHECK(has(owner.flags().err, "of newer versions, and otherwise alike"));
  }

  TEST_CASE("where the first two change places in another class, beyond doubt, best says so") {
    struct Case {
      const char* of;
      double winner_ns, second_ns;
      model::Environment environment;
    };
    const auto environment = [](const char* l2, const char* execution) {
      model::Environment one = db_test::sample_environment("NVIDIA H200");
      one.l2 = l2;
      one.execution = execution;
      return one;
    };
    Owner owner;
    const auto knows = [&](const Case& known) {
      db::ResultStore store(owner.home / "tuner.db");
      const model::RunRecord run = db_test::sample_run(known.of);
      store.begin_run(run);
      for (const auto& [name, ns] :
           {std::pair("winner", known.winner_ns), std::pair("second", known.second_ns)}) {
        model::TrialRecord trial = timed_trial(name, 512, ns, 10);
        trial.key = key(std::string(known.of) + name);
        trial.environment = known.environment;
        trial.run = run.id;
        store.record(trial);
      }
    };
    knows({"graph", 1000, 1100, environment("warm", "")});
    knows({"stream", 2100, 2000, environment("warm", "stream")});
    knows({"eager", 9005, 9000, environment("warm", "eager")});  // nobody knows
    knows({"cold", 3000, 3100, environment("cold", "")});
    const ProgramResult graph = owner.types({"best", "512", "--execution", "graph", "--l2", "warm"});
    INFO(graph.err);
    CHECK(has(graph.err, "matmul 512: the first two change places with --execution stream: "));
    CHECK(has(graph.err, "2.000 µs, "));
    CHECK_FALSE(has(graph.err, "eager"));
    CHECK_FALSE(has(graph.err, "cold"));
    const ProgramResult stream = owner.types({"best", "512", "--execution", "stream"});
    INFO(stream.err);
    CHECK(has(stream.err, "change places with --execution graph: "));
    CHECK(has(stream.err, "change places with --l2 cold, --execution graph: "));
    CHECK(has(stream.out, "L2 warm, standard-1, stream"));
    CHECK(has(owner.types({"best", "512", "--execution", "eager", "--l2", "cold"}).err,
              "provisional: nothing was measured with --l2 cold and with --execution eager"));
  }

  TEST_CASE("where no rule chooses the choices are named, and the flags that pick one") {
    Owner owner;
    owner.tunes({}, 100'000);
    std::vector<std::string> first, second;
    std::string flag;
    SUBCASE("two GPUs") {
      owner.tunes({.trials = 30, .device = "NVIDIA B200"}, 90'000);
      first = {"--gpu", "H200"};
      second = {"--gpu", "b200"};
      flag = "--gpu (NVIDIA B200 | NVIDIA H200)";
    }
    SUBCASE("a warm and a cold cache") {
      owner.tunes({.l2 = "cold"}, 90'000);
      first = {"--l2", "warm"};
      second = {"--l2", "cold"};
      flag = "--l2 (cold | warm)";
    }
    SUBCASE("in a graph and in a stream") {
      owner.tunes({.execution = "stream"}, 90'000);
      first = {"--execution", "graph"};
      second = {"--execution", "stream"};
      flag = "--execution (graph | stream)";
    }
    SUBCASE("a newer driver and an older toolkit") {
      owner.tunes({.driver = "590", .toolkit = "nvrtc 12.9"}, 90'000);
      first = {"--environment", "driver 580"};
      second = {"--environment", "driver 590"};
      flag = "--environment (580 | 590), --environment (nvrtc 12.9 | nvrtc 13.0)";
    }
    SUBCASE("two compilers") {
      owner.tunes({.toolkit = "nvcc 13.0"}, 90'000);
      first = {"--environment", "nvrtc"};
      second = {"--environment", "nvcc"};
      flag = "--environment (nvcc 13.0 | nvrtc 13.0)";
    }
    SUBCASE("two compilers, the name of one begins with that of the other") {
      owner.tunes({.toolkit = "nvrtc 13.0 -O0"}, 90'000);
      first = {"--environment", "nvrtc 13.0,"};
      second = {"--environment", "nvrtc 13.0 -O0"};
      flag = "--environment (nvrtc 13.0, | nvrtc 13.0 -O0)";
    }
    SUBCASE("one better searched and the other measured with more care") {
      owner.tunes({.trials = 30, .method = "thorough-2"}, 90'000);
      first = {"--measure", "standard"};
      second = {"--measure", "thorough"};
      flag = "--measure (standard | thorough)";
    }
    if (flag.empty()) return;
    const ProgramResult refused = owner.flags();
    CHECK(refused.exit_code == 2);
    CHECK(refused.out.empty());
    CHECK(has(refused.err, "2 environments have an answer, and no rule decides"));
    CHECK(has(refused.err, "40 configurations"));
    CHECK(has(refused.err, flag));
    CHECK(owner.chosen().empty());
    CHECK(owner.chosen(first) == "100000");
    CHECK(owner.chosen(second) == "90000");
    const ProgramResult table = owner.types({"best"});
    CHECK(table.exit_code == 0);
    CHECK(has(table.out, "no rule decides among 2 of them; choose with " + flag));
  }

  TEST_CASE("sizes about which no rule chooses stand in their order") {
    Owner owner;
    for (const std::int64_t size : {64, 512, 1024}) {
      owner.tunes({.size = size}, 100.0 * static_cast<double>(size));
      owner.tunes({.device = "NVIDIA B200", .size = size}, 90.0 * static_cast<double>(size));
    }
    CHECK(has(owner.types({"best"}).out, "matmul 64, 512, 1024: 2 environments have an answer"));
  }
}
