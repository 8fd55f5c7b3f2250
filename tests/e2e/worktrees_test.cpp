// One database, and a kernel of one name in several places: what answers by which spec.
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <string>
#include <thread>

#include "tests/e2e/user.hpp"

using tuner::test::has;
using tuner::test::User;
using tuner::test::words_of;
using tuner::test::write_text;

TEST_SUITE("tuner command line, worktrees") {
  namespace {

  const std::string spec = R"text(verify = "none"
constraints = []

[kernel]
name = "scale"
source = "scale.cu"
entry = "scale"
sizes = ["N"]

[parameters]
BLOCK_SIZE = [8, 16, 32]

[launch]
block = ["BLOCK_SIZE"]
grid = ["ceil_div(N, BLOCK_SIZE)"]

[[arguments]]
name = "N"
type = "int"

[[arguments]]
name = "x"
type = "float*"
access = "in"
extent = ["N"]
init = "uniform(0, 1)"

[[arguments]]
name = "y"
type = "float*"
access = "out"
extent = ["N"]
)text";

  /// Blocks of 16 are by far the fastest, those of 8 the slowest.
  const std::string source = R"text(extern "C" __global__ void scale(int N, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  float sum = 0;
  for (int k = 0; k < (BLOCK_SIZE == 16 ? 20 : BLOCK_SIZE == 32 ? 400 : 8000); ++k) sum += x[(i + k) % N];
  y[i] = sum;
}
)text";

  std::string replaced(std::string text, const std::string& what, const std::string& with) {
    return text.replace(text.find(what), what.size(), with);
  }

  const std::string narrow = replaced(spec, "constraints = []", "constraints = [\"BLOCK_SIZE != 16\"]");

  /// A folder with the kernel.
  std::string worktree(const User& user, const std::string& name, const std::string& text) {
    const std::filesystem::path folder = std::filesystem::path(user.home.path()) / name;
    std::filesystem::create_directories(folder);
    write_text((folder / "scale.toml").string(), text);
    write_text((folder / "scale.cu").string(), source);
    return (folder / "scale.toml").string();
  }

  /// By the policy that drops nothing: what is dropped for an excluded configuration is another matter.
  auto run(const User& user, const std::string& kernel, const std::string& sizes = "100",
           const std::string& database = "tuner.db", const std::vector<std::string>& more = {}) {
    std::vector<std::string> command = {"run",      "--kernel",   kernel, "--device", "cpu",
                                        "--sizes",  sizes,        "--db", database,   "--measure",
                                        "complete", "--ceilings", "off"};
    command.insert(command.end(), more.begin(), more.end());
    const auto result = user.types(command);
    INFO(result.err);
    CHECK(result.exit_code == 0);
    return result;
  }

  std::string best(const User& user, const std::string& database = "tuner.db",
                   const std::string& format = "flags") {
    return user.types({"best", "100", "--format", format, "--db", database}).out;
  }

  }  // namespace

  TEST_CASE("a run answers by its own spec, and says that another path has declared its kernel") {
    const User user;
    const std::string a = worktree(user, "a", narrow);
    const std::string b = worktree(user, "b", spec);
    const std::string told = "scale was declared by ";
    const auto first = run(user, a);
    CHECK(has(words_of(first.out), "BLOCK_SIZE=32"));
    CHECK_FALSE(has(first.err, told));
    const auto other = run(user, b);
    CHECK(has(words_of(other.out), "BLOCK_SIZE=16"));
    CHECK(has(other.err, told + a + " at 20"));
    const auto again = run(user, a);
    CHECK(has(words_of(again.out), "BLOCK_SIZE=32"));
    CHECK_FALSE(has(again.out, "BLOCK_SIZE=16"));
    CHECK(has(again.err, told + b + " at 20"));
    CHECK(has(again.err, "this run answers by its own specs"));
    // Its own path, edited; the same spec elsewhere; one that was moved.
    write_text(a, spec);
    CHECK_FALSE(has(run(user, a).err, told));
    CHECK_FALSE(has(run(user, b).err, told));
    CHECK_FALSE(has(run(user, "b/../a/scale.toml").err, told));
    std::filesystem::create_symlink("a", user.home.path() + "/link");
    write_text(a, narrow);
    CHECK_FALSE(has(run(user, "link/scale.toml").err, told));
    run(user, b);
    std::filesystem::rename(b, b + ".old");
    CHECK_FALSE(has(run(user, a).err, told));
  }

  TEST_CASE("shards of two worktrees that share a database are each of their own spec, and so is the whole") {
    const User user;
    const std::string a = worktree(user, "a", narrow);
    const std::string b = worktree(user, "b", spec);
    const auto shard = [&](const std::string& kernel, const std::string& part) {
      return run(user, kernel, "100", "tuner.db", {"--shard", part});
    };
    for (const std::string part : {"1/2", "2/2"}) {
      CAPTURE(part);
      const auto of_b = shard(b, part);
      const auto of_a = shard(a, part);
      CHECK(has(of_a.err, "scale was declared by " + b));
      CHECK_FALSE(has(of_a.out, "BLOCK_SIZE=16"));
      CHECK_FALSE(has(best(user), "BLOCK_SIZE=16"));
      if (part == "2/2") CHECK(has(of_b.err, "scale was declared by " + a));
    }
    CHECK(has(best(user), "BLOCK_SIZE=32"));
    const auto whole = run(user, a);
    CHECK(has(words_of(whole.out), "BLOCK_SIZE=32"));
    CHECK_FALSE(has(whole.out, "BLOCK_SIZE=16"));
    CHECK(has(whole.err, "2 trials, all of them known"));
    const auto other = run(user, b);
    CHECK(has(words_of(other.out), "BLOCK_SIZE=16"));
    CHECK(has(other.err, "3 trials, all of them known"));
  }

  TEST_CASE("a pack is made from the spec that is named, or not at all") {
    const User user;
    const std::string a = worktree(user, "a", spec);
    const std::string b = worktree(user, "b", spec);
    write_text(user.home / "b/scale.cu", source + "// another\n");
    run(user, a);
    run(user, b);
    const auto pack = [&](const std::string& named) {
      return user.types({"pack", "--kernel", named, "--db", "tuner.db", "-o", "scale.tuned"});
    };
    CHECK(pack(b).exit_code == 0);
    const auto refused = pack(a);
    CHECK(refused.exit_code == 1);
    CHECK(has(refused.err, "the spec of scale is not at hand, or has changed since it was measured"));
  }

  TEST_CASE("a run that another one overtakes still answers by its own spec") {
    const User user;
    const std::string a = worktree(user, "a", narrow);
    const std::string b = worktree(user, "b", spec);
    auto slow = std::async(std::launch::async, [&] {
      return user.types({"run", "--kernel", a, "--device", "cpu", "--sizes", "100,20000", "--db", "tuner.db",
                         "--measure", "complete", "--ceilings", "off"});
    });
    // Until the first size is done, and so the long one under way.
    for (int i = 0; i < 600 && best(user).empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    run(user, b);
    const auto first = slow.get();
    INFO(first.err);
    CHECK(first.exit_code == 0);
    CHECK_FALSE(has(first.out, "BLOCK_SIZE=16"));
    CHECK(has(words_of(first.out), "BLOCK_SIZE=32"));
    CHECK(has(first.err, "meanwhile scale was declared by " + b));
    const auto of_large = user.types({"best", "20000", "--format", "json", "--db", "tuner.db"}).out;
    CHECK(has(of_large, "\"BLOCK_SIZE\": 32"));
  }

  TEST_CASE("best says when spec or source on disk is not what was measured, and how to measure it anew") {
    const User user;
    const std::string a = worktree(user, "a", spec);
    const std::string folder = a.substr(0, a.rfind('/'));
    run(user, a);
    const auto said = [&] { return user.types({"best", "100", "--db", "tuner.db"}).err; };
    const auto state = [&](const std::string& word) {
      return has(best(user, "tuner.db", "json"), "\"state\": \"" + word + "\"");
    };
    CHECK_FALSE(has(said(), "edited since"));
    CHECK(state("unchanged"));
    write_text(folder + "/scale.cu", source + "// slower\n");
    CHECK(
        has(said(), "scale was edited since: " + a + ", or a file that it names, is not what was measured"));
    CHECK(state("changed"));
    const std::string command =
        "tuner run --kernel " + a + " --sizes 100 --measure complete --device cpu --db tuner.db";
    CHECK(has(said(), command));
    CHECK(has(best(user, "tuner.db", "json"), "\"measure\": \"" + command + "\""));
    CHECK(has(user.types({"best", "--db", "tuner.db"}).err, command));
    CHECK(has(user.types({"best", "100", "--format", "flags", "--db", "tuner.db"}).err, "edited since"));
    write_text(folder + "/scale.cu", source);
    run(user, a, "100", "tuner.db", {"--execution", "eager"});
    write_text(folder + "/scale.cu", source + "// slower\n");
    CHECK(has(said(), "tuner run --kernel " + a +
                          " --sizes 100 --measure complete --execution eager --device cpu --db tuner.db"));
    CHECK(has(said(), command));
    write_text(folder + "/scale.cu", source);
    CHECK(state("unchanged"));
    write_text(a, narrow);
    CHECK(has(said(), "excludes a configuration that is named here"));
    CHECK(state("excluded"));
    write_text(a, replaced(spec, "[8, 16, 32]", "[8, 16, 32, 64]"));
    CHECK(has(said(), "has other lists or constraints than what was searched"));
    CHECK(state("widened"));
    write_text(a, "kernel = 1\n");
    CHECK(state("unreadable"));
    CHECK(has(said(), "has mistakes; to measure it anew:"));
    write_text(a, replaced(spec, "name = \"scale\"", "name = \"other\"\nfamily = \"scale\""));
    CHECK(state("unreadable"));
    CHECK(has(words_of(said()), "scale was edited since: " + a +
                                    " has no kernel of this name and family any more; `tuner forget "
                                    "--family scale --kernel scale --db tuner.db` removes its results"));
    CHECK_FALSE(has(said(), "tuner run"));
    CHECK(has(best(user, "tuner.db", "json"), "\"measure\": null"));
    std::filesystem::remove(a);
    CHECK(state("unknown"));
    CHECK_FALSE(has(said(), "edited since"));
  }

  TEST_CASE(
      "a cover of two worktrees, or merged, is of the spec in force, and says what the named file excludes") {
    const User user;
    const std::string a = worktree(user, "a", narrow);
    const std::string b = worktree(user, "b", spec);
    const std::string sizes = "100,200,300";
    const auto cover = [&](const std::string& database, const std::vector<std::string>& more = {}) {
      std::vector<std::string> command = {"cover", "--db", database};
      command.insert(command.end(), more.begin(), more.end());
      const auto said = user.types(command);
      INFO(said.err);
      CHECK(said.exit_code == 0);
      return said;
    };
    run(user, b, sizes);
    run(user, a, sizes);
    CHECK(has(cover("tuner.db").out, "BLOCK_SIZE=32"));
    CHECK_FALSE(has(cover("tuner.db").out, "BLOCK_SIZE=16"));
    run(user, b, sizes);
    CHECK(has(cover("tuner.db").out, "BLOCK_SIZE=16"));
    CHECK(cover("tuner.db").err.empty());
    const std::string excludes = "scale: " + a + " excludes a configuration that is named here";
    CHECK(has(cover("tuner.db", {"--kernel", a}).err, excludes));
    CHECK(has(user.types({"best", "100", "--kernel", a, "--db", "tuner.db"}).err, excludes));
    CHECK(has(user.types({"pack", "-o", "scale.tuned", "--kernel", a, "--db", "tuner.db"}).err, excludes));
    CHECK_FALSE(has(user.types({"best", "100", "--kernel", b, "--db", "tuner.db"}).err, "named here"));

    run(user, a, sizes, "a.db");
    run(user, b, sizes, "b.db");
    REQUIRE(user.types({"merge", "a.db", "b.db", "--db", "ab.db"}).exit_code == 0);
    REQUIRE(user.types({"merge", "b.db", "a.db", "--db", "ba.db"}).exit_code == 0);
    CHECK(cover("ab.db").out == cover("ba.db").out);
    // What the target itself declared counts before what it is brought.
    REQUIRE(user.types({"merge", "b.db", "--db", "a.db"}).exit_code == 0);
    CHECK_FALSE(has(cover("a.db").out, "BLOCK_SIZE=16"));
  }

  TEST_CASE("what is not worth trying at a size stays out of its answer in merged databases") {
    const User user;
    const std::string a = worktree(user, "a", spec);
    const std::string worth = "worth_trying = [\"BLOCK_SIZE != 16 || N >= 150\"]\n";
    run(user, a, "100,200", "b.db");
    run(user, a, "100,200", "a.db");
    write_text(a, worth + spec);
    run(user, a, "100,200", "a.db");
    REQUIRE(user.types({"merge", "a.db", "b.db", "--db", "ab.db"}).exit_code == 0);
    REQUIRE(user.types({"merge", "b.db", "a.db", "--db", "ba.db"}).exit_code == 0);
    const auto at = [&](const std::string& size, const std::string& database) {
      return user.types({"best", size, "--format", "flags", "--db", database}).out;
    };
    for (const std::string merged : {"ab.db", "ba.db"}) {
      CAPTURE(merged);
      CHECK(has(at("100", merged), "BLOCK_SIZE=32"));
      CHECK(has(at("200", merged), "BLOCK_SIZE=16"));
      const std::string table = user.types({"best", "100", "--db", merged}).out;
      CHECK(has(words_of(table), "searched whole: all 2"));
    }
    // An undone edit brings it back.
    write_text(a, spec);
    run(user, a, "100,200", "ab.db");
    CHECK(has(at("100", "ab.db"), "BLOCK_SIZE=16"));
  }

  TEST_CASE("two worktrees in one database stay what they are when it is recorded, exported and merged") {
    const User user;
    const std::string a = worktree(user, "a", narrow);
    const std::string b = worktree(user, "b", spec);
    run(user, a);
    run(user, b);
    REQUIRE(user.types({"export", "-o", "b.jsonl", "--db", "tuner.db"}).exit_code == 0);
    run(user, a);
    REQUIRE(user.types({"export", "-o", "a.jsonl", "--db", "tuner.db"}).exit_code == 0);
    // The recording has the trials of both, and each replays as its own.
    for (const auto& [kernel, wanted] : {std::pair(a, "BLOCK_SIZE=32"), std::pair(b, "BLOCK_SIZE=16")}) {
      const auto replayed = user.types({"run", "--device", "replay:b.jsonl", "--kernel", kernel, "--sizes",
                                        "100", "--measure", "complete", "--db", std::string(wanted) + ".db"});
      INFO(replayed.err);
      CHECK(replayed.exit_code == 0);
      CHECK(has(words_of(replayed.out), wanted));
      CHECK(has(best(user, std::string(wanted) + ".db"), wanted));
    }
    // The last declaration answers, in whatever order files and databases come.
    CHECK(has(best(user, "b.jsonl"), "BLOCK_SIZE=16"));
    REQUIRE(user.types({"import", "a.jsonl", "b.jsonl", "--db", "ab.db"}).exit_code == 0);
    REQUIRE(user.types({"import", "b.jsonl", "a.jsonl", "--db", "ba.db"}).exit_code == 0);
    REQUIRE(user.types({"merge", "ba.db", "tuner.db", "--db", "merged.db"}).exit_code == 0);
    for (const std::string database : {"tuner.db", "a.jsonl", "ab.db", "ba.db", "merged.db"}) {
      CAPTURE(database);
      CHECK(has(best(user, database), "BLOCK_SIZE=32"));
      CHECK_FALSE(has(user.types({"report", "--format", "csv", "--db", database}).out, ",16,"));
      const auto foreign = user.types({"export", "--format", "kernel-tuner", "--db", database});
      CHECK(has(foreign.out, "\"BLOCK_SIZE\":[8,32]"));
    }
  }

  TEST_CASE("what a spec excludes stays out of merged, imported and compared databases") {
    const User user;
    const std::string a = worktree(user, "a", spec);
    run(user, a, "100", "a.db");
    write_text(a, narrow);
    run(user, a, "100", "a.db");
    CHECK(has(best(user, "a.db"), "BLOCK_SIZE=32"));
    REQUIRE(user.types({"merge", "a.db", "--db", "merged.db"}).exit_code == 0);
    CHECK(has(best(user, "merged.db"), "BLOCK_SIZE=32"));
    REQUIRE(user.types({"export", "-o", "a.jsonl", "--db", "a.db"}).exit_code == 0);
    REQUIRE(user.types({"import", "a.jsonl", "--db", "imported.db"}).exit_code == 0);
    CHECK(has(best(user, "imported.db"), "BLOCK_SIZE=32"));
    for (const std::string other : {"merged.db", "imported.db", "a.jsonl"}) {
      CAPTURE(other);
      CHECK(user.types({"compare", "a.db", other, "--fail-if-slower", "1%"}).exit_code == 0);
      CHECK(user.types({"compare", other, "a.db", "--fail-if-slower", "1%"}).exit_code == 0);
    }
    // Somebody whose spec has them all is compared by it, and adds nothing that this one excludes.
    const std::string b = worktree(user, "b", spec);
    run(user, b, "100", "b.db");
    CHECK(user.types({"compare", "a.db", "b.db", "--fail-if-slower", "1%"}).exit_code == 5);
    CHECK(user.types({"compare", "b.db", "a.db", "--fail-if-slower", "1%"}).exit_code == 0);
    write_text(a, replaced(narrow, "[8, 16, 32]", "[8, 16]"));
    run(user, a, "100", "c.db");
    CHECK(has(best(user, "c.db"), "BLOCK_SIZE=8"));
    write_text(a, narrow);
    run(user, a, "200", "c.db");
    REQUIRE(user.types({"merge", "b.db", "--db", "c.db"}).exit_code == 0);
    CHECK(has(best(user, "c.db"), "BLOCK_SIZE=32"));
  }
}
