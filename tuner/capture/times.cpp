#include "tuner/capture/times.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "tuner/capture/driver.hpp"

namespace tuner::capture {
namespace {

constexpr std::uint64_t always_timed = 5;  ///< of each shape
/// What a pair of events costs the stream, about; the host's part is measured.
constexpr std::uint64_t pair_ns = 8000;
constexpr std::size_t most_under_way = 256;

}  // namespace

std::uint64_t steady_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

EventTimes::EventTimes(LedgerWriter& ledger) : m_ledger(ledger), m_began_ns(steady_ns()) {}

/// At most one hundredth of the time goes into events.
bool EventTimes::worth_it(std::uint32_t shape) const {
  const std::uint64_t timed = m_ledger.ledger().shapes[shape].timed;
  return timed < always_timed || m_spent_ns * 100 < steady_ns() - m_began_ns;
}

std::optional<EventTimes::Pair> EventTimes::take_pair() {
  const Driver& ask = driver();
  Pair pair;
  if (ask.event_create == nullptr || ask.event_record == nullptr || ask.event_query == nullptr ||
      ask.event_elapsed_time == nullptr || ask.ctx_get_current == nullptr ||
      ask.ctx_get_current(&pair.context) != cu_success)
    return std::nullopt;
  auto& free = m_free[pair.context];
  if (!free.empty()) {
    pair = free.back();
    free.pop_back();
    return pair;
  }
  if (ask.event_create(&pair.first, 0) != cu_success || ask.event_create(&pair.last, 0) != cu_success)
    return std::nullopt;
  return pair;
}

CuResult EventTimes::record(CuEvent event, CuStream stream, bool per_thread) const {
  const Driver& ask = driver();
  return per_thread && ask.event_record_ptsz != nullptr ? ask.event_record_ptsz(event, stream)
                                                        : ask.event_record(event, stream);
}

std::optional<EventTimes::Pair> EventTimes::begin(std::uint32_t shape, CuStream stream, bool per_thread) {
  if (m_under_way.size() >= most_under_way) collect();
  if (m_under_way.size() >= most_under_way || !worth_it(shape)) return std::nullopt;
  const std::uint64_t before = steady_ns();
  std::optional<Pair> pair = take_pair();
  if (pair && record(pair->first, stream, per_thread) != cu_success) pair.reset();
  if (pair) pair->shape = shape;
  m_spent_ns += steady_ns() - before + pair_ns;
  return pair;
}

void EventTimes::end(const Pair& pair, CuStream stream, bool per_thread) {
  const std::uint64_t before = steady_ns();
  if (record(pair.last, stream, per_thread) == cu_success) m_under_way.push_back(pair);
  m_spent_ns += steady_ns() - before;
}

void EventTimes::collect() {
  const Driver& ask = driver();
  std::deque<Pair> still;
  for (const Pair& pair : m_under_way) {
    constexpr CuResult not_ready = 600;
    const CuResult state = ask.event_query(pair.last);
    float ms = 0;
    if (state == not_ready) {
      still.push_back(pair);
    } else if (state == cu_success && ask.event_elapsed_time(&ms, pair.first, pair.last) == cu_success) {
      m_ledger.add_time(pair.shape, static_cast<std::uint64_t>(static_cast<double>(ms) * 1e6 + 0.5));
      m_free[pair.context].push_back(pair);
    }
  }
  m_under_way.swap(still);
}

namespace {

// As cupti_activity.h declares them.
using CuptiResult = int;
constexpr int kind_kernel = 3;
constexpr int kind_concurrent_kernel = 10;
constexpr std::uint32_t version_with_graphs = 14;
constexpr std::uint32_t flush_period_ms = 1000;
constexpr std::size_t buffer_bytes = std::size_t{2} << 20U;

using Requested = void (*)(std::uint8_t**, std::size_t*, std::size_t*);
using Completed = void (*)(CuContext, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);

struct Cupti {
  CuptiResult (*get_version)(std::uint32_t*) = nullptr;
  CuptiResult (*register_callbacks)(Requested, Completed) = nullptr;
  CuptiResult (*enable)(int) = nullptr;
  CuptiResult (*flush_all)(std::uint32_t) = nullptr;
  CuptiResult (*flush_period)(std::uint32_t) = nullptr;
  CuptiResult (*next_record)(std::uint8_t*, std::size_t, void**) = nullptr;
  CuptiResult (*dropped)(CuContext, std::uint32_t, std::size_t*) = nullptr;
  std::uint32_t version = 0;
};

Cupti cupti;
KernelRuns* receiver = nullptr;

void requested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, buffer_bytes));
  *bytes = *buffer == nullptr ? 0 : buffer_bytes;
  *most_records = 0;
}

