#include <fmt/format.h>

#include <memory>

#include "db/export_file.hpp"
#include "tuner/cli/backend.hpp"
#include "tuner/cli/recorded_space_replay.hpp"
#include "tuner/device/replay/replay_compiler.hpp"
#include "tuner/device/replay/replay_runner.hpp"
#include "tuner/model/error.hpp"

namespace tuner::cli {

Backend open_replay_backend(const std::string& file) {
  if (device::replay::looks_like_recorded_space(file)) {
    return open_recorded_backend(
        std::make_shared<device::replay::RecordedSpace>(device::replay::read_recorded_space(file)),
        "replay:" + file);
  }
  auto recording = std::make_shared<db::Export>(db::parse_export(file));
  if (recording->runs.empty()) {
    throw model::Error(fmt::format("{} holds no run, so the device it was recorded on is unknown", file),
                       "make recordings with `tuner export`", model::ExitCode::no_device);
  }
  Backend backend;
  backend.recorded_device = recording->runs.front().device.name;
  backend.device = device::replay::replayed_device(recording->runs.front().device, file);
  backend.compiler = recording->runs.front().toolkit;
  backend.make_compiler = [recording, toolkit = backend.compiler] {
    return std::make_unique<device::replay::ReplayCompiler>(toolkit, recording->trials);
  };
  backend.runners.push_back(
      std::make_unique<device::replay::ReplayRunner>(backend.device, recording->trials));
  return backend;
}

}  // namespace tuner::cli
