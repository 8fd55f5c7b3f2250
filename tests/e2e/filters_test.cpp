// What commands that answer from the database take into account, and what they leave out.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"
#include "tests/e2e/user.hpp"

using db_test::key;
using tuner::test::has;
using tuner::test::ProgramResult;
using tuner::test::User;
namespace model = tuner::model;

TEST_SUITE("tuner command line, what is taken into account") {
  namespace {

  struct What {
    const char* kernel;
    std::int64_t size;
    double median_ns;
    const char* family = "matmul";
    const char* device = "NVIDIA H200";
    model::ElementType type = model::ElementType::float32;
    const char* run = "old";
  };

  model::TrialRecord trial_of(const What& what) {
    const std::string name = std::string(what.kernel) + ' ' + std::to_string(what.size) + what.family +
                             what.device + std::string(model::cuda_name(what.type));
    model::TrialRecord trial = db_test::timed_trial(name, what.size, what.median_ns);
    trial.kernel = what.kernel;
    trial.problem.family = what.family;
    trial.problem.type = trial.environment.type = what.type;
    trial.environment.device = what.device;
    const bool is_other_gpu = trial.environment.device != "NVIDIA H200";
    trial.configuration = model::Configuration({{"TILE", model::Value(is_other_gpu ? 99 : what.size / 16)}});
    trial.run = key(what.run);
    trial.compile_log.clear();
    return trial;
  }

  /// Someone whose database has two runs, of several kernels, families, types and GPUs.
  struct Owner : User {
    Owner() {
      environment["TUNER_DB"] = database;
      db::ResultStore store(database);
      store.begin_run(db_test::sample_run("old"));
      store.begin_run(db_test::sample_run("new"));
      for (const What& what : std::vector<What>{
               {"alpha", 512, 1000},
               {"beta", 512, 1200},
               {"alpha", 1024, 7000},
               {"alpha", 512, 1050, "matmul", "NVIDIA H100"},
               {"adder", 512, 300, "sum"},
               {"alpha", 512, 2000, "matmul", "NVIDIA H200", model::ElementType::float64, "new"},
           })
        store.record(trial_of(what));
    }
    ProgramResult asks(std::vector<std::string> command, const std::vector<std::string>& more) const {
      command.insert(command.end(), more.begin(), more.end());
      return types(command);
    }
    /// The answers of `tuner best`.
    nlohmann::json best(const std::vector<std::string>& more) const {
      const ProgramResult said = asks({"best", "--format", "json"}, more);
      CHECK_MESSAGE(said.exit_code == 0, said.err);
      return nlohmann::json::parse(said.out)["answers"];
    }
    /// How many trials a report has.
    std::ptrdiff_t reported(const std::vector<std::string>& more) const {
      const ProgramResult said = asks({"report", "--format", "csv"}, more);
      return std::count(said.out.begin(), said.out.end(), '\n') - 1;
    }
    /// What `pack` needs beside the question.
    std::vector<std::string> output_of(const std::string& command) const {
      return command == "pack" ? std::vector<std::string>{"-o", home / "all.pack"}
                               : std::vector<std::string>{};
    }
    std::string left() const { return db_test::ask(database, "SELECT count(*) FROM trials"); }

    std::string database = home / "tuner.db";
  };

  }  // namespace

  TEST_CASE("best is of the size, family, kernel and type that were asked for") {
    const Owner owner;
    CHECK(owner.best({"512"}).size() == 4);  // of matmul on two GPUs and of two types, and of sum
    const auto matmul = owner.best({"512", "--family", "matmul", "--type", "float"});
    REQUIRE(matmul.size() == 2);
    CHECK(matmul[0]["winner"]["kernel"] == "alpha");
    const auto beta = owner.best({"512", "--kernel", "beta"});
    REQUIRE(beta.size() == 1);
    CHECK(beta[0]["winner"]["measurement"]["median_ns"] == 1200);
    const auto wide = owner.best({"512", "--type", "double"});
    REQUIRE(wide.size() == 1);
    CHECK(wide[0]["winner"]["measurement"]["median_ns"] == 2000);
    CHECK(owner.types({"best", "512", "--family", "nobody"}).exit_code == 3);
    CHECK(owner.types({"best", "512", "--kernel", "nobody"}).exit_code == 3);
  }

  TEST_CASE("a condition leaves out cases that lack its names, and is a mistake where all do") {
    const Owner owner;
    auto wide = trial_of({"scan", 512, 400, "scan"});
    wide.configuration = model::Configuration({{"WIDTH", model::Value(8)}});
    db::ResultStore(owner.database).record(wide);
    const auto narrow = owner.best({"512", "--where", "WIDTH == 8"});
    REQUIRE(narrow.size() == 1);
    CHECK(narrow[0]["winner"]["kernel"] == "scan");
    const auto unknown = owner.types({"best", "512", "--where", "DEPTH == 8"});
    CHECK(unknown.exit_code == 2);
    CHECK(has(unknown.err, "unknown name `DEPTH`"));
  }

  TEST_CASE("a line of failures that are of several sizes and configurations says of how many") {
    const Owner owner;
    db::ResultStore store(owner.database);
    for (const std::int64_t size : {100, 200, 300}) {
      auto failed = trial_of({"faulty", size, 1});
      failed.outcome = {};
      failed.outcome.status = model::TrialStatus::launch_error;
      failed.outcome.detail = "no image";
      failed.configuration = model::Configuration({{"TILE", model::Value(size < 300 ? 1 : 2)}});
      store.record(failed);
    }
    const auto all = owner.types({"list", "failures", "--kernel", "faulty", "--format", "json"});
    INFO(all.out, all.err);
    const auto failures = nlohmann::json::parse(all.out)["failures"];
    REQUIRE(failures.size() == 1);
    CHECK(failures[0]["trials"] == 3);
    CHECK(has(failures[0]["problem"], " float and 2 more"));
    CHECK(has(failures[0]["configuration"], " and 1 more"));
  }

  TEST_CASE("a size that was never measured is answered by the nearest, and the answer says so") {
    const Owner owner;
    const std::vector<std::string> of_beta = {"best", "--kernel", "beta"};
    CHECK_FALSE(has(owner.asks(of_beta, {"512"}).err, "never measured"));
    const std::string said = owner.asks(of_beta, {"2048"}).err;
    CHECK(has(said, "size 2048 was never measured here; the nearest is 512"));
    CHECK(has(said, "measured there: 1 ok"));
    const auto of_all = owner.types({"best", "--kernel", "beta", "--nearest"});
    CHECK(of_all.exit_code == 2);
    CHECK(has(of_all.err, "--nearest is of one SIZE"));
  }

  TEST_CASE("what a change costs is told of the answer's own class and problem alone") {
    const Owner owner;
    auto changed = trial_of({"alpha", 512, 1100});
    changed.key = key("changed");
    changed.configuration = model::Configuration({{"TILE", model::Value(64)}});
    db::ResultStore(owner.database).record(changed);
    const std::string why =
        owner.types({"best", "512", "--family", "matmul", "--type", "float", "--gpu", "H200"}).err;
    CHECK(has(why, "TILE 32 → 64: "));
    CHECK_FALSE(has(why, "TILE 32 → 99"));
  }

  TEST_CASE("who names a GPU is given no other's answer, and is told what there is") {
    const Owner owner;
    const auto there = owner.best({"512", "--family", "matmul", "--gpu", "h100"});
    REQUIRE(there.size() == 1);
    CHECK(there[0]["environment"]["device"] == "NVIDIA H100");
    CHECK(there[0]["wanted_device"] == true);
    const std::vector<std::string> build = {"best", "512", "--family", "matmul", "--format", "flags"};
    CHECK(owner.asks(build, {"--gpu", "H100"}).exit_code == 0);
    for (const char* command : {"best", "cover", "explain", "pack"}) {
      const ProgramResult none =
          owner.asks({command, "--family", "matmul", "--gpu", "A100"}, owner.output_of(command));
      CHECK(none.exit_code == 3);
      CHECK(none.out.empty());
      CHECK(has(none.err,
                "of a device named 'A100' there are 0 trials; answers are of NVIDIA H100, NVIDIA H200"));
      CHECK(has(none.err, "tuner run --kernel matmul --sizes"));
    }
    CHECK(owner.asks(build, {"--gpu", "A100"}).exit_code == 3);
    // A GPU that has answers to other questions is not what this one lacks.
    const ProgramResult none =
        owner.asks({"best", "512", "--family", "matmul", "--gpu", "H100"}, {"--where", "TILE == 77"});
    CHECK(none.exit_code == 3);
    CHECK(has(none.err, "no answer for size 512 of family matmul with TILE == 77"));
    CHECK_FALSE(has(none.err, "of a device named"));
    const ProgramResult elsewhere = owner.asks({"explain", "513", "--family", "matmul"}, {});
    CHECK(elsewhere.exit_code == 3);
    CHECK(has(elsewhere.err, "`tuner best` answers by the sizes that were measured"));
  }

  TEST_CASE("a name that nothing has is no kernel to run") {
    const Owner owner;
    for (const char* flag : {"--kernel", "--family"}) {
      const ProgramResult none = owner.asks({"best", "512", flag, "unheard"}, {});
      CHECK(none.exit_code == 3);
      CHECK(has(none.err, "nothing is called 'unheard' here; `tuner list kernels` shows what is shipped"));
      CHECK_FALSE(has(none.err, "tuner run"));
    }
    CHECK(has(owner.asks({"best", "512", "--kernel", "register_tile"}, {}).err,
              "tuner run --kernel register_tile --sizes 512"));
  }

  TEST_CASE("where all trials of a GPU are of former kernels, no other GPU answers for it") {
    const Owner owner;
    for (const std::string gpu : {"H100", "H200"}) {
      const std::string of_gpu =
          " WHERE tuning_case IN (SELECT n.id FROM cases AS n JOIN environments AS c ON c.id = "
          "n.environment WHERE c.device = 'NVIDIA " +
          gpu + "')";
      db_test::meddle(owner.database, "UPDATE trials SET superseded = 0");
      db_test::meddle(owner.database, "UPDATE trials SET superseded = 1" + of_gpu);
      for (const char* command : {"best", "cover", "explain", "pack"}) {
        const ProgramResult none = owner.asks(
            {command, "--family", "matmul", "--kernel", "alpha", "--gpu", gpu}, owner.output_of(command));
        CHECK(none.exit_code == 3);
        CHECK(none.out.empty());
        CHECK(has(none.err, "of them superseded: their kernels have changed since; answers are of NVIDIA H" +
                                std::string(gpu == "H100" ? "200" : "100")));
      }
      CHECK(owner.reported({"--kernel", "alpha", "--gpu", gpu}) <= 0);
    }
  }

  TEST_CASE("as many as were asked for are shown, and only then is something left out") {
    const Owner owner;
    const auto ranking = [&](const char* top) {
      return nlohmann::json::parse(owner
                                       .types({"best", "512", "--family", "matmul", "--type", "float",
                                               "--gpu", "H200", "--format", "json", "--top", top})
                                       .out)["rankings"][0];
    };
    CHECK(ranking("1")["trials"].size() == 1);
    CHECK(ranking("1")["left_out"] == 1);
    CHECK(ranking("2")["trials"].size() == 2);
    CHECK(ranking("2")["left_out"] == 0);
    CHECK(ranking("3")["left_out"] == 0);

    auto changed = trial_of({"alpha", 512, 1100});
    changed.key = key("changed");
    changed.configuration = model::Configuration({{"TILE", model::Value(64)}});
    db::ResultStore(owner.database).record(changed);
    const std::string table =
        owner.types({"best", "512", "--family", "matmul", "--type", "float", "--gpu", "H200", "--top", "3"})
            .out;
    CHECK(has(table, "TILE=32"));
    CHECK(has(table, "TILE=64"));
  }

  TEST_CASE("a report is of the sizes, family, kernel, GPU and run that were asked for") {
    const Owner owner;
    CHECK(owner.reported({}) == 6);
    CHECK(owner.reported({"--size", "1024"}) == 1);
    CHECK(owner.reported({"--size", "512..1024"}) == 6);
    CHECK(owner.reported({"--size", "512x512x512"}) == 5);
    CHECK(owner.reported({"--size", "512x512"}) == -1);
    CHECK(owner.reported({"--size", "512x512x512x512"}) == -1);
    CHECK(owner.reported({"--family", "sum"}) == 1);
    CHECK(owner.reported({"--kernel", "beta"}) == 1);
    CHECK(owner.reported({"--gpu", "H100"}) == 1);
    CHECK(owner.reported({"--run", key("new").hex()}) == 1);
    CHECK(owner.types({"report", "-k", "nobody"}).exit_code == 3);
  }

  TEST_CASE("a report's format is that of the file's name, unless another is asked for") {
    const Owner owner;
    const auto written = [&](const std::string& file, const std::vector<std::string>& more = {}) {
      const ProgramResult said = owner.asks({"report", "-o", file}, more);
      CHECK_MESSAGE(said.exit_code == 0, said.err);
      return tuner::test::read_text(owner.home / file);
    };
    CHECK(has(written("report"), "\n| "));
    CHECK(has(written("report.md"), "\n| "));
    CHECK(has(written("report.html"), "<html"));
    CHECK(has(written("report.htm"), "<html"));
    CHECK(nlohmann::json::accept(written("report.json")));
    const std::string csv = written("report.csv");
    CHECK(std::count(csv.begin(), csv.end(), '\n') == 7);
    CHECK(written("other.md", {"--format", "csv"}) == csv);
    const ProgramResult refused = owner.types({"report", "-o", "report.pdf"});
    CHECK(refused.exit_code == 2);
    CHECK(has(refused.err, "'.pdf'"));
    for (const char* file : {"notes.html", "notes.csv", "notes.json"}) {
      const ProgramResult laid_out = owner.asks({"report", "-o", file}, {"--layout", "notes"});
      CHECK(laid_out.exit_code == 2);
      CHECK(has(laid_out.err, "a layout is written as Markdown"));
    }
  }

  TEST_CASE("a pivot that no kernel of a report has is refused with what was meant") {
    const Owner owner;
    CHECK(owner.types({"report", "--pivot", "TILE"}).exit_code == 0);
    const ProgramResult refused = owner.types({"report", "--pivot", "TILES"});
    CHECK(refused.exit_code == 2);
    CHECK(has(refused.err, "did you mean `TILE`"));
    CHECK(has(owner.types({"report", "--pivot", "WIDTH_OF_ALL"}).err, "there are TILE"));
  }

  TEST_CASE("an export is of the family, kernel, GPU and run that were asked for") {
    const Owner owner;
    const auto exported = [&](const std::vector<std::string>& more) {
      const std::string text = owner.asks({"export"}, more).err;
      return text.substr(0, text.find(' '));
    };
    CHECK(exported({}) == "6");
    CHECK(exported({"--family", "sum"}) == "1");
    CHECK(exported({"--kernel", "beta"}) == "1");
    CHECK(exported({"--gpu", "H100"}) == "1");
    CHECK(exported({"--run", key("new").hex()}) == "1");
    CHECK(exported({"--run", key("old").hex(), "--kernel", "alpha"}) == "3");
    db::ResultStore(owner.database).begin_run(db_test::sample_run("idle"));
    for (const std::vector<std::string>& nothing :
         {std::vector<std::string>{"--kernel", "nobody"}, {"--run", key("idle").hex()}}) {
      const ProgramResult none = owner.asks({"export", "-o", "kept.jsonl"}, nothing);
      CHECK(none.exit_code == 3);
      CHECK(has(none.err, "nothing that is selected was tried"));
      CHECK_FALSE(std::filesystem::exists(owner.home / "kept.jsonl"));
    }
  }

  TEST_CASE("what is forgotten is what was meant: a kernel's, a run's, a trial, or what is old") {
    const Owner owner;
    const auto forgets = [&](const std::vector<std::string>& what) {
      std::vector<std::string> command = {"forget"};
      command.insert(command.end(), what.begin(), what.end());
      return owner.types(command);
    };
    const std::string trial = trial_of({"alpha", 512, 1000}).key.hex();
    REQUIRE(owner.left() == "6");
    SUBCASE("a trial") {
      CHECK(has(forgets({"--trial", trial}).out, "forgotten: 1 trial, "));
      CHECK(owner.left() == "5");
    }
    SUBCASE("a run") {
      CHECK(has(forgets({"--run", key("new").hex().substr(0, 8)}).out, "forgotten: 1 trial, "));
      CHECK(owner.types({"show", trial}).exit_code == 0);
    }
    SUBCASE("a kernel") {
      CHECK(has(forgets({"--kernel", "beta"}).out, "forgotten: 1 trial, "));
      CHECK(owner.types({"show", trial}).exit_code == 0);
    }
    SUBCASE("nothing is that old") {
      CHECK(forgets({"--before", "2001-01-01"}).exit_code == 3);
    }
    SUBCASE("no date") {
      for (const char* date : {"yesterday", "2026", "2026-1-12", "2026-11-21T12:00:00.0000000Z"}) {
        CAPTURE(date);
        CHECK(forgets({"--before", date}).exit_code == 2);
      }
      CHECK(owner.left() == "6");
    }
    SUBCASE("two ways at once") {
      CHECK(forgets({"--trial", trial, "--kernel", "beta"}).exit_code == 2);
      CHECK(owner.left() == "6");
    }
    SUBCASE("nothing, as it was only asked what would go") {
      CHECK(has(forgets({"--run", key("new").hex(), "--dry-run"}).out, "would be forgotten: 1 trial, "));
      CHECK(owner.left() == "6");
    }
  }

  TEST_CASE("the beginning of several runs' identifiers names none of them") {
    const Owner owner;
    const std::string of_old = key("old").hex();
    std::string twin;
    for (int i = 0; key(twin).hex()[0] != of_old[0]; ++i) twin = "twin " + std::to_string(i);
    db::ResultStore(owner.database).begin_run(db_test::sample_run(twin));
    const ProgramResult several = owner.types({"forget", "--run", of_old.substr(0, 1)});
    CHECK(several.exit_code == 2);
    CHECK(has(several.err, "runs begin with"));
    CHECK(owner.types({"forget", "--run", "xyz"}).exit_code == 2);
    CHECK(owner.types({"forget", "--run", std::string(32, '0')}).exit_code == 3);
    CHECK(owner.left() == "6");
  }

  TEST_CASE("commands on a page answer as the page does, whatever part of a database it shows") {
    const User user;
    const std::string results = TUNER_SOURCE_DIR "/docs/results/";
    std::vector<std::string> report = {"report", "--format", "html", "--db", "t.db"};
    std::string recording;
    SUBCASE("of one kernel that is not the best of its family") {
      recording = "h200-2026-11-23-session/session.jsonl";
      report.insert(report.end(), {"--kernel", "naive"});
    }
    SUBCASE("of padded rows beside others, and of many environments") {
      recording = "h100-2026-11-24-matmul-half/first.jsonl.gz";
      report.insert(report.end(), {"--family", "matmul_half_batched"});
    }
    REQUIRE(user.types({"import", results + recording, "--db", "t.db"}).exit_code == 0);
    const std::string page = user.types(report).out;
    const std::string head = R"(id="data">)";
    const std::size_t begin = page.find(head) + head.size();
    const auto data = nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
    for (const auto& environment : data["environments"]) {
      for (const auto& problem : environment["problems"]) {
        const std::string command = problem.value("command", "");
        if (command.empty() || problem["flags"] == "") continue;
        CAPTURE(command);
        const std::string typed = TUNER_BINARY + command.substr(command.find(' ')) + " --format flags";
        const auto said =
            tuner::test::run_program({"/bin/sh", "-c", typed}, user.environment, user.home.path());
        CHECK(said.out == problem["flags"].get<std::string>() + "\n");
      }
    }
  }
}
