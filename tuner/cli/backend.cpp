#include "tuner/cli/backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "tuner/cli/local_devices.hpp"
#include "tuner/device/cpu/cpu_device.hpp"
#include "tuner/device/cuda/occupancy/occupancy.hpp"
#include "tuner/model/device_kind.hpp"
#include "tuner/model/error.hpp"

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

namespace {

/// What each kind of device does here; what else is asked of a kind stands in model::device_kinds().
struct Opener {
  std::string_view kind;
  Backend (*open)(const config::Settings& settings, const std::string& device) = nullptr;
  model::DeviceInfo (*check_for)(const std::string& architecture) =
      nullptr;  ///< null: as the first kind does
  /// Called in a child; null: its runner is in this process.
  std::unique_ptr<model::TrialRunner> (*runner)(const std::string& id,
                                                const std::filesystem::path& cache) = nullptr;
};

Backend open_gpus(const config::Settings& settings, const std::string& device) {
  if (device == "all") return open_cuda_backend(settings, {});
  return open_cuda_backend(settings, model::listed_devices(device == "auto" ? "cuda:0" : device));
}

model::DeviceInfo flagship(const std::string& architecture) {
  if (auto device = device::cuda::known_device(architecture)) return *device;
  throw model::UsageError(fmt::format("no architecture is called '{}'", architecture),
                          fmt::format("known: {}", fmt::join(device::cuda::known_architectures(), ", ")));
}

constexpr std::array openers = {
    Opener{"cuda", open_gpus, flagship, cuda_runner},
    Opener{"cpu",
           [](const config::Settings& settings, const std::string&) { return open_cpu_backend(settings); },
           [](const std::string&) { return device::cpu::describe_cpu(); },
           [](const std::string&, const std::filesystem::path&) { return cpu_runner(); }},
    Opener{"replay",
           [](const config::Settings&, const std::string& device) {
             return open_replay_backend(model::recording_of(device));
           }},
};

/// A text of --device that no kind has is refused with the settings.
const Opener& opener_of(const std::string& device) {
  const model::DeviceKind* const kind = model::named_kind(device);
  const auto found = std::ranges::find_if(
      openers, [&](const Opener& opener) { return kind != nullptr && opener.kind == kind->name; });
  if (found == openers.end())
    throw model::Error(fmt::format("there is no device {}", device),
                       "`tuner list devices` shows what there is", model::ExitCode::no_device);
  return *found;
}

}  // namespace

Backend open_backend(const config::Settings& settings) {
  const std::string& device = settings.text("device");
  return opener_of(device).open(settings, device);
}

model::DeviceInfo device_to_check_for(const std::string& device, const std::string& architecture) {
  const auto check_for = opener_of(device).check_for;
  return (check_for == nullptr ? openers.front().check_for : check_for)(architecture);
}

std::unique_ptr<model::TrialRunner> local_runner(const std::string& id,
                                                 const std::filesystem::path& cache_folder) {
  return opener_of(id).runner(id, cache_folder);
}

}  // namespace tuner::cli
