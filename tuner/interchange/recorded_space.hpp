#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/case.hpp"
#include "tuner/model/compile_job.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::interchange {

/// A space of one kernel on one problem that another tuner measured, as its file tells it.
struct RecordedSpace {
  struct Entry {
    std::vector<std::uint16_t> coordinates;  ///< positions in the values of `parameters`
    model::TrialStatus status = model::TrialStatus::ok;
    std::optional<double> time_ns;   ///< present where status is ok
    std::vector<double> samples_ns;  ///< that it was worked out from, where the file has them
    double compile_ms = 0;           ///< 0: not recorded
    std::string measured_at;         ///< UTC, ISO 8601; empty: not recorded
  };

  std::string format;                            ///< `Kernel Tuner`, `T4`, `KTT`
  std::string device;                            ///< as the file names it; empty where it does not
  std::string kernel;                            ///< as the file names it; else after its first entry
  std::vector<std::int64_t> problem;             ///< extents; empty where the file does not say
  std::vector<model::ParameterSpec> parameters;  ///< with the values that occur; numbers ascending
  std::vector<Entry> entries;                    ///< each configuration once, the first time it is recorded
  /// What is searched in milliseconds' stead where the recording is of no times, the less the better:
  /// `1 + 10 - score` where 10 is the best, `1 / GFLOP/s`, `energy`. Empty: times.
  std::string instead_of_time;

  /// By the first entry, since a file grows behind it: what tells apart files that do not.
  model::Digest first_entry() const;

  /// What is computed, with the names that our own exports add; in others SIZE_0, SIZE_1, … of 1 where the
  /// file does not say.
  model::Problem case_problem() const;

  std::string family;                   ///< empty: not said
  std::vector<std::string> size_names;  ///< empty: not said
  std::string type;                     ///< empty: not said
  std::int64_t row_padding = 0;
  model::Environment environment = {};  ///< what our own exports say of it; empty: not said
};

/// What our own exports say of the environment beside the device and the type.
inline constexpr std::pair<const char*, std::string model::Environment::*> environment_names[] = {
    {"driver", &model::Environment::driver}, {"toolkit", &model::Environment::toolkit},
    {"l2", &model::Environment::l2},         {"method", &model::Environment::method},
    {"inputs", &model::Environment::inputs}, {"execution", &model::Environment::execution}};

/// Reads Kernel Tuner's cache files, T4 files and KTT's results, gzipped or not. A cache file whose writer
/// was stopped before it wrote the last brackets is read up to its last whole entry. Throws model::Error that
/// names the file where it is none of these, holds no entry, or has an unknown objective.
RecordedSpace read_recorded_space(const std::filesystem::path& file);

/// The same from the text of a file; `name` is for messages.
RecordedSpace parse_recorded_space(std::string text, const std::string& name);

/// Whether `file` begins as these do, and not as an export of tuner's own; false where it cannot be read.
bool looks_like_recorded_space(const std::filesystem::path& file);

/// A spec with the parameters and configurations of `recorded`: what a sweep over them would search. Of
/// Kernel Tuner's names for a block's extents (block_size_x, …) it makes the launch; a kernel without them
/// has one of unknown size.
model::KernelSpec recorded_kernel(const RecordedSpace& recorded);

/// The parameters that are a block's extents, by axis.
inline constexpr const char* block_parameters[] = {"block_size_x", "block_size_y", "block_size_z"};

/// Of an environment of recorded_trials() or of a replay: RecordedSpace::instead_of_time.
std::string instead_of_time(const model::Environment& environment);

/// What a database takes of another tuner's file: one run, and a trial for each configuration.
struct RecordedTrials {
  model::RunRecord run;
  std::vector<model::TrialRecord> trials;
};

/// What the file says of one configuration, with an interval of its median where it has samples enough.
model::TrialOutcome outcome_of(const RecordedSpace::Entry& entry);

/// The environment names the format, what our own exports say of it and, where no times were recorded, what
/// stands in their place, so that none of it competes with what was measured here. Identities follow from the
/// content: the same file read twice, or longer the second time, gives the same run and trials.
RecordedTrials recorded_trials(const RecordedSpace& recorded);

}  // namespace tuner::interchange
