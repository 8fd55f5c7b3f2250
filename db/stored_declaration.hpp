#pragma once
#include <cstdint>
#include <vector>

#include "tuner/model/results.hpp"

namespace db {

/// A declaration as it travels between databases.
struct StoredDeclaration {
  tuner::model::KernelDeclaration kernel;
  std::int64_t generation = 0;                 ///< one more than that of those it took the place of
  std::vector<tuner::model::Digest> followed;  ///< these, by id
  bool own = false;  ///< the last one that a sweep on its database made; nothing that travels

  /// Of what it says and what it took the place of, so that it is one wherever it comes from. One of before
  /// version 8 of the schema (generation 0) is named by its spec or its definition.
  tuner::model::Digest id() const;
};

/// What somebody found who held a trial against a spec.
struct StoredJudgement {
  tuner::model::Digest trial;
  tuner::model::Digest spec;
  bool describes = false;
};

/// More no declaration takes the place of at once.
constexpr std::size_t most_followed = 1000;

/// Judgements by one spec, as an export has them.
struct SpecJudgements {
  tuner::model::Digest spec;
  std::vector<tuner::model::Digest> describes;
  std::vector<tuner::model::Digest> excludes;
};
/// In one line of an export.
constexpr std::size_t most_judgements = 10'000;

}  // namespace db
