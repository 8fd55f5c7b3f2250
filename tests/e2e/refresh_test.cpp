// What is known of another environment, raced again in today's. On the CPU device, and on replayed ones.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/e2e/small_kernel.hpp"
#include "tests/e2e/user.hpp"

using nlohmann::json;
using tuner::test::has;
using tuner::test::ProgramResult;
using tuner::test::SmallKernel;
using tuner::test::User;
using tuner::test::words_of;

TEST_SUITE("tuner command line, refresh") {
  namespace {

  /// A kernel with six speeds.
  SmallKernel wasting() {
    return {.name = "waste",
            .keys = "family = \"wasting\"\ndefault = { WASTE = 6000 }\n",
            .parameters = "WASTE = [100, 2000, 3000, 4000, 5000, 6000]",
            .loops = "20 * WASTE"};
  }

  /// It, measured quickly at two sizes. The default is the slowest.
  struct Measured : User {
    Measured() {
      measures_by_default();
      wasting().write(home);
      const ProgramResult run = types({"run", "--device", "cpu", "--kernel", home / "waste.toml", "--sizes",
                                       "400,900", "--measure", "quick", "--until", "0%"});
      REQUIRE_MESSAGE(run.exit_code == 0, run.err);
    }
    ProgramResult refreshes(const std::vector<std::string>& more = {}) const {
      std::vector<std::string> all = {"refresh", "--device", "cpu"};
      all.insert(all.end(), more.begin(), more.end());
      return types(all);
    }
    std::size_t trials_in(const std::string& environment) const {
      const std::string csv = types({"report", "--format", "csv"}).out;
      std::size_t count = 0;
      for (std::size_t at = csv.find(environment); at != std::string::npos;
           at = csv.find(environment, at + 1))
        ++count;
      return count;
    }
  };

  }  // namespace

  TEST_CASE("the finalists of another environment race again, and each size says what became of its winner") {
    const Measured user;
    CHECK(user.trials_in("quick-3") == 12);
    const ProgramResult refreshed = user.refreshes({"--format", "json"});
    REQUIRE_MESSAGE(refreshed.exit_code == 0, refreshed.err);
    const json said = json::parse(refreshed.out);
    REQUIRE(said["sizes"].size() == 2);
    for (const json& size : said["sizes"]) {
      CHECK(size["winner"] == "same");
      CHECK(size["from"]["method"] == "quick-3");
      CHECK(size["after"]["environment"]["method"] == "standard-3");
      CHECK(size["after"]["configuration"]["WASTE"] == 100);
      CHECK(size["time_ratio"]["low"] <= size["time_ratio"]["ratio"]);
      CHECK(size["time_ratio"]["ratio"] <= size["time_ratio"]["high"]);
      CHECK(size["same_bits"] == true);
    }
    // Winner and default of each size, and no other.
    CHECK(user.trials_in("standard-3") <= 6);
    CHECK(user.trials_in("standard-3") >= 4);
    const json best =
        json::parse(user.types({"best", "400", "--measure", "standard", "--format", "json"}).out);
    CHECK(best["provisional"] == false);
    CHECK(best["answers"][0]["remeasured"] == true);
    CHECK(best["answers"][0]["searched"].is_null());

    const ProgramResult again = user.refreshes();
    CHECK(has(again.err, "all of them known already"));
    CHECK(has(words_of(again.out), "wasting, from"));
    CHECK(
        has(again.out, "2 sizes: the winner is the same at 2, tied at 0, another at 0, without a time at 0"));
    const ProgramResult whole = user.types(
        {"run", "--device", "cpu", "--kernel", user.home / "waste.toml", "--sizes", "400", "--until", "0%"});
    CHECK(has(whole.err, "of them known already"));
  }

  TEST_CASE("where nobody measured best is provisional: it says where it is from, and what measures there") {
    Measured user;
    const ProgramResult best = user.types({"best", "400", "--measure", "standard"});
    CHECK(best.exit_code == 0);
    CHECK(has(best.out, "WASTE=100"));
    CHECK(has(best.err, "provisional: nothing was measured with --measure standard; this is from"));
    CHECK(has(
        best.err,
        "quick-3. To race its finalists there, in seconds: tuner refresh --measure standard --sizes 400"));
    CHECK(has(best.err, "`tuner explain 400` says what binds it"));
    CHECK(user.types({"explain", "400"}).exit_code == 0);  // as it was told
    CHECK(json::parse(
              user.types({"best", "400", "--measure", "standard", "--format", "json"}).out)["provisional"] ==
          true);
    const ProgramResult flags = user.types({"best", "400", "--measure", "standard", "--format", "flags"});
    CHECK(flags.exit_code == 3);
    CHECK(has(tuner::test::words_of(flags.err),
              "there, in seconds: tuner refresh --measure standard --sizes 400 --device cpu"));
    // A command that is longer than the line is one that a shell takes.
    user.environment["COLUMNS"] = "80";
    CHECK(has(user.types({"best", "400", "--measure", "standard", "--kernel", "waste"}).err,
              "in seconds:\n  tuner refresh --measure standard --kernel waste --sizes 400 --device cpu\n"));
    user.environment["COLUMNS"] = "400";
    const ProgramResult gpu = user.types({"best", "400", "--gpu", "B200"});
    CHECK(gpu.exit_code == 3);
    CHECK(has(gpu.err, "of a device named 'B200' there are 0 trials; answers are of "));
    CHECK_FALSE(has(user.types({"best", "400"}).err, "provisional"));
    REQUIRE(user.refreshes({"--measure", "standard", "--sizes", "400"}).exit_code == 0);  // as it was told
    CHECK_FALSE(has(user.types({"best", "400", "--measure", "standard"}).err, "provisional"));
  }

  TEST_CASE("a former winner that is slower now gives way") {
    const Measured user;
    // As another compiler might turn it round.
    SmallKernel today = wasting();
    today.loops = "20 * (6100 - WASTE)";
    today.write(user.home);
    const ProgramResult slower = user.refreshes({"--sizes", "400"});
    REQUIRE_MESSAGE(slower.exit_code == 0, slower.err);
    CHECK(has(slower.err, "waste was edited since it was measured: what races is what it is now"));
    CHECK(has(words_of(slower.out), "another: WASTE 100 → 6000; the former is "));
    CHECK(has(slower.out, "× slower"));
    // However slow it has become, it is measured whole.
    std::istringstream csv(user.types({"report", "--format", "csv"}).out);
    for (std::string line; std::getline(csv, line);)
      if (has(line, "standard-3")) CHECK_FALSE(has(line, ",dropped,"));
    CHECK(has(slower.out, "1 size: the winner is the same at 0, tied at 0, another at 1"));
  }

  TEST_CASE("sizes that a refresh has not come to are counted, and not taken for failures") {
    const Measured user;
    const ProgramResult cut_short = user.refreshes({"--budget", "2"});
    CHECK_MESSAGE(cut_short.exit_code == 0, cut_short.err);
    CHECK(has(cut_short.err, "1 size not reached"));
    CHECK(has(cut_short.out, "1 size: "));
    CHECK_FALSE(has(words_of(cut_short.out), "was not measured"));
    // Before one of both is chosen, each is told with all of its sizes.
    const std::string both = user.types({"cover"}).err;
    CHECK(has(both, "quick-3: 2 sizes"));
    CHECK(has(both, "standard-3: 1 size\n"));
    CHECK_FALSE(has(user.refreshes().err, "not reached"));
  }

  TEST_CASE("a former winner that fails now gives way, and its failure is told") {
    const Measured user;
    SmallKernel today = wasting();
    today.value = "WASTE == 100 ? 0 : i";
    today.right = "i";
    today.write(user.home);
    const ProgramResult wrong = user.refreshes({"--sizes", "900"});
    CHECK_MESSAGE(wrong.exit_code == 0, wrong.err);
    CHECK(has(words_of(wrong.out), "the former fails: wrong_result"));
    CHECK(has(wrong.out, "without a time at 1"));
  }

  TEST_CASE("a replayed device refreshes what its original knows, and answers as that did") {
    const Measured user;
    REQUIRE(user.types({"export", "-o", user.home / "quick.jsonl"}).exit_code == 0);
    const ProgramResult replayed = user.types({"refresh", "--device", "replay:" + (user.home / "quick.jsonl"),
                                               "--measure", "quick", "--format", "json"});
    REQUIRE_MESSAGE(replayed.exit_code == 0, replayed.err);
    for (const json& size : json::parse(replayed.out)["sizes"]) {
      CHECK(size["winner"] == "same");
      CHECK(size["time_ratio"]["ratio"] == 1);
      CHECK(has(size["after"]["environment"]["device"], "(replayed)"));
    }
  }

  TEST_CASE("nothing from elsewhere, and kernels that are gone, are said") {
    const Measured user;
    const ProgramResult same = user.refreshes({"--measure", "quick"});
    CHECK(same.exit_code == 3);
    CHECK(has(same.err, "is of another environment than"));
    CHECK(user.refreshes({"--sizes", "12345"}).exit_code == 3);
    const ProgramResult nowhere = user.refreshes({"--db", user.home / "nowhere.db"});
    CHECK(nowhere.exit_code == 3);
    CHECK(has(nowhere.err, "no database here yet"));
    CHECK_FALSE(std::filesystem::exists(std::filesystem::path(user.home / "nowhere.db")));
    const ProgramResult nobody = user.refreshes({"--family", "nobody"});
    CHECK(nobody.exit_code == 3);
    CHECK(has(nobody.err, "nothing of family nobody in "));
    // What measures it has what was asked for.
    const ProgramResult wide = user.types({"best", "400", "--type", "double", "--pad", "3"});
    CHECK(has(wide.err, "no answer in double for size 400 pad 3 in "));
    CHECK(has(wide.err, "waste.toml --sizes 400 --type double --pad 3 --device cpu"));
    std::filesystem::remove(std::filesystem::path(user.home / "waste.toml"));
    const ProgramResult gone = user.refreshes();
    CHECK(gone.exit_code == 3);
    CHECK(has(gone.err, "left out: waste, whose spec is not at hand; --kernel FILE names it"));
    CHECK(has(words_of(gone.err), "no spec of the finalists of these sizes is at hand"));
    CHECK_FALSE(has(gone.err, "tuner run"));
  }
}
