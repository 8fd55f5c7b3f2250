#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <future>
#include <string>

#include "tests/e2e/user.hpp"

using tuner::test::has;
using tuner::test::User;
using tuner::test::write_text;

TEST_SUITE("tuner command line, bad input") {
  namespace {

  /// A spec that is sound; tests break one thing in it.
  const std::string sound_spec = R"text(constraints = ["BLOCK <= 1024"]
verify = "none"
[kernel]
name = "fill"
family = "filling"
source = "fill.cu"
entry = "fill"
sizes = ["N"]

[parameters]
BLOCK = [64, 128]

[launch]
block = ["BLOCK"]
grid = ["ceil_div(N, BLOCK)"]

[[arguments]]
name = "x"
type = "float*"
access = "out"
extent = ["N"]
)text";

  std::string replaced(std::string text, const std::string& what, const std::string& with) {
    const auto at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), with);
  }

  struct Mistake {
    const char* what;
    const char* with;
    const char* place;  ///< line:column
    const char* says;
  };

  }  // namespace

  TEST_CASE("flags of which one would be passed over are refused together") {
    const std::vector<std::pair<std::vector<std::string>, const char*>> cases = {
        {{"check", "--device", "cpu", "--sanitize", "--no-compile"}, "--no-compile compiles none"},
        {{"check", "--no-compile", "--all"}, "--no-compile and --all do not go together"},
        {{"check", "--device", "cpu", "--arch", "sm_80"}, "--arch names a GPU's architecture"},
        {{"cover", "--fill", "1", "--check", "1"}, "fill first, then check"},
        {{"cover", "--within", "1%", "--at-most", "2"}, "--within and --at-most do not go together"},
        {{"cover", "--multiple-of", "8"}, "--multiple-of goes with --check"},
        {{"time", "a.cu", "--tolerance", "1", "--no-compare"}, "--tolerance is of comparing"},
    };
    for (const auto& [command, said] : cases) {
      CAPTURE(said);
      const auto refused = User().types(command);
      CHECK(refused.exit_code == 2);
      CHECK(has(refused.err, said));
    }
  }

  TEST_CASE("an unknown flag or command is named, with exit code 2") {
    const User user;
    const auto flag = user.types({"run", "--sizs", "512"});
    CHECK(flag.exit_code == 2);
    CHECK(has(flag.err, "--sizs"));
    CHECK(flag.out.empty());
    const auto command = user.types({"tune"});
    CHECK(command.exit_code == 2);
    CHECK(has(command.err, "tune"));
    CHECK(user.types({"best", "--top", "0"}).exit_code == 2);
  }

  TEST_CASE("a size that makes no sense is named, with the grammar, before anything is opened") {
    for (const char* size :
         {"4096..512", "0", "1e9", "512..", "99999999999999999999", "-4", "512,,1024", "x"}) {
      CAPTURE(size);
      const User user;
      const auto result = user.types({"run", "--sizes", size, "--device", "cpu"});
      CHECK(result.exit_code == 2);
      CHECK(has(result.err, size == std::string("512,,1024") ? "512" : size));
      CHECK(access((user.home / ".local/share/tuner/tuner.db").c_str(), F_OK) != 0);
    }
  }

  TEST_CASE("an unknown kernel is named, with the one that was meant") {
    const User user;
    const auto result = user.types({"run", "--kernel", "nave", "--device", "cpu"});
    CHECK(result.exit_code == 2);
    CHECK(has(result.err, "'nave'"));
    CHECK(has(result.err, "did you mean `naive`? `tuner list kernels` shows"));
    write_text(user.home / "fill.cu", "");
    CHECK(has(user.types({"run", "--kernel", "fill.cu", "--device", "cpu"}).err,
              "`tuner init fill.cu` drafts one"));
  }

  TEST_CASE("every mistake in a spec is told with file, line and column") {
    const Mistake mistakes[] = {
        {"[launch]", "[launch", "13:", ""},
        {"name = \"fill\"", "name = \"fill\"\nnaem = 3", "5:1", "naem"},
        {"sizes = [\"N\"]", "sizes = 3", "8:9", "sizes"},
        {"source = \"fill.cu\"", "source = \"absent.cu\"", "6:", "absent.cu"},
        {"ceil_div(N, BLOCK)", "ceil_div(N, BLOK)", "15:", "BLOK"},
        {"BLOCK = [64, 128]", "BLOCK = []", "11:", "BLOCK"},
        {"BLOCK <= 1024", "BLOCK <= ", "1:", ""},
    };
    for (const Mistake& mistake : mistakes) {
      CAPTURE(mistake.with);
      const User user;
      write_text(user.home / "fill.toml", replaced(sound_spec, mistake.what, mistake.with));
      write_text(user.home / "fill.cu", "extern \"C\" __global__ void fill(float* x) { x[0] = 1; }");
      const auto result = user.types({"check", "--no-compile", "fill.toml"});
      CHECK(result.exit_code == 2);
      CHECK(has(result.err, std::string("fill.toml:") + mistake.place));
      CHECK(has(result.err, mistake.says));
      CHECK(user.types({"check", "--no-compile", "fill.toml", "--quiet"}).err == result.err);
    }
  }

  TEST_CASE("a check says where the constraints exclude the default") {
    const User user;
    write_text(user.home / "fill.toml",
               replaced(replaced(sound_spec, "BLOCK <= 1024", "BLOCK <= 64"), "sizes = [\"N\"]",
                        "sizes = [\"N\"]\ndefault = { BLOCK = 128 }"));
    write_text(user.home / "fill.cu", "extern \"C\" __global__ void fill(float* x) { x[0] = 1; }");
    const auto result = user.types({"check", "--no-compile", "fill.toml", "--sizes", "64"});
    CHECK(result.exit_code == 0);
    CHECK(has(result.out, "fill: sound; 1 configuration, the default not among them, at 64 float"));
  }

  TEST_CASE("a spec that no device can launch is not sound") {
    const User user;
    write_text(user.home / "fill.toml",
               replaced(sound_spec, "block = [\"BLOCK\"]", "block = [\"BLOCK - BLOCK\"]"));
    write_text(user.home / "fill.cu", "extern \"C\" __global__ void fill(float* x) { x[0] = 1; }");
    const auto result = user.types({"check", "fill.toml", "--device", "cpu", "--sizes", "64", "--quiet"});
    CHECK(result.exit_code == 1);
    CHECK(has(result.out, "fill: none can be launched"));
    CHECK(has(result.err, "block.x of `fill` is `BLOCK - BLOCK` = 0"));
    write_text(user.home / "fill.toml",
               replaced(sound_spec, "block = [\"BLOCK\"]", "block = [\"1024 * BLOCK\"]"));
    const auto each = user.types({"check", "fill.toml", "--device", "cpu", "--sizes", "64", "--quiet"});
    CHECK(each.exit_code == 1);
    CHECK(has(each.out, "fill: none can be launched"));
    CHECK(has(each.out, "= 65536;"));
    CHECK(has(each.out, "= 131072;"));
  }

  TEST_CASE("a value that cannot be meant is refused in plain words") {
    const User user;
    const std::pair<std::vector<std::string>, const char*> mistakes[] = {
        {{"best", "--top", "0"}, "--top: '0' is no integer from 1 on"},
        {{"best", "--top", "1e99"}, "--top: '1e99' is no integer from 1 on"},
        {{"run", "--device", "cpu", "--device", "all"}, "--device was given more than once"},
        {{"cover", "--check"}, "--check needs a value"},
        {{"best", "--format", "csv"}, "--format: 'csv' is not table, json, header, flags, cmake or env"},
        {{"completion", "tcsh"}, "shell: 'tcsh' is not bash, zsh or fish"},
        {{"export", "-o", "all.csv"}, "`tuner report -o all.csv` writes that"},
        {{"run", "--device", "replay:"}, "name a file behind it: replay:FILE"},
        {{"run", "--db", ""}, "give a path"},
        {{"run", "--same-bits-as", ""}, "--same-bits-as: its value is empty"},
        {{"run", "--events", ""}, "--events: its value is empty"},
        {{"run", "--kernel", ""}, "--kernel: its value is empty"},
        {{"best", ""}, "SIZE: its value is empty"},
        {{"forget"}, "`tuner forget` needs to be told what"},
        {{"merge"}, "'tuner merge' needs databases"},
        {{"cache", "prune", "--to", "-5"}, "-5 not in range 0 to 1099511627776"},
        {{"forget", "--before", "2026-13-01"}, "'2026-13-01' is no date"},
        {{"forget", "--before", "2026-02-29"}, "'2026-02-29' is no date"},
        {{"forget", "--before", "2026-11-21T24:00"}, "'2026-11-21T24:00' is no date"},
    };
    for (const auto& [words, says] : mistakes) {
      const auto result = user.types(words);
      CHECK(result.exit_code == 2);
      CHECK_MESSAGE(has(result.err, says), result.err);
    }
  }

  TEST_CASE("a command works in a folder that was removed") {
    const User user;
    const std::string line = "mkdir gone && cd gone && rmdir ../gone && " TUNER_BINARY " list kernels";
    const auto listed = tuner::test::run_program({"/bin/sh", "-c", line}, user.environment, user.home.path());
    CHECK(listed.exit_code == 0);
    CHECK(has(listed.out, "naive"));
    write_text(user.home / "empty.jsonl", "{\"format\":\"tuner-export\",\"version\":6}\n");
    REQUIRE(user.types({"import", "empty.jsonl", "--db", "a.db"}).exit_code == 0);
    const std::string relative =
        "mkdir gone && cd gone && rmdir ../gone && " TUNER_BINARY " best --db ../a.db";
    const auto lost =
        tuner::test::run_program({"/bin/sh", "-c", relative}, user.environment, user.home.path());
    CHECK(lost.exit_code == 1);
    CHECK(has(lost.err, "../a.db: the working folder was removed"));
  }

  TEST_CASE("a limit of file sizes is a message, and no death by a signal") {
    const User user;
    const std::string line =
        "ulimit -f 20; " TUNER_BINARY " run --device cpu --kernel naive --sizes 64 --budget 1";
    const auto limited =
        tuner::test::run_program({"/bin/sh", "-c", line}, user.environment, user.home.path());
    CHECK(limited.exit_code == 1);
    CHECK(has(limited.err, "tuner.db"));
  }

  TEST_CASE("help that cannot be written ends with 1 and the reason") {
    const User user;
    for (const char* asked : {"--help", "--version", "run --help"}) {
      const auto result = tuner::test::run_program(
          {"/bin/sh", "-c", std::string(TUNER_BINARY) + " " + asked + " > /dev/full"}, user.environment,
          user.home.path());
      CHECK(result.exit_code == 1);
      CHECK(has(result.err, "standard output cannot be written: No space left on device"));
    }
  }

  TEST_CASE("two kernels of one name are refused, both places named") {
    const User user;
    write_text(user.home / "a/fill.toml", sound_spec);
    write_text(user.home / "a/fill.cu", "extern \"C\" __global__ void fill(float* x) {}");
    write_text(user.home / "b/fill.toml", sound_spec);
    write_text(user.home / "b/fill.cu", "extern \"C\" __global__ void fill(float* x) {}");
    const auto result = user.types({"check", "--no-compile", "a", "b"});
    CHECK(result.exit_code == 2);
    CHECK(has(result.err, "a/fill.toml:4"));
    CHECK(has(result.err, "b/fill.toml:4"));
  }

  TEST_CASE("a kernel that is named twice, by its file and by its folder, is one kernel") {
    const User user;
    write_text(user.home / "a/fill.toml", sound_spec);
    write_text(user.home / "a/fill.cu", "extern \"C\" __global__ void fill(float* x) {}");
    const auto result = user.types({"plan", "--kernel", "a/fill.toml", "--kernel", "./a/fill.toml",
                                    "--kernel", "a", "--device", "cpu", "--sizes", "64"});
    CHECK_MESSAGE(result.exit_code == 0, result.err);
    CHECK(has(tuner::test::words_of(result.out), "trials: 2 on 1 problem"));
  }

  TEST_CASE("two kernels of one family that have other sizes are refused, both files named") {
    const User user;
    std::string other = replaced(sound_spec, "name = \"fill\"", "name = \"other\"");
    for (const char* name : {"[\"N\"]", "(N, ", "[\"N\"]"})
      other = replaced(other, name, std::string(name).replace(std::string(name).find('N'), 1, "M"));
    write_text(user.home / "a/fill.toml", sound_spec);
    write_text(user.home / "a/fill.cu", "extern \"C\" __global__ void fill(float* x) {}");
    write_text(user.home / "a/other.toml", other);
    const auto result = user.types({"check", "--no-compile", "a"});
    CHECK(result.exit_code == 2);
    CHECK(has(result.err, "a/fill.toml and a/other.toml are of family \"filling\""));
    CHECK(has(result.err, "but their sizes are N and M"));
  }

  TEST_CASE("a space without a valid configuration is said to be empty") {
    const User user;
    write_text(user.home / "fill.toml", replaced(sound_spec, "BLOCK <= 1024", "BLOCK > 1024"));
    write_text(user.home / "fill.cu", "extern \"C\" __global__ void fill(float* x) {}");
    const auto result = user.types({"run", "--kernel", "fill.toml", "--device", "cpu", "--sizes", "64"});
    CHECK(result.exit_code == 2);
    CHECK(has(result.err, "no valid configuration"));
  }

  TEST_CASE("a type or a padding that no kernel offers is refused") {
    const User user;
    const auto type = user.types({"run", "--type", "int8", "--device", "cpu", "--sizes", "64"});
    CHECK(type.exit_code == 2);
    CHECK(has(type.err, "signed char"));
    const auto pad = user.types({"run", "--pad", "-1", "--device", "cpu", "--sizes", "64"});
    CHECK(pad.exit_code == 2);
    CHECK(has(pad.err, "-1"));
  }

  TEST_CASE("without a usable device run exits 4 and says what was looked for") {
    if (access("/dev/nvidiactl", F_OK) == 0) return;  // a machine with a GPU cannot show this
    const User user;
    const auto result = user.types({"run", "--sizes", "64"});
    CHECK(result.exit_code == 4);
    CHECK(has(result.err, "libcuda.so.1"));
    CHECK(result.out.empty());
    const auto plan = user.types({"plan", "--sizes", "64"});
    CHECK(plan.exit_code == 4);
    CHECK(has(plan.err, "--gpu sm_90"));
    CHECK_FALSE(has(plan.err, "H200"));  // no database here knows one
    CHECK(access((user.home / ".local/share/tuner/tuner.db").c_str(), F_OK) != 0);
  }

  TEST_CASE("a database that is no database of ours is refused and left as it is") {
    const User user;
    SUBCASE("a folder") {
      mkdir((user.home / "db").c_str(), 0700);
      const auto result = user.types({"best", "--size", "64", "--db", "db"});
      CHECK(result.exit_code == 1);
      CHECK(has(result.err, "is a folder"));
    }
    SUBCASE("another file") {
      write_text(user.home / "db", std::string(4096, 'x'));
      const auto result = user.types({"list", "runs", "--db", "db"});
      CHECK(result.exit_code == 1);
      CHECK(has(result.err, "db"));
      CHECK(tuner::test::read_text(user.home / "db") == std::string(4096, 'x'));
    }
    SUBCASE("none at all") {
      const auto result = user.types({"best", "--size", "64"});
      CHECK(result.exit_code == 3);
      CHECK(has(result.err, "tuner run"));
    }
  }

  TEST_CASE("a report that cannot be written is refused before the sweep") {
    const User user;
    const auto result = user.types(
        {"run", "--device", "cpu", "--sizes", "8", "--kernel", "naive", "--report", "nowhere/report.md"});
    CHECK(result.exit_code == 1);
    CHECK(has(result.err, "nowhere"));
    const auto format =
        user.types({"run", "--device", "cpu", "--sizes", "8", "--kernel", "naive", "--report", "report.pdf"});
    CHECK(format.exit_code == 2);
    CHECK(has(format.err, "no report format is written to files called '.pdf'"));
    const auto mixed = user.types(
        {"run", "--device", "cpu", "--sizes", "8", "--kernel", "naive", "--report", "-", "--events", "-"});
    CHECK(mixed.exit_code == 2);
    CHECK(mixed.out.empty());
    CHECK(access((user.home / ".local/share/tuner/tuner.db").c_str(), F_OK) != 0);
  }

  TEST_CASE("no output is written over a database, not through a link either") {
    const User user;
    const std::string recorded = std::string(TUNER_SOURCE_DIR) + "/tests/e2e/before_finals.jsonl";
    REQUIRE(user.types({"import", recorded, "--db", "kept.db"}).exit_code == 0);
    std::filesystem::create_symlink("kept.db", user.home / "link.jsonl");
    const std::string before = tuner::test::read_text(user.home / "kept.db");
    const std::vector<std::vector<std::string>> commands = {
        {"export", "--db", "kept.db", "-o", "kept.db"},
        {"export", "--db", "kept.db", "-o", "link.jsonl"},
        {"report", "--db", "kept.db", "-o", "kept.db", "--format", "md"},
        {"baseline", "--db", "kept.db", "-o", "kept.db"},
        {"pack", "--db", "kept.db", "-o", "kept.db"},
        {"run", "--device", "cpu", "--sizes", "8", "--kernel", "naive", "--events", "kept.db", "--db",
         "new.db"}};
    for (const std::vector<std::string>& command : commands) {
      const auto result = user.types(command);
      CAPTURE(command.front());
      CHECK(result.exit_code == 1);
      CHECK(has(result.err, "cannot be written: it is a database"));
    }
    for (const char* part : {"kept.db-wal", "kept.db-shm", "kept.db-journal"}) {
      const auto result = user.types({"export", "--db", "kept.db", "-o", part});
      CHECK(result.exit_code == 1);
      CHECK(has(result.err, std::string(part) + " cannot be written: it is a part of a database"));
    }
    CHECK(tuner::test::read_text(user.home / "kept.db") == before);
  }

  TEST_CASE("an import of a file that is not there makes no database") {
    const User user;
    const auto result = user.types({"import", "nowhere.jsonl", "--db", "new.db"});
    CHECK(result.exit_code == 3);
    CHECK(has(result.err, "nowhere.jsonl"));
    CHECK(access((user.home / "new.db").c_str(), F_OK) != 0);
  }

  TEST_CASE("an import reads pipes, which can be read only once") {
    const User user;
    const std::string text =
        tuner::test::read_text(std::string(TUNER_SOURCE_DIR) + "/tests/e2e/before_finals.jsonl");
    const std::string pipe = user.home / "pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const auto writing = std::async(std::launch::async, [&] { write_text(pipe, text); });
    const auto result = user.types({"import", "pipe", "--db", "new.db"});
    INFO(result.err);
    CHECK(result.exit_code == 0);
    CHECK(has(result.err, "pipe: "));
    const auto from_input = user.types({"import", "-", "--db", "new.db"});
    CHECK(from_input.exit_code == 1);
    CHECK(has(from_input.err, "stdin"));  // which is empty here
  }

  TEST_CASE("a file that is no export has a next step, and makes no database") {
    const User user;
    for (const char* text : {"hello\n", "", "[1, 2]\n"}) {
      CAPTURE(text);
      write_text(user.home / "notes.txt", text);
      const auto result = user.types({"import", "notes.txt", "--db", "new.db"});
      CHECK(result.exit_code == 1);
      CHECK(has(result.err, "notes.txt:1: "));
      CHECK(has(result.err, "name an export of the tuner, or results of Kernel Tuner, T4 or KTT"));
      CHECK(access((user.home / "new.db").c_str(), F_OK) != 0);
    }
  }

  TEST_CASE("a run without a place for its cache, and forgetting, make no database") {
    User user;
    const auto makes_none = [&](const std::vector<std::string>& command) {
      const auto result = user.types(command);
      INFO(result.err);
      CHECK(result.exit_code != 0);
      CHECK(access((user.home / "new.db").c_str(), F_OK) != 0);
    };
    makes_none({"forget", "--kernel", "naive", "--db", "new.db"});
    user.environment["HOME"] = "";
    user.environment["XDG_CACHE_HOME"] = "";
    makes_none({"run", "--device", "cpu", "--sizes", "64", "--db", "new.db"});
  }

  TEST_CASE("of several files an import takes all or none, and a database is no export") {
    const User user;
    const std::string good = std::string(TUNER_SOURCE_DIR) + "/tests/e2e/before_finals.jsonl";
    write_text(user.home / "bad.jsonl", tuner::test::read_text(good) + "{\"trial\": \n");
    const auto both = user.types({"import", good, "bad.jsonl", "--db", "new.db"});
    CHECK(both.exit_code == 1);
    CHECK(has(both.err, "bad.jsonl:"));
    CHECK_FALSE(has(both.err, "were new"));
    CHECK(user.types({"list", "runs", "--db", "new.db"}).exit_code == 3);
    REQUIRE(user.types({"import", good, "--db", "new.db"}).exit_code == 0);
    const auto database = user.types({"import", "new.db", "--db", "other.db"});
    CHECK(database.exit_code == 1);
    CHECK(has(database.err, "new.db: is a database, not an export"));
    CHECK(has(database.err, "tuner merge new.db"));
  }

  TEST_CASE("a setting's mistake names the file, line and column") {
    const User user;
    write_text(user.home / "tuner.toml", "l2 = \"lukewarm\"\n");
    const auto result = user.types({"config"});
    CHECK(result.exit_code == 2);
    CHECK(has(result.err, "tuner.toml:1:6"));
    CHECK(has(result.err, "lukewarm"));
  }
}
