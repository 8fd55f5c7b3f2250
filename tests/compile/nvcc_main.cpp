// A main of its own: without nvcc on this machine nothing here can be tested, and that is not a pass.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <iostream>

#include "tests/compile/nvcc_jobs.hpp"

int main(int argc, char** argv) {
  try {
    tuner::test::nvcc_compiler();
  } catch (const tuner::model::Error& error) {
    std::cerr << "skipped: " << error.what() << "\n";
    return 77;
  }
  return doctest::Context(argc, argv).run();
}
