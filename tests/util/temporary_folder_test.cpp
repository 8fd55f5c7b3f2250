#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "tuner/util/files.hpp"

using namespace tuner;
namespace fs = std::filesystem;

namespace {

/// Two minutes old.
void age(const fs::path& folder) {
  fs::last_write_time(folder, fs::file_time_type::clock::now() - std::chrono::minutes(2));
}

}  // namespace

TEST_SUITE_BEGIN("tuner::util");

TEST_CASE("folders that a killed process left are removed, and those that somebody holds stay") {
  const util::TemporaryFolder root;
  const auto make = [&](const char* name) {
    fs::create_directories(root.path() / name / "inside");
    age(root.path() / name);
    return root.path() / name;
  };
  const fs::path abandoned = make("tuner-held-abandn");
  const fs::path held = make("tuner-held-inuse1");
  const fs::path foreign = make("tuner-other");
  const fs::path young = root.path() / "tuner-held-young1";
  fs::create_directories(young);
  const util::FileDescriptor lock(open(held.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(flock(lock.get(), LOCK_EX) == 0);
  util::remove_abandoned_folders(root.path());
  CHECK_FALSE(fs::exists(abandoned));
  CHECK(fs::exists(held));
  CHECK(fs::exists(foreign));
  CHECK(fs::exists(young));
}

TEST_CASE("a folder is held as long as its object lives, and then gone") {
  fs::path path;
  {
    const util::TemporaryFolder folder;
    path = folder.path();
    CHECK(fs::exists(path));
    age(path);
    util::remove_abandoned_folders(path.parent_path());
    CHECK(fs::exists(path));
  }
  CHECK_FALSE(fs::exists(path));
}

TEST_SUITE_END();
