#pragma once
#include <filesystem>
#include <vector>

#include "config/spec_draft.hpp"

namespace tuner::cli {

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

}  // namespace tuner::cli
