#include "tuner/device/cpu/race_detector.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tuner::device::cpu {

void WarpRendezvous::reset(unsigned lanes) {
  m_lanes = lanes;
  m_group_count = 0;
}

WarpRendezvous::Arrival WarpRendezvous::arrive(unsigned lane, const tuner_cpu::WarpRequest& request) {
  const unsigned bit = 1U << lane;
  if ((request.mask & bit) == 0) return {0, "a thread called a warp operation whose mask does not name it"};
  Group* group = nullptr;
  for (int i = 0; i < m_group_count && group == nullptr; ++i) {
    if (m_groups[static_cast<std::size_t>(i)].mask == request.mask)
      group = &m_groups[static_cast<std::size_t>(i)];
  }
  if (group == nullptr) {
    group = &m_groups[static_cast<std::size_t>(m_group_count++)];
    *group = {request.mask, 0, request.operation};
  } else if (group->operation != request.operation) {
    return {0, "threads of a warp met at different warp operations"};
  }
  m_requests[lane] = request;
  group->arrived |= bit;
  return {finish(*group), nullptr};
}

unsigned WarpRendezvous::finish(Group& group) {
  if (group.arrived != (group.mask & m_lanes)) return 0;
  const unsigned members = group.arrived;
  use::answer(m_requests.data(), members, m_results.data());
  group = m_groups[static_cast<std::size_t>(--m_group_count)];
  return members;
}

using tuner_cpu::Access;

namespace {
constexpr std::size_t most_races = 64;
}

void RaceDetector::begin_launch() {
  m_unfenced = m_epoch + 1;
  m_blocks.clear();
  m_private.clear();
}

void RaceDetector::keep_private(const void* memory, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(memory);
  m_private.emplace_back(first, first + bytes);
}

void RaceDetector::begin_block(const tuner_cpu::Index3& block, unsigned threads) {
  m_clocks.resize((threads + warp_size - 1) / warp_size);
  barrier();
  m_blocks.push_back({m_epoch, block});
}

void RaceDetector::barrier() {
  ++m_epoch;
  restart_clocks();
}

void RaceDetector::release() {
  barrier();
  m_unfenced = m_epoch;
}

void RaceDetector::restart_clocks() {
  for (Clocks& warp : m_clocks) {
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
      warp[lane].fill(0);
      warp[lane][lane] = 1;
    }
  }
}

void RaceDetector::warp_operation(unsigned warp, unsigned lanes) {
  Clocks& clocks = m_clocks[warp];
  std::array<unsigned, warp_size> joined{};
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    if ((lanes >> lane & 1U) == 0) continue;
    for (std::size_t of = 0; of < warp_size; ++of) joined[of] = std::max(joined[of], clocks[lane][of]);
  }
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    if ((lanes >> lane & 1U) == 0) continue;
    clocks[lane] = joined;
    ++clocks[lane][lane];
  }
}

bool RaceDetector::ordered(const Record& before, const Record& now) const {
  if (before.epoch < m_blocks.back().epoch) return before.epoch < m_unfenced;  // of another block
  if (before.epoch != m_epoch || before.thread == now.thread) return true;
  if (before.thread / warp_size != now.thread / warp_size) return false;
  const Clocks& clocks = m_clocks[now.thread / warp_size];
  return clocks[now.thread % warp_size][before.thread % warp_size] >= before.clock;
}

void RaceDetector::access(unsigned thread, const void* address, unsigned bytes, Access access,
                          const void* code) {
  if (access == Access::fence) {
    m_unfenced = m_epoch + 1;
    return;
  }
  const unsigned clock = m_clocks[thread / warp_size][thread % warp_size][thread % warp_size];
  const Record now{m_epoch, code, thread, clock};
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  const bool releases = access == Access::release;
  if (releases) access = Access::atomic;
  for (std::uintptr_t at = first; at < first + bytes; ++at) touch(cell(at), now, access, at);
  if (releases) release();
}

RaceDetector::Cell& RaceDetector::cell(std::uintptr_t address) {
  std::unique_ptr<Page>& page = m_pages[address / page_bytes];
  if (page == nullptr) page = std::make_unique<Page>();
  return (*page)[address % page_bytes];
}

void RaceDetector::touch(Cell& cell, const Record& now, Access access, std::uintptr_t address) {
  check(cell.write, Access::write, now, access, address);
  if (access != Access::read) {
    for (const Record& read : cell.reads) check(read, Access::read, now, access, address);
  }
  if (access != Access::atomic) {
    for (const Record& atomic : cell.atomics) check(atomic, Access::atomic, now, access, address);
  }
  switch (access) {
    case Access::write:
      cell.write = now;
      break;
    case Access::read:
      remember(cell.reads, now);
      break;
    default:
      // Who changes what another block has changed may have waited for it.
      for (const Record& atomic : cell.atomics)
        if (atomic.epoch >= m_unfenced && atomic.epoch < m_blocks.back().epoch)
          m_unfenced = m_blocks.back().epoch;
      remember(cell.atomics, now);
      break;
  }
}

/// Keeps the latest records of two threads.
void RaceDetector::remember(std::array<Record, 2>& records, const Record& now) const {
  if (records[0].epoch != m_epoch || records[0].thread == now.thread) {
    records[0] = now;
  } else {
    records[1] = now;
  }
}

void RaceDetector::check(const Record& before, Access access_before, const Record& now, Access access_now,
                         std::uintptr_t address) {
  if (before.epoch == 0 || ordered(before, now) || m_races.size() >= most_races) return;
  const bool known = std::any_of(m_races.begin(), m_races.end(), [&](const RawRace& race) {
    return std::minmax(race.first.code, race.second.code) == std::minmax(before.code, now.code);
  });
  const bool of_one_block = before.epoch >= m_blocks.back().epoch;
  if (known || (!of_one_block && is_private(address))) return;
  m_races.push_back({{access_before, before.thread, before.code},
                     {access_now, now.thread, now.code},
                     block_at(before.epoch),
                     m_blocks.back().index,
                     reinterpret_cast<const void*>(address)});
}

bool RaceDetector::is_private(std::uintptr_t address) const {
  return std::any_of(m_private.begin(), m_private.end(),
                     [&](const auto& memory) { return address >= memory.first && address < memory.second; });
}

tuner_cpu::Index3 RaceDetector::block_at(std::uint64_t epoch) const {
  const auto later =
      std::upper_bound(m_blocks.begin(), m_blocks.end(), epoch,
                       [](std::uint64_t wanted, const BegunBlock& block) { return wanted < block.epoch; });
  return std::prev(later)->index;
}

}  // namespace tuner::device::cpu