void hand_out(const CuptiRecord& record) {
  if (record.kind != kind_kernel && record.kind != kind_concurrent_kernel) return;
  KernelRun run;
  if (record.name != nullptr) run.name = record.name;
  run.gpu = record.device;
  if (cupti.version >= version_with_graphs && record.graph_node != 0) run.graph = record.graph;
  for (int i = 0; i < 3; ++i) {
    run.grid[i] = static_cast<std::uint32_t>(record.grid[i]);
    run.block[i] = static_cast<std::uint32_t>(record.block[i]);
  }
  run.registers = record.registers;
  run.static_shared_bytes = static_cast<std::uint32_t>(record.static_shared_bytes);
  run.dynamic_shared_bytes = static_cast<std::uint32_t>(record.dynamic_shared_bytes);
  run.local_bytes = record.local_bytes_of_thread;
  run.ns = record.end_ns > record.start_ns ? record.end_ns - record.start_ns : 0;
  receiver->take(run);
}

void completed(CuContext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
               std::size_t valid_bytes) {
  const Inside inside;
  void* record = nullptr;
  while (valid_bytes != 0 && cupti.next_record(buffer, valid_bytes, &record) == 0)
    hand_out(*static_cast<const CuptiRecord*>(record));
  std::size_t dropped = 0;
  if (cupti.dropped != nullptr && cupti.dropped(context, stream, &dropped) == 0 && dropped != 0)
    receiver->lost(dropped);
  std::free(buffer);
}

/// One that the process has loaded already comes first: two of one process would not get on.
std::vector<void*> libraries() {
  const std::vector<std::string> names = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8"};
  std::vector<void*> found;
  const auto add = [&found](const std::string& file, int flags) {
    if (void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | flags)) found.push_back(library);
  };
  if (const char* const named = secure_getenv("TUNER_LIBCUPTI"); named != nullptr && *named != 0) {
    add(named, 0);
    return found;
  }
  for (const std::string& name : names) add(name, RTLD_NOLOAD);
  if (!found.empty()) return found;
  std::vector<std::string> toolkits;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* const value = secure_getenv(variable); value != nullptr && *value != 0)
      toolkits.emplace_back(value);
  toolkits.insert(toolkits.end(), {"/usr/local/cuda", "/opt/cuda"});
  for (const std::string& name : names) {
    add(name, 0);
    for (const std::string& toolkit : toolkits)
      for (const char* folder : {"/extras/CUPTI/lib64/", "/targets/x86_64-linux/lib/", "/lib64/"})
        add(toolkit + folder + name, 0);
  }
  return found;
}

bool start_with(void* library, std::string& why) {
  const auto find = [library](auto& member, const char* name) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(loaders_dlsym(library, name));
    return member != nullptr;
  };
  if (!find(cupti.get_version, "cuptiGetVersion") ||
      !find(cupti.register_callbacks, "cuptiActivityRegisterCallbacks") ||
      !find(cupti.enable, "cuptiActivityEnable") || !find(cupti.flush_all, "cuptiActivityFlushAll") ||
      !find(cupti.next_record, "cuptiActivityGetNextRecord")) {
    why = "libcupti lacks what is needed";
    return false;
  }
  find(cupti.flush_period, "cuptiActivityFlushPeriod");
  find(cupti.dropped, "cuptiActivityGetNumDroppedRecords");
  cupti.get_version(&cupti.version);
  CuptiResult result = cupti.register_callbacks(requested, completed);
  if (result == 0) result = cupti.enable(kind_concurrent_kernel);
  if (result != 0) {
    why = "libcupti says error " + std::to_string(result);
    return false;
  }
  if (cupti.flush_period != nullptr) cupti.flush_period(flush_period_ms);
  return true;
}

}  // namespace

bool start_cupti(KernelRuns& runs, std::string& why) {
  const Inside inside;
  receiver = &runs;
  why = "there is no libcupti.so";
  for (void* const library : libraries())
    if (start_with(library, why)) return true;
  cupti = {};
  return false;
}

void flush_cupti(bool all) {
  const Inside inside;
  if (cupti.flush_all != nullptr) cupti.flush_all(all ? 1 : 0);
}

}  // namespace tuner::capture
