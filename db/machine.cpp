#include "db/machine.hpp"

#include <fmt/chrono.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string_view>

#include "tuner/model/digest.hpp"
#include "tuner/util/command.hpp"

namespace db {
namespace {

std::string first_line(const char* path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

}  // namespace

Machine this_machine() {
  Machine machine;
  const std::string id = first_line("/etc/machine-id");
  machine.id = id.empty() ? tuner::util::host_name()
                          : tuner::model::DigestBuilder().add("tuner machine").add(id).finish().hex();
  machine.boot = first_line("/proc/sys/kernel/random/boot_id");
  if (machine.boot.empty()) machine.boot = "unknown";
  machine.pid = getpid();
  return machine;
}

bool is_alive(std::int64_t pid) {
  if (pid <= 0 || (kill(static_cast<pid_t>(pid), 0) != 0 && errno != EPERM)) return false;
  // `1234 (name) Z …`; the name may hold anything.
  const std::string stat = first_line(fmt::format("/proc/{}/stat", pid).c_str());
  const std::size_t end_of_name = stat.rfind(')');
  return end_of_name == std::string::npos || stat.compare(end_of_name, 3, ") Z") != 0;
}

std::string utc_now() {
  using std::chrono::microseconds;
  // The wall clock may stand still or be set back; what this process writes is told apart by its times.
  static std::atomic<microseconds::rep> latest{0};
  const auto wall =
      std::chrono::duration_cast<microseconds>(std::chrono::system_clock::now().time_since_epoch());
  microseconds::rep before = latest;
  microseconds::rep now = 0;
  do now = std::max(wall.count(), before + 1);
  while (!latest.compare_exchange_weak(before, now));
  constexpr microseconds::rep second = 1'000'000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", fmt::gmtime(static_cast<std::time_t>(now / second)),
                     now % second);
}

std::int64_t microseconds_of(const std::string& time) {
  std::tm parts{};
  int end = 0;
  const int found = std::sscanf(time.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%n", &parts.tm_year, &parts.tm_mon,
                                &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &end);
  if (found < 6) return 0;
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  // `.678` is 678 milliseconds: early exports have no more.
  std::int64_t micros = 0;
  std::int64_t unit = 100'000;
  const std::string_view rest = std::string_view(time).substr(static_cast<std::size_t>(end));
  for (std::size_t i = 1; i < rest.size() && rest[i] >= '0' && rest[i] <= '9'; ++i, unit /= 10)
    micros += (rest[i] - '0') * unit;
  return static_cast<std::int64_t>(timegm(&parts)) * 1'000'000 + micros;
}

}  // namespace db
