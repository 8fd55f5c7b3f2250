// Rules on what hardware counters said of one run.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "tuner/explain/rule_parts.hpp"

namespace tuner::explain {
namespace {

constexpr double lanes = 32;
constexpr double sector_bytes = 32;

/// A warp waits for this; see find_stalls.
struct Reason {
  std::string_view name;
  std::string_view waits_for;
  const char* next;
};
constexpr std::array reasons = {
    Reason{"long_scoreboard", "global or local memory",
           "loads that are begun earlier: prefetching, more independent loads a thread, more warps"},
    Reason{"short_scoreboard", "shared memory",
           "wider loads from shared memory, or more work a loaded value"},
    Reason{"mio_throttle", "the queue to shared memory and special functions",
           "fewer and wider accesses of shared memory"},
    Reason{"barrier", "barriers", "fewer barriers, smaller blocks, or a second buffer"},
    Reason{"math_pipe_throttle", "the arithmetic pipe", ""},
    Reason{"gmma", "the tensor cores", ""}};

std::string metric_of(const Reason& reason) {
  return fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", reason.name);
}

/// Sectors that a request needs whose lanes access as much as the kernel's widest access does. Without
/// machine code nothing is known of widths, and the answer is that of the widest there is.
double sectors_needed(const Side& side, bool writes) {
  constexpr int bits_of_byte = 8;
  constexpr int widest_bits = 128;
  int bits = 0;
  if (side.code)
    for (const auto& [depth, access, count] : side.code->accesses) {
      const bool is_global =
          access.space == sass::Space::global || (!writes && access.space == sass::Space::global_to_shared);
      if (is_global && access.writes == writes) bits = std::max(bits, access.bits);
    }
  if (bits == 0) bits = widest_bits;
  return std::max(1.0, lanes * bits / bits_of_byte / sector_bytes);
}

void find_direction(const Side& side, bool writes, Findings& out) {
  constexpr double clearly = 1.25;
  const auto requests = counted(side, {writes ? "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"
                                              : "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"});
  const auto sectors = counted(side, {writes ? "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
                                             : "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"});
  if (!requests || !sectors || *requests <= 0) return;
  const double each = *sectors / *requests;
  const double needed = sectors_needed(side, writes);
  if (each < needed * clearly) return;
  out.push_back(
      {.text = fmt::format("a {} touches {} sectors of global memory where {} would do: {} of its {} "
                           "sectors are not needed",
                           writes ? "store" : "load", number(each), number(needed),
                           percent(1 - needed / each), number(*sectors)),
       .next = "neighbouring threads at neighbouring addresses: exchange the indices, or go through "
               "shared memory",
       .weight = flaw(1 - needed / each)});
}

}  // namespace

Findings find_uncoalesced(const Subject& subject) {
  Findings found;
  find_direction(subject.winner, false, found);
  find_direction(subject.winner, true, found);
  return found;
}

Findings find_bank_conflicts(const Subject& subject) {
  constexpr double least = 0.1;
  const auto wavefronts = counted(subject.winner, {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"});
  const auto conflicts = counted(subject.winner, {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"});
  if (!wavefronts || !conflicts || *wavefronts <= 0 || *conflicts < least * *wavefronts) return {};
  const double share = std::min(1.0, *conflicts / *wavefronts);
  constexpr double a_flaw = 0.25;
  return {{.text = fmt::format("{} of {} wavefronts of shared memory are bank conflicts ({})",
                               number(*conflicts), number(*wavefronts), percent(share)),
           .next = "rows of a shared array that are padded by a word, or another order of its elements",
           .weight = share < a_flaw ? share : flaw(share)}};
}

Findings find_divergence(const Subject& subject) {
  constexpr double least = 0.1;
  const auto of_warps = counted(subject.winner, {"smsp__inst_executed.sum"});
  const auto of_threads = counted(subject.winner, {"smsp__thread_inst_executed.sum"});
  if (!of_warps || !of_threads || *of_warps <= 0) return {};
  const double each = *of_threads / *of_warps;
  const double lost = 1 - each / lanes;
  constexpr double much = 0.25;  // more than warps lose that copy with one lane
  if (lost < least || (lost < much && is_at_limit(subject))) return {};
  return {{.text = fmt::format("{} of 32 threads take part in an instruction: {} of the lanes are idle",
                               number(each), percent(lost)),
           .next = "branches that whole warps take alike, or work that is sorted before; full warps",
           .weight = flaw(lost)}};
}

Findings find_traffic(const Subject& subject) {
  constexpr double clearly = 1.5;
  const Side& winner = subject.winner;
  const auto read = counted(winner, {"dram__bytes_read.sum", "dram__bytes_op_read.sum"});
  const auto written = counted(winner, {"dram__bytes_write.sum", "dram__bytes_op_write.sum"});
  const double needed = winner.trial.workload.bytes;
  if (!read || !written || needed <= 0 || *read + *written < clearly * needed) return {};
  const double share = 1 - needed / (*read + *written);
  const auto busy = counted(winner, {"dram__throughput.avg.pct_of_peak_sustained_elapsed"});
  constexpr double hundred = 100;
  constexpr double matters = 40;  // a DRAM that is mostly idle costs no time
  if (busy && *busy < matters) return {};
  const double weight = busy ? share * *busy / hundred : share;
  return {{.text = fmt::format("DRAM moves {}B where the problem needs {}B: {} times as much",
                               number(*read + *written), number(needed), number((*read + *written) / needed)),
           .next = "tiles that reuse what they read, or an order of blocks in which neighbours share it",
           .weight = flaw(weight)}};
}

Findings find_busy_pipe(const Subject& subject) {
  struct Pipe {
    std::string_view metric;
    const char* what;
  };
  constexpr std::array pipes = {
      Pipe{"dram__throughput.avg.pct_of_peak_sustained_elapsed", "DRAM is at"},
      Pipe{"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "the tensor cores are busy in"},
      Pipe{"sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", "the FMA pipe is busy in"},
      Pipe{"smsp__issue_active.avg.pct_of_peak_sustained_active", "instructions are issued in"}};
  constexpr double least = 60;
  constexpr double hundred = 100;
  Findings found;
  for (const Pipe& pipe : pipes) {
    const auto busy = counted(subject.winner, {pipe.metric});
    if (!busy || *busy < least) continue;
    const bool is_share = pipe.metric.starts_with("dram");
    found.push_back({.text = fmt::format("{} {} of {}: at most {} are left", pipe.what,
                                         percent(*busy / hundred), is_share ? "its peak" : "the cycles",
                                         percent(std::max(0.0, 1 - *busy / hundred))),
                     .weight = std::min(1.0, *busy / hundred)});
  }
  return found;
}

Findings find_stalls(const Subject& subject) {
  constexpr double least = 0.5;
  const Reason* worst = nullptr;
  double warps = 0;
  double all = 0;
  for (const Reason& reason : reasons) {
    const auto waiting = counted(subject.winner, {metric_of(reason)});
    if (!waiting) continue;
    all += *waiting;
    if (*waiting > warps) {
      warps = *waiting;
      worst = &reason;
    }
  }
  if (worst == nullptr || warps < least || is_at_limit(subject)) return {};
  // An instruction that is issued was preceded by one cycle of its warp, and by those that it waited.
  const double share = warps / (1 + all);
  return {
      {.text = fmt::format("for each instruction that is issued, {} warps wait for {}; {} for all that was "
                           "counted",
                           number(warps), worst->waits_for, number(all)),
       .next = worst->next,
       .weight = share}};
}

std::string words_of(const std::string& metric) {
  static const std::map<std::string, std::string, std::less<>> words = [] {
    std::map<std::string, std::string, std::less<>> of = {
        {"dram__bytes_read.sum", "bytes read from DRAM"},
        {"dram__bytes_op_read.sum", "bytes read from DRAM"},
        {"dram__bytes_write.sum", "bytes written to DRAM"},
        {"dram__bytes_op_write.sum", "bytes written to DRAM"},
        {"dram__throughput.avg.pct_of_peak_sustained_elapsed", "% of DRAM's peak"},
        {"lts__t_bytes.sum", "bytes through the L2 cache"},
        {"lts__t_sector_hit_rate.pct", "% of hits in the L2 cache"},
        {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "requests to load global memory"},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sectors loaded from global memory"},
        {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "requests to store to global memory"},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sectors stored to global memory"},
        {"l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum", "bytes copied by the TMA"},
        {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "wavefronts of shared memory"},
        {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "bank conflicts"},
        {"smsp__inst_executed.sum", "instructions of warps"},
        {"smsp__thread_inst_executed.sum", "instructions of threads"},
        {"smsp__issue_active.avg.pct_of_peak_sustained_active", "% of cycles that issue"},
        {"sm__warps_active.avg.pct_of_peak_sustained_active", "% of the warps there"},
        {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "% of the tensor cores' cycles"},
        {"sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", "% of the FMA pipe's cycles"}};
    for (const Reason& reason : reasons)
      of[metric_of(reason)] = fmt::format("warps waiting for {} at an issue", reason.waits_for);
    return of;
  }();
  const auto known = words.find(metric);
  return known == words.end() ? metric : known->second;
}

bool is_large_enough(const Side& winner, const std::string& metric, double apart) {
  constexpr double points = 3;   // of a hundred
  constexpr double warps = 0.1;  // at an issue
  constexpr double mostly_idle = 10;
  if (metric.find(".pct") != std::string::npos) return apart >= points;
  if (metric.find("_issue_stalled_") != std::string::npos) return apart >= warps;
  if (metric.find("bank_conflicts") != std::string::npos) {
    const auto wavefronts = counted(winner, {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"});
    constexpr double of_all = 0.05;
    return !wavefronts || apart >= of_all * *wavefronts;
  }
  if (!metric.starts_with("dram__")) return true;
  const auto busy = counted(winner, {"dram__throughput.avg.pct_of_peak_sustained_elapsed"});
  return !busy || *busy >= mostly_idle;
}

}  // namespace tuner::explain
