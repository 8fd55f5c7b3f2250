#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "config/spec_draft.hpp"
#include "db/connection.hpp"
#include "tuner/capture/recording.hpp"
#include "tuner/cli/answers/best.hpp"
#include "tuner/model/captured_kernel.hpp"
#include "tuner/model/kernel_spec.hpp"

// Captures: how they are shown, and what a spec or a sweep takes from them.
namespace tuner::cli {

/// For people: a row for each kernel, the one that costs most first, no line wider than `columns`.
std::string capture_table(const capture::Recording& recording, std::size_t columns);
/// A row for each shape.
std::string capture_csv(const capture::Recording& recording);

/// What must be known to read the table right: what was not captured, and how the times were taken.
std::vector<std::string> capture_remarks(const capture::Recording& recording);

/// Reads the files of a capture's launches.
class CapturedFiles : public config::CapturedMemory {
 public:
  Contents contents(const model::CapturedRegion& region, model::ElementType type,
                    std::int64_t bytes) override;
  bool same_before(const model::CapturedRegion& a, const model::CapturedRegion& b) override;
  double difference(const model::CapturedRegion& a, const model::CapturedRegion& b,
                    model::ElementType type) override;
  double number(model::ElementType type, const std::string& bytes) override;
};

/// Makes the files that a spec reads, below its folder. Where one cannot be made, none is left.
void make_files(const std::vector<config::DraftFile>& files, const std::filesystem::path& folder);

/// The sizes that a program launched the kernel of a spec with, at this type or any of the spec's. Kernels of
/// the same name whose types say that they are others do not count. Throws model::UsageError where the
/// capture has no such kernel, or a size of the spec is no argument of its own.
answers::CapturedUses captured_uses(const std::string& capture, const model::KernelSpec& spec,
                                    std::optional<model::ElementType> type);

/// Whether --sizes names a capture, and no sizes.
bool is_capture(const std::string& sizes);

/// What --sizes says for a kernel: of a capture the sizes that take 95 % of its time at known sizes, those
/// that cost most first, and a notice of what is left out. Where the command line says none, those that the
/// spec has files of, with a notice, or else the settings'. Throws model::UsageError as above, and where no
/// size has all files.
std::vector<cover::Sizes> sizes_for(const model::KernelSpec& spec, const config::Settings& settings,
                                    std::vector<std::string>& notices);

/// The sizes that a spec has files of inputs and results for, ascending, where its files say that: by sizes
/// in their names, or where extents are sizes.
std::optional<std::vector<cover::Sizes>> recorded_sizes(const model::KernelSpec& spec,
                                                        model::ElementType type);

/// Of sizes_for() those that have as many dimensions as the kernel, what counts most last; where none has, a
/// cube of 1024. Of a kernel that is held against files, those that have files; empty where none has, which
/// is said.
std::vector<model::Problem> problems_to_check(const model::KernelSpec& spec,
                                              const config::Settings& settings);

/// The spec of the kernel that a question names: in its file, else where the last sweep read the spec of the
/// kernel called so, else the shipped one.
model::KernelSpec spec_named(const db::Connection& connection, const std::string& family,
                             const std::string& kernel, const std::string& file);

}  // namespace tuner::cli
