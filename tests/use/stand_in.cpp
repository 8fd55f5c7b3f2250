#include "tests/use/stand_in.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdlib>

namespace tests {

StandIn& fresh_stand_in() {
  static StandIn* const state = [] {
    setenv("TUNER_LIBCUDA", TUNER_STAND_IN_DRIVER, 1);
    void* const library = dlopen(TUNER_STAND_IN_DRIVER, RTLD_NOW | RTLD_LOCAL);
    REQUIRE_MESSAGE(library != nullptr, dlerror());
    return reinterpret_cast<StandIn* (*)()>(dlsym(library, "stand_in_state"))();
  }();
  *state = StandIn();
  return *state;
}

}  // namespace tests
