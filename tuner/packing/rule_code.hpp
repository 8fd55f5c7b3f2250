#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "tuner/cover/rule.hpp"
#include "tuner/use/pack_writer.hpp"

namespace tuner::packing {

/// What is said of sizes that were not measured; see use::RuleNode.
struct Promise {
  double loss_bound = -1;
  double confidence = 0;
};

/// The nodes of a cover's rule. `places`: of each configuration that the rule names, its launches in the
/// pack; several where it is compiled to several binaries. `dimensions`: how many sizes a problem has.
std::vector<use::RuleNode> rule_code(const cover::Rule& rule, std::size_t dimensions,
                                     const std::map<std::size_t, std::vector<std::uint32_t>>& places,
                                     const Promise& promise);

}  // namespace tuner::packing
