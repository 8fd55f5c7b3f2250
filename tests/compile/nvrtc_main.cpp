// A main of its own: without NVRTC on this machine nothing here can be tested, and that is not a pass.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <iostream>

#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"
#include "tuner/model/error.hpp"

int main(int argc, char** argv) {
  try {
    tuner::compile::nvrtc::load_library();
  } catch (const tuner::model::Error& error) {
    std::cerr << "skipped: " << error.what() << "\n";
    return 77;
  }
  return doctest::Context(argc, argv).run();
}
