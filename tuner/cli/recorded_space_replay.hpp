#pragma once
#include <memory>
#include <optional>

#include "config/settings.hpp"
#include "tuner/cli/backend.hpp"
#include "tuner/device/replay/recorded_space.hpp"
#include "tuner/sweep/request.hpp"

namespace tuner::cli {

/// The space that another tuner recorded, where the setting `device` names a file of one
/// (`replay:FILE.json.gz`); nothing for every other device. Throws as read_recorded_space() does.
std::shared_ptr<const device::replay::RecordedSpace> recorded_space(const config::Settings& settings);

/// The device `id`, which answers from `recorded`. It knows trials only once play_recorded() has been called,
/// and refuses none: what could not be launched is in the file.
Backend open_recorded_backend(std::shared_ptr<const device::replay::RecordedSpace> recorded,
                              const std::string& id);

/// The recorded kernel on the recorded problem, with the recorded configurations alone.
sweep::Work recorded_work(const device::replay::RecordedSpace& recorded);

/// Has `backend` answer the trials of `request` from the recording it was opened of, if it is one: those
/// whose problem begins with the recorded extents, by parameters of the same names and values. All others are
/// `skipped`. Throws model::UsageError where no kernel of the request has the recording's parameters.
void play_recorded(const sweep::Request& request, Backend& backend);

}  // namespace tuner::cli
