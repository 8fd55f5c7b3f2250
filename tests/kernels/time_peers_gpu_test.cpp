#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tests/device/gpu.hpp"
#include "tests/kernels/workshop.hpp"
#include "tuner/device/cuda/driver.hpp"
#include "tuner/measure/sampler.hpp"

using namespace tuner;
using device::cuda::check;
using device::cuda::Driver;

TEST_SUITE("times on a GPU") {
  namespace {

  model::Configuration configuration() {
    return model::Configuration(
        {{"TILE_M", 64}, {"TILE_N", 64}, {"TILE_K", 16}, {"THREAD_M", 4}, {"THREAD_N", 4}, {"VECTOR", 16}});
  }

  /// register_tile_2d on square matrices, timed as a programmer would without a tuner: launches in a stream
  /// between two events.
  class ByHand {
   public:
    explicit ByHand(int size) : m_driver(device::cuda::load_driver()), m_size(size) {
      const space::KernelSpace kernel = test::load_kernel("register_tile_2d");
      const model::Problem problem = space::make_problem(kernel.spec(), {size}, std::nullopt, 0);
      const auto& limits = tests::gpu().device->info().limits;
      const auto plan = std::get<model::Plan>(kernel.make_plan(problem, configuration(), limits));
      m_step = plan.steps.at(0);
      const auto compilation = tests::gpu().compiler->compile(kernel.compile_job(
          problem, configuration(), tests::gpu().device->info().architecture, tests::gpu().compiler->name()));
      check(*m_driver, m_driver->module_load_data(&m_module, compilation.binary.data()), "loading");
      check(*m_driver,
            m_driver->module_get_function(&m_kernel, m_module, compilation.kernels.at(0).symbol.c_str()),
            "finding the kernel");
      for (auto& matrix : m_matrices) {
        matrix = tests::filled(model::ElementType::float32, static_cast<std::int64_t>(size) * size,
                               {model::Init::Kind::uniform, -1, 1});
      }
      check(*m_driver, m_driver->event_create(&m_start, CU_EVENT_DEFAULT), "making an event");
      check(*m_driver, m_driver->event_create(&m_stop, CU_EVENT_DEFAULT), "making an event");
    }
    ByHand(const ByHand&) = delete;
    ByHand& operator=(const ByHand&) = delete;
    ~ByHand() {
      m_driver->event_destroy(m_start);
      m_driver->event_destroy(m_stop);
      m_driver->module_unload(m_module);
    }

    /// Nanoseconds a launch.
    double time(int launches) {
      check(*m_driver, m_driver->event_record(m_start, nullptr), "recording");
      for (int i = 0; i < launches; ++i) launch();
      check(*m_driver, m_driver->event_record(m_stop, nullptr), "recording");
      check(*m_driver, m_driver->stream_synchronize(nullptr), "waiting");
      float milliseconds = 0;
      check(*m_driver, m_driver->event_elapsed_time(&milliseconds, m_start, m_stop), "reading the time");
      return static_cast<double>(milliseconds) * 1e6 / launches;
    }

   private:
    void launch() {
      std::array<CUdeviceptr, 3> addresses{};
      std::vector<void*> arguments;
      for (std::size_t i = 0; i < addresses.size(); ++i) {
        addresses[i] = m_matrices[i]->address();
        arguments.push_back(&addresses[i]);
      }
      arguments.insert(arguments.end(), 6, &m_size);  // M, N, K and three leading dimensions
      const auto side = [](std::int64_t extent) { return static_cast<unsigned>(extent); };
      check(*m_driver,
            m_driver->launch_kernel(m_kernel, side(m_step.grid.x), side(m_step.grid.y), 1,
                                    side(m_step.block.x), 1, 1, side(m_step.dynamic_shared_bytes), nullptr,
                                    arguments.data(), nullptr),
            "launching");
    }

    std::shared_ptr<const Driver> m_driver;
    int m_size;
    model::Step m_step;
    CUmodule m_module = nullptr;
    CUfunction m_kernel = nullptr;
    std::array<std::unique_ptr<device::Buffer>, 3> m_matrices;
    CUevent m_start = nullptr;
    CUevent m_stop = nullptr;
  };

  double median_of(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }

  /// What the tuner says of the same kernel.
  double tuned_ns(int size) {
    const space::KernelSpace kernel = test::load_kernel("register_tile_2d");
    const model::Problem problem = space::make_problem(kernel.spec(), {size}, std::nullopt, 0);
    test::Workshop workshop = test::make_workshop();
    workshop.measure_as(measure::policy("standard"));
    const model::TrialOutcome outcome = workshop.run(kernel, problem, configuration());
    CAPTURE(outcome.detail);
    REQUIRE(outcome.measurement);
    return outcome.measurement->median_ns;
  }

  /// The two in turn, three times: the ratio of tuner to hand, the middle one.
  template <class Measure>
  void compare(int size, const std::string& peer, Measure by_hand, double tolerance) {
    std::vector<double> ratios;
    for (int i = 0; i < 3; ++i) {
      const double hand_ns = by_hand();
      const double tuner_ns = tuned_ns(size);
      MESSAGE(size << ": " << tuner_ns / 1e3 << " us by the tuner, " << hand_ns / 1e3 << " us by " << peer);
      ratios.push_back(tuner_ns / hand_ns);
    }
    CHECK(median_of(ratios) > 1 - tolerance);
    CHECK(median_of(ratios) < 1 + tolerance);
  }

  }  // namespace

  TEST_CASE("a short kernel takes what 10,000 launches back to back take, divided by 10,000") {
    ByHand matmul(512);
    matmul.time(1000);
    compare(
        512, "10,000 launches", [&] { return matmul.time(10'000); }, 0.03);
  }

  TEST_CASE("a long kernel takes what single launches between events take") {
    ByHand matmul(4096);
    matmul.time(20);
    const auto pairs = [&] {
      std::vector<double> times;
      for (int i = 0; i < 21; ++i) times.push_back(matmul.time(1));
      return median_of(times);
    };
    compare(4096, "pairs of events", pairs, 0.01);
  }
}
