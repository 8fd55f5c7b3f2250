#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/golden.hpp"
#include "tuner/cluster/slurm.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"

using namespace tuner;
using namespace std::chrono_literals;
using db_test::TempFolder;

TEST_SUITE("cluster") {
  namespace {

  cluster::SlurmSweep sample_sweep() {
    cluster::SlurmSweep sweep{cluster::SweepFolder("/shared/ada's sweep")};
    sweep.program = "/opt/tuner/bin/tuner";
    sweep.shards = 16;
    sweep.command = "tuner slurm --array 16 --sizes 512..4096";
    sweep.arguments = {"--kernel", "/home/ada/my kernel.toml", "--sizes", "512..4096", "--seed", "7"};
    sweep.result = "/shared/ada's sweep/result.db";
    sweep.report = "/home/ada/report.html";
    sweep.variables = {"TUNER_L2", "TUNER_TYPE"};
    sweep.options = {"--time=2:00:00", "--partition=gpu", "--comment=for \"ada\"", "--exclusive"};
    return sweep;
  }

  std::string text_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }

  void write_program(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path) << text;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

  /// A folder with a name that a shell would take apart, and a tuner in it that writes down what it is told:
  /// a line an argument.
  struct Node {
    Node() : sweep(cluster::SweepFolder(folder / "a b'c\"d$HOME*;e")) {
      sweep.program = sweep.folder.path() / "tuner $x";
      sweep.result = sweep.folder.path() / "result.db";
      sweep.report = sweep.folder.path() / "report `x`.md";
      std::filesystem::create_directories(sweep.folder.results());
      std::filesystem::create_directories(folder / "tmp");
    }

    /// Runs a script as Slurm would: `status` is what `tuner run` ends with, after `pause`.
    util::CommandResult runs(const std::string& script, int status = 0, const std::string& pause = "") const {
      write_program(sweep.program, "#!/bin/bash\nif [ \"$1\" = run ]; then trap 'echo told >>" +
                                       told().string() + "' TERM; fi\nprintf '%s\\n' \"$@\" >>" +
                                       said().string() + "\n" + pause + "\nif [ \"$1\" = run ]; then exit " +
                                       std::to_string(status) + "; fi\n");
      write_program(folder / "script", script);
      return util::run_command(
          {"env", "SLURM_ARRAY_TASK_ID=5", "SLURM_JOB_ID=77", "USER=ada", "TUNER_L2=cold",
           "TMPDIR=" + (folder / "tmp").string(), (folder / "script").string()},
          folder.path(), 60s);
    }
    std::filesystem::path said() const { return folder / "said"; }
    std::filesystem::path told() const { return folder / "told"; }
    std::filesystem::path own() const { return folder / "tmp/tuner-ada-77"; }

    TempFolder folder;
    cluster::SlurmSweep sweep;
  };

  }  // namespace

  TEST_CASE("the scripts for Slurm are as they were") {
    tests::check_golden("shards.sbatch", cluster::array_script(sample_sweep()));
    tests::check_golden("last.sbatch", cluster::last_script(sample_sweep()));
  }

  TEST_CASE("a GPU is asked for where one is needed and the options do not say how many") {
    cluster::SlurmSweep sweep = sample_sweep();
    CHECK(contains(cluster::array_script(sweep), "#SBATCH --gres=gpu:1\n"));
    sweep.options = {"--gpus-per-node=1"};
    CHECK_FALSE(contains(cluster::array_script(sweep), "--gres"));
    sweep.options.clear();
    sweep.needs_gpu = false;
    CHECK_FALSE(contains(cluster::array_script(sweep), "gres"));
  }

  TEST_CASE("every argument reaches the tuner as it was given, whatever is in it") {
    Node node;
    node.sweep.arguments = {"--kernel", "/a b/it's \"$HOME\" `date` \\ *.toml", "--device", "replay:/x;y&z"};
    node.sweep.cache = "/shared cache/$x";
    node.sweep.shards = 16;
    const auto ended = node.runs(cluster::array_script(node.sweep));
    CAPTURE(ended.output);
    CHECK(ended.exit_code == 0);
    const std::string shared = node.sweep.folder.path().string();
    CHECK(text_of(node.said()) ==
          "run\n--kernel\n/a b/it's \"$HOME\" `date` \\ *.toml\n--device\nreplay:/x;y&z\n"
          "--db\n" +
              node.own().string() +
              "/tuner.db\n--cache-dir\n/shared cache/$x\n"
              "--shard\n5/16\n--publish\n" +
              shared + "/results/5.db\n");
  }

  TEST_CASE("settings in the environment that a script is submitted from do not count") {
    Node node;
    node.sweep.variables = {"TUNER_L2"};
    node.runs(cluster::array_script(node.sweep), 0, "echo \"${TUNER_L2-unset}\" >>" + node.told().string());
    CHECK(text_of(node.told()) == "unset\n");
  }

  TEST_CASE("the last job merges each part that is there, then runs, reports and publishes") {
    Node node;
    const std::string shared = node.sweep.folder.path().string();
    for (const char* part : {"2.db", "11.db", "2.db.progress.json", "2.db.lock"})
      std::ofstream(node.sweep.folder.results() / part) << "x";
    CHECK(node.runs(cluster::last_script(node.sweep)).exit_code == 0);
    const std::string merge = "merge\n--db\n" + node.own().string() + "/tuner.db\n" + shared + "/results/";
    CHECK(text_of(node.said()) == merge + "11.db\n" + merge + "2.db\nrun\n--db\n" + node.own().string() +
                                      "/tuner.db\n--cache-dir\n" + node.own().string() +
                                      "/cache\n--report\n" + shared + "/report `x`.md\n--publish\n" + shared +
                                      "/result.db\n");
  }

  TEST_CASE("what is on the node goes when all is published, and stays when not") {
    for (const auto& [status, stays] :
         {std::pair(0, false), {143, false}, {4, false}, {1, true}, {137, true}}) {
      CAPTURE(status);
      Node node;
      const auto ended = node.runs(cluster::array_script(node.sweep), status);
      CHECK(ended.exit_code == status);
      CHECK(std::filesystem::exists(node.own()) == stays);
      CHECK(contains(ended.output, node.own().string()) == stays);
    }
  }

  TEST_CASE("a folder on the node that is another's is not used") {
    Node node;
    std::filesystem::create_directory_symlink(node.folder / "tmp", node.own());
    const auto ended = node.runs(cluster::array_script(node.sweep));
    CHECK(ended.exit_code == 1);
    CHECK(contains(ended.output, "another user's"));
    CHECK_FALSE(std::filesystem::exists(node.said()));
  }

  TEST_CASE("Slurm's warning is handed on to the tuner, whose end is waited for and told") {
    Node node;
    // The shell that waits is the tuner's parent; it alone is told, as Slurm does with `B:TERM`.
    const auto ended =
        node.runs(cluster::array_script(node.sweep), 143,
                  "if [ \"$1\" = run ]; then kill -TERM $PPID; for i in 1 2 3 4 5; do sleep 0.1; done; fi");
    CHECK(ended.exit_code == 143);
    CHECK(text_of(node.told()) == "told\n");
    CHECK_FALSE(std::filesystem::exists(node.own()));
  }

  TEST_CASE("options of sbatch are taken with and without dashes, and those that are ours are refused") {
    CHECK(cluster::sbatch_option("time=2:00:00") == "--time=2:00:00");
    CHECK(cluster::sbatch_option("--exclusive") == "--exclusive");
    for (const char* bad : {"", "--", "-p gpu", "time 2:00", "time=1\n#SBATCH --x", "array=1-3",
                            "--dependency=x", "$(x)=1", "output=x"}) {
      CAPTURE(bad);
      CHECK_THROWS_AS(cluster::sbatch_option(bad), model::UsageError);
    }
  }

  TEST_CASE("a folder that sbatch would take for a pattern is refused") {
    cluster::require_speakable("/shared/ada's \"sweep\" $1");
    for (const char* bad : {"/shared/100%", "/shared/a\\b", "/shared/a\nb"})
      CHECK_THROWS_AS(cluster::require_speakable(bad), model::UsageError);
  }
}
