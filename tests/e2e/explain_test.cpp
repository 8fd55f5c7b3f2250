// What `tuner explain` says from what is recorded, and where `report`, `best` and `run --counters` say it.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"
#include "tests/e2e/user.hpp"
#include "tuner/util/text.hpp"

using nlohmann::json;
using tuner::test::has;
using tuner::test::ProgramResult;
using tuner::test::User;
namespace model = tuner::model;

TEST_SUITE("tuner command line, explanations") {
  namespace {

  constexpr const char* recording = TUNER_SOURCE_DIR "/docs/results/h100-2026-11-23-search/whole.jsonl.gz";

  struct Asker : User {
    Asker() {
      environment["TUNER_DB"] = home / "tuner.db";
      environment["TUNER_CACHE_DIR"] = home / "cache";
    }
    ProgramResult asks(std::vector<std::string> arguments, const std::string& of = recording) const {
      arguments.insert(arguments.end(), {"--db", of});
      return types(arguments);
    }
    json explains(std::vector<std::string> arguments, const std::string& of = recording) const {
      arguments.insert(arguments.begin(), "explain");
      arguments.insert(arguments.end(), {"--format", "json"});
      const ProgramResult said = asks(arguments, of);
      REQUIRE_MESSAGE(said.exit_code == 0, said.err);
      return json::parse(said.out)["explanations"];
    }
  };

  /// The findings of a rule.
  std::vector<json> of_rule(const json& findings, const std::string& rule) {
    std::vector<json> found;
    for (const json& each : findings)
      if (each["rule"] == rule) found.push_back(each);
    return found;
  }

  }  // namespace

  TEST_CASE("each size of a recorded sweep is explained, within the width of the terminal") {
    Asker asker;
    asker.environment["COLUMNS"] = "80";
    const ProgramResult said = asker.asks({"explain", "--family", "matmul"});
    REQUIRE_MESSAGE(said.exit_code == 0, said.err);
    std::size_t last = 0;
    for (const char* size : {"512", "1024", "2048", "4096"}) {
      const std::size_t at = said.out.find(std::string("at matmul ") + size + ":");
      REQUIRE(at != std::string::npos);
      CHECK(at >= last);
      last = at;
    }
    CHECK(has(said.out, "what binds it:"));
    CHECK(has(said.out, "what the runner-up lacks:"));
    for (std::string_view rest = said.out; !rest.empty();)
      CHECK(tuner::util::display_width(tuner::util::split_first(rest, "\n")) <= 80);
  }

  TEST_CASE("every sentence has a number and says what it rests on") {
    const Asker asker;
    const json all = asker.explains({"--kernel", "register_tile"});
    REQUIRE(all.size() == 4);
    for (const json& one : all) {
      CHECK(one["findings"].size() >= 3);
      for (const json& finding : one["findings"]) {
        const std::string text = finding["text"];
        CHECK_MESSAGE(text.find_first_of("0123456789") != std::string::npos, text);
        CHECK(!finding["from"].get<std::string>().empty());
      }
    }
  }

  TEST_CASE(
      "of a kernel tuned whole it is known which parameters matter, and what beckons beyond its lists") {
    const Asker asker;
    const json one = asker.explains({"1024", "--kernel", "register_tile"}).at(0);
    CHECK(one["kernel"] == "register_tile");
    const auto influence = of_rule(one["findings"], "influence");
    REQUIRE(!influence.empty());
    CHECK(has(influence[0]["text"], "TILES explains"));
    CHECK(has(influence[0]["text"], "240 trials"));
    bool unroll = false;
    for (const json& end : of_rule(one["findings"], "end of list"))
      unroll = unroll || has(end["text"], "UNROLL=32 is the largest");
    CHECK(unroll);
  }

  TEST_CASE("of a merged database each GPU is explained by its own trials, and named") {
    Asker asker;
    asker.measures_by_default();
    const std::string replayed = asker.home / "replayed.db";
    const std::string merged = asker.home / "merged.db";
    REQUIRE(asker
                .asks({"run", "--device", "replay:" + std::string(recording), "--sizes", "512", "--kernel",
                       "register_tile", "--ceilings", "off", "--baselines", "off", "--budget", "40"},
                      replayed)
                .exit_code == 0);
    REQUIRE(asker.asks({"import", recording}, merged).exit_code == 0);
    CHECK_FALSE(has(asker.asks({"explain", "512"}, merged).out, " on NVIDIA"));
    REQUIRE(asker.asks({"merge", replayed}, merged).exit_code == 0);
    CHECK(has(asker.asks({"explain", "512"}, merged).out, "at matmul 512 on NVIDIA H100 80GB HBM3: "));
    CHECK(has(asker.asks({"explain", "512", "--gpu", "replayed"}, merged).out,
              "at matmul 512: register_tile "));
    const std::string best = asker.asks({"best", "512"}, merged).err;
    CHECK(best.find("why ") != best.rfind("why "));  // of both, and what explain speaks of is named at one
    CHECK(best.find("tuner explain 512") != std::string::npos);
    CHECK(best.find("tuner explain 512") == best.rfind("tuner explain 512"));
    CHECK(asker.asks({"explain", "512", "--gpu", "A100"}, replayed).exit_code == 3);
    CHECK(asker.explains({"512", "--gpu", "replayed"}, merged) == asker.explains({"512"}, replayed));
    CHECK(asker.explains({"512", "--gpu", "80GB HBM3"}, merged) != asker.explains({"512"}, replayed));
  }

  TEST_CASE("a size or a parameter that nobody has is refused with what there is") {
    const Asker asker;
    const ProgramResult size = asker.asks({"explain", "777", "--family", "matmul"});
    CHECK(size.exit_code == 3);
    CHECK(has(size.err, "no answer for size 777"));
    CHECK(has(size.err, " --sizes 777"));
    const ProgramResult two = asker.asks({"explain", "512x512", "--family", "matmul"});
    CHECK(two.exit_code == 3);
    CHECK(has(two.err, "a size here is M x N x K of matmul: give one number, or one for each"));
    CHECK_FALSE(has(two.err, "--sizes 512x512"));
    const ProgramResult parameter = asker.asks({"explain", "TILE_L", "--kernel", "register_tile_2d"});
    CHECK(parameter.exit_code == 2);
    CHECK(has(parameter.err, "did you mean `TILE_"));
    CHECK(asker.asks({"explain", "12x"}).exit_code == 2);
  }

  TEST_CASE("the runner-up is the next one of best, though it was dropped early") {
    const Asker asker;
    const std::string examples = TUNER_SOURCE_DIR "/docs/results/h200-2026-11-22-examples/examples.jsonl.gz";
    CHECK(has(asker.asks({"best", "10000000", "--family", "example_sum"}, examples).err,
              "the next one, 4cefce2: ~46 % slower"));
    const json one = asker.explains({"--family", "example_sum"}, examples).at(0);
    CHECK(has(of_rule(one["findings"], "runner-up").at(0)["text"], "4cefce2 ("));
    CHECK(has(of_rule(one["findings"], "runner-up").at(0)["text"], " is about 46 % slower"));
  }

  TEST_CASE("a tied neighbour is called tied, not faster") {
    const Asker asker;
    const std::string counted = TUNER_SOURCE_DIR "/docs/results/h100-2026-11-26-why/counted.jsonl.gz";
    CHECK(has(asker.asks({"best", "4096"}, counted).err, "STAGES 4 → 5: tied (bc36962)"));
  }

  TEST_CASE("best leads to it, and a report has it with what was counted") {
    Asker asker;
    const ProgramResult best = asker.asks({"best", "1024", "--family", "matmul"});
    CHECK(has(best.err, "`tuner explain 1024 --family matmul --db "));
    CHECK(has(asker.asks({"best", "1024", "--kernel", "naive"}).err,
              "`tuner explain 1024 --kernel naive --db "));
    CHECK_FALSE(has(asker.asks({"best", "1024", "--where", "registers < 64"}).err, "tuner explain"));
    const std::string fast = db_test::timed_trial("fast", 512, 1000).key.hex();
    {
      db::ResultStore store(asker.home / "tuner.db");
      store.begin_run(db_test::sample_run());
      store.record(db_test::timed_trial("fast", 512, 1000));
      store.record(db_test::timed_trial("slow", 512, 2000));
      store.record_counters(db_test::key("fast"),
                            {{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 64, ""},
                             {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 62, ""}});
    }
    const std::string said = "62 of 64 wavefronts of shared memory are bank conflicts";
    const json report = json::parse(asker.types({"report", "--format", "json"}).out)["environments"][0];
    CHECK(has(report["problems"][0]["explanation"][0]["text"], said));
    int counted = 0;
    for (const json& trial : report["trials"])
      if (trial.contains("counters")) {
        CHECK(trial["trial"] == fast);
        CHECK(trial["counters"]["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"] == 62);
        ++counted;
      }
    CHECK(counted == 1);
    CHECK(has(asker.types({"report", "--format", "csv"}).out,
              "counters.l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"));
    const std::string markdown = asker.types({"report"}).out;
    CHECK(has(markdown, "what binds the best"));
    CHECK(has(markdown, said));
    CHECK(has(asker.types({"report", "--format", "html"}).out, said));
    CHECK(has(asker.types({"explain", "512"}).out, said));
  }

  TEST_CASE("kernels with a planted flaw are right on the processor, and of its launches nothing is said") {
    Asker asker;
    const ProgramResult ran =
        asker.types({"run", "--device", "cpu", "--kernel", TUNER_SOURCE_DIR "/tests/flawed", "--sizes",
                     "4096x64,1000x33", "--measure", "quick", "--counters", "--ceilings", "off"});
    CHECK_MESSAGE(ran.exit_code == 0, ran.err);
    CHECK(has(ran.err,
              "--counters: cpu has no hardware counters, which are of NVIDIA GPUs; the sweep goes on "
              "without them"));
    const json all = asker.explains({}, asker.environment["TUNER_DB"]);
    CHECK(all.size() == 16);  // eight kernels, two sizes
    for (const json& one : all) CHECK(one["findings"].empty());
    const ProgramResult said = asker.types({"explain", "4096x64", "--family", "flawed_tail"});
    CHECK(has(said.out, "nothing that is recorded says why"));
  }
}
