#include "tuner/capture/observer.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <mutex>
#include <utility>

#include "tuner/capture/folder.hpp"
#include "tuner/capture/parameters.hpp"
#include "tuner/capture/replacer.hpp"

namespace tuner::capture {
namespace {

std::uint64_t clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

/// One that `before` is told of.
class OwnLaunch final : public LaunchQueue {
 public:
  OwnLaunch(const LaunchQueue& queue, std::function<void()> before)
      : m_queue(queue), m_before(std::move(before)) {}
  CuResult queue() const override {
    m_before();
    return m_queue.queue();
  }

 private:
  const LaunchQueue& m_queue;
  const std::function<void()> m_before;
};

void set_text(char* to, std::size_t room, const std::string& text) {
  std::strncpy(to, text.c_str(), room - 1);
}

}  // namespace

Observer::Observer(const std::string& folder) : m_folder(folder) {}

/// Programs that a process executes in its place have its number, too.
bool Observer::open(std::string& why) {
  const std::string stem = m_folder + '/' + process_prefix + std::to_string(getpid());
  m_own_folder = stem;
  for (int i = 2; mkdir(m_own_folder.c_str(), 0755) != 0; ++i) {
    if (errno != EEXIST) {
      why = m_own_folder + ": " + std::strerror(errno);
      return false;
    }
    m_own_folder = stem + '-' + std::to_string(i);
  }
  if (!m_ledger.create(m_own_folder + '/' + ledger_file, why)) {
    rmdir(m_own_folder.c_str());
    return false;
  }
  m_notes.set_file(m_own_folder + '/' + notes_file);
  const Request request = read_request(text_of(m_folder + '/' + request_file));
  m_wants_events = request.events;
  if (!request.saves.empty()) {
    m_saver = std::make_unique<Saver>(request, m_own_folder, m_notes);
    m_images.keep();
  }
  if (!request.pack.empty()) open_pack(request);
  Ledger& ledger = m_ledger.ledger();
  ledger.process = getpid();
  ledger.parent = getppid();
  ledger.begin_ns = clock_ns();
  char program[sizeof ledger.program] = {};
  if (readlink("/proc/self/exe", program, sizeof program - 1) > 0)
    set_text(ledger.program, sizeof ledger.program, program);
  return true;
}

void Observer::open_pack(const Request& request) {
  std::string why;
  auto replacer = std::make_unique<Replacer>();
  if (!replacer->open(request.pack, request.replaced, why)) {
    m_notes.add("nothing is replaced: " + why);
    return;
  }
  m_replacer = std::move(replacer);
  m_verify = request.verify;
}

void Observer::start_timing() {
  Ledger& ledger = m_ledger.ledger();
  std::string why;
  if (!m_wants_events && start_cupti(*this, why)) {
    ledger.timing = Timing::cupti;
    return;
  }
  set_text(ledger.timing_reason, sizeof ledger.timing_reason, why);
  m_events = std::make_unique<EventTimes>(m_ledger);
  ledger.timing = Timing::events;
}

std::uint32_t Observer::see_context() {
  const Driver& ask = driver();
  CuContext context = nullptr;
  if (ask.ctx_get_current == nullptr || ask.ctx_get_current(&context) != cu_success) return 0;
  const auto [known, is_new] = m_contexts.try_emplace(context, 0);
  if (!is_new) return known->second;
  Ledger& ledger = m_ledger.ledger();
  ++ledger.contexts;
  CuDevice device = 0;
  if (ask.ctx_get_device == nullptr || ask.ctx_get_device(&device) != cu_success) return 0;
  known->second = static_cast<std::uint32_t>(device);
  if (ledger.contexts != 1) return known->second;
  ask.device_get_name(ledger.device, sizeof ledger.device - 1, device);
  int value = 0;
  if (ask.device_get_attribute(&value, device_compute_major, device) == cu_success)
    ledger.compute_major = static_cast<std::uint32_t>(value);
  if (ask.device_get_attribute(&value, device_compute_minor, device) == cu_success)
    ledger.compute_minor = static_cast<std::uint32_t>(value);
  if (ask.driver_get_version != nullptr && ask.driver_get_version(&value) == cu_success)
    ledger.driver_version = static_cast<std::uint32_t>(value);
  return known->second;
}

bool Observer::is_put_into_graph(const Launch& launch) const {
  if (m_captures.load(std::memory_order_relaxed) <= 0) return false;
  const Driver& ask = driver();
  const auto is_capturing = launch.per_thread && ask.stream_is_capturing_ptsz != nullptr
                                ? ask.stream_is_capturing_ptsz
                                : ask.stream_is_capturing;
  int status = 0;
  return is_capturing != nullptr && is_capturing(launch.stream, &status) == cu_success && status == 1;
}

Observer::Seen Observer::see(const Launch& launch) {
  const std::lock_guard lock(m_changing);
  Seen seen;
  Ledger& ledger = m_ledger.ledger();
  const std::uint32_t gpu = see_context();
  ++ledger.launches;
  const Kernel* const kernel = m_kernels.find(launch.handle);
  if (kernel == nullptr) {
    ++ledger.untold;
    return seen;
  }
  const std::vector<void*> arguments = argument_places(*kernel, launch);
  const Integers integers = Kernels::integers(*kernel, arguments.empty() ? nullptr : arguments.data());
  const bool in_graph = is_put_into_graph(launch);
  const std::uint32_t place =
      m_ledger.shape({kernel->place, gpu, 0, launch.grid, launch.block, launch.dynamic_shared_bytes});
  seen.shape = place;
  if (place == no_place) {
    ++ledger.untold;
  } else {
    m_ledger.count_values(place, integers);
    seen.launches = in_graph ? &ledger.shapes[place].in_graphs : &ledger.shapes[place].launches;
    ++*seen.launches;
  }
  std::uint64_t number = 0;
  if (m_saver && m_captures == 0 && m_saver->wants(*kernel, launch, integers, number))
    seen.wanted = {
        *kernel, launch, arguments, number, m_images.image(kernel->owner), m_images.variables(kernel->owner)};
  if (m_replacer && m_replacer->has(*kernel)) see_replacement(*kernel, arguments, seen);
  // What saving and another kernel take is not the program's time.
  if (m_events && m_captures == 0 && place != no_place && !seen.wanted && !seen.replacement)
    seen.pair = m_events->begin(place, launch.stream, launch.per_thread);
  return seen;
}

void Observer::see_replacement(const Kernel& kernel, const std::vector<void*>& arguments, Seen& seen) {
  Replacement replacement;
  std::string why;
  seen.kernel = kernel.place;
  if (!m_replacer->plan(kernel, arguments, replacement, why)) {
    m_ledger.count_replacement(kernel.place, false, why);
    return;
  }
  seen.replacement = std::move(replacement);
  seen.readable = demangled(kernel.name);
  seen.is_verified = m_captures == 0 && m_verified[kernel.place] < m_verify;
  if (seen.is_verified) ++m_verified[kernel.place];
}

/// Where the pack cannot launch, the program does.
CuResult Observer::launch_replacement(const Launch& launch, const LaunchQueue& queue, const Seen& seen) {
  CuResult result = cu_success;
  std::string told;
  const bool is_verified = seen.is_verified && !seen.wanted;
  const tuner_error error = is_verified ? verify(*seen.replacement, launch, queue, result, told)
                                        : Replacer::launch(*seen.replacement, launch);
  const std::string why = error == TUNER_OK ? "" : error_text(error);
  {
    const std::lock_guard lock(m_changing);
    if (error == TUNER_OK) {
      if (seen.launches != nullptr && !is_verified) --*seen.launches;
      m_ledger.count_replacement(seen.kernel, true, Replacer::choice_text(*seen.replacement));
      if (is_verified) m_notes.add("compared with the program's own " + seen.readable + ": " + told);
    } else {
      m_ledger.count_replacement(seen.kernel, false, why);
    }
  }
  if (error == TUNER_OK) return is_verified ? result : cu_success;
  return is_verified ? result : queue.queue();
}

CuResult Observer::launch(const Launch& launch, const LaunchQueue& queue) {
  const Inside inside;
  const Seen seen = see(launch);
  CuResult result = cu_success;
  if (seen.wanted) {
    const std::lock_guard alone(m_quiet);
    const OwnLaunch repeat(queue, [this, &seen] { expect_own(seen.shape); });
    result = m_saver->save(*seen.wanted, queue, repeat);
  } else if (seen.replacement && seen.is_verified) {
    const std::lock_guard alone(m_quiet);
    result = launch_replacement(launch, queue, seen);
  } else if (m_saver || m_replacer) {
    const std::shared_lock with_others(m_quiet);
    result = seen.replacement ? launch_replacement(launch, queue, seen) : queue.queue();
  } else {
    result = queue.queue();
  }
  if (seen.pair) {
    const std::lock_guard lock(m_changing);
    m_events->end(*seen.pair, launch.stream, launch.per_thread);
  }
  return result;
}

void Observer::graph_launched() {
  const std::lock_guard lock(m_changing);
  ++m_ledger.ledger().graph_launches;
}

/// The records of what ran before are taken first: only those behind may be of this launch.
void Observer::expect_own(std::uint32_t shape) {
  flush_cupti(true);
  const std::lock_guard lock(m_changing);
  ++m_own[shape];
}

void Observer::take(const KernelRun& run) {
  const std::lock_guard lock(m_changing);
  const std::uint32_t kernel = m_ledger.kernel(run.name);
  const std::uint32_t place = m_ledger.shape({kernel,
                                              run.gpu,
                                              run.graph,
                                              {run.grid[0], run.grid[1], run.grid[2]},
                                              {run.block[0], run.block[1], run.block[2]},
                                              run.dynamic_shared_bytes});
  if (const auto own = m_own.find(place); own != m_own.end()) {
    if (--own->second == 0) m_own.erase(own);
    return;
  }
  if (place == no_place) {
    ++m_ledger.ledger().untold_runs;
    m_ledger.ledger().untold_ns += run.ns;
    return;
  }
  KernelEntry& entry = m_ledger.ledger().kernels[kernel];
  if (entry.registers == 0) {
    entry.registers = run.registers;
    entry.static_shared_bytes = run.static_shared_bytes;
    entry.local_bytes = run.local_bytes;
  }
  m_ledger.add_time(place, run.ns);
}

void Observer::lost(std::uint64_t records) {
  const std::lock_guard lock(m_changing);
  m_ledger.ledger().lost_records += records;
}

bool Observer::is_of_this_process() const {
  return const_cast<Observer*>(this)->m_ledger.ledger().process == getpid();
}

void Observer::finish(End end) {
  if (!is_of_this_process()) return;
  flush_cupti(true);
  const std::lock_guard lock(m_changing);
  if (m_is_finished) return;
  m_is_finished = true;
  if (m_events) {
    const Inside inside;
    m_events->collect();
  }
  m_ledger.ledger().end_ns = clock_ns();
  m_ledger.ledger().end = end;
}

// Which processes are captured, and from when on.

namespace {

enum class State : int { unknown, passive, followed, running };
std::atomic<State> state{State::unknown};
std::atomic<Observer*> observer{nullptr};
std::atomic<bool> told{false};  ///< that this process was not followed
std::mutex beginning;

/// The capture begins with the process that makes this file, and goes on in whatever that process executes.
bool is_first(const std::string& folder) {
  const std::string path = folder + '/' + first_file;
  const std::string own = std::to_string(getpid());
  return write_text(path, own, O_EXCL) || text_of(path) == own;
}

std::string the_folder() {
  const char* const folder = secure_getenv(folder_variable);
  return folder == nullptr ? "" : folder;
}

void before_fork() {
  beginning.lock();
}
void in_parent() {
  beginning.unlock();
}
/// A child has no part in what its parent has begun. It may begin on its own, unless it already cannot: CUDA
/// does not outlive a fork.
void in_child() {
  beginning.unlock();
  const bool had_begun = observer.exchange(nullptr) != nullptr;
  const std::string folder = the_folder();
  const bool follows = read_request(text_of(folder + '/' + request_file)).children;
  told = false;
  state = follows && !had_begun ? State::followed : State::passive;
}

void decide() {
  if (state != State::unknown) return;
  const std::string folder = the_folder();
  if (folder.empty()) {
    state = State::passive;
    return;
  }
  pthread_atfork(before_fork, in_parent, in_child);
  const bool first = is_first(folder);
  state =
      first || read_request(text_of(folder + '/' + request_file)).children ? State::followed : State::passive;
}

[[gnu::constructor]] void at_load() {
  const std::lock_guard lock(beginning);
  decide();
}

/// A process of a capture that is not followed says that it was there.
void leave_unfollowed(const std::string& folder) {
  if (folder.empty()) return;
  write_text(folder + '/' + unfollowed_prefix + std::to_string(getpid()), "", 0);
}

void at_exit() {
  if (Observer* const running = Observer::running()) running->finish(End::exit);
}

}  // namespace

Observer* Observer::running() {
  return observer.load(std::memory_order_acquire);
}

Observer* Observer::begin() {
  if (Observer* const found = running()) return found;
  if (state == State::passive && told) return nullptr;
  const std::lock_guard lock(beginning);
  if (Observer* const found = running()) return found;
  decide();
  if (state == State::passive) {
    if (!told.exchange(true)) leave_unfollowed(the_folder());
    return nullptr;
  }
  const Inside inside;
  auto* const made = new Observer(the_folder());
  std::string why;
  if (!made->open(why)) {
    // The program goes on. The folder says why nothing was captured.
    write_text(made->m_folder + '/' + failed_prefix + std::to_string(getpid()), why, O_TRUNC);
    state = State::passive;
    told = true;
    return nullptr;
  }
  observer.store(made, std::memory_order_release);
  state = State::running;
  std::atexit(at_exit);
  made->start_timing();
  return made;
}

}  // namespace tuner::capture
