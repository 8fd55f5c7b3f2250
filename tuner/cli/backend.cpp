#include "tuner/cli/backend.hpp"

namespace tuner::cli {

Backend open_backend(const config::Settings& settings) {
  const std::string& device = settings.text("device");
  if (device == "cpu") return open_cpu_backend(settings);
  if (device.starts_with("replay:")) return open_replay_backend(device.substr(7));
  return open_cuda_backend(settings, device == "auto" ? "cuda:0" : device);
}

}  // namespace tuner::cli
