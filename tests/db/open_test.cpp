#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "db/best.hpp"
#include "db/connection.hpp"
#include "db/database.hpp"
#include "db/result_store.hpp"
#include "db/statement.hpp"
#include "db/transfer.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"

using db_test::ask;
using db_test::error_of;
using db_test::in_child;
using db_test::meddle;
using db_test::TempFolder;
using tuner::model::Error;
using tuner::model::ExitCode;

namespace {

/// Permissions mean nothing to root: looks at them as somebody else.
int as_nobody(const std::function<int()>& action) {
  return in_child([&] {
    if (geteuid() == 0 && seteuid(65534) != 0) return 98;
    return action();
  });
}

/// 1 where `action` throws an error that says `part`, 2 where it says something else, 0 where it throws
/// nothing.
int says(const std::function<void()>& action, const std::string& part) {
  try {
    action();
  } catch (const Error& error) {
    return contains(error.what(), part) && !error.hint().empty() ? 1 : 2;
  }
  return 0;
}

/// Everything lies on a file system of this name.
db::OpenOptions on(std::string_view name, bool breaks_locks) {
  db::OpenOptions options;
  options.file_system = [=](const std::filesystem::path&) {
    return std::optional(db::SharedFileSystem{name, breaks_locks});
  };
  return options;
}

}  // namespace

