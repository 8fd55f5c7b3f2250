// How launches follow each other, as a driver is asked for it: one that notes what it is called for.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tuner/device/cuda/cuda_device.hpp"
#include "tuner/device/cuda/driver.hpp"

namespace cuda = tuner::device::cuda;
using tuner::model::Execution;

TEST_SUITE("tuner::device::cuda execution") {
  namespace {

  using Calls = std::vector<std::string>;

  Calls& calls() {
    static Calls noted;
    return noted;
  }

  template <typename Handle>
  CUresult give(Handle* out) {
    static std::uintptr_t next = 0x1000;
    *out = reinterpret_cast<Handle>(next += 0x100);
    return CUDA_SUCCESS;
  }

  CUresult note(const char* call) {
    calls().emplace_back(call);
    return CUDA_SUCCESS;
  }

  /// A function's handle is its name.
  CUfunction function_named(const char* name) {
    static std::vector<std::unique_ptr<std::string>> names;
    names.push_back(std::make_unique<std::string>(name));
    return reinterpret_cast<CUfunction>(names.back().get());
  }
  const std::string& name_of(CUfunction function) {
    return *reinterpret_cast<const std::string*>(function);
  }

  CUresult launch(CUfunction function, void** arguments) {
    const std::string& name = name_of(function);
    if (name == "tuner_delay")
      calls().push_back("delay " + std::to_string(*static_cast<std::uint64_t*>(arguments[0]) / 1000) + " us");
    else
      calls().push_back(name);
    return CUDA_SUCCESS;
  }

  std::shared_ptr<cuda::Driver> noting_driver() {
    const auto ok = [](auto...) { return CUDA_SUCCESS; };
    auto driver = std::make_shared<cuda::Driver>();
    driver->device_get_count = [](int* count) {
      *count = 1;
      return CUDA_SUCCESS;
    };
    driver->device_get = [](CUdevice* device, int) {
      *device = 0;
      return CUDA_SUCCESS;
    };
    driver->device_get_attribute = [](int* value, CUdevice_attribute, CUdevice) {
      *value = 1;
      return CUDA_SUCCESS;
    };
    driver->primary_ctx_retain = [](CUcontext* out, CUdevice) { return give(out); };
    driver->primary_ctx_release = ok;
    driver->ctx_set_current = ok;
    driver->ctx_set_limit = ok;
    driver->mem_get_info = [](std::size_t* free, std::size_t* total) {
      *free = *total = 1U << 30U;
      return CUDA_SUCCESS;
    };
    driver->mem_alloc = [](CUdeviceptr* out, std::size_t bytes) {
      *out = 0x10000;
      calls().push_back("allocate " + std::to_string(bytes >> 20U) + " MiB");
      return CUDA_SUCCESS;
    };
    driver->mem_free = ok;
    driver->mem_alloc_host = [](void** out, std::size_t bytes) {
      *out = std::calloc(1, bytes);
      return CUDA_SUCCESS;
    };
    driver->mem_free_host = [](void* memory) {
      std::free(memory);
      return CUDA_SUCCESS;
    };
    driver->memset_d32_async = [](CUdeviceptr, unsigned, std::size_t words, CUstream) {
      calls().push_back("set " + std::to_string(words * 4 >> 20U) + " MiB");
      return CUDA_SUCCESS;
    };
    driver->module_load_data = [](CUmodule* out, const void*) { return give(out); };
    driver->module_unload = ok;
    driver->module_get_function = [](CUfunction* out, CUmodule, const char* name) {
      *out = function_named(name);
      return CUDA_SUCCESS;
    };
    driver->func_get_attribute = [](int* value, CUfunction_attribute, CUfunction) {
      *value = 0;
      return CUDA_SUCCESS;
    };
    driver->launch_kernel = [](CUfunction function, unsigned, unsigned, unsigned, unsigned, unsigned,
                               unsigned, unsigned, CUstream, void** arguments,
                               void**) { return launch(function, arguments); };
    driver->launch_kernel_ex = [](const CUlaunchConfig*, CUfunction function, void** arguments, void**) {
      return launch(function, arguments);
    };
    driver->stream_create = [](CUstream* out, unsigned) { return give(out); };
    driver->stream_destroy = ok;
    driver->stream_synchronize = [](CUstream) { return note("wait"); };
    driver->event_create = [](CUevent* out, unsigned) { return give(out); };
    driver->event_destroy = ok;
    driver->event_record = [](CUevent, CUstream) { return note("event"); };
    driver->event_elapsed_time = [](float* milliseconds, CUevent, CUevent) {
      *milliseconds = 1000;  // far from what the host's clock says of this driver
      return CUDA_SUCCESS;
    };
    driver->stream_begin_capture = [](CUstream, CUstreamCaptureMode) { return note("capture"); };
    driver->stream_end_capture = [](CUstream, CUgraph* out) {
      note("captured");
      return give(out);
    };
    driver->graph_instantiate = [](CUgraphExec* out, CUgraph, unsigned long long) { return give(out); };
    driver->graph_launch = [](CUgraphExec, CUstream) { return note("graph"); };
    driver->graph_exec_destroy = ok;
    driver->graph_destroy = ok;
    driver->reset_persisting_l2 = [] { return note("reset"); };
    return driver;
  }

  /// A device of the noting driver with a cache of 50 MiB, and a sequence of one kernel on it.
  struct Noted {
    explicit Noted(std::shared_ptr<cuda::Driver> driver = noting_driver())
        : session(std::make_shared<cuda::Session>(std::move(driver), 0)),
          device(session, info(), std::vector<std::byte>(cubin())) {
      module = device.load(cubin());
      tuner::model::KernelResources kernel;
      kernel.entry = kernel.symbol = "kernel";
      tuner::model::Step step;
      step.entry = "kernel";
      sequence = device.bind(*module, {kernel}, {step}, {}, {});
      calls().clear();
    }
    static tuner::model::DeviceInfo info() {
      tuner::model::DeviceInfo info;
      info.limits.l2_bytes = 50 << 20;
      return info;
    }
    static std::vector<std::byte> cubin() {
      std::vector<std::byte> bytes(64);
      const char magic[] = {0x7F, 'E', 'L', 'F'};
      std::transform(std::begin(magic), std::end(magic), bytes.begin(), [](char c) { return std::byte(c); });
      return bytes;
    }
    std::shared_ptr<cuda::Session> session;
    cuda::CudaDevice device;
    std::unique_ptr<tuner::device::Module> module;
    std::unique_ptr<tuner::device::Sequence> sequence;
  };

  }  // namespace

  TEST_CASE("in a graph repetitions are one launch, captured once") {
    Noted noted;
    CHECK(noted.sequence->run(3).ns == 1e9);
    const Calls graph = {"tuner_read_clock", "delay 25 us", "event", "graph", "event",
                         "tuner_read_clock", "wait"};
    Calls first = {"capture", "kernel", "kernel", "kernel", "captured"};
    first.insert(first.end(), graph.begin(), graph.end());
    CHECK(calls() == first);
    calls().clear();
    noted.sequence->run(3, Execution::graph);
    CHECK(calls() == graph);
  }

  TEST_CASE("in a stream each is a launch, and the device waits until all are queued, but not for ever") {
    Noted noted;
    CHECK(noted.sequence->run(3, Execution::stream).ns == 1e9);
    CHECK(calls() == Calls{"tuner_read_clock", "delay 35 us", "event", "kernel", "kernel", "kernel", "event",
                           "tuner_read_clock", "wait"});
    calls().clear();
    noted.sequence->run(256, Execution::stream);
    CHECK(calls()[1] == "delay 1300 us");
    calls().clear();
    noted.sequence->run(5000, Execution::stream);
    CHECK(calls()[1] == "delay 10000 us");
  }

  TEST_CASE("with the host's call each launch is waited for, and the clock is the host's") {
    Noted noted;
    const double ns = noted.sequence->run(2, Execution::eager).ns;
    CHECK(ns > 0);
    CHECK(ns < 1e8);
    CHECK(calls() ==
          Calls{"tuner_read_clock", "wait", "kernel", "wait", "kernel", "wait", "tuner_read_clock", "wait"});
  }

  TEST_CASE("a flush writes twice the cache, after lines that were made persisting are reset") {
    Noted noted;
    noted.device.flush_l2();
    noted.device.flush_l2();
    CHECK(calls() == Calls{"allocate 100 MiB", "reset", "set 100 MiB", "reset", "set 100 MiB"});
    const auto without = noting_driver();
    without->reset_persisting_l2 = nullptr;  // an older driver
    Noted old(without);
    old.device.flush_l2();
    CHECK(calls() == Calls{"allocate 100 MiB", "set 100 MiB"});
  }
}
