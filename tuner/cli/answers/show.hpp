#pragma once
#include <optional>
#include <string>
#include <vector>

#include "db/stored_records.hpp"
#include "tuner/cli/answers/words.hpp"
#include "tuner/device/cuda/occupancy/occupancy.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/sass/analysis.hpp"

namespace tuner::cli::answers {

/// Everything known of a trial.
struct TrialFacts {
  model::TrialRecord trial;  ///< samples included
  bool superseded = false;
  std::optional<model::FinalRecord> final;  ///< the last that it took part in
  std::vector<model::Ceiling> ceilings;     ///< of its device
  /// Of the others of its problem and environment that compete or were dropped: how many give the same bits,
  /// other ones, and it is unknown which.
  struct Bits {
    std::int64_t same = 0;
    std::int64_t other = 0;
    std::int64_t unknown = 0;
    model::BitsRelation with_default = model::BitsRelation::unknown;
  } bits = {};
  std::vector<db::StoredMeasurement> measurements;
  std::vector<db::StoredCounter> counters = {};
  std::vector<device::cuda::ResourceShare> occupancy_steps;
  std::optional<std::int64_t>
      code_bytes;  ///< of its first launch's kernel; nothing: its binary is not at hand
};

/// What hardware counters said: a line a metric, with its unit.
std::string counters_text(const std::vector<db::StoredCounter>& counters, const Style& style);

/// One trial for people: a line for each fact, then its measurements with all samples, then the compiler's
/// log.
std::string trial_text(const TrialFacts& facts, const Style& style);

/// Two trials side by side: a row for each fact in which they differ, then what is the same of both.
std::string trials_text(const TrialFacts& a, const TrialFacts& b, const Style& style);

/// The machine code of a trial's binary.
struct TrialCode {
  model::TrialRecord trial;
  std::vector<sass::KernelCode> kernels;
  std::size_t first = 0;  ///< the kernel of the first launch

  const sass::KernelCode& kernel() const { return kernels[first]; }
};

/// The first kernel for people: its figures by depth of loops, its loads and stores by width, then the hot
/// loop's instructions with their marks.
std::string code_text(const TrialCode& code, const Style& style);

/// Two of them side by side: the figures of hot loop and kernel that differ by more than a twentieth and by
/// more than half a percent of the instructions.
std::string codes_text(const TrialCode& a, const TrialCode& b, const Style& style);

/// All kernels with all figures.
std::string code_json(const std::vector<TrialCode>& codes);

}  // namespace tuner::cli::answers
