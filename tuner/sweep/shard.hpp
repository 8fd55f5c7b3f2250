#pragma once
#include <string>
#include <string_view>

#include "tuner/model/configuration.hpp"

namespace tuner::sweep {

/// One part of several into which a sweep is split, each for a machine or a job of its own.
struct Shard {
  int number = 1;  ///< 1 … of
  int of = 1;

  /// Whether a configuration is of this shard: decided by the kernel's name and the configuration alone. So
  /// all sizes of a binary are in one shard, every configuration is in exactly one of `of`, and neither what
  /// is known nor another value in the spec's lists moves any.
  bool has(std::string_view kernel, const model::Configuration& configuration) const;
  std::string text() const;  ///< `3/16`
};

/// `3/16`. Throws model::UsageError for anything else, and for a number that is none of 1 … of.
Shard parse_shard(std::string_view text);

}  // namespace tuner::sweep
