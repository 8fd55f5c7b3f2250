// What `tuner plan` and `tuner compile` say and do without the device.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"
#include "tests/e2e/small_kernel.hpp"
#include "tests/e2e/user.hpp"

using tuner::model::RunRecord;
using tuner::test::has;
using tuner::test::ProgramResult;

TEST_SUITE("e2e") {
  namespace {

  /// What is compiled here is counted: twenty binaries of `small`, and one of its reference.
  struct User : tuner::test::User {
    User() {
      has_own_cache();
      tuner::test::SmallKernel{.parameters = "BLOCK = [32, 64, 96, 128]\nWORK = [1, 2, 3, 4, 5]"}.write(home);
    }
  };

  /// Each file of a cache as it lies there: one that is written again is another.
  std::set<std::pair<std::string, ino_t>> entries(const std::filesystem::path& folder) {
    std::set<std::pair<std::string, ino_t>> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      struct stat status {};
      if (entry.path().extension() == ".bin" && stat(entry.path().c_str(), &status) == 0)
        found.emplace(entry.path().string(), status.st_ino);
    }
    return found;
  }

  /// The number that stands before `words`.
  int number_before(const std::string& text, const std::string& words) {
    const auto end = text.find(' ' + words);
    if (end == std::string::npos) return -1;
    const auto begin = text.find_last_not_of("0123456789", end - 1);
    return end == begin + 1 ? -1 : std::stoi(text.substr(begin + 1, end - begin - 1));
  }

  const std::vector<std::string> small = {"--device", "cpu", "--kernel", "small.toml", "--sizes", "64"};

  std::vector<std::string> words(const std::string& command, const std::vector<std::string>& more = {}) {
    std::vector<std::string> all = {command};
    all.insert(all.end(), small.begin(), small.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  }  // namespace

  TEST_CASE("plan and compile take every flag of run, so that its command line can be given as it is") {
    const User user;
    const auto flags_of = [&](const std::string& command) {
      std::set<std::string> flags;
      const std::string help = user.types({command, "--help"}).out;
      for (std::size_t at = help.find("--"); at != std::string::npos; at = help.find("--", at + 2)) {
        const std::size_t end = help.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", at);
        const bool begins_a_line = help.find_last_not_of(" ,-kh", at - 1) == help.rfind('\n', at);
        if (begins_a_line) flags.insert(help.substr(at, end - at));
      }
      return flags;
    };
    std::set<std::string> taken = flags_of("run");
    CHECK(taken.erase("--events") == 1);  // of what happens, and here nothing does
    REQUIRE(taken.contains("--publish-every-s"));
    REQUIRE(taken.contains("--shard"));
    for (const char* command : {"plan", "compile"}) {
      const std::set<std::string> own = flags_of(command);
      for (const std::string& flag : taken) {
        CAPTURE(flag);
        CHECK(own.contains(flag));
      }
    }
  }

  TEST_CASE("what compile has put into the cache a run does not compile again") {
    const User user;
    const std::string cache = user.home.path() + "/shared";
    const ProgramResult compiled = user.types(words("compile", {"--cache-dir", cache}));
    CAPTURE(compiled.err);
    REQUIRE(compiled.exit_code == 0);
    const auto before = entries(cache);
    CHECK(number_before(compiled.err, "compiled in") == static_cast<int>(before.size()));
    CHECK(before.size() > 20);
    CHECK_FALSE(std::filesystem::exists(user.home.path() + "/.local/share/tuner/tuner.db"));

    const ProgramResult run = user.types(words("run", {"--cache-dir", cache}));
    CAPTURE(run.err);
    REQUIRE(run.exit_code == 0);
    CHECK(entries(cache) == before);

    const ProgramResult again = user.types(words("compile", {"--cache-dir", cache, "--fresh"}));
    CHECK(has(again.err, "0 compiled in"));
    CHECK(number_before(again.err, "were there;") == static_cast<int>(before.size()));
    // All trials are known now: nothing is to be compiled for them.
    const ProgramResult known = user.types(words("compile", {"--cache-dir", cache}));
    CHECK(has(known.err, "0 compiled in"));
    CHECK(has(known.err, " 0 were there"));
  }

  TEST_CASE("where the cache keeps nothing compile fails and a run warns") {
    const User user;
    const ProgramResult compiled =
        user.types(words("compile", {"--cache-dir", "/proc/nowhere", "--budget", "2"}));
    CHECK(compiled.exit_code == 1);
    CHECK(has(compiled.err, "of them could not be kept: is /proc/nowhere writable"));
    const ProgramResult run =
        user.types(words("run", {"--cache-dir", "/proc/nowhere", "--budget", "2", "--quiet"}));
    CHECK(run.exit_code == 0);
    CHECK(has(run.err, "warning: the cache /proc/nowhere cannot be written"));
  }

  TEST_CASE("the shards of compile fill the cache together, each with its own part") {
    const User user;
    const std::string cache = user.home.path() + "/shared";
    std::size_t parts = 0;
    for (const char* shard : {"1/2", "2/2"}) {
      REQUIRE(user.types(words("compile", {"--cache-dir", cache, "--shard", shard})).exit_code == 0);
      const auto now = entries(cache);
      CHECK(now.size() > parts + 5);
      parts = now.size();
    }
    const ProgramResult whole = user.types(words("compile", {"--cache-dir", cache}));
    CHECK(has(whole.err, "0 compiled in"));
  }

  TEST_CASE("compile tells what fails once with how often, and a small cache before it is too late") {
    const User user;
    std::ofstream(user.home.path() + "/broken.cu") << "extern \"C\" __global__ void broken(float* x) {\n"
                                                      "#if BLOCK == 64\n  x[0] = nothing;\n#endif\n"
                                                      "  x[blockIdx.x * BLOCK + threadIdx.x] = 1;\n}\n";
    std::ofstream(user.home.path() + "/broken.toml")
        << "verify = \"none\"\n[kernel]\nname = \"broken\"\nfamily = \"broken\"\nsource = "
           "\"broken.cu\"\nentry = \"broken\"\n"
           "sizes = [\"N\"]\n[parameters]\nBLOCK = [32, 64, 128]\nUNUSED = [1, 2, "
           "3]\n[launch]\nblock = [\"BLOCK\"]\n"
           "grid = [\"N / BLOCK\"]\n[[arguments]]\nname = \"x\"\ntype = \"float*\"\naccess = \"out\"\nextent "
           "= "
           "[\"N\"]\n";
    const ProgramResult result = user.types(
        {"compile", "--device", "cpu", "--kernel", user.home.path() + "/broken.toml", "--sizes", "1024"});
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    CHECK(has(result.err, "3 failed: compile_error: "));
    CHECK(has(result.err, "BLOCK=64"));
    const ProgramResult planned =
        user.types({"plan", "--device", "cpu", "--kernel", user.home.path() + "/broken.toml", "--sizes",
                    "2048", "--cache-dir", user.home.path() + "/no cache"});
    CAPTURE(planned.out);
    CHECK(has(planned.out, "compiled just now; 2 failed: `tuner compile` says why"));

    const ProgramResult small = user.types({"compile", "--device", "cpu", "--kernel", "matmul", "--sizes",
                                            "64..512:64", "--budget", "40", "--cache-limit-mb", "1"});
    CAPTURE(small.err);
    CHECK(has(small.err, "the cache is kept below 1 MB"));
    CHECK(has(small.err, "the budget is spent"));
  }

  TEST_CASE("compile that is interrupted keeps what it has, says how to go on, and goes on there") {
    const User user;
    const std::vector<std::string> all = {"--device", "cpu", "--kernel", "matmul", "--sizes", "64"};
    std::vector<std::string> command = {TUNER_BINARY, "compile"};
    command.insert(command.end(), all.begin(), all.end());
    tuner::test::BackgroundProgram program(command, user.environment, user.home.path());
    const std::string cache = user.home.path() + "/.cache/tuner";
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < deadline &&
           (!std::filesystem::exists(cache) || entries(cache).size() < 6))
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    program.signal(SIGINT);
    const ProgramResult interrupted = program.wait();
    CAPTURE(interrupted.err);
    CHECK(interrupted.exit_code == 130);
    CHECK(has(interrupted.err,
              "To go on:\n  TUNER_MEASURE=quick tuner compile --device cpu --kernel matmul --sizes 64"));
    const auto kept = static_cast<int>(entries(cache).size());
    CHECK(kept >= 6);
    const ProgramResult more =
        user.types({"compile", "--device", "cpu", "--kernel", "matmul", "--sizes", "64", "--budget", "2"});
    CHECK(number_before(more.err, "compiled in") >= 2);
    CHECK(number_before(more.err, "were there;") == kept);
  }

  TEST_CASE("plan says what is known, what is left, by what it expects the rest, and writes nothing") {
    const User user;
    const ProgramResult before = user.types(words("plan"));
    CAPTURE(before.err);
    REQUIRE(before.exit_code == 0);
    const int trials = number_before(before.out, "on 1 problem");
    CHECK(trials == 20);
    CHECK(has(before.out, "0 known, " + std::to_string(trials) + " left"));
    CHECK(has(before.out, "small: as a sample of 6 took, compiled just now"));
    CHECK(has(before.out, "assumed: nothing of it was measured"));
    CHECK_FALSE(std::filesystem::exists(user.home.path() + "/.local/share/tuner/tuner.db"));

    REQUIRE(user.types(words("run", {"--budget", "8"})).exit_code == 0);
    const ProgramResult after = user.types(words("plan"));
    CHECK(has(after.out, "8 known, " + std::to_string(trials - 8) + " left"));
    CHECK(has(after.out, "earlier compilations"));
    CHECK(has(after.out, "results of 64 float"));
    CHECK(number_before(after.out, "of both are in the cache") >= 1);

    CHECK(has(user.types(words("plan", {"--budget", "5"})).out, "--budget 5 ends it before that"));
    CHECK(has(user.types(words("plan", {"--budget", "90h"})).out, "--budget 90h is enough"));

    // The parts are the whole.
    int parts = 0;
    for (const char* shard : {"1/3", "2/3", "3/3"})
      parts += number_before(user.types(words("plan", {"--shard", shard})).out, "left");
    CHECK(parts == trials - 8);
  }

  TEST_CASE("plan expects of another method what its samples take, and says of which results") {
    const User user;
    REQUIRE(user.types(words("run", {"--measure", "quick"})).exit_code == 0);
    const ProgramResult whole = user.types(words("plan", {"--measure", "exhaustive"}));
    CAPTURE(whole.out);
    CHECK(has(whole.out, " by quick-3, L2 warm, graph"));
    // 100 samples of 0.5 ms, and before most were dropped after 3 of 0.2 ms
    CHECK(number_before(whole.out, "ms a trial") >= 50);
    REQUIRE(user.types(words("run", {"--measure", "exhaustive", "--budget", "6"})).exit_code == 0);
    const ProgramResult alike = user.types(words("plan", {"--measure", "exhaustive"}));
    CHECK_MESSAGE(has(alike.out, "the median gap between 5 results of 64 float\n"), alike.out);
    CHECK_FALSE(has(alike.out, "by quick-3"));
  }

  TEST_CASE("plan and compile say what they cannot do") {
    const User user;
    const ProgramResult unknown = user.types({"plan", "--gpu", "Voodoo"});
    CHECK(unknown.exit_code == 2);
    CHECK(has(unknown.err, "'Voodoo'"));
    CHECK(has(unknown.err, "sm_90"));
    CHECK(user.types(words("plan", {"--shard", "4/3"})).exit_code == 2);
    CHECK(
        has(user.types(words("plan", {"--same-bits-as", "abcd"})).err, "no trial's identifier begins with"));
  }

  TEST_CASE("of a space too large to list a plan counts a shard's trials, and binaries that differ once") {
    const User user;
    std::string values = "1";
    for (int i = 2; i <= 1000; ++i) values += ", " + std::to_string(i);
    std::string parameters = "BLOCK = [32, 64]";
    for (const char* name : {"\nA", "\nB"})
      parameters += fmt::format("{} = {{ values = [{}], runtime = true }}", name, values);
    tuner::test::SmallKernel{.parameters = parameters, .arguments = {"A", "B"}}.write(user.home);
    const auto plans = [&](const std::string& shard, const std::string& kernel = "small") {
      return user.types({"plan", "--device", "cpu", "--kernel", kernel + ".toml", "--sizes", "100",
                         "--strategy", "random", "--shard", shard});
    };
    CHECK(has(plans("1/1").out, "about 2000000 on 1 problem"));
    CHECK(has(plans("2/4").out, "about 500000 on 1 problem"));
    CHECK(has(plans("2/4").out, "about 2, and 1 of references"));
    for (std::size_t at = 0; (at = parameters.find(", runtime = true")) != std::string::npos;)
      parameters.erase(at, std::string(", runtime = true").size());
    tuner::test::SmallKernel{.name = "many", .parameters = parameters}.write(user.home);
    CHECK(has(plans("1/10000", "many").out, "about 200, and 1 of references"));
  }

#ifdef TUNER_HAVE_CUDA
  TEST_CASE("plan counts what energy takes, and says how many clocks there are") {
    const User user;
    const auto plans = [&](const std::vector<std::string>& more) {
      std::vector<std::string> all = {"plan", "--gpu", "sm_90", "--kernel", "small.toml", "--sizes", "512"};
      all.insert(all.end(), more.begin(), more.end());
      return user.types(all).out;
    };
    const std::string by_energy = plans({"--objective", "energy", "--measure", "standard"});
    CHECK_MESSAGE(has(by_energy, "small: 530 ms a trial, 0.5 s of it for its energy, assumed: "), by_energy);
    CHECK_MESSAGE(has(by_energy, "small: 2.5 s for the energy of each of at most 10 finalists"), by_energy);
    CHECK_MESSAGE(has(plans({"--energy", "--measure", "standard"}), "measuring: 25.6 s of the device"),
                  by_energy);
    const std::string clocks =
        plans({"--clock", "1200,1500,1980", "--objective", "edp", "--measure", "standard"});
    CHECK_MESSAGE(has(clocks, "measuring: 35.6 s of the device, for each of 3 clocks"), clocks);
    CHECK_MESSAGE(has(clocks, "1.8 min or more"), clocks);
  }

  TEST_CASE(
      "a GPU that the database knows is found by part of its name, and has the binaries of its "
      "architecture") {
    const User user;
    {
      db::ResultStore store(user.home.path() + "/tuner.db");
      store.begin_run(db_test::sample_run());
      RunRecord other = db_test::sample_run("on another");
      other.device.name = "NVIDIA H100 NVL";
      store.begin_run(other);
    }
    const auto types = [&](const std::string& command, const std::string& gpu) {
      return user.types(
          {command, "--gpu", gpu, "--kernel", "small.toml", "--sizes", "512", "--db", "tuner.db"});
    };
    REQUIRE(types("compile", "sm_90").exit_code == 0);
    const ProgramResult known = types("plan", "h200");
    CAPTURE(known.out);
    CHECK(has(known.out, "NVIDIA H200 (sm_90), nvrtc "));
    CHECK(has(known.out, "compiling: 0.0 s of one core"));
    const ProgramResult several = types("plan", "nvidia");
    CHECK(several.exit_code == 2);
    CHECK(has(several.err, "NVIDIA H100 NVL, NVIDIA H200"));
  }

  TEST_CASE("binaries for a GPU that is not here are compiled once, and plan finds them") {
    const User user;
    const std::vector<std::string> gpu = {"--gpu",   "sm_90", "--kernel",    "small.toml",
                                          "--sizes", "512",   "--baselines", "off"};
    const auto with = [&](const std::string& command) {
      std::vector<std::string> all = {command};
      all.insert(all.end(), gpu.begin(), gpu.end());
      return user.types(all);
    };
    const ProgramResult compiled = with("compile");
    CAPTURE(compiled.err);
    REQUIRE(compiled.exit_code == 0);
    CHECK(has(compiled.err, "NVIDIA H200 (sm_90), nvrtc "));
    const ProgramResult plan = with("plan");
    CAPTURE(plan.out);
    // Compiled were the tuner's own kernels too, which are no part of the sweep.
    CHECK(number_before(plan.out, "of both are in the cache") ==
          number_before(compiled.err, "compiled in") - 1);
    CHECK(has(plan.out, "compiling: 0.0 s of one core"));
    CHECK(has(with("compile").err, "0 compiled in"));
  }
#endif
}
