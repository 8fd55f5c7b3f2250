#include "tuner/util/command.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/variable.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/processors.hpp"

using namespace std::chrono_literals;
using namespace tuner;
using tuner::test::Variable;

TEST_SUITE("tuner::util, commands") {
  namespace {

  constexpr auto ample = std::chrono::minutes(5);

  util::CommandResult shell(const std::string& script, std::chrono::milliseconds limit = ample) {
    return util::run_command({"sh", "-c", script}, "/", limit);
  }

  }  // namespace

  TEST_CASE("a program's output is what it wrote to both streams, with how it ended") {
    const auto failed = shell("echo out; echo err >&2; exit 7");
    CHECK(failed.output == "out\nerr\n");
    CHECK(failed.exit_code == 7);
    CHECK(failed.signal == 0);
    CHECK_FALSE(failed.timed_out);
    CHECK(shell("exit 0").exit_code == 0);
    const auto killed = shell("kill -TERM $$");
    CHECK(killed.signal == SIGTERM);
    CHECK(killed.exit_code == -1);
  }

  TEST_CASE("a program runs in its folder, with nothing to read and messages in English") {
    const util::TemporaryFolder folder;
    const auto where = util::run_command({"pwd", "-P"}, folder.path(), ample);
    CHECK(where.output == std::filesystem::canonical(folder.path()).string() + "\n");
    folder.write("typed", "not for the program\n");
    const int own_input = ::dup(0);
    const int typed = ::open((folder.path() / "typed").c_str(), O_RDONLY | O_CLOEXEC);
    ::dup2(typed, 0);
    CHECK(shell("cat; echo end").output == "end\n");
    ::dup2(own_input, 0);
    ::close(typed);
    ::close(own_input);
    const Variable language("LANGUAGE", "de");
    const Variable locale("LC_ALL", "de_DE");
    const Variable other("TUNER_COMMAND_TEST", "kept");
    CHECK(shell("echo $LC_ALL:$LANGUAGE:$TUNER_COMMAND_TEST").output == "C::kept\n");
  }

  TEST_CASE("a program that is not there is an error, not a result") {
    CHECK_THROWS_WITH_AS(util::run_command({"no-such-program"}, "/", ample),
                         doctest::Contains("cannot start no-such-program"), model::Error);
    CHECK_THROWS_AS(util::run_command({"true"}, "/no/such/folder", ample), model::Error);
  }

  TEST_CASE("a program is ended when its time is over, also where it closed its output") {
    for (const std::string script :
         {"exec tail -f /dev/null", "exec >/dev/null 2>&1; exec tail -f /dev/null"}) {
      CAPTURE(script);
      const auto result = shell(script, 50ms);
      CHECK(result.timed_out);
      CHECK(result.signal == SIGKILL);
      CHECK(result.exit_code == -1);
    }
    const auto in_callers =
        util::run_command({"tail", "-f", "/dev/null"}, "/", 50ms, util::CommandGroup::callers);
    CHECK(in_callers.timed_out);
    CHECK(in_callers.signal == SIGKILL);
  }

  TEST_CASE("a program is in a group of its own, or in its caller's") {
    const std::string group = "read pid name state parent group rest < /proc/self/stat; echo $group";
    const std::string own = std::to_string(::getpgrp()) + "\n";
    CHECK(shell(group).output != own);
    CHECK(util::run_command({"sh", "-c", group}, "/", ample, util::CommandGroup::callers).output == own);
  }

  TEST_CASE("more output than is kept is read to its end and dropped") {
    const auto result = shell("head -c 3000000 /dev/zero; exit 3");
    CHECK(result.output.size() == util::most_command_output);
    CHECK(result.exit_code == 3);
  }

  TEST_CASE("a program may use little more processor time than it has, unless it hands its limits on") {
    // The limit is set once it runs, which it cannot wait for but by looking.
    CHECK(shell("while [ \"$(ulimit -t)\" != 30 ]; do :; done; echo limited", 20s).output == "limited\n");
    rlimit own{};
    ::getrlimit(RLIMIT_CPU, &own);
    const auto handed_on = util::run_command({"sh", "-c", "ulimit -t"}, "/", ample, util::CommandGroup::own,
                                             util::ProcessorTime::callers);
    CHECK(handed_on.output ==
          (own.rlim_cur == RLIM_INFINITY ? "unlimited\n" : std::to_string(own.rlim_cur) + "\n"));
  }

  TEST_CASE("a program is looked up as a shell does it") {
    const util::TemporaryFolder folder;
    folder.write("first/data", "no program");
    folder.write("second/data", "#!/bin/sh\n");
    std::filesystem::permissions(folder.path() / "second/data", std::filesystem::perms::owner_all);
    std::filesystem::create_directory(folder.path() / "second/folder");
    const Variable path("PATH",
                        (folder.path() / "first").string() + ":" + (folder.path() / "second").string());
    CHECK(util::find_program("data") == folder.path() / "second/data");
    CHECK_FALSE(util::find_program("folder"));
    CHECK_FALSE(util::find_program("nothing"));
    CHECK_FALSE(util::find_program(""));
    CHECK(util::find_program((folder.path() / "second/data").string()) == folder.path() / "second/data");
    CHECK_FALSE(util::find_program((folder.path() / "first/data").string()));
  }

  TEST_CASE("every index is worked on once, from however many threads") {
    for (const std::size_t worth : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
      std::vector<std::atomic<int>> seen(100);
      util::for_each_index(seen.size(), worth, [&](std::size_t i) { ++seen.at(i); });
      for (std::size_t i = 0; i < seen.size(); ++i) {
        CAPTURE(i);
        CHECK(seen[i] == 1);
      }
    }
    util::for_each_index(0, 1, [](std::size_t) { FAIL("there is no index"); });
    for (const std::size_t bad : {std::size_t{0}, std::size_t{99}}) {
      CHECK_THROWS_AS(util::for_each_index(100, 1,
                                           [&](std::size_t i) {
                                             if (i == bad) throw std::runtime_error("bad");
                                           }),
                      std::runtime_error);
    }
  }
}
