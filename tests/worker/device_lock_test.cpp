#include "tuner/worker/device_lock.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "tests/worker/processes.hpp"
#include "tuner/model/error.hpp"

using namespace tuner;
using namespace tuner::worker;

TEST_SUITE("tuner::worker device lock") {
  namespace {

  class Folder {
   public:
    Folder() : m_path(std::filesystem::temp_directory_path() / fmt::format("tuner-lock-{}", ::getpid())) {
      std::filesystem::create_directory(m_path);
    }
    ~Folder() { std::filesystem::remove_all(m_path); }
    std::string path() const { return m_path; }

   private:
    std::filesystem::path m_path;
  };

  model::DeviceInfo device(const std::string& uuid) {
    model::DeviceInfo info;
    info.id = "cuda:0";
    info.name = "NVIDIA H200";
    info.uuid = uuid;
    return info;
  }

  }  // namespace

  TEST_CASE("a second holder of the same device is refused, and the first is named") {
    const Folder folder;
    const DeviceLock held(device("GPU-1"), folder.path());
    const std::string message =
        fmt::format("NVIDIA H200 (cuda:0) is in use by another tuner, process {}", ::getpid());
    CHECK_THROWS_WITH_AS(DeviceLock(device("GPU-1"), folder.path()), message.c_str(), model::Error);
    CHECK_NOTHROW(DeviceLock(device("GPU-2"), folder.path()));
  }

  TEST_CASE("a lock goes with its object, its file stays") {
    const Folder folder;
    std::string path;
    { path = DeviceLock(device("GPU-1"), folder.path()).path(); }
    CHECK(std::filesystem::exists(path));
    CHECK_NOTHROW(DeviceLock(device("GPU-1"), folder.path()));
  }

  TEST_CASE("a lock is not kept by workers of its holder") {
    const Folder folder;
    std::optional<DeviceLock> held(std::in_place, device("GPU-1"), folder.path());
    const ChildProcess worker(test::child("mute"));
    held.reset();
    CHECK_NOTHROW(DeviceLock(device("GPU-1"), folder.path()));
  }

  TEST_CASE("a device without a uuid is locked by its id, and no name leaves the folder") {
    const Folder folder;
    model::DeviceInfo strange = device("");
    strange.id = "../../etc/cuda:0";
    CHECK(DeviceLock(strange, folder.path()).path() == folder.path() + "/tuner-device-______etc_cuda_0.lock");
  }

  TEST_CASE("a link or a folder in place of the file is refused") {
    const Folder folder;
    std::ofstream(folder.path() + "/precious") << "not to be overwritten";
    std::filesystem::create_symlink("precious", folder.path() + "/tuner-device-GPU-1.lock");
    CHECK_THROWS_AS(DeviceLock(device("GPU-1"), folder.path()), model::Error);
    CHECK(std::filesystem::file_size(folder.path() + "/precious") == 21);
    std::filesystem::create_directory(folder.path() + "/tuner-device-GPU-2.lock");
    CHECK_THROWS_AS(DeviceLock(device("GPU-2"), folder.path()), model::Error);
    CHECK_THROWS_AS(DeviceLock(device("GPU-3"), folder.path() + "/nowhere"), model::Error);
    REQUIRE(::mkfifo((folder.path() + "/tuner-device-GPU-4.lock").c_str(), 0666) == 0);
    CHECK_THROWS_AS(DeviceLock(device("GPU-4"), folder.path()), model::Error);
  }

  TEST_CASE("other users may lock it too, whatever this one's umask") {
    const Folder folder;
    const mode_t before = ::umask(077);
    const std::string path = DeviceLock(device("GPU-1"), folder.path()).path();
    ::umask(before);
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0666);
  }
}
