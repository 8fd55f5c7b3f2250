#include "tuner/cluster/shared_file.hpp"

#include <doctest/doctest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"

using namespace tuner;
using db_test::TempFolder;

TEST_SUITE("cluster") {
  namespace {

  void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  std::string read(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }

  std::ptrdiff_t entries(const std::filesystem::path& folder) {
    return std::distance(std::filesystem::directory_iterator(folder), {});
  }

  /// A file system of 64 KiB, where the test may mount one.
  class TinyDisk {
   public:
    explicit TinyDisk(const std::filesystem::path& path) : m_path(path) {
      std::filesystem::create_directory(path);
      m_there = ::mount("tmpfs", path.c_str(), "tmpfs", 0, "size=64k") == 0;
    }
    TinyDisk(const TinyDisk&) = delete;
    TinyDisk& operator=(const TinyDisk&) = delete;
    ~TinyDisk() {
      if (m_there) ::umount2(m_path.c_str(), MNT_DETACH);
    }
    bool is_there() const { return m_there; }

   private:
    std::filesystem::path m_path;
    bool m_there = false;
  };

  }  // namespace

  TEST_CASE(
      "a file is replaced whole, its mark tells it from the one before, and nothing is left beside it") {
    const TempFolder folder;
    const auto target = folder / "shared.db";
    write(folder / "one", "first");
    write(folder / "two", "other");
    CHECK(cluster::mark_of(target) == cluster::FileMark{});
    const auto first = cluster::replace_by_copy(target, folder / "one");
    CHECK(cluster::mark_of(target) == first);
    CHECK(read(target) == "first");
    const auto second = cluster::replace_by_copy(target, folder / "two");
    CHECK_FALSE(second == first);
    CHECK(read(target) == "other");
    CHECK(entries(folder.path()) == 3);
  }

  TEST_CASE("whoever reads while a file is replaced sees one of the contents, whole") {
    const TempFolder folder;
    constexpr std::size_t bytes = 2'000'000;
    write(folder / "a", std::string(bytes, 'a'));
    write(folder / "b", std::string(bytes, 'b'));
    const auto target = folder / "shared";
    cluster::replace_by_copy(target, folder / "a");
    std::jthread writer([&](const std::stop_token& stop) {
      for (int i = 0; !stop.stop_requested(); ++i)
        cluster::replace_by_copy(target, folder / (i % 2 == 0 ? "b" : "a"));
    });
    int torn = 0;
    for (int i = 0; i < 200; ++i) {
      const std::string seen = read(target);
      if (seen.size() != bytes || seen.find_first_not_of(seen[0]) != std::string::npos) ++torn;
    }
    CHECK(torn == 0);
  }

  TEST_CASE("what a killed writer left is removed, and what has another name is not") {
    const TempFolder folder;
    for (const char* name :
         {"3.db", "3.db.new-host-1", "3.db.new-other-77", "3.db.progress.json", "13.db.new-host-1"})
      write(folder / name, "x");
    cluster::remove_leftovers(folder / "3.db");
    CHECK(entries(folder.path()) == 3);
    CHECK(std::filesystem::exists(folder / "13.db.new-host-1"));
  }

  TEST_CASE("a folder that is full leaves what was there, and nothing beside it") {
    const TempFolder folder;
    const TinyDisk disk(folder / "disk");
    if (!disk.is_there()) {
      MESSAGE("no file system can be mounted here, so none can be filled");
      return;
    }
    const auto target = folder / "disk/shared.db";
    write(folder / "small", std::string(10'000, 's'));
    write(folder / "large", std::string(100'000, 'l'));
    const auto mark = cluster::replace_by_copy(target, folder / "small");
    const auto error = db_test::error_of([&] { cluster::replace_by_copy(target, folder / "large"); });
    CHECK(contains(error.what(), "No space left"));
    CHECK(contains(error.what(), target.string()));
    CHECK(cluster::mark_of(target) == mark);
    CHECK(entries(folder / "disk") == 1);
  }

  TEST_CASE("a folder that is gone is named") {
    const TempFolder folder;
    const auto error =
        db_test::error_of([&] { cluster::replace_by_text(folder / "gone/3.db.progress.json", "{}"); });
    CHECK(contains(error.what(), (folder / "gone/3.db.progress.json").string()));
    CHECK(contains(error.what(), "No such file"));
  }
}
