#include "tuner/space/limits.hpp"

namespace tuner::space {

const std::vector<LimitName>& limit_names() {
  using Limits = model::DeviceLimits;
  static const std::vector<LimitName> names{
      {"multiprocessors", [](const Limits& l) -> std::int64_t { return l.multiprocessors; }},
      {"warp_size", [](const Limits& l) -> std::int64_t { return l.warp_size; }},
      {"max_threads_per_block", [](const Limits& l) -> std::int64_t { return l.max_threads_per_block; }},
      {"max_threads_per_multiprocessor",
       [](const Limits& l) -> std::int64_t { return l.max_threads_per_multiprocessor; }},
      {"max_blocks_per_multiprocessor",
       [](const Limits& l) -> std::int64_t { return l.max_blocks_per_multiprocessor; }},
      {"max_registers_per_block", [](const Limits& l) -> std::int64_t { return l.registers_per_block; }},
      {"max_registers_per_multiprocessor",
       [](const Limits& l) -> std::int64_t { return l.registers_per_multiprocessor; }},
      {"max_static_shared_bytes", [](const Limits& l) { return l.shared_bytes_per_block; }},
      {"max_shared_bytes_per_block", [](const Limits& l) { return l.shared_bytes_per_block_optin; }},
      {"max_shared_bytes_per_multiprocessor",
       [](const Limits& l) { return l.shared_bytes_per_multiprocessor; }},
      {"max_block_x", [](const Limits& l) { return l.max_block_x; }},
      {"max_block_y", [](const Limits& l) { return l.max_block_y; }},
      {"max_block_z", [](const Limits& l) { return l.max_block_z; }},
      {"max_grid_x", [](const Limits& l) { return l.max_grid_x; }},
      {"max_grid_y", [](const Limits& l) { return l.max_grid_y; }},
      {"max_grid_z", [](const Limits& l) { return l.max_grid_z; }},
      {"l2_bytes", [](const Limits& l) { return l.l2_bytes; }},
  };
  return names;
}

}  // namespace tuner::space
