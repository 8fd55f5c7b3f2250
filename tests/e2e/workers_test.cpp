#include <doctest/doctest.h>
#include <sys/resource.h>

#include <chrono>

#include "tuner/worker/child_process.hpp"

using namespace tuner;
using namespace std::chrono_literals;

TEST_SUITE("tuner command line, its workers") {
  namespace {

  /// Niceness of a worker of the real program, over this process's, once it has said its first word.
  int niceness_over_ours(const std::vector<std::string>& kind) {
    std::vector<std::string> arguments = {"worker"};
    arguments.insert(arguments.end(), kind.begin(), kind.end());
    arguments.insert(arguments.end(), {"--fd", std::to_string(worker::child_socket), "--cache-folder",
                                       "/nonexistent", "--cache-limit-mb", "1", "--compile-timeout-s", "60"});
    worker::ChildProcess child({arguments, TUNER_BINARY});
    const worker::Received ready = child.receive(worker::Clock::now() + 60s);
    REQUIRE(std::holds_alternative<worker::Message>(ready));
    return getpriority(PRIO_PROCESS, static_cast<id_t>(child.pid())) - getpriority(PRIO_PROCESS, 0);
  }

  }  // namespace

  TEST_CASE("a compile worker gives way to the measuring one") {
    CHECK(niceness_over_ours({"measure", "cpu"}) == 0);
    const int nicest = 19;
    const bool room = getpriority(PRIO_PROCESS, 0) < nicest;
    CHECK(niceness_over_ours({"compile", "host"}) >= (room ? 1 : 0));
  }
}