TEST_SUITE("db") {
  TEST_CASE("a database is made with its folders, in WAL mode, and named as ours") {
    const TempFolder folder;
    const auto path = folder / "a/b/tuner.db";
    const db::ResultStore store(path);
    CHECK(ask(path, "PRAGMA journal_mode") == "wal");
    CHECK(ask(path, "PRAGMA application_id") == "1953853029");
    CHECK(ask(path, "PRAGMA user_version") == std::to_string(db::shipped_schema().version));
    CHECK(store.connection().integer("PRAGMA synchronous") == 2);
    CHECK(store.connection().integer("PRAGMA foreign_keys") == 1);
    CHECK(store.notice().empty());
  }

  TEST_CASE("reading a database that does not exist finds nothing and makes nothing") {
    const TempFolder folder;
    const Error error = error_of([&] { db::open_for_reading(folder / "none.db"); });
    CHECK(error.code() == ExitCode::nothing_found);
    CHECK(contains(error.what(), "none.db"));
    CHECK(contains(error.hint(), "tuner run"));
    CHECK_FALSE(std::filesystem::exists(folder / "none.db"));
    std::ofstream(folder / "empty.db").close();
    CHECK(error_of([&] { db::open_for_reading(folder / "empty.db"); }).code() == ExitCode::nothing_found);
  }

  TEST_CASE("a folder, a file in the way of a folder and a device are no databases") {
    const TempFolder folder;
    std::ofstream(folder / "file") << "x";
    CHECK(says([&] { db::ResultStore store(folder.path()); }, "is a folder") == 1);
    CHECK(says([&] { db::open_for_reading(folder.path()); }, "is a folder") == 1);
    CHECK(says([&] { db::ResultStore store(folder / "file/tuner.db"); }, "file") == 1);
    CHECK(says([&] { db::open_for_reading("/dev/null"); }, "no regular file") == 1);
    std::filesystem::create_symlink("loop.db", folder / "loop.db");
    CHECK(says([&] { db::open_for_reading(folder / "loop.db"); }, "cannot be looked at (Too many levels") ==
          1);
    CHECK(says([&] { db::ResultStore store(folder / "loop.db"); }, "cannot be looked at (Too many levels") ==
          1);
  }

  TEST_CASE("a file that is not SQLite is refused, quoted and left as it was") {
    const TempFolder folder;
    const std::string text =
        "[kernel]\nname = \"naive\" and some more to have more than a header of it ............\n";
    std::ofstream(folder / "spec.toml") << text;
    for (const bool reading : {true, false}) {
      const Error error = error_of([&] {
        if (reading)
          db::open_for_reading(folder / "spec.toml");
        else
          db::ResultStore store(folder / "spec.toml");
      });
      CHECK(contains(error.what(), "not an SQLite database (it begins with \"[kernel].nam\")"));
    }
    std::ifstream in(folder / "spec.toml");
    CHECK(std::string(std::istreambuf_iterator<char>(in), {}) == text);
  }

  TEST_CASE("another program's database is refused and left as it was") {
    const TempFolder folder;
    const auto path = folder / "photos.db";
    meddle(path, "CREATE TABLE photos (name TEXT)");
    CHECK(says([&] { db::ResultStore store(path); }, "another program") == 1);
    meddle(path, "PRAGMA application_id = 252006674");
    CHECK(says([&] { db::ResultStore store(path); }, "0xf055112") != 0);
    CHECK(says([&] { db::open_for_reading(path); }, "another program") == 1);
    CHECK(ask(path, "PRAGMA journal_mode") == "delete");
    CHECK(ask(path, "SELECT count(*) FROM sqlite_schema") == "1");
    // Nothing in it yet, but another program's version.
    meddle(folder / "begun.db", "PRAGMA user_version = 7");
    CHECK(says([&] { db::ResultStore store(folder / "begun.db"); }, "another program") == 1);
    CHECK(ask(folder / "begun.db", "PRAGMA user_version") == "7");
  }

  TEST_CASE("a newer schema is refused for reading and writing") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    { db::ResultStore store(path); }
    meddle(path, "PRAGMA user_version = 700");
    CHECK(says([&] { db::ResultStore store(path); }, "version 700") == 1);
    const std::string newest = std::to_string(db::shipped_schema().version);
    CHECK(says([&] { db::open_for_reading(path); }, "versions up to " + newest) == 1);
  }

  TEST_CASE("permissions that are missing are named") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    { db::ResultStore store(path); }
    chmod(path.c_str(), 0000);
    CHECK(as_nobody([&] { return says([&] { db::open_for_reading(path); }, "cannot be read"); }) == 1);
    chmod(path.c_str(), 0444);
    CHECK(as_nobody([&] { return says([&] { db::ResultStore store(path); }, "read-only"); }) == 1);
    chmod(path.c_str(), 0666);
    chmod(folder.path().c_str(), 0555);
    CHECK(as_nobody([&] { return says([&] { db::ResultStore store(path); }, "folder of the database"); }) ==
          1);
    CHECK(as_nobody([&] { return says([&] { db::ResultStore store(folder / "new/tuner.db"); }, "new"); }) ==
          1);
  }

  TEST_CASE("a database in a folder that takes no files can still be read") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    {
      db::ResultStore store(path);
      store.record(db_test::full_trial());
    }
    chmod(path.c_str(), 0444);
    chmod(folder.path().c_str(), 0555);
    CHECK(as_nobody([&] {
            const db::Connection read = db::open_for_reading(path);
            return read.integer("SELECT count(*) FROM trials") == 1 &&
                           contains(read.notice(), "without a lock")
                       ? 0
                       : 1;
          }) == 0);
  }

  TEST_CASE("a database that cannot be locked is not read past the log that lies beside it") {
    const TempFolder folder;
    const TempFolder copied;
    {
      db::ResultStore store(folder / "tuner.db");
      store.record(db_test::full_trial());
      meddle(folder / "tuner.db", "PRAGMA wal_checkpoint(TRUNCATE)");
      store.record(db_test::full_trial("another"));
      for (const char* name : {"tuner.db", "tuner.db-wal"})
        std::filesystem::copy_file(folder / name, copied / name);
    }
    // SQLite follows no link to the file of its locks.
    std::filesystem::create_symlink("elsewhere", copied / "tuner.db-shm");
    const auto is_told = [&] {
      const Error error = error_of([&] { db::open_for_reading(copied / "tuner.db"); });
      return contains(error.what(), "tuner.db-wal beside it holds results") &&
             contains(error.hint(), "copy both to a folder that can be written");
    };
    CHECK(is_told());
    std::filesystem::remove(copied / "tuner.db-shm");
    chmod(copied.path().c_str(), 0555);
    CHECK(as_nobody([&] { return is_told() ? 0 : 1; }) == 0);
  }

  TEST_CASE("a lock that is not released is an error after the timeout") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::OpenOptions options;
    options.busy_timeout = std::chrono::milliseconds(20);
    db::ResultStore store(path, options);
    const db::Connection other = db::open_database(path);
    other.execute("BEGIN IMMEDIATE");
    CHECK(says([&] { store.record(db_test::full_trial()); }, "locked by another process") == 1);
    other.execute("COMMIT");
    store.record(db_test::full_trial());
    CHECK(ask(path, "SELECT count(*) FROM trials") == "1");
  }

  TEST_CASE(
      "a database that takes no changes, or whose pages are damaged, is told so with what can be done") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    {
      db::ResultStore store(path);
      for (int i = 0; i < 200; ++i) store.record(db_test::full_trial("trial " + std::to_string(i)));
      store.connection().execute("PRAGMA query_only = ON");
      const Error error = error_of([&] { store.record(db_test::full_trial("more")); });
      CHECK(contains(error.what(), "the database cannot be written: attempt to write a readonly database"));
      CHECK(contains(error.hint(), "permissions"));
    }
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
    const Error error =
        error_of([&] { db::open_for_reading(path).integer("SELECT count(compile_log) FROM trials"); });
    CHECK_MESSAGE(contains(error.what(), "the database is damaged"), error.what());
    CHECK(contains(error.hint(), ": tuner export --db " + path.string() + " --kernel NAME -o NAME.jsonl"));
  }

  TEST_CASE("a database that lost an index is told so, and a new one takes what it holds") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore(path).record(db_test::full_trial());
    meddle(path, "DROP INDEX trials_of_case");
    const Error error = error_of([&] { db::best(db::open_for_reading(path), {}); });
    CHECK(contains(error.what(), "changed by another program: no such index: trials_of_case"));
    CHECK(contains(error.hint(), ": tuner merge " + path.string() + " --db new.db"));
    db::ResultStore taker(folder / "new.db");
    CHECK(db::merge_database(taker.connection(), path).trials == 1);
  }

  TEST_CASE("a full disk is an error that loses nothing of before") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    store.record(db_test::full_trial("first"));
    const auto pages = store.connection().integer("PRAGMA page_count");
    store.connection().execute("PRAGMA max_page_count = " + std::to_string(pages));
    tuner::model::TrialRecord big = db_test::full_trial("second");
    big.compile_log = std::string(1 << 20, 'x');
    CHECK(says([&] { store.record(big); }, "no space left") == 1);
    CHECK(ask(path, "SELECT count(*) FROM trials") == "1");
    store.connection().execute("PRAGMA max_page_count = 100000");
    store.record(big);
    CHECK(ask(path, "SELECT count(*) FROM trials") == "2");
  }

  TEST_CASE("a database deleted or replaced under a writer is noticed at the next commit") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    store.record(db_test::full_trial("first"));
    std::filesystem::rename(path, folder / "elsewhere.db");
    CHECK(says([&] { store.record(db_test::full_trial("second")); }, "deleted or moved") == 1);
    // Without its log, which keeps its name: what was committed is in the file itself.
    std::filesystem::copy_file(folder / "elsewhere.db", folder / "copy.db");
    CHECK(ask(folder / "copy.db", "SELECT count(*) FROM trials") == "1");
    std::filesystem::rename(folder / "elsewhere.db", path);
    store.record(db_test::full_trial("second"));
    std::filesystem::remove(path);
    CHECK(says([&] { store.record(db_test::full_trial("third")); }, "deleted or moved") == 1);
  }

  TEST_CASE("shared file systems are known by their numbers, local ones are not among them") {
    const auto nfs = db::shared_file_system(0x6969);
    CHECK((nfs && nfs->name == "NFS" && nfs->breaks_locks));
    const auto cifs = db::shared_file_system(static_cast<int>(0xFF534D42));
    CHECK((cifs && cifs->name == "CIFS" && cifs->breaks_locks));
    const auto lustre = db::shared_file_system(0x0BD00BD0);
    CHECK((lustre && lustre->name == "Lustre" && lustre->breaks_locks));
    const auto fuse = db::shared_file_system(0x65735546);
    CHECK((fuse && fuse->name == "FUSE" && !fuse->breaks_locks));
    CHECK_FALSE(db::shared_file_system(0xEF53));      // ext4
    CHECK_FALSE(db::shared_file_system(0x01021994));  // tmpfs
    CHECK_FALSE(db::shared_file_system(0x794C7630));  // overlayfs
    // A path that is not there yet will lie on what is there of it.
    CHECK_FALSE(db::shared_file_system_of("/dev/shm/not/there/yet"));
  }

  TEST_CASE("a database on a file system that breaks locks is not written, and nothing is made there") {
    const TempFolder folder;
    const auto path = folder / "shared/tuner.db";
    const Error fresh = error_of([&] { db::ResultStore store(path, on("NFS", true)); });
    CHECK(contains(fresh.what(), path.string() + ": lies on NFS"));
    CHECK(contains(fresh.hint(), "--db"));
    CHECK(fresh.code() == ExitCode::failed);
    CHECK_FALSE(std::filesystem::exists(path.parent_path()));

    { db::ResultStore(path).record(db_test::full_trial()); }
    const Error known = error_of([&] { db::ResultStore store(path, on("Lustre", true)); });
    CHECK(contains(known.what(), "Lustre"));
    CHECK(contains(known.hint(), "tuner merge " + path.string()));
    CHECK(ask(path, "SELECT count(*) FROM trials") == "1");
  }

  TEST_CASE(
      "a database on a file system that breaks locks is read without a lock, unless it is being written") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::OpenOptions reading = on("NFS", true);
    reading.mode = db::Mode::read_only;
    {
      db::ResultStore store(path);
      store.record(db_test::full_trial("first"));
      CHECK(says([&] { db::open_database(path, reading); }, "tuner.db-wal beside it") == 1);
    }
    const db::Connection read = db::open_database(path, reading);
    CHECK(read.integer("SELECT count(*) FROM trials") == 1);
    CHECK_FALSE(std::filesystem::exists(path.string() + "-shm"));
    read.require_unwritten();

    { db::ResultStore(path).record(db_test::full_trial("second")); }
    CHECK(says([&] { read.require_unwritten(); }, "was written while it was read") == 1);
    std::ofstream(path.string() + "-journal") << "of a writer that died";
    CHECK(says([&] { db::open_database(path, reading); }, "tuner.db-journal beside it") == 1);
  }

  TEST_CASE("on a file system in user space a database is written with a rollback journal, which is said") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path, on("FUSE", false));
    store.record(db_test::full_trial());
    CHECK(ask(path, "PRAGMA journal_mode") == "delete");
    CHECK(contains(store.notice(), "FUSE"));
    CHECK(contains(store.notice(), "rollback journal"));
  }
}
