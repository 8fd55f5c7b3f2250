#pragma once
#include <string>
#include <vector>

#include "tests/e2e/small_kernel.hpp"
#include "tests/e2e/user.hpp"

namespace tuner::test {

/// It fills with threes.
inline SmallKernel filling(const std::string& keys = "", const std::string& value = "3") {
  return {.name = "fill",
          .keys = "family = \"filling\"\n" + keys,
          .parameters = "BLOCK = [64, 128]",
          .block = "BLOCK",
          .value = value,
          .right = "3"};
}

/// With fill.toml, its source and its reference in the home folder.
struct Author : User {
  explicit Author(const SmallKernel& kernel = filling()) { kernel.write(home); }
  ProgramResult runs(std::vector<std::string> more = {}, const std::string& sizes = "100") const {
    std::vector<std::string> all = {"run",     "--device", "cpu", "--kernel", home / "fill.toml",
                                    "--sizes", sizes};
    all.insert(all.end(), more.begin(), more.end());
    return types(all);
  }
};

}  // namespace tuner::test
