#include "tuner/cli/gpu_conditions.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "tuner/cli/output.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

/// Whether /proc counts processes as the driver does: in the first PID namespace, whose inode number is fixed
/// (PROC_PID_INIT_INO). In a container /proc may have another process under the same number.
bool sees_all_processes() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/ns/pid", ignored) == "pid:[4026531836]";
}

/// `pid 1234, python3`
std::string name_of(std::uint32_t pid, bool trust_proc) {
  std::string name;
  if (trust_proc) {
    std::ifstream comm(fmt::format("/proc/{}/comm", pid));
    std::getline(comm, name);
  }
  return name.empty() ? fmt::format("pid {}", pid) : fmt::format("pid {}, {}", pid, name);
}

}  // namespace

GpuNeighbours::GpuNeighbours(const std::vector<model::DeviceInfo>& devices) {
  for (const model::DeviceInfo& device : devices) {
    if (model::device_kind(device.kind).is_gpu) m_gpus.push_back(device);
  }
}

std::vector<std::string> GpuNeighbours::sentences() {
  std::vector<std::string> sentences;
  if (!m_gpus.empty() && !m_nvml) m_nvml.emplace();
  for (const model::DeviceInfo& gpu : m_gpus) {
    const std::vector<std::uint32_t> pids = m_nvml->compute_processes(gpu.uuid);
    if (pids.empty()) continue;
    const bool trust_proc = sees_all_processes();
    std::string names;
    for (const std::uint32_t pid : pids) names += (names.empty() ? "" : "; ") + name_of(pid, trust_proc);
    sentences.push_back(fmt::format(
        "{} ({}) {} using {}: times may be off", pids.size() == 1 ? "another process" : "other processes",
        names, pids.size() == 1 ? "is" : "are", m_gpus.size() == 1 ? "this GPU" : gpu.id));
  }
  return sentences;
}

namespace {

constexpr const char* locked_word = "locked";
/// Where the guard reads that its parent lives.
constexpr int life_descriptor = 3;

/// All that comes until the other end is closed.
std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 256> piece{};
  for (;;) {
    const ssize_t got = ::read(descriptor, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

bool let_go(const std::vector<std::string>& uuids) {
  const device::cuda::Nvml nvml;
  return std::ranges::count_if(uuids, [&](const auto& uuid) { return !nvml.free_sm_clock(uuid).empty(); }) ==
         0;
}

}  // namespace

int guard_clocks(const std::vector<std::string>& uuids, int mhz) {
  ::setsid();  // a signal to the parent's group, or a closed terminal, does not end us
  for (const int not_ours : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(not_ours, SIG_IGN);
  std::string why;
  {
    const device::cuda::Nvml nvml;
    for (const std::string& uuid : uuids)
      if (why.empty()) why = nvml.lock_sm_clock(uuid, mhz);
  }
  fmt::print("{}", why.empty() ? locked_word : why);
  std::fflush(stdout);
  ::close(STDOUT_FILENO);
  ::close(STDERR_FILENO);
  if (why.empty()) read_all(life_descriptor);
  return let_go(uuids) ? EXIT_SUCCESS : EXIT_FAILURE;
}

ClockGuard::ClockGuard(std::vector<std::string> uuids, int mhz, const std::string& program)
    : m_uuids(std::move(uuids)) {
  util::Pipe life = util::make_pipe();
  util::Pipe said = util::make_pipe();
  util::Program guard{
      program, {"tuner", "worker", "clocks", std::to_string(mhz)}, util::environment_without({})};
  guard.arguments.insert(guard.arguments.end(), m_uuids.begin(), m_uuids.end());
  guard.descriptors = {said.writing.get(), said.writing.get(), life.reading.get()};
  guard.own_group = false;  // it has a session of its own
  guard.isolated = true;
  m_guard = util::spawn(guard);
  said.writing = {};
  m_life = std::move(life.writing);
  const std::string answer = read_all(said.reading.get());
  if (answer == locked_word) return;
  m_life = {};
  ::waitpid(m_guard, nullptr, 0);
  throw model::Error(
      fmt::format("cannot lock the clock at {} MHz: {}", mhz, answer.empty() ? "its guard ended" : answer),
      "locking takes the right to administrate the machine, as `nvidia-smi -lgc` does: root, in a container "
      "CAP_SYS_ADMIN too; without --clock the GPU chooses its clock");
}

ClockGuard::~ClockGuard() {
  m_life = {};
  int status = 0;
  pid_t ended = -1;
  do ended = ::waitpid(m_guard, &status, 0);
  while (ended < 0 && errno == EINTR);
  if (ended == m_guard && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS) return;
  if (!let_go(m_uuids))
    fmt::print(stderr, "warning: the clock may still be locked: nvidia-smi --reset-gpu-clocks\n");
}

std::vector<int> parse_clocks(const std::string& text) {
  std::vector<int> clocks;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view piece = util::trimmed(util::split_first(rest, ","));
    const auto mhz = util::parse_number<std::int64_t>(piece);
    if (!mhz || *mhz < 1 || *mhz > 100'000)
      throw model::UsageError(fmt::format("--clock: '{}' is no clock in MHz", piece),
                              "give 1200,1500, or `--clock list`, which says what the GPU can be locked to");
    if (std::ranges::count(clocks, *mhz) == 0) clocks.push_back(static_cast<int>(*mhz));
  }
  return clocks;
}

void require_clock(const std::vector<model::DeviceInfo>& devices, int mhz) {
  const device::cuda::Nvml nvml;
  for (const model::DeviceInfo& device : devices) {
    if (!model::device_kind(device.kind).is_gpu)
      throw model::UsageError(fmt::format("--clock {}: the clock of {} cannot be locked", mhz, device.id),
                              "leave --clock out");
    const std::vector<int> known = nvml.sm_clocks_mhz(device.uuid);
    if (known.empty() || std::ranges::count(known, mhz) > 0) continue;
    const auto nearest = *std::ranges::min_element(known, {}, [&](int one) { return std::abs(one - mhz); });
    throw model::UsageError(
        fmt::format("--clock {}: {} has no such clock; the nearest is {}", mhz, device.id, nearest),
        "`--clock list` shows all");
  }
}

std::string clocks_text(const std::vector<model::DeviceInfo>& devices) {
  const device::cuda::Nvml nvml;
  std::string text;
  for (const model::DeviceInfo& device : devices) {
    const std::vector<int> known = nvml.sm_clocks_mhz(device.uuid);
    if (known.empty())
      throw NothingFound(fmt::format("the clocks of {} are not known: NVML does not tell them", device.id));
    text += fmt::format("{}: {} MHz\n", device.id, fmt::join(known, ", "));
  }
  return text;
}

}  // namespace tuner::cli
