// `tuner run` with a scripted device, as a process that can be killed:
//   scripted_tuner DATABASE SPECS CACHE SEED [MODEL UUID]
// Prints the number of trials it measured; an error goes to stderr, with the exit code that the tuner has for
// it.
#include <fmt/format.h>

#include <cstdlib>

#include "tests/sweep/scripted_sweep.hpp"
#include "tuner/model/error.hpp"

int main(int argc, char** argv) {
  if (argc != 5 && argc != 7) return 2;
  tuner::test::ScriptedSweep sweep;
  sweep.database = argv[1];
  sweep.specs = {argv[2]};
  sweep.cache = argv[3];
  sweep.seed = std::strtoull(argv[4], nullptr, 10);
  if (argc == 7) {
    sweep.device = argv[5];
    sweep.uuid = argv[6];
  }
  try {
    fmt::print("{}\n", tuner::test::run_scripted_sweep(sweep).finished);
    return 0;
  } catch (const tuner::model::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
}
