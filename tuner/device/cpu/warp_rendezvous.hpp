#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "tuner/device/cpu/runtime/abi.hpp"

namespace tuner::device::cpu {

inline constexpr unsigned warp_size = 32;

/// Where the threads of one warp meet for an operation. Groups with different masks may be waiting at once.
class WarpRendezvous {
 public:
  /// Forgets everything; `lanes` has a bit for each thread the warp has (the last warp of a block may be
  /// partial).
  void reset(unsigned lanes);

  struct Arrival {
    unsigned complete = 0;  ///< the lanes of the group, the caller included, once all are there
    const char* misuse = nullptr;
  };
  /// `lane` asks for something. After completion each lane of the group finds its result in result().
  Arrival arrive(unsigned lane, const tuner_cpu::WarpRequest& request);
  unsigned long long result(unsigned lane) const { return m_results[lane]; }

 private:
  struct Group {
    unsigned mask = 0;
    unsigned arrived = 0;
    tuner_cpu::WarpOperation operation = tuner_cpu::WarpOperation::sync;
  };

  void complete(const Group& group);
  unsigned long long reduce(const Group& group) const;
  unsigned long long shuffle(const Group& group, unsigned lane) const;
  unsigned long long match(const Group& group, unsigned lane) const;

  unsigned m_lanes = 0;
  int m_group_count = 0;
  std::array<Group, warp_size> m_groups{};
  std::array<tuner_cpu::WarpRequest, warp_size> m_requests{};
  std::array<unsigned long long, warp_size> m_results{};
};

}  // namespace tuner::device::cpu
