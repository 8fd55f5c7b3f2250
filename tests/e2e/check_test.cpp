// Whether a cover holds at sizes that were never measured: on the CPU device, and on a replayed one with more
// sizes.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/e2e/small_kernel.hpp"
#include "tests/e2e/user.hpp"

using nlohmann::json;
using tuner::test::has;
using tuner::test::ProgramResult;
using tuner::test::User;
using tuner::test::words_of;
using tuner::test::write_text;

TEST_SUITE("tuner command line, cover --check") {
  namespace {

  /// A kernel with three configurations: one suits small sizes, one large ones, and the default none, by so
  /// much that another program on the same cores does not change it.
  struct Measured : User {
    Measured() {
      measures_by_default();
      write_spec("1, 2, 3");
    }
    explicit Measured(const std::string& sizes) : Measured() { measure(sizes); }

    void write_spec(const std::string& kinds, const std::string& before = "") const {
      tuner::test::SmallKernel kernel{.name = "steps", .before = before, .keys = "default = { KIND = 3 }\n"};
      kernel.parameters = "KIND = [" + kinds + "]";
      kernel.loops = "KIND == 1 ? N : KIND == 2 ? 1500 : 60000";
      kernel.write(home);
    }
    void measure(const std::string& sizes) const {
      const ProgramResult run = types({"run", "--device", "cpu", "--kernel", home / "steps.toml", "--sizes",
                                       sizes, "--measure", "quick", "--until", "0%"});
      REQUIRE_MESSAGE(run.exit_code == 0, run.err);
    }
    ProgramResult checks(const std::vector<std::string>& more, const std::string& device = "cpu") const {
      std::vector<std::string> all = {"cover", "--device", device, "--measure", "quick", "--within", "10%"};
      all.insert(all.end(), more.begin(), more.end());
      return types(all);
    }
  };

  const std::string eight = "200,400,600,800,1200,2400,3000,3600";

  }  // namespace

  TEST_CASE("a kernel of small sizes alone is checked at one of those, where no size was asked for") {
    const User user;
    const auto found = user.types({"check", "few_rows", "--no-compile"});
    CHECK_MESSAGE(found.exit_code == 0, found.out, found.err);
    CHECK(has(found.out, "the last 16 float; none at "));
    CHECK(user.types({"check", "few_rows", "--no-compile", "--sizes", "512"}).exit_code == 1);
  }

  TEST_CASE("sizes between the measured ones are raced, kept, and say whether the bound held") {
    const Measured user(eight);
    const ProgramResult checked = user.checks({"--check", "3", "--format", "json"});
    INFO(checked.out << checked.err);
    CHECK((checked.exit_code == 0 || checked.exit_code == 1));  // times of a busy machine may refute it
    const json said = json::parse(checked.out);
    CHECK(said["sizes"].size() == 8);
    const json& check = said["check"];
    CHECK(check["seed"] == 1);
    CHECK(check["drawn"] == 3);
    CHECK(check["multiple"] == json({200}));
    REQUIRE(check["sizes"].size() == 3);
    for (const json& size : check["sizes"]) {
      const int N = size["sizes"]["N"];
      CHECK(N % 200 == 0);
      CHECK(N > 200);
      CHECK(N < 3600);
      CHECK(size["loss"] >= 0);
      CHECK(size["loss_low"] <= size["loss"]);
      CHECK(size["default_loss"] > 0.2);
      CHECK(size["tried"] == 3);
    }
    REQUIRE(check["verdicts"].size() == 1);  // eight sizes speak of 1 of 2
    CHECK(check["verdicts"][0]["share"] == 0.5);
    CHECK(check["verdicts"][0]["of"] == 3);

    // They are trials like any others, and known when they are asked for again; the cover is the same.
    const ProgramResult again = user.checks({"--check", "3", "--format", "json"});
    CHECK(has(again.err, "all of them known already"));
    CHECK(json::parse(again.out)["check"]["sizes"] == check["sizes"]);
    CHECK(json::parse(again.out)["sizes"] == said["sizes"]);
    const std::string size = std::to_string(check["sizes"][0]["sizes"]["N"].get<int>());
    CHECK(has(user.types({"best", size, "--measure", "quick"}).out, "KIND="));
    CHECK(json::parse(user.types({"cover", "--format", "json", "--within", "10%"}).out)["sizes"] ==
          said["sizes"]);
    // Once somebody searches there it is a size like the others.
    REQUIRE(user.types({"run", "--device", "cpu", "--kernel", user.home / "steps.toml", "--sizes", size,
                        "--measure", "quick", "--fresh"})
                .exit_code == 0);
    CHECK(json::parse(user.types({"cover", "--format", "json"}).out)["sizes"].size() == 9);
  }

  TEST_CASE("a check that its budget ends goes on from there, and counts what it has not come to") {
    const Measured user(eight);
    const ProgramResult cut_short = user.checks({"--check", "4", "--budget", "4"});
    INFO(cut_short.out << cut_short.err);
    CHECK(has(words_of(cut_short.out), "sizes not reached"));
    CHECK(has(cut_short.err, "tuner cover"));
    const ProgramResult whole = user.checks({"--check", "4"});
    CHECK_FALSE(has(whole.out, "not reached"));
    CHECK(has(words_of(whole.out), "checked at 4 sizes that were not measured before: multiples of 200"));
    CHECK(has(whole.err, "4 of them known already"));
  }

  TEST_CASE("a replayed device checks many sizes, as its original was") {
    std::string sizes;
    for (int i = 1; i <= 36; ++i) sizes += fmt::format("{}{}", i == 1 ? "" : ",", 100 * i);
    const Measured user(sizes);
    REQUIRE(user.types({"export", "-o", user.home / "all.jsonl"}).exit_code == 0);
    const std::string replay = "replay:" + (user.home / "all.jsonl");
    std::string some;
    for (int i = 1; i <= 36; ++i)
      if (i % 3 != 0) some += fmt::format("{}{}", i == 1 ? "" : ",", 100 * i);
    const std::vector<std::string> db = {"--db", user.home / "replayed.db"};
    REQUIRE(user.types({"run", "--device", replay, "--kernel", user.home / "steps.toml", "--sizes", some,
                        "--measure", "quick", "--until", "0%", db[0], db[1]})
                .exit_code == 0);
    const ProgramResult checked = user.checks({"--check", "20", "--format", "json", db[0], db[1]}, replay);
    INFO(checked.out << checked.err);
    const json said = json::parse(checked.out);
    CHECK(said["sizes"].size() == 24);
    const json& check = said["check"];
    CHECK(check["drawn"] == 11);  // 300, 600, … 3300: 3600 lies beyond what was measured
    CHECK(check["asked"] == 20);
    REQUIRE(check["sizes"].size() == 11);
    std::set<int> drawn;
    for (const json& size : check["sizes"]) {
      drawn.insert(size["sizes"]["N"].get<int>() % 300);
      CHECK(size["loss"].is_number());
    }
    CHECK(drawn == std::set<int>{0});
    CHECK(check["verdicts"].size() == 2);
    CHECK(check["bounds"].size() == 1);
    const ProgramResult text = user.checks({"--check", "20", db[0], db[1]}, replay);
    CHECK(has(words_of(text.out), "11 sizes that were not measured before: multiples of 100"));
    CHECK(has(words_of(text.out), "20 were asked for, and 11 found"));
    CHECK(has(words_of(text.out), "these sizes alone say"));
  }

  TEST_CASE("the best of each size is measured at the others, so that one can be chosen for all") {
    const Measured user;
    user.write_spec("1, 3");
    user.measure("200,400,600");
    user.write_spec("2, 3");
    user.measure("2400,3000,3600");
    user.write_spec("1, 2, 3");
    user.measure("100");  // all three are of the kernel again
    const std::vector<std::string> one = {"cover", "--at-most", "1", "--format", "json"};
    CHECK(json::parse(user.types(one).out)["configurations"][0]["default"] == true);
    CHECK(has(words_of(user.checks({}).out), "6 times are missing, of the best of one size at another"));
    const ProgramResult filled = user.checks({"--fill", "1", "--format", "json"});
    INFO(filled.out << filled.err);
    REQUIRE(filled.exit_code == 0);
    CHECK(has(filled.err, "6 trials"));
    CHECK(json::parse(user.types(one).out)["configurations"][0]["configuration"]["KIND"] == 1);
    CHECK(json::parse(user.types(one).out)["configurations"][0]["sizes"] == 7);
    CHECK_FALSE(has(words_of(user.checks({}).out), "missing"));
    CHECK(json::parse(user.types({"best", "200", "--format", "json"})
                          .out)["answers"][0]["winner"]["configuration"]["KIND"] == 1);
    // Nothing is left to do, and a check comes afterwards.
    CHECK_FALSE(has(user.checks({"--fill", "1"}).err, "trials in"));
    CHECK(user.checks({"--fill", "1", "--check", "2"}).exit_code == 2);
  }

  TEST_CASE("what is not worth trying is nothing that is missing, and a check tries it all the same") {
    const std::string worth = "worth_trying = [\"KIND != 1 || N < 500\", \"KIND != 2 || N >= 1000\"]\n\n";
    const Measured edited;  // no size of it was searched whole
    edited.write_spec("1, 3", worth);
    edited.measure("200,400");
    edited.write_spec("2, 3", worth);
    edited.measure("2400,3000");
    edited.write_spec("1, 2, 3", worth);
    edited.measure("100");
    CHECK_FALSE(has(words_of(edited.checks({}).out), "missing"));
    const Measured user;
    user.write_spec("1, 2, 3", worth);
    user.measure(eight);
    CHECK_FALSE(has(words_of(user.checks({}).out), "missing"));
    CHECK_FALSE(has(user.checks({"--fill", "1"}).err, "trials in"));
    const json said = json::parse(user.checks({"--check", "3", "--format", "json"}).out);
    REQUIRE(said["check"]["sizes"].size() == 3);
    for (const json& size : said["check"]["sizes"]) CHECK(size["tried"] == 3);
  }

  TEST_CASE("a fill that a budget ended goes on, and leaves out what an edit has excluded or changed") {
    const Measured user;
    user.write_spec("1, 3");
    user.measure("200,400");
    user.write_spec("2, 3");
    user.measure("2400,3000");
    user.write_spec("1, 2, 3");
    user.measure("100");
    CHECK(has(words_of(user.checks({"--fill", "1", "--budget", "1"}).out), "3 times are missing"));
    const std::string database = user.home / ".local/share/tuner/tuner.db";
    // As it is printed it asks the same question where the same was measured.
    CHECK(has(words_of(user.checks({"--db", database}).out),
              "`tuner cover --fill 1 --within 10% --measure quick --device cpu --db " + database + "`"));
    CHECK(has(words_of(user.types({"cover", "--family", "steps", "--at-most", "2"}).out),
              "`tuner cover --fill 1 --at-most 2 --family steps --measure quick --device cpu`"));
    const std::string source = tuner::test::read_text(user.home / "steps.cu");
    write_text(user.home / "steps.cu", source + "// edited\n");
    const ProgramResult changed = user.checks({"--fill", "1"});
    CHECK(changed.exit_code == 0);
    CHECK(has(words_of(changed.err), "left out: steps, whose spec is not at hand as it was measured"));
    CHECK(has(words_of(changed.out), "3 times are missing"));
    write_text(user.home / "steps.cu", source);
    user.write_spec("2, 3");
    // What was dropped beside what is excluded now is open from then on.
    const ProgramResult narrowed = user.checks({"--fill", "1", "--format", "json"});
    INFO(narrowed.err << narrowed.out);
    const json excluded = json::parse(narrowed.out);
    REQUIRE(excluded["configurations"].size() == 1);
    CHECK(excluded["configurations"][0]["configuration"]["KIND"] == 2);
    CHECK(excluded["configurations"][0]["sizes"] == 5);
    const ProgramResult again = user.checks({"--fill", "1"});
    CHECK_FALSE(has(again.err, "trials in"));
    CHECK_FALSE(has(words_of(again.out), "missing"));
  }

  TEST_CASE("what cannot be checked is said before anything runs") {
    const Measured user(eight);
    const auto refused = [&](const std::vector<std::string>& more, int code) {
      const ProgramResult result = user.checks(more);
      INFO(result.err);
      CHECK(result.exit_code == code);
      CHECK(result.out.empty());
      return words_of(result.err);
    };
    CHECK(has(refused({"--check", "2", "--format", "header"}, 2), "--format header"));
    CHECK(has(refused({"--check", "2", "--same-bits-as", "default"}, 2), "--same-bits-as"));
    refused({"--check", "0"}, 2);
    const ProgramResult elsewhere = user.types({"cover", "--device", "cpu", "--check", "2"});
    CHECK(elsewhere.exit_code == 3);
    CHECK(has(words_of(elsewhere.err), "a check measures in"));
    CHECK(has(words_of(elsewhere.err), "standard-3, and nothing in"));
    CHECK(has(refused({"--check", "2", "--db", user.home / "nowhere.db"}, 3), "nowhere.db"));
    std::filesystem::remove(std::filesystem::path(user.home / "steps.toml"));
    CHECK(has(refused({"--check", "2"}, 1), "the spec of steps is not at hand"));
    const Measured stepped("100,200,300");
    const ProgramResult none = stepped.checks({"--check", "2"});
    CHECK(none.exit_code == 3);
    CHECK(has(words_of(none.err), "there is none that was not measured and that 100 divides"));
    const ProgramResult others = stepped.checks({"--check", "2", "--multiple-of", "10", "--search", "3"});
    INFO(others.out << others.err);
    CHECK(others.exit_code == 0);
    CHECK(has(words_of(others.out), "multiples of 10 between those that were"));
    CHECK(has(words_of(others.out), "is said of those that a larger number divides"));
  }
}
