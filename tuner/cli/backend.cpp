#include "tuner/cli/backend.hpp"

#include "tuner/cli/cuda_devices.hpp"

namespace tuner::cli {

std::vector<model::TrialRunner*> Backend::all_runners() const {
  std::vector<model::TrialRunner*> all;
  for (const auto& runner : runners) all.push_back(runner.get());
  return all;
}

std::vector<model::DeviceInfo> Backend::devices() const {
  std::vector<model::DeviceInfo> all;
  for (const auto& runner : runners) all.push_back(runner->device());
  return all;
}

Backend open_backend(const config::Settings& settings) {
  const std::string& device = settings.text("device");
  if (device == "cpu") return open_cpu_backend(settings);
  if (device.starts_with("replay:")) return open_replay_backend(device.substr(7));
  if (device == "all") return open_cuda_backend(settings, {});
  return open_cuda_backend(settings, listed_devices(device == "auto" ? "cuda:0" : device));
}

}  // namespace tuner::cli
