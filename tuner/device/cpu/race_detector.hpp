#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/use/warp.hpp"

namespace tuner::device::cpu {

using use::warp_size;

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
  /// The thread of `lane` has returned: no group waits for it any more. `complete(lanes)` is called for each
  /// that waited for it alone.
  template <class Complete>
  void leave(unsigned lane, Complete complete) {
    m_lanes &= ~(1U << lane);
    for (int i = m_group_count; i-- > 0;)
      if (const unsigned members = finish(m_groups[static_cast<std::size_t>(i)])) complete(members);
  }
  unsigned long long result(unsigned lane) const { return m_results[lane]; }

 private:
  struct Group {
    unsigned mask = 0;
    unsigned arrived = 0;
    tuner_cpu::WarpOperation operation = tuner_cpu::WarpOperation::sync;
  };

  /// Of a group that is complete its lanes, which get their results; else 0.
  unsigned finish(Group& group);

  unsigned m_lanes = 0;  ///< of threads that have not returned
  int m_group_count = 0;
  std::array<Group, warp_size> m_groups{};
  std::array<tuner_cpu::WarpRequest, warp_size> m_requests{};
  std::array<unsigned long long, warp_size> m_results{};
};

/// One side of a race.
struct RacingAccess {
  tuner_cpu::Access access = tuner_cpu::Access::read;
  unsigned thread = 0;         ///< rank in its block
  const void* code = nullptr;  ///< return address of the access
};

/// Two threads touched one byte, one of them writing, and nothing orders them.
struct RawRace {
  RacingAccess first;  ///< in the order they happened to run
  RacingAccess second;
  tuner_cpu::Index3 first_block;
  tuner_cpu::Index3 second_block;
  const void* address = nullptr;
};

/// Finds races between the threads of a launch, in shared and in global memory. It judges what is ordered,
/// not what happened: accesses of one block are ordered when a barrier of the block lies between them, or,
/// within a warp, a chain of warp operations (vector clocks: Flanagan and Freund, "FastTrack", PLDI 2009, cut
/// down to the 32 lanes that such chains can connect). For each byte the last write, and two reads and two
/// atomics by different threads, are remembered: more of them would conflict with the same write. Accesses of
/// different blocks are ordered where a fence or a counter that both change lies between them, and those of
/// one block where a release or a wait in a loop does: who has seen it is not followed.
class RaceDetector {
 public:
  void begin_launch();
  /// Memory that each block uses for itself.
  void keep_private(const void* memory, std::size_t bytes);
  void begin_block(const tuner_cpu::Index3& block, unsigned threads);
  void barrier();
  /// What has been done is seen by whoever goes on.
  void release();
  void warp_operation(unsigned warp, unsigned lanes);
  void access(unsigned thread, const void* address, unsigned bytes, tuner_cpu::Access access,
              const void* code);

  /// Each pair of code addresses once, in whichever order they ran; at most 64 pairs.
  std::vector<RawRace> take_races() { return std::exchange(m_races, {}); }

 private:
  struct Record {
    std::uint64_t epoch = 0;  ///< 0: none
    const void* code = nullptr;
    unsigned thread = 0;
    unsigned clock = 0;
  };
  struct Cell {
    Record write;
    std::array<Record, 2> reads;
    std::array<Record, 2> atomics;
  };
  static constexpr std::size_t page_bytes = 1024;
  using Page = std::array<Cell, page_bytes>;
  using Clocks = std::array<std::array<unsigned, warp_size>, warp_size>;

  Cell& cell(std::uintptr_t address);
  void touch(Cell& cell, const Record& now, tuner_cpu::Access access, std::uintptr_t address);
  void check(const Record& before, tuner_cpu::Access access_before, const Record& now,
             tuner_cpu::Access access_now, std::uintptr_t address);
  bool ordered(const Record& before, const Record& now) const;
  void remember(std::array<Record, 2>& records, const Record& now) const;
  void restart_clocks();
  bool is_private(std::uintptr_t address) const;
  tuner_cpu::Index3 block_at(std::uint64_t epoch) const;

  struct BegunBlock {
    std::uint64_t epoch = 0;
    tuner_cpu::Index3 index;
  };

  std::uint64_t m_epoch = 0;         ///< counts barriers of all blocks
  std::uint64_t m_unfenced = 1;      ///< the first epoch behind the last fence or the launch's begin
  std::vector<BegunBlock> m_blocks;  ///< of this launch
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> m_private;  ///< first byte, behind the last
  std::vector<Clocks> m_clocks;                                      ///< of each warp: [lane][of lane]
  std::unordered_map<std::uintptr_t, std::unique_ptr<Page>> m_pages;
  std::vector<RawRace> m_races;
};

}  // namespace tuner::device::cpu
