// Which configurations give the same bits, and commands that take no others. On the CPU device.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/small_kernel.hpp"
#include "tests/e2e/user.hpp"

using nlohmann::json;
using tuner::test::has;
using tuner::test::ProgramResult;
using tuner::test::SmallKernel;
using tuner::test::User;
using tuner::test::words_of;
using tuner::test::write_text;

TEST_SUITE("tuner command line, same bits") {
  namespace {

  /// The product of three numbers, in two orders that round differently. The default wastes most time, the
  /// other order least.
  SmallKernel product(const std::string& name, const std::string& keys = "") {
    return {.name = name,
            .keys = "default = { ORDER = 0, WASTE = 3000 }\n" + keys,
            .parameters = "ORDER = [0, 1]\nWASTE = [0, 1000, 3000]",
            .inputs = {"a", "b", "c"},
            .value = "ORDER == 0 ? (a[i] * b[i]) * c[i] : a[i] * (b[i] * c[i])",
            .right = "double(a[i]) * double(b[i]) * double(c[i])",
            .rounding_terms = 3,
            .loops = "60 * WASTE + (ORDER == 0 ? 40000 : 0)"};
  }

  struct Multiplying : User {
    Multiplying() {
      product("times").write(home);
      product("loose", "deterministic = false\n").write(home);
    }
    ProgramResult runs(const std::vector<std::string>& more = {}, const std::string& sizes = "2000",
                       const std::string& kernel = "times") const {
      std::vector<std::string> all = {"run",     "--device", "cpu", "--kernel", home / (kernel + ".toml"),
                                      "--sizes", sizes};
      all.insert(all.end(), more.begin(), more.end());
      return types(all);
    }
    json best(std::vector<std::string> more = {}) const {
      std::vector<std::string> all = {"best", "2000", "--format", "json"};
      all.insert(all.end(), more.begin(), more.end());
      const ProgramResult said = types(all);
      REQUIRE_MESSAGE(said.exit_code == 0, said.err);
      return json::parse(said.out)["answers"][0];
    }
    std::string configuration(const std::vector<std::string>& more = {}) const {
      return best(more)["winner"]["configuration"].dump();
    }
    /// The identifier of the default at 2000.
    std::string untuned() const { return best()["default"]["trial"]; }
  };

  const std::string fastest = R"({"ORDER":1,"WASTE":0})";
  const std::string fastest_of_default = R"({"ORDER":0,"WASTE":0})";
  const std::vector<std::string> as_default = {"--same-bits-as", "default"};

  }  // namespace

  TEST_CASE("best, show and the report say which trials give the same bits, and best takes those alone") {
    const Multiplying user;
    const auto run = user.runs({}, "1000,2000");
    REQUIRE_MESSAGE(run.exit_code == 0, run.err);
    CHECK(has(run.err, "inputs from seed 0"));
    CHECK(user.configuration() == fastest);
    CHECK(has(user.configuration(as_default), "\"ORDER\":0"));
    CHECK(has(user.configuration({"--same-bits-as", user.untuned()}), "\"ORDER\":0"));
    const json winner = user.best()["winner"];
    CHECK(user.configuration({"--same-bits-as", winner["trial"]}) == fastest);
    CHECK(user.best()["same_bits"]["as_default"] == false);
    CHECK(user.best(as_default)["same_bits"]["as_default"] == true);

    const auto shown = user.types({"best", "2000"});
    CHECK(has(words_of(shown.out), "bits others"));
    const auto top = user.types({"best", "2000", "--top", "6"});
    CHECK(has(top.out, "bits: trials of one letter give the same"));
    CHECK(has(top.out, " A\n"));
    CHECK(has(top.out, " B\n"));
    CHECK_FALSE(has(top.out, " C\n"));
    CHECK(has(words_of(user.types({"show", winner["trial"]}).out), "same bits others than the default; "));
    const auto report = user.types({"report", "--format", "json"});
    const json problems = json::parse(report.out)["environments"][0]["problems"];
    CHECK(problems.back()["same_bits"]["as_default"] == false);
    CHECK(has(words_of(user.types({"report"}).out), "| others |"));

    const auto cover = user.types({"cover", "--same-bits-as", "default", "--format", "json"});
    REQUIRE_MESSAGE(cover.exit_code == 0, cover.err);
    CHECK(has(cover.out, "\"ORDER\": 0"));
    CHECK_FALSE(has(cover.out, "\"ORDER\": 1"));
    const auto pack = user.types({"pack", "--same-bits-as", "default", "-o", user.home / "times.tuned"});
    CHECK_MESSAGE(pack.exit_code == 0, pack.err);
    // A size that nobody measured is answered by the rule, whose bits there nobody knows.
    const auto between = user.types({"best", "1500", "--same-bits-as", "default"});
    CHECK(has(between.out, "ORDER=0"));
  }

  TEST_CASE("a search for the default's bits measures it first, and holds its final among those alone") {
    const Multiplying user;
    const auto run = user.runs(as_default);
    REQUIRE_MESSAGE(run.exit_code == 0, run.err);
    CHECK(has(run.err, "only trials with the bits of default count"));
    CHECK(has(run.out, "WASTE=0"));
    CHECK(has(run.out, "ORDER=0"));
    CHECK_FALSE(has(run.out, "ORDER=1"));
    const json answer = user.best(as_default);
    CHECK(answer["winner"]["configuration"].dump() == fastest_of_default);
    CHECK(answer["remeasured"] == true);
    for (const json& group : answer["same_bits"]["groups"])
      CHECK(group.size() == answer["final"]["entries"].size());
    // The answer of all is as it would be: what gives other bits was measured too.
    CHECK(user.configuration() == fastest);
    const auto again = user.runs(as_default);
    CHECK(has(again.err, "6 trials, all of them known already"));
    CHECK_FALSE(has(again.err, "final"));
    const auto whole = user.runs();
    CHECK_MESSAGE(whole.exit_code == 0, whole.err);
    CHECK(user.configuration() == fastest);
    CHECK(user.best()["remeasured"] == true);
    CHECK(user.configuration(as_default) == fastest_of_default);
  }

  TEST_CASE("each size's share of a budget begins with the trial whose bits are asked for") {
    const Multiplying user;
    std::vector<std::string> few = as_default;
    few.insert(few.end(), {"--budget", "6", "--measure", "quick", "--strategy", "exhaustive"});
    const auto run = user.runs(few, "1000,2000");
    REQUIRE_MESSAGE(run.exit_code == 0, run.err);
    for (const char* size : {"1000", "2000"}) {
      const auto said = user.types({"best", size, "--same-bits-as", "default", "--format", "json"});
      REQUIRE_MESSAGE(said.exit_code == 0, said.err);
      const json answer = json::parse(said.out)["answers"][0];
      CHECK(answer["winner"]["configuration"]["ORDER"] == 0);
      CHECK_FALSE(answer["default"].is_null());
    }
  }

  TEST_CASE("after a search of all bits one for the default's measures whole what was dropped for others") {
    const Multiplying user;
    REQUIRE(user.runs().exit_code == 0);
    const auto run = user.runs(as_default);
    REQUIRE_MESSAGE(run.exit_code == 0, run.err);
    CHECK(user.configuration(as_default) == fastest_of_default);
    CHECK(user.best(as_default)["approximate"] == false);
    CHECK(user.best(as_default)["remeasured"] == true);
    CHECK(
        has(words_of(user.types({"best", "2000", "--same-bits-as", "default"}).out), "bits as the default"));
    CHECK(user.configuration() == fastest);
  }

  TEST_CASE("what a cover of some bits lacks is filled with these") {
    const Multiplying user;
    const std::vector<std::string> whole = {"--measure", "complete"};  // nothing is dropped for other bits
    REQUIRE(user.runs(whole, "1000").exit_code == 0);
    SmallKernel narrow = product("times");
    narrow.parameters = "ORDER = [0, 1]\nWASTE = [3000]";
    narrow.write(user.home);
    REQUIRE(user.runs(whole, "2000").exit_code == 0);
    product("times").write(user.home);
    const auto filled = user.types(
        {"cover", "--device", "cpu", "--measure", "complete", "--fill", "1", "--same-bits-as", "default"});
    REQUIRE_MESSAGE(filled.exit_code == 0, filled.err);
    CHECK(user.configuration(as_default) == fastest_of_default);
  }

  TEST_CASE("inputs of another seed have other bits, which nothing is held against") {
    const Multiplying user;
    REQUIRE(user.runs({"--seed", "5"}).exit_code == 0);
    REQUIRE(user.runs({}, "1000").exit_code == 0);
    const auto run = user.runs(as_default);
    REQUIRE_MESSAGE(run.exit_code == 0, run.err);
    CHECK(user.configuration(as_default) == fastest_of_default);
  }

  TEST_CASE("after an edit the default's bits are those of today, and a former trial's those of then") {
    const Multiplying user;
    REQUIRE(user.runs({}, "1000,2000").exit_code == 0);
    const std::string former = user.untuned();
    std::string source = tuner::test::read_text(user.home / "times.cu");
    const std::string order = "y[i] = ORDER == 0";
    source.replace(source.find(order), order.size(), "y[i] = ORDER == 1");
    write_text(user.home / "times.cu", source);
    REQUIRE(user.runs({}, "1000,2000").exit_code == 0);
    CHECK(has(user.configuration(as_default), "\"ORDER\":0"));
    CHECK(has(user.configuration({"--same-bits-as", former}), "\"ORDER\":1"));
    // What the former configuration gives today says nothing of what the former trial gave.
    const auto elsewhere = user.types({"best", "1000", "--same-bits-as", former});
    INFO(elsewhere.out, elsewhere.err);
    CHECK(has(elsewhere.out, "ORDER=1"));
    const auto run = user.runs({"--same-bits-as", former});
    INFO(run.out, run.err);
    CHECK(run.exit_code == 0);
    CHECK(has(run.out, "ORDER=1"));
    const auto new_size = user.runs({"--same-bits-as", former}, "3000");
    CHECK(new_size.exit_code == 2);
    CHECK(has(new_size.err, "no kernel of the sweep has its configuration, as it was then"));
  }

  TEST_CASE("where constraints exclude the default, no run for its bits is advised") {
    const User user;
    SmallKernel excluding = product("times", "");
    excluding.before = "worth_trying = [\"WASTE < 3000\"]\n";
    excluding.write(user.home);
    const std::vector<std::string> command = {"run",        "--device", "cpu", "--kernel",
                                              "times.toml", "--sizes",  "2000"};
    REQUIRE(user.types(command).exit_code == 0);
    const ProgramResult best = user.types({"best", "2000", "--same-bits-as", "default"});
    INFO(best.err);
    CHECK(best.exit_code == 3);
    CHECK(has(best.err, "no answer at 2000: a constraint excludes the default"));
    CHECK(has(best.err, "without --same-bits-as all bits count"));
    CHECK_FALSE(has(best.err, "tuner run"));
    std::vector<std::string> for_bits = command;
    for_bits.insert(for_bits.end(), as_default.begin(), as_default.end());
    const ProgramResult run = user.types(for_bits);
    INFO(run.err);
    CHECK(has(run.err, "nothing can be held against the default: constraints exclude it"));
  }

  TEST_CASE("what has no bits, or is nobody's, is refused by name") {
    const Multiplying user;
    REQUIRE(user.runs().exit_code == 0);
    const std::string untuned = user.untuned();
    const auto refused = [&](const std::vector<std::string>& command, int code, const std::string& why) {
      const auto said = user.types(command);
      CAPTURE(said.err);
      CHECK(said.exit_code == code);
      CHECK(has(said.err, why));
    };
    refused({"best", "2000", "--same-bits-as", "nobody"}, 2, "'nobody' is not");
    refused({"best", "2000", "--same-bits-as", "0123456789ab"}, 3, "0123456789ab");
    refused({"best", "1000", "--same-bits-as", "default", "--format", "flags"}, 3, "was never measured");
    refused({"best", "--family", "else", "--same-bits-as", untuned}, 2,
            "is of times in float, and else is asked for");
    const auto loose = user.runs(as_default, "2000", "loose");
    CHECK(loose.exit_code == 2);
    CHECK(has(loose.err, "nothing can be held against the default: its outputs have no digest"));
    const auto other = user.runs({"--same-bits-as", untuned}, "2000", "loose");
    CHECK(other.exit_code == 2);
    CHECK(has(other.err, "no kernel of the sweep has its configuration"));
    REQUIRE(user.runs({}, "2000", "loose").exit_code == 0);
    refused({"best", "2000", "--family", "loose", "--same-bits-as", "default"}, 3,
            "its bits are unknown: its kernel is not deterministic");
    const std::string unknown =
        json::parse(user.types({"best", "2000", "--family", "loose", "--format", "json"})
                        .out)["answers"][0]["winner"]["trial"];
    refused({"cover", "--same-bits-as", unknown}, 2, "its bits are unknown");
    refused({"cover", "--same-bits-as", unknown}, 2,
            "tuner run --fresh --kernel " + (user.home / "loose.toml") +
                " --sizes 2000 --type float --measure quick --l2 warm --execution graph --device cpu");
  }
}
