#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "tuner/cli/backend.hpp"
#include "tuner/device/replay/replay.hpp"
#include "tuner/interchange/recorded_space.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/error.hpp"
#include "tuner/space/space.hpp"
#include "tuner/sweep/trial_maker.hpp"

namespace tuner::cli {
namespace {

using interchange::RecordedSpace;

/// Stands for the compiler, so that what is no time is of an environment of its own.
std::string compiler_of(const RecordedSpace& recorded) {
  return recorded.instead_of_time.empty() ? "recorded" : "recorded " + recorded.instead_of_time;
}

/// A recording says of each configuration how it ended, so nothing is refused beforehand.
model::DeviceLimits no_limits() {
  constexpr int most = std::numeric_limits<int>::max();
  model::DeviceLimits limits;
  limits.max_threads_per_block = most;
  limits.shared_bytes_per_block = most;
  limits.shared_bytes_per_block_optin = most;
  for (std::int64_t* extent : {&limits.max_grid_x, &limits.max_grid_y, &limits.max_grid_z,
                               &limits.max_block_x, &limits.max_block_y, &limits.max_block_z})
    *extent = most;
  return limits;
}

/// By their coordinates.
using Entries = std::map<std::vector<std::uint16_t>, const RecordedSpace::Entry*>;

/// That with the values of the parameters, whatever the order in which a spec has these; null: none.
const RecordedSpace::Entry* entry_of(const RecordedSpace& recorded, const Entries& entries,
                                     const model::Configuration& configuration) {
  std::vector<std::uint16_t> coordinates;
  for (const model::ParameterSpec& parameter : recorded.parameters) {
    const model::Value* value = configuration.find(parameter.name);
    const auto place =
        value == nullptr ? parameter.values.end() : std::ranges::find(parameter.values, *value);
    if (place == parameter.values.end()) return nullptr;
    coordinates.push_back(static_cast<std::uint16_t>(place - parameter.values.begin()));
  }
  const auto found = entries.find(coordinates);
  return found == entries.end() ? nullptr : found->second;
}

/// Why the recording has nothing of `kernel` on `problem`.
std::optional<std::string> why_unrecorded(const RecordedSpace& recorded, const model::KernelSpec& kernel,
                                          const model::Problem& problem) {
  std::vector<std::string> missing;
  for (const model::ParameterSpec& parameter : recorded.parameters) {
    const bool has =
        std::ranges::any_of(kernel.parameters, [&](const auto& own) { return own.name == parameter.name; });
    if (!has) missing.push_back(parameter.name);
  }
  if (!missing.empty()) return fmt::format("{} has no parameter {}", kernel.name, fmt::join(missing, ", "));
  const bool is_as_recorded =
      recorded.problem.size() <= problem.sizes.size() &&
      std::equal(recorded.problem.begin(), recorded.problem.end(), problem.sizes.begin(),
                 [](std::int64_t extent, const model::Dimension& size) { return extent == size.value; });
  if (is_as_recorded) return std::nullopt;
  return fmt::format("it is of {}, not of {}", fmt::join(recorded.problem, "x"), problem.size_text());
}

void add_records(const sweep::Request& request, const sweep::Work& work, const model::Problem& problem,
                 const RecordedSpace& recorded, const Entries& entries,
                 std::vector<model::TrialRecord>& records) {
  const sweep::TrialMaker maker(request, work, problem);
  work.kernel.enumerate(problem, request.device.limits, [&](const model::Configuration& configuration) {
    const RecordedSpace::Entry* entry = entry_of(recorded, entries, configuration);
    if (entry == nullptr) return true;
    model::TrialRecord record = maker.make(configuration).record;
    record.outcome = interchange::outcome_of(*entry);
    record.compile_ms = entry->compile_ms;
    records.push_back(std::move(record));
    return true;
  });
}

}  // namespace

std::shared_ptr<const RecordedSpace> recorded_space(const config::Settings& settings) {
  const std::string file = model::recording_of(settings.text("device"));
  if (file.empty() || !interchange::looks_like_recorded_space(file)) return nullptr;
  return std::make_shared<const RecordedSpace>(interchange::read_recorded_space(file));
}

Backend open_recorded_backend(std::shared_ptr<const RecordedSpace> recorded, const std::string& id) {
  model::DeviceInfo device;
  device.name = recorded->device.empty() ? "unknown device" : recorded->device;
  device.architecture = "recorded";
  device.limits = no_limits();
  Backend backend;
  backend.device = device::replay::replayed_device(device, model::recording_of(id));
  backend.compiler = compiler_of(*recorded);
  backend.make_compiler = [compiler = backend.compiler] {
    return std::make_unique<device::replay::ReplayCompiler>(compiler, std::vector<model::TrialRecord>{});
  };
  if (!recorded->instead_of_time.empty())
    backend.notices.push_back(
        fmt::format("the recording has no times: what is shown as milliseconds is {}, the less the better",
                    recorded->instead_of_time));
  backend.runners.push_back(
      std::make_unique<device::replay::ReplayRunner>(backend.device, std::vector<model::TrialRecord>{}));
  backend.recorded_space = std::move(recorded);
  return backend;
}

sweep::Work recorded_work(const RecordedSpace& recorded) {
  space::KernelSpace kernel(interchange::recorded_kernel(recorded));
  const std::vector<std::int64_t> extents =
      recorded.problem.empty() ? std::vector<std::int64_t>{1} : recorded.problem;
  model::Problem problem = space::make_problem(kernel.spec(), extents, kernel.spec().types.front(), 0);
  return {std::move(kernel), {std::move(problem)}};
}

void play_recorded(const sweep::Request& request, Backend& backend) {
  if (!backend.recorded_space) return;
  const RecordedSpace& recorded = *backend.recorded_space;
  Entries entries;
  for (const RecordedSpace::Entry& entry : recorded.entries) entries[entry.coordinates] = &entry;
  auto records = std::make_shared<std::vector<model::TrialRecord>>();
  std::vector<std::string> reasons;
  for (const sweep::Work& work : request.work) {
    for (const model::Problem& problem : work.problems) {
      if (const auto reason = why_unrecorded(recorded, work.kernel.spec(), problem))
        reasons.push_back(*reason);
      else
        add_records(request, work, problem, recorded, entries, *records);
    }
  }
  if (records->empty()) {
    throw model::UsageError(
        fmt::format("the recording {} has no trial of what is to be tuned{}{}", backend.device.id,
                    reasons.empty() ? "" : ": ", reasons.empty() ? "" : reasons.front()),
        "without --kernel the recorded kernel itself is searched");
  }
  backend.make_compiler = [records, compiler = backend.compiler] {
    return std::make_unique<device::replay::ReplayCompiler>(compiler, *records);
  };
  backend.runners.front() = std::make_unique<device::replay::ReplayRunner>(backend.device, *records);
}

}  // namespace tuner::cli
