#include <doctest/doctest.h>
#include <sys/resource.h>

#include <filesystem>

#include "tests/e2e/large_recording.hpp"
#include "tests/e2e/small_kernel.hpp"
#include "tests/e2e/user.hpp"

using namespace tuner;
using test::has;
using test::User;
namespace fs = std::filesystem;

// What `tuner slurm` writes and refuses, where there is no Slurm; with one: slurm_test.cpp.

TEST_SUITE("tuner command line, slurm") {
  namespace {

  std::string script_of(const User& user, const std::string& folder = "tuner-sweep") {
    return test::read_text(user.home / (folder + "/shards.sbatch"));
  }

  /// `text` as far as its run command goes: from `"$tuner" run` to the end of that command.
  std::string run_of(const std::string& script) {
    const std::size_t begin = script.find("\"$tuner\" run");
    REQUIRE(begin != std::string::npos);
    return script.substr(begin, script.find(" &\n", begin) - begin);
  }

  /// Someone whose sbatch, squeue and scancel write down what they are told. sbatch answers 101, 102, …;
  /// squeue with the file `queue`.
  struct FakeSlurm : User {
    FakeSlurm() {
      const std::string said = "printf '%s' \"${0##*/}\" >>said; printf ' %s' \"$@\" >>said; echo >>said\n";
      program("sbatch", said + "ulimit -t >>limits\necho $((100 + $(wc -l <limits)))\n");
      program("scancel", said);
      program("squeue", "cat queue\n");
      environment["PATH"] = home / "bin:/usr/bin:/bin";
      queue("");
    }
    void program(const std::string& name, const std::string& text) const {
      const std::string path = home / ("bin/" + name);
      test::write_text(path, "#!/bin/bash\ncd '" + home.path() + "'\n" + text);
      fs::permissions(path, fs::perms::owner_all);
    }
    void queue(const std::string& lines) const { test::write_text(home / "queue", lines); }
    std::string said() const { return test::read_text(home / "said"); }
    std::string folder() const { return fs::canonical(home / "tuner-sweep").string(); }
  };

  }  // namespace

  TEST_CASE(
      "the scripts say all that a run is told here: flags, environment and files, with absolute paths") {
    User user;
    fs::create_directory(user.home / "recordings");
    test::write_large_recording(user.home / "recordings/a b.json", 4);
    user.environment["TUNER_MEASURE"] = "quick";
    test::write_text(user.home / "tuner.toml", "l2 = \"cold\"\nprogress = \"never\"\n");
    const auto written = user.types({"slurm", "--array", "3", "--device", "replay:recordings/a b.json",
                                     "--report", "out/report.html", "--db", "merged.db", "--sbatch",
                                     "time=2:00:00", "--sbatch", "--partition=gpu"});
    INFO(written.err);
    REQUIRE(written.exit_code == 0);
    const std::string script = script_of(user);
    const std::string run = run_of(script);
    const std::string home = fs::canonical(user.home.path()).string();
    CHECK(has(run, "--device 'replay:" + home + "/recordings/a b.json'"));
    CHECK(has(run, "--measure quick"));
    CHECK(has(run, "--l2 cold"));
    CHECK(has(run, "--seed "));
    CHECK_FALSE(has(run, "--progress"));
    CHECK_FALSE(has(run, "merged.db"));
    CHECK_FALSE(has(run, "report"));
    CHECK(has(script, "#SBATCH --time=2:00:00\n#SBATCH --partition=gpu\n"));
    CHECK_FALSE(has(script, "gres"));
    const std::string last = test::read_text(user.home / "tuner-sweep/last.sbatch");
    CHECK(has(last, "--report " + home + "/out/report.html"));
    CHECK(has(last, "--publish " + home + "/merged.db"));
    CHECK(has(run_of(last), run.substr(0, run.find(" \\\n"))));
    CHECK(has(written.out, "sbatch --parsable " + home + "/tuner-sweep/shards.sbatch"));
    CHECK(has(written.out, "--dependency=afterany:"));
    const auto status = user.types({"status", "tuner-sweep"});
    CHECK(status.exit_code == 0);
    CHECK(has(status.out, "total  3 waiting"));
  }

  TEST_CASE("a spec is named by its whole path, a kernel by its name, and a GPU asked for") {
    const User user;
    REQUIRE(user.types({"slurm", "--array", "2", "--kernel", "naive", "--sizes", "64"}).exit_code == 0);
    CHECK(has(run_of(script_of(user)), "--kernel naive --sizes 64"));
    CHECK(has(script_of(user), "#SBATCH --gres=gpu:1\n"));
    fs::copy(TUNER_SOURCE_DIR "/kernels/matmul", user.home / "specs");
    REQUIRE(user.types({"slurm", "--array", "2", "--kernel", "specs/naive.toml", "--sizes", "64", "--folder",
                        "other", "--device", "cpu"})
                .exit_code == 0);
    CHECK(has(run_of(script_of(user, "other")),
              "--kernel " + fs::canonical(user.home.path()).string() + "/specs/naive.toml"));
    CHECK_FALSE(has(script_of(user, "other"), "gres"));
  }

  TEST_CASE("mistakes are told before anything is written") {
    const User user;
    const auto refused = [&](std::vector<std::string> more, const std::string& says) {
      CAPTURE(says);
      more.insert(more.begin(), "slurm");
      const auto result = user.types(more);
      INFO(result.err);
      CHECK(result.exit_code == 2);
      CHECK(has(result.err, says));
      CHECK_FALSE(fs::exists(user.home / "tuner-sweep"));
    };
    refused({}, "--array 16");
    refused({"--array", "0"}, "0");
    refused({"--array", "two"}, "two");
    refused({"--array", "2", "--kernel", "nave"}, "'nave'");
    refused({"--array", "2", "--sizes", "4096..512"}, "4096..512");
    refused({"--array", "2", "--strategy", "luck"}, "luck");
    refused({"--array", "2", "--device", "replay:none.json"}, "none.json");
    refused({"--array", "2", "--sbatch", "array=1-4"}, "--array");
    refused({"--array", "2", "--folder", "100%"}, "100%");
    refused({"--array", "2", "--shard", "1/2"}, "--shard");
    refused({"--array", "2", "--publish", "x.db"}, "--publish");
    refused({"--retry", "nowhere"}, "nowhere");
  }

  TEST_CASE(
      "settings that are edited between two tasks change neither what these measure nor what they write") {
    const User user;
    const test::TemporaryFolder node;
    fs::create_directory(user.home / ".git");
    test::SmallKernel{
        .name = "fill", .parameters = "BLOCK = [32, 64]", .block = "BLOCK", .is_verified = false}
        .write(user.home);
    REQUIRE(user.types({"slurm", "--array", "1", "--kernel", "fill.toml", "--sizes", "64", "--device", "cpu"})
                .exit_code == 0);
    test::write_text(user.home / "tuner.toml", "l2 = \"cold\"\nreport = \"r.md\"\n");
    test::write_text(user.home / ".config/tuner/tuner.toml", "execution = \"eager\"\n");
    auto environment = user.environment;
    environment["SLURM_JOB_ID"] = environment["SLURM_ARRAY_TASK_ID"] = "1";
    environment["TMPDIR"] = node.path();
    const std::string folder = user.home / "tuner-sweep";
    const auto task = test::run_program({"/bin/bash", folder + "/shards.sbatch"}, environment, folder);
    INFO(task.err);
    REQUIRE(task.exit_code == 0);
    CHECK_FALSE(fs::exists(user.home / "r.md"));
    const std::string measured = user.types({"export", "--db", "tuner-sweep/results/1.db"}).out;
    CHECK(has(measured, "\"l2\":\"warm\""));
    CHECK_FALSE(has(measured, "\"l2\":\"cold\""));
    CHECK_FALSE(has(measured, "\"eager\""));
  }

  TEST_CASE("a folder's sweep is not written over") {
    const User user;
    const std::vector<std::string> command = {"slurm", "--array", "2", "--kernel", "naive", "--sizes", "64"};
    REQUIRE(user.types(command).exit_code == 0);
    const std::string script = script_of(user);
    const auto again = user.types(command);
    CHECK(again.exit_code == 2);
    CHECK(has(again.err, "--retry"));
    CHECK(script_of(user) == script);
  }

  TEST_CASE("without Slurm nothing is submitted, and that is told") {
    User user;
    user.environment["PATH"] = user.home.path();
    const std::vector<std::string> command = {"slurm", "--array", "2", "--kernel", "naive", "--sizes", "64"};
    std::vector<std::string> submitting = command;
    submitting.emplace_back("--submit");
    const auto submitted = user.types(submitting);
    CHECK(submitted.exit_code == 1);
    CHECK(has(submitted.err, "sbatch"));
    CHECK(has(submitted.err, "--retry"));
    const auto retried = user.types({"slurm", "--retry", "tuner-sweep"});
    CHECK(retried.exit_code == 1);
    CHECK(has(retried.err, "not on this machine"));
    CHECK(has(retried.err, "tuner slurm --retry"));
  }

  TEST_CASE(
      "what is missing is submitted, with a last job after all that is under way, and no limit of ours") {
    const FakeSlurm user;
    const auto submitted =
        user.types({"slurm", "--array", "9", "--kernel", "naive", "--sizes", "64", "--submit"});
    INFO(submitted.err);
    REQUIRE(submitted.exit_code == 0);
    CHECK(submitted.out == "array 101\nlast 102\n");
    const std::string folder = user.folder();
    std::string said = "sbatch --parsable " + folder +
                       "/shards.sbatch\nsbatch --parsable --dependency=afterany:101 " + folder +
                       "/last.sbatch\n";
    CHECK(user.said() == said);

    user.queue("101|2|R|tuner|" + folder + "\n101|6|PD|tuner|" + folder + "\n102|N/A|PD|tuner-last|" +
               folder + "\n77|4|R|tuner|/elsewhere\n");
    CHECK(user.types({"status", "tuner-sweep"}).exit_code == 1);
    const auto retried = user.types({"slurm", "--retry", "tuner-sweep"});
    INFO(retried.err);
    CHECK(retried.out == "array 103 (1,3-5,7-9)\nlast 104\n");
    said += "sbatch --parsable --array=1,3-5,7-9 " + folder +
            "/shards.sbatch\nsbatch --parsable --dependency=afterany:101:103 " + folder +
            "/last.sbatch\nscancel 102\n";
    CHECK(user.said() == said);

    std::string all;
    for (int part = 1; part <= 9; ++part) all += "103|" + std::to_string(part) + "|PD|tuner|" + folder + "\n";
    user.queue(all + "104|N/A|PD|tuner-last|" + folder + "\n");
    CHECK(has(user.types({"slurm", "--retry", "tuner-sweep"}).err, "is in Slurm's queue"));
    user.queue(all);
    CHECK(user.types({"slurm", "--retry", "tuner-sweep"}).out == "last 105\n");
    said += "sbatch --parsable --dependency=afterany:103 " + folder + "/last.sbatch\n";
    CHECK(user.said() == said);

    rlimit own_limit{};
    REQUIRE(getrlimit(RLIMIT_CPU, &own_limit) == 0);
    if (own_limit.rlim_cur == RLIM_INFINITY)
      CHECK(test::read_text(user.home / "limits") ==
            "unlimited\nunlimited\nunlimited\nunlimited\nunlimited\n");
  }

  TEST_CASE("a queue that cannot be asked is told, and nothing is taken for lost or submitted") {
    const FakeSlurm user;
    REQUIRE(user.types({"slurm", "--array", "2", "--kernel", "naive", "--sizes", "64"}).exit_code == 0);
    user.program("squeue", "echo 'the controller is down' >&2; exit 1\n");
    const auto status = user.types({"status", "tuner-sweep"});
    CHECK(status.exit_code == 0);
    CHECK(has(status.err, "the controller is down"));
    CHECK(has(status.out, "2 waiting"));
    const auto retried = user.types({"slurm", "--retry", "tuner-sweep"});
    CHECK(retried.exit_code == 1);
    CHECK(has(retried.err, "the controller is down"));
    CHECK(user.said().empty());
    user.program("squeue", "cat queue\n");
    user.program("sbatch", "echo 'invalid partition' >&2; exit 1\n");
    CHECK(has(user.types({"slurm", "--retry", "tuner-sweep"}).err, "invalid partition"));
  }

  TEST_CASE("a folder without a sweep has no status") {
    const User user;
    const auto status = user.types({"status", user.home.path()});
    CHECK(status.exit_code == 3);
    CHECK(has(status.err, "tuner slurm"));
    CHECK(user.types({"status"}).exit_code == 2);
  }
}
