#include "tuner/cli/gpu_neighbours.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/cli/fake_nvml.hpp"

using namespace tuner;

namespace {

std::optional<std::string> said_of(const std::string& kind, const std::string& uuid,
                                   std::vector<unsigned> processes) {
  test::fake_nvml().processes = std::move(processes);
  model::DeviceInfo device;
  device.kind = kind;
  device.uuid = uuid;
  cli::GpuNeighbours neighbours(device);
  return neighbours.sentence();
}

/// `pid 12, name` as far as /proc may be believed.
std::string this_process() {
  std::string name;
  std::ifstream("/proc/self/comm") >> name;
  const bool believed = std::filesystem::read_symlink("/proc/self/ns/pid") == "pid:[4026531836]";
  return fmt::format("pid {}{}", ::getpid(), believed ? ", " + name : "");
}

/// A number that no process has.
constexpr unsigned nobody = 2'000'000'000;

}  // namespace

TEST_SUITE("tuner::cli gpu neighbours") {
  TEST_CASE("a GPU of one's own has nothing to be said of it") {
    CHECK_FALSE(said_of("cuda", "GPU-fake", {}));
  }

  TEST_CASE("another process on the GPU is named") {
    CHECK(said_of("cuda", "GPU-fake", {static_cast<unsigned>(::getpid())}) ==
          fmt::format("another process ({}) is using this GPU: times may be off", this_process()));
    CHECK(said_of("cuda", "GPU-fake", {nobody}) ==
          "another process (pid 2000000000) is using this GPU: times may be off");
  }

  TEST_CASE("several are all named") {
    CHECK(said_of("cuda", "GPU-fake", {nobody, nobody + 1}) ==
          "other processes (pid 2000000000; pid 2000000001) are using this GPU: times may be off");
  }

  TEST_CASE("on another GPU, on none, or where the library refuses, nothing is said") {
    CHECK_FALSE(said_of("cuda", "GPU-another", {nobody}));
    CHECK_FALSE(said_of("cpu", "GPU-fake", {nobody}));
    test::fake_nvml().answers = false;
    CHECK_FALSE(said_of("cuda", "GPU-fake", {nobody}));
    test::fake_nvml().answers = true;
  }
}
