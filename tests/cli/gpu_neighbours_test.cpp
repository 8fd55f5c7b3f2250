#include "tuner/cli/gpu_neighbours.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/cli/fake_nvml.hpp"

using namespace tuner;

namespace {

std::vector<std::string> said_of(const std::string& kind, const std::string& uuid,
                                 std::vector<unsigned> processes) {
  test::fake_nvml().processes = std::move(processes);
  model::DeviceInfo device;
  device.kind = kind;
  device.uuid = uuid;
  cli::GpuNeighbours neighbours({device});
  return neighbours.sentences();
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
    CHECK(said_of("cuda", "GPU-fake", {}).empty());
  }

  TEST_CASE("another process on the GPU is named") {
    const std::vector<std::string> this_one = {
        fmt::format("another process ({}) is using this GPU: times may be off", this_process())};
    CHECK(said_of("cuda", "GPU-fake", {static_cast<unsigned>(::getpid())}) == this_one);
    CHECK(said_of("cuda", "GPU-fake", {nobody}) ==
          std::vector<std::string>{"another process (pid 2000000000) is using this GPU: times may be off"});
  }

  TEST_CASE("several are all named") {
    CHECK(said_of("cuda", "GPU-fake", {nobody, nobody + 1}) ==
          std::vector<std::string>{
              "other processes (pid 2000000000; pid 2000000001) are using this GPU: times may be off"});
  }

  TEST_CASE("of several GPUs the one that is used is named") {
    test::fake_nvml().processes = {nobody};
    std::vector<model::DeviceInfo> gpus(2);
    gpus[0].kind = gpus[1].kind = "cuda";
    gpus[0].id = "cuda:0";
    gpus[0].uuid = "GPU-another";
    gpus[1].id = "cuda:1";
    gpus[1].uuid = "GPU-fake";
    cli::GpuNeighbours neighbours(gpus);
    CHECK(neighbours.sentences() ==
          std::vector<std::string>{"another process (pid 2000000000) is using cuda:1: times may be off"});
  }

  TEST_CASE("on another GPU, on none, or where the library refuses, nothing is said") {
    CHECK(said_of("cuda", "GPU-another", {nobody}).empty());
    CHECK(said_of("cpu", "GPU-fake", {nobody}).empty());
    test::fake_nvml().answers = false;
    CHECK(said_of("cuda", "GPU-fake", {nobody}).empty());
    test::fake_nvml().answers = true;
  }
}
