#include "tuner/util/usable_cores.hpp"

#include <doctest/doctest.h>
#include <sched.h>

#include <thread>

using namespace tuner;

TEST_SUITE_BEGIN("util");

TEST_CASE("a process that may run on one core alone has one, however many the machine has") {
  int cores = 0;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    cores = util::usable_cores();
  }).join();
  CHECK(cores == 1);
  CHECK(util::usable_cores() >= 1);
}

TEST_SUITE_END();
