#include "tuner/cli/command.hpp"

int main(int argc, char** argv) {
  return tuner::cli::run_tuner(argc, argv);
}
