// What --device names, and what is asked of a kind of device.
#include <doctest/doctest.h>

#include "tuner/model/device.hpp"

using namespace tuner::model;

namespace {

std::string_view kind_named(std::string_view device) {
  const DeviceKind* const kind = named_kind(device);
  return kind == nullptr ? "none" : kind->name;
}

}  // namespace

TEST_SUITE("tuner::model::DeviceKind") {
  TEST_CASE("a text of --device names one kind or none") {
    for (const char* gpus : {"auto", "all", "cuda:0", "cuda:12", "cuda:0,cuda:2"})
      CHECK(kind_named(gpus) == "cuda");
    CHECK(kind_named("cpu") == "cpu");
    CHECK(kind_named("replay:a,b.jsonl") == "replay");
    for (const char* wrong : {"", "cuda", "cuda:", "cuda:-1", "cuda:0,cuda:0", "cuda:0,", "cuda:0,cpu",
                              "cuda:1234", "cpu:0", "replay:", "replay", "CPU"})
      CHECK_MESSAGE(kind_named(wrong) == "none", wrong);
  }

  TEST_CASE("several GPUs are listed one by one, and a file's name is not cut") {
    CHECK(listed_devices("cuda:0,cuda:2") == std::vector<std::string>{"cuda:0", "cuda:2"});
    CHECK(listed_devices("replay:a,b.jsonl") == std::vector<std::string>{"replay:a,b.jsonl"});
    CHECK(recording_of("replay:a:b.jsonl") == "a:b.jsonl");
    CHECK(recording_of("cuda:0").empty());
  }

  TEST_CASE("a kind of a newer program can do nothing here") {
    const DeviceKind& kind = device_kind("hip");
    CHECK(kind.name == "unknown");
    CHECK(kind.compiler.empty());
    CHECK_FALSE((kind.in_specs || kind.is_gpu || kind.has_nvcc || kind.has_views || kind.has_sanitizers));
  }

  TEST_CASE("kernels run where their spec lists the kind, or lists none") {
    CHECK(runs_on({}, "cpu"));
    CHECK(runs_on({"cuda", "cpu"}, "cpu"));
    CHECK_FALSE(runs_on({"cuda"}, "cpu"));
  }
}
