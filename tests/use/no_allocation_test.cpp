// Picking and launching what is prepared allocates nothing. A program of its own: it counts every allocation.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>

#include "tests/use/sample_pack.hpp"
#include "tests/use/stand_in.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define TUNER_COUNTS_ALLOCATIONS 0
#else
#define TUNER_COUNTS_ALLOCATIONS 1
#endif

namespace {
std::atomic<long> allocations{0};
}

#if TUNER_COUNTS_ALLOCATIONS
extern "C" {
void* __libc_malloc(std::size_t bytes);                     // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(std::size_t count, std::size_t bytes);  // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* memory, std::size_t bytes);      // NOLINT(bugprone-reserved-identifier)
void* malloc(std::size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, std::size_t bytes) {
  ++allocations;
  return __libc_realloc(memory, bytes);
}
}
#endif

TEST_SUITE("use") {
  TEST_CASE("picking and launching allocate nothing once a size is prepared") {
    tests::StandIn& driver = tests::fresh_stand_in();
    tests::StandIn::Context context;
    driver.current = &context;
    driver.records = false;
    const tests::Opened opened;
    const std::int64_t sizes[][2] = {{1024, 1024}, {1000, 1004}, {1000, 999}};
    REQUIRE(tuner_kernel_prepare(opened.kernel(), nullptr, sizes[0], 3) == TUNER_OK);
    tuner_value values[3] = {{TUNER_FLOAT32, 1, {reinterpret_cast<void*>(4096)}, 0},
                             {TUNER_FLOAT32, 1, {reinterpret_cast<void*>(8192)}, 0},
                             {TUNER_FLOAT32, 0, {nullptr}, 0}};
    values[2].value.real = 1;
    const long before = allocations;
    int failures = 0;
    for (int i = 0; i < 100; ++i) {
      for (const auto& size : sizes) {
        tuner_choice choice;
        tuner_workspace workspace;
        failures += tuner_kernel_pick(opened.kernel(), 0, size, 2, &choice) != TUNER_OK ? 1 : 0;
        failures += tuner_kernel_workspace(opened.kernel(), 0, size, 2, &workspace) != TUNER_OK ? 1 : 0;
        failures +=
            tuner_kernel_launch(opened.kernel(), nullptr, size, 2, values, 3, nullptr, 0) != TUNER_OK ? 1 : 0;
      }
    }
    const long after = allocations;
    CHECK(failures == 0);
    CHECK(after == before);
    CHECK(driver.launch_count == 300);
    if (TUNER_COUNTS_ALLOCATIONS != 0) CHECK(before > 0);
  }
}
