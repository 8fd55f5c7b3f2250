// Parts of a sweep that were measured apart come together with `tuner merge`.
#include <doctest/doctest.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tests/e2e/help_pages.hpp"
#include "tests/e2e/small_kernel.hpp"

using tuner::test::has;
using tuner::test::is_installed;
using tuner::test::ProgramResult;
using tuner::test::shell;
using tuner::test::User;

TEST_SUITE("e2e") {
  namespace {

  /// A kernel whose source begins with `line`.
  void write_kernel(const User& user, const std::string& line) {
    tuner::test::SmallKernel{.name = "fill",
                             .parameters = "BLOCK = [32, 64, 128, 256]\nTWICE = [0, 1]",
                             .block = "BLOCK",
                             .begin = line,
                             .value = "TWICE",
                             .is_verified = false}
        .write(user.home);
  }

  /// A command for the kernel, by the policy that drops nothing: what is dropped hangs on the machine's
  /// noise, and with it what is left to do.
  ProgramResult tell(const User& user, const std::string& command, const std::string& database,
                     const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {
        command,     "--device", "cpu",  "--kernel", user.home.path() + "/fill.toml", "--sizes", "1024",
        "--measure", "complete", "--db", database};
    words.insert(words.end(), more.begin(), more.end());
    return user.types(words);
  }

  /// The trial that is the best, and how many results compete.
  /// Without the name of the database, which is part of the command that measures anew.
  std::string answer(const User& user, const std::string& database) {
    std::string text =
        user.types({"best", "--kernel", "fill", "--size", "1024", "--format", "json", "--db", database}).out;
    for (std::size_t at = text.find(database); at != std::string::npos; at = text.find(database, at))
      text.replace(at, database.size(), "DB");
    return text;
  }

  /// A file system of a mebibyte, where the test may mount one.
  class SmallDisk {
   public:
    explicit SmallDisk(const std::filesystem::path& path) : m_path(path) {
      std::filesystem::create_directory(path);
      m_is_there = ::mount("tmpfs", path.c_str(), "tmpfs", 0, "size=1m") == 0;
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    ~SmallDisk() {
      if (m_is_there) ::umount2(m_path.c_str(), MNT_DETACH);
    }
    bool is_there() const { return m_is_there; }
    /// Leaves so many bytes free.
    void fill(std::uint64_t free) const {
      struct statvfs space {};
      REQUIRE(::statvfs(m_path.c_str(), &space) == 0);
      const std::uint64_t bytes = space.f_bavail * space.f_frsize;
      tuner::test::write_text(m_path / "ballast", std::string(bytes - std::min(bytes, free), 'x'));
    }
    void clear() const { std::filesystem::remove(m_path / "ballast"); }

   private:
    std::filesystem::path m_path;
    bool m_is_there = false;
  };

  /// The file of results that the database took no more.
  std::string pending_file(const std::string& err) {
    const std::size_t end = err.find(".jsonl");
    if (end == std::string::npos) return "";
    const std::size_t begin = err.rfind(' ', end) + 1;
    return err.substr(begin, end - begin) + ".jsonl";
  }

  }  // namespace

  TEST_CASE("a shard whose disk fills up loses nothing: its file and its database make the whole") {
    User user;
    const SmallDisk disk(user.home / "disk");
    if (!disk.is_there()) {
      MESSAGE("not run: no file system can be mounted here");
      return;
    }
    user.environment["TMPDIR"] = user.home.path();
    tuner::test::SmallKernel{.name = "fill",
                             .parameters = "BLOCK = [32, 64, 96, 128, 160, 192, 224, 256]\nTWICE = [0, 1]",
                             .block = "BLOCK",
                             .value = "TWICE",
                             .is_verified = false}
        .write(user.home);
    REQUIRE(tell(user, "run", "disk/1.db", {"--shard", "1/2", "--budget", "1"}).exit_code == 0);
    disk.fill(128 << 10);
    const ProgramResult full = tell(user, "run", "disk/1.db", {"--shard", "1/2"});
    INFO(full.err);
    CHECK(full.exit_code == 1);
    CHECK(has(full.err, "could not be written to the database"));
    const std::string file = pending_file(full.err);
    REQUIRE(std::filesystem::exists(file));
    CHECK(full.err.rfind(file) > full.err.find("tuner import"));  // the command that takes it names it
    REQUIRE(tell(user, "run", "2.db", {"--shard", "2/2"}).exit_code == 0);
    disk.clear();
    REQUIRE(user.types({"merge", "2.db", "disk/1.db", "--db", "a.db"}).exit_code == 0);
    REQUIRE(user.types({"import", file, "--db", "a.db"}).exit_code == 0);
    REQUIRE(user.types({"import", file, "--db", "disk/1.db"}).exit_code == 0);
    REQUIRE(user.types({"merge", "disk/1.db", "2.db", "--db", "b.db"}).exit_code == 0);
    for (const char* whole : {"a.db", "b.db"}) CHECK(has(tell(user, "plan", whole).out, "16 known, 0 left"));
    CHECK(answer(user, "a.db") == answer(user, "b.db"));
  }

  TEST_CASE("a new default and a new metric of a spec at hand stay in merges and imports of any order") {
    const User user;
    tuner::test::SmallKernel fill{.name = "fill",
                                  .keys = "default = { BLOCK = 32 }\n",
                                  .parameters = "BLOCK = [32, 64]",
                                  .block = "BLOCK",
                                  .is_verified = false};
    fill.write(user.home);
    REQUIRE(tell(user, "run", "a.db").exit_code == 0);
    std::filesystem::copy_file(user.home / "a.db", user.home / "b.db");
    fill.keys = "default = { BLOCK = 64 }\n";
    std::string spec = fill.spec();
    spec.replace(spec.find("1.0 * N"), 7, "0.5 * N");
    tuner::test::write_text(user.home / "fill.toml", spec);
    REQUIRE(tell(user, "run", "b.db").exit_code == 0);
    CHECK(answer(user, "a.db") != answer(user, "b.db"));
    for (const char* name : {"a", "b"})
      REQUIRE(user.types({"export", "-o", name + std::string(".jsonl"), "--db", name + std::string(".db")})
                  .exit_code == 0);
    for (const std::string command : {"merge", "import"}) {
      const std::string end = command == "merge" ? ".db" : ".jsonl";
      for (const std::string order : {"b", "ba", "ab", "aba"}) {
        const std::string target = command + order + ".db";
        for (const char one : order) REQUIRE(user.types({command, one + end, "--db", target}).exit_code == 0);
        CHECK(answer(user, target) == answer(user, "b.db"));
      }
    }
  }

  TEST_CASE("shards of a spec that was edited between them merge to one answer; today's spec then decides") {
    const User user;
    write_kernel(user, "");
    REQUIRE(tell(user, "run", "1.db", {"--shard", "1/2"}).exit_code == 0);
    write_kernel(user, "// edited\n");
    REQUIRE(tell(user, "run", "2.db", {"--shard", "2/2"}).exit_code == 0);

    REQUIRE(user.types({"merge", "1.db", "2.db", "--db", "a.db"}).exit_code == 0);
    REQUIRE(user.types({"merge", "2.db", "--db", "b.db"}).exit_code == 0);
    const ProgramResult merged = user.types({"merge", "1.db", "2.db", "--db", "b.db"});
    CAPTURE(merged.err);
    REQUIRE(merged.exit_code == 0);
    CHECK(has(merged.err, "2.db: 0 runs, 0 trials and 0 measurements were new"));
    CHECK(has(answer(user, "a.db"), "\"fill\""));
    CHECK(answer(user, "a.db") == answer(user, "b.db"));

    // What the first shard measured is of a kernel that is no more: it is kept, and measured as it is now.
    const ProgramResult rest = tell(user, "run", "a.db");
    CAPTURE(rest.err);
    REQUIRE(rest.exit_code == 0);
    const ProgramResult second = tell(user, "plan", "a.db");
    CHECK(has(second.out, "8 known, 0 left"));
    const std::string of_today = answer(user, "a.db");
    REQUIRE(user.types({"merge", "1.db", "--db", "a.db"}).exit_code == 0);
    CHECK(answer(user, "a.db") == of_today);
  }

  TEST_CASE("the shards of a sweep, merged in any order, leave nothing to do but the finals") {
    const User user;
    write_kernel(user, "");
    for (const char* shard : {"1/3", "2/3", "3/3"})
      REQUIRE(tell(user, "run", std::string(1, shard[0]) + ".db", {"--shard", shard}).exit_code == 0);
    REQUIRE(user.types({"merge", "3.db", "1.db", "2.db", "--db", "all.db"}).exit_code == 0);
    REQUIRE(user.types({"merge", "1.db", "2.db", "3.db", "--db", "other.db"}).exit_code == 0);
    CHECK(answer(user, "all.db") == answer(user, "other.db"));
    // All that are named, or none: a mistyped name does not leave half a merge behind.
    const ProgramResult refused = user.types({"merge", "1.db", "4.db", "--db", "none.db"});
    CHECK(refused.exit_code == 3);
    CHECK(has(refused.err, "4.db: there is no such file"));
    CHECK_FALSE(has(refused.err, "were new"));
    CHECK_FALSE(std::filesystem::exists(user.home / "none.db"));
    const ProgramResult rest = tell(user, "run", "all.db");
    CAPTURE(rest.err);
    CHECK(rest.exit_code == 0);
    CHECK((has(rest.err, "1 final held") ||
           has(rest.err, "did not settle")));  // on a loaded machine it is held twice
  }

  TEST_CASE("merging what is no database of tuner's says what could be, and makes nothing") {
    const User user;
    const auto refused = [&](const std::string& file, const std::string& says, const std::string& next,
                             int exit_code = 1) {
      CAPTURE(file);
      const auto result = user.types({"merge", file, "--db", "own.db"});
      CHECK(result.exit_code == exit_code);
      CHECK(has(result.err, file));
      CHECK(has(result.err, says));
      CHECK(has(result.err, next));
      CHECK_FALSE(has(result.err, "tuner run"));
      CHECK(access((user.home / "own.db").c_str(), F_OK) != 0);
    };
    refused("nonsense.db", "there is no such file", "check the path", 3);
    tuner::test::write_text(user.home / "notes.txt", std::string(4096, 'x'));
    refused("notes.txt", "not an SQLite database", "`tuner import --db own.db`");
    tuner::test::write_text(user.home / "empty.db", "");
    refused("empty.db", "the file is empty", "nothing in it to merge");
    tuner::test::write_text(user.home / "results.jsonl", "{\"tuner_export\": 1}\n");
    refused("results.jsonl", "begins as an export does", "`tuner import results.jsonl --db own.db`");
    if (is_installed(user, "sqlite3")) {
      REQUIRE(shell(user, "sqlite3 other.db 'CREATE TABLE t(x)' && sqlite3 blank.db 'VACUUM'").exit_code ==
              0);
      refused("other.db", "a database of another program", "choose another file");
    }
  }
}
