#pragma once
#include <vector>

namespace tuner::test {

/// The processes that the stand-in for NVIDIA's management library says compute on `GPU-fake`, and whether it
/// answers at all. Set before the library is asked.
struct FakeNvml {
  std::vector<unsigned> processes;
  bool answers = true;
};
FakeNvml& fake_nvml();

}  // namespace tuner::test
