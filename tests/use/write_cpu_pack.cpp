// write_cpu_pack FILE: the pack of cpu_pack.hpp, for the examples.
#include <fstream>

#include "tests/use/cpu_pack.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ofstream file(argv[1], std::ios::binary);
  file << tuner::use::written(tests::cpu_pack());
  return file.flush() ? 0 : 1;
}
