#include <algorithm>
#include <span>

#include "tuner/device/cuda/cuda.hpp"
#include "tuner/model/embedded_file.hpp"

namespace tuner::device::cuda {

std::span<const model::EmbeddedFile> embedded_files();  // generated: support.cu, then the headers it includes

model::CompileJob support_job(const std::string& architecture, const std::string& compiler) {
  model::CompileJob job;
  for (const model::EmbeddedFile& file : embedded_files()) {
    job.source.push_back({std::string(file.path), std::string(file.text)});
  }
  job.entries = {"tuner_fill", "tuner_compare", "tuner_checksum", "tuner_delay", "tuner_read_clock"};
  job.architecture = architecture;
  job.compiler = compiler;
  return job;
}

}  // namespace tuner::device::cuda
