// What `tuner profile` says before there is a GPU to count on, and where counters are seen afterwards.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"
#include "tests/e2e/user.hpp"

using tuner::test::has;
using tuner::test::ProgramResult;
using tuner::test::User;
namespace model = tuner::model;

TEST_SUITE("tuner command line, counters") {
  namespace {

  struct Profiler : User {
    Profiler() { environment["TUNER_DB"] = home / "tuner.db"; }

    std::string records(const model::TrialRecord& trial, const std::string& architecture = "sm_90") const {
      db::ResultStore store(home / "tuner.db");
      model::RunRecord run = db_test::sample_run();
      run.device.architecture = architecture;
      store.begin_run(run);
      store.record(trial);
      return trial.key.hex();
    }
    void refuses(const std::vector<std::string>& arguments, int exit_code, const std::string& words) const {
      const ProgramResult said = types(arguments);
      CAPTURE(said.err);
      CHECK(said.exit_code == exit_code);
      CHECK(has(tuner::test::words_of(said.err), words));
      CHECK(said.out.empty());
    }
  };

  }  // namespace

  TEST_CASE("what cannot be counted is refused before anything is compiled, and it is said why") {
    const Profiler user;
    const std::string wrong =
        user.records(db_test::failed_trial("wrong", 512, model::TrialStatus::wrong_result));
    const std::string good = user.records(db_test::timed_trial("good", 512, 1000));
    user.refuses({"profile"}, 2, "which trial is not said");
    user.refuses({"profile", good, "--best"}, 2, "a trial and --best were given");
    user.refuses({"profile", "abcdef0123"}, 3, "abcdef0123");
    user.refuses({"profile", wrong}, 3, "is wrong_result: only what ran and was right is counted");
    user.refuses({"profile", wrong, "--metrics", "dram__bytes_read.sum,smsp__inst_issued.sum"}, 3,
                 "is wrong_result");
    user.refuses({"profile", "--best", "--size", "64"}, 3, "for size 64");
    user.refuses({"profile", "--best", "--size", "64,128"}, 2, "one size is taken");
  }

  TEST_CASE("a trial of a processor has no counters") {
    const Profiler user;
    model::TrialRecord trial = db_test::timed_trial("a", 512, 1000);
    user.refuses({"profile", user.records(trial, "x86-64")}, 3, "has no hardware counters");
  }

  TEST_CASE("counters are shown with their trial, and ask for by best") {
    const Profiler user;
    const std::string fast = user.records(db_test::timed_trial("fast", 512, 1000));
    const std::string slow = user.records(db_test::timed_trial("slow", 512, 2000));
    {
      db::ResultStore store(user.home / "tuner.db");
      store.record_counters(db_test::key("fast"), {{"dram__bytes_read.sum", 8192, "byte"}});
      store.record_counters(db_test::key("slow"), {{"dram__bytes_read.sum", 4096, "byte"},
                                                   {"lts__t_sector_hit_rate.pct", 87.5, "percent"}});
    }
    CHECK(has(tuner::test::words_of(user.types({"show", slow}).out), "4096 byte dram__bytes_read.sum"));
    CHECK(has(tuner::test::words_of(user.types({"show", slow}).out),
              "87.50 percent lts__t_sector_hit_rate.pct"));
    CHECK(has(tuner::test::words_of(user.types({"show", fast, slow}).out),
              "dram__bytes_read.sum 8192 byte 4096 byte"));
    const auto best =
        user.types({"best", "512", "--where", "dram__bytes_read_sum < 8000", "--format", "json"});
    CHECK_MESSAGE(has(best.out, slow), best.err);
    CHECK_FALSE(has(best.out, fast));
    user.refuses({"best", "512", "--where", "dram__bytes_written_sum < 8000"}, 2, "dram__bytes_written_sum");
  }
}
