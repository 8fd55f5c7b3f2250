#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "tuner/search/strategy.hpp"

namespace tuner::search::learn {

/// Threads of the first launch's block.
class BlockThreads {
 public:
  /// `space` must outlive the object.
  explicit BlockThreads(const SearchSpace& space);
  ~BlockThreads();

  /// Whether its expressions say anything of any kernel without a device.
  bool says_anything() const;
  /// Of a candidate; 0 where nothing is said.
  std::int64_t of(std::size_t candidate);

 private:
  struct Block;
  const SearchSpace& m_space;
  std::vector<std::unique_ptr<Block>> m_blocks;  ///< by kernel
};

}  // namespace tuner::search::learn
