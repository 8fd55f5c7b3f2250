#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/model/captured_kernel.hpp"
#include "tuner/model/element_type.hpp"

namespace config {
namespace model = tuner::model;

/// Reads the memory of kept launches for a draft.
class CapturedMemory {
 public:
  /// What a launch left in a region, as numbers of one type.
  struct Contents {
    std::int64_t numbers = 0;
    std::int64_t changed = 0;  ///< by the launch
    std::int64_t nans = 0;
    double largest = 0;     ///< of their absolute values, without NaN and infinity
    bool was_zero = false;  ///< all of it, before the launch
  };

  virtual ~CapturedMemory() = default;
  /// Of the region's first bytes.
  virtual Contents contents(const model::CapturedRegion& region, model::ElementType type,
                            std::int64_t bytes) = 0;
  virtual bool same_before(const model::CapturedRegion& a, const model::CapturedRegion& b) = 0;
  /// The largest difference between what two launches left, as numbers; 0: the same bits.
  virtual double difference(const model::CapturedRegion& a, const model::CapturedRegion& b,
                            model::ElementType type) = 0;
  virtual double number(model::ElementType type, const std::string& bytes) = 0;
};

/// A kernel of a capture that a draft is made from.
struct CapturedSource {
  const model::CapturedKernel& kernel;
  CapturedMemory& memory;
  std::string device;  ///< it ran on; empty: not known
  std::string folder;  ///< of the files that the spec reads, relative to it
};

/// A file that a spec reads, made from one of a capture.
struct DraftFile {
  std::string packed;  ///< a `.npy.gz`
  std::string name;    ///< relative to the spec
  bool is_raw = false;
  std::int64_t bytes = 0;  ///< of numbers
};

}  // namespace config
