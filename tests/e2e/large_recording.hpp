#pragma once
#include <cstdlib>
#include <fstream>
#include <string>

namespace tuner::test {

/// A cache file of Kernel Tuner's with `side` × `side` configurations, all of which ran; 17 by 9 is the
/// fastest by far. Replaying it takes time enough to be interrupted.
inline void write_large_recording(const std::string& path, int side) {
  std::string values;
  std::string cache;
  for (int a = 1; a <= side; ++a) {
    values += (values.empty() ? "" : ", ") + std::to_string(a);
    for (int b = 1; b <= side; ++b) {
      const double time_ms = 1 + 0.1 * (std::abs(a - 17) + std::abs(b - 9)) + 0.0001 * a;
      cache += (cache.empty() ? "" : ",\n") + std::string("\"") + std::to_string(a) + "," +
               std::to_string(b) + "\": {\"block_size_x\": " + std::to_string(a) +
               ", \"B\": " + std::to_string(b) + ", \"time\": " + std::to_string(time_ms) +
               ", \"compile_time\": 1}";
    }
  }
  std::ofstream(path)
      << "{\"device_name\": \"Some GPU\", \"kernel_name\": \"copy\", \"problem_size\": [4096, 512],\n"
         "\"tune_params_keys\": [\"block_size_x\", \"B\"],\n\"tune_params\": {\"block_size_x\": ["
      << values << "], \"B\": [" << values << "]},\n\"cache\": {" << cache << "}}\n";
}

}  // namespace tuner::test
