// Real daemons of Slurm's, started for this test; where they are not installed, or may not be started, that
// is no pass but a skip.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/large_recording.hpp"
#include "tests/e2e/published.hpp"
#include "tests/e2e/user.hpp"
#include "tuner/cluster/shared_file.hpp"

using namespace tuner;
using namespace std::chrono_literals;
using test::has;
using test::ProgramResult;
using test::trials_of;
namespace fs = std::filesystem;

namespace {

constexpr const char* slurm_script = TUNER_SOURCE_DIR "/tests/support/slurm";
constexpr int gpus = 4;

/// The first of two ports that nobody uses now, below those that are handed out by themselves.
int free_ports() {
  const auto is_free = [](int port) {
    const int probe = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    const bool bound = bind(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    close(probe);
    return bound;
  };
  for (int i = 0; i < 1000; ++i) {
    const int port = 20'000 + (getpid() * 2 + i * 2) % 10'000;
    if (is_free(port) && is_free(port + 1)) return port;
  }
  throw std::runtime_error("no free ports");
}

/// A cluster of one node, ended with the object.
class Slurm {
 public:
  Slurm()
      : m_started(test::run_program(
            {slurm_script, "start", m_folder.path(), std::to_string(free_ports()), std::to_string(gpus)}, {},
            "/")) {}
  Slurm(const Slurm&) = delete;
  Slurm& operator=(const Slurm&) = delete;
  ~Slurm() { test::run_program({slurm_script, "stop", m_folder.path()}, {}, "/"); }
  const ProgramResult& started() const { return m_started; }
  std::string configuration() const { return m_folder / "slurm.conf"; }

 private:
  test::TemporaryFolder m_folder;
  ProgramResult m_started;
};

const Slurm* the_slurm = nullptr;

/// A folder in memory: what is tested is not the disk's speed.
std::string memory_folder(const std::string& name) {
  const bool there = access("/dev/shm", W_OK) == 0;
  const fs::path path = fs::path(there ? "/dev/shm" : "/tmp") / (name + std::to_string(getpid()));
  fs::create_directories(path);
  return path.string();
}

/// Someone on the cluster's login node.
class ClusterUser {
 public:
  ClusterUser() : m_node(memory_folder("tuner-node-")) {
    m_user.environment["SLURM_CONF"] = the_slurm->configuration();
    m_user.environment["TMPDIR"] = m_node;
    m_user.environment["USER"] = "ada";
    m_user.environment["TUNER_PUBLISH_EVERY_S"] = "0.05";
  }
  ~ClusterUser() {
    std::error_code ignored;
    fs::remove_all(m_node, ignored);
  }
  ClusterUser(const ClusterUser&) = delete;
  ClusterUser& operator=(const ClusterUser&) = delete;

  ProgramResult types(const std::vector<std::string>& arguments) const { return m_user.types(arguments); }
  ProgramResult tells_slurm(const std::vector<std::string>& command) const {
    std::vector<std::string> found = {"/usr/bin/env"};
    found.insert(found.end(), command.begin(), command.end());
    return test::run_program(found, m_user.environment, m_user.home.path());
  }
  std::string at(const std::string& name) const { return m_user.home / name; }
  std::string node() const { return m_node; }
  std::string logs() const {
    std::string text;
    for (const auto& entry : fs::directory_iterator(at("a sweep/logs")))
      text += entry.path().string() + "\n" + test::read_text(entry.path().string()) + "\n";
    return text;
  }

  void waits_until(const std::string& what, const std::function<bool()>& true_now,
                   std::chrono::milliseconds pause = 200ms) const {
    const auto deadline = std::chrono::steady_clock::now() + 120s;
    while (!true_now()) {
      if (std::chrono::steady_clock::now() > deadline) {
        const std::string status = types({"status", "a sweep"}).out;
        const std::string logged = logs();
        INFO(status);
        INFO(logged);
        FAIL("waited two minutes until ", what);
      }
      std::this_thread::sleep_for(pause);
    }
  }
  std::optional<cluster::PartProgress> progress(int part) const {
    return cluster::read_progress(
        cluster::progress_file_of(at("a sweep/results/" + std::to_string(part) + ".db")));
  }
  bool is_under_way(int part) const {
    const auto now = progress(part);
    return now && now->state == cluster::RunState::running && now->finished > 0;
  }
  std::string in_queue() const {
    return tells_slurm({"squeue", "--noheader", "--array", "--format=%K %t"}).out;
  }

 private:
  test::User m_user;
  std::string m_node;
};

std::string word_after(const std::string& text, const std::string& head) {
  const std::size_t at = text.find(head);
  REQUIRE(at != std::string::npos);
  const std::size_t begin = at + head.size();
  return text.substr(begin, text.find_first_of(" \n", begin) - begin);
}

/// `1-2,8`, as Slurm takes the tasks of an array.
std::string ranges_of(const std::set<int>& parts) {
  std::string text;
  for (auto part = parts.begin(); part != parts.end();) {
    const int first = *part;
    int last = first;
    for (++part; part != parts.end() && *part == last + 1; ++part) last = *part;
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (last > first) text += "-" + std::to_string(last);
  }
  return text;
}

}  // namespace

TEST_SUITE("tuner on a Slurm cluster") {
  TEST_CASE(
      "shards that are killed, ended, requeued or never started come to the result of one run, by --retry") {
    const ClusterUser user;
    test::write_large_recording(user.at("recording.json"), 150);
    const std::string device = "replay:recording.json";
    const auto submitted = user.types({"slurm", "--array", "8", "--device", device, "--strategy", "random",
                                       "--folder", "a sweep", "--sbatch", "gres=gpu:1", "--submit"});
    INFO(submitted.err);
    REQUIRE(submitted.exit_code == 0);
    const std::string array = word_after(submitted.out, "array ");
    const std::string last = word_after(submitted.out, "last ");

    // Four of eight are at work, as there are four GPUs.
    REQUIRE(user.tells_slurm({"scancel", array + "_8"}).exit_code == 0);
    // The first three that are seen at work are held: a shard may take less time than we take to look at it.
    const auto process = [&](int part) { return static_cast<pid_t>(user.progress(part)->process); };
    std::vector<int> held;
    const auto hold_begun = [&] {
      for (int part = 1; part < 8 && held.size() < 3; ++part) {
        if (std::find(held.begin(), held.end(), part) != held.end() || !user.is_under_way(part)) continue;
        REQUIRE(kill(process(part), SIGSTOP) == 0);
        held.push_back(part);
      }
      return held.size() == 3;
    };
    user.waits_until("three shards have begun", hold_begun, 5ms);
    const int killed = held[0], cancelled = held[1], requeued = held[2];
    const auto task = [&](int part) { return array + "_" + std::to_string(part); };
    REQUIRE(kill(process(killed), SIGKILL) == 0);
    REQUIRE(user.tells_slurm({"scancel", task(cancelled)}).exit_code == 0);
    REQUIRE(user.tells_slurm({"scontrol", "requeue", task(requeued)}).exit_code == 0);
    for (const int part : {cancelled, requeued}) kill(process(part), SIGCONT);

    const auto lost = [&] {
      const std::string queue = user.in_queue();
      const auto is_there = [&](int part) {
        return has(queue, std::to_string(part) + " R") || has(queue, std::to_string(part) + " CG");
      };
      return !is_there(killed) && !is_there(cancelled);
    };
    user.waits_until("the shards that were ended are gone", lost);
    const auto status = user.types({"status", "a sweep", "--format", "json"});
    INFO(status.out);
    CHECK(status.exit_code == 1);
    CHECK(has(status.out, "\"lost\": 3"));
    CHECK(user.progress(killed)->state == cluster::RunState::running);  // nobody could say otherwise
    CHECK(user.progress(cancelled)->state == cluster::RunState::interrupted);
    const auto result_of = [&](int part) {
      return user.at("a sweep/results/" + std::to_string(part) + ".db");
    };
    const auto log_of = [&](int part) {
      return test::read_text(user.at("a sweep/logs/" + std::to_string(part) + ".log"));
    };
    CHECK(trials_of(result_of(cancelled)).size() ==
          static_cast<std::size_t>(user.progress(cancelled)->measured()));
    const std::set<std::string> before = trials_of(result_of(killed));

    // Whoever edits a script has it run as it is then; here, to see that a job is given no limit of ours.
    std::string script = test::read_text(user.at("a sweep/shards.sbatch"));
    script.insert(script.find("\"$tuner\" run"), "ulimit -t >>\"$shared/limits\"\n");
    test::write_text(user.at("a sweep/shards.sbatch"), script);

    const auto retried = user.types({"slurm", "--retry", "a sweep"});
    INFO(retried.out, retried.err);
    REQUIRE(retried.exit_code == 0);
    CHECK(has(retried.out, "(" + ranges_of({killed, cancelled, 8}) + ")"));
    CHECK(has(retried.err, "job " + last + " was cancelled"));
    user.waits_until("the sweep is done", [&] {
      return has(user.types({"status", "a sweep", "--format", "json"}).out, "\"done\": true");
    });
    user.waits_until("the queue is empty", [&] { return user.in_queue().empty(); });
    const std::string logs = user.logs();
    INFO(logs);
    rlimit own_limit{};
    REQUIRE(getrlimit(RLIMIT_CPU, &own_limit) == 0);
    if (own_limit.rlim_cur == RLIM_INFINITY)
      CHECK(test::read_text(user.at("a sweep/limits")) == "unlimited\nunlimited\nunlimited\n");
    CHECK(has(user.types({"status", "a sweep"}).out, "8 done"));
    CHECK(has(user.types({"slurm", "--retry", "a sweep"}).err, "nothing is missing"));
    CHECK(has(log_of(requeued), "had been published before"));
    // What the killed one had published was not done again.
    CHECK(user.progress(killed)->known >= static_cast<std::int64_t>(before.size()));
    CHECK(has(test::read_text(user.at("a sweep/logs/last.log")), "22500 trials, all of them known already"));
    CHECK(has(test::read_text(user.at("a sweep/report.md")), "block_size_x=17"));

    const std::string whole = user.node() + "/whole.db";
    const auto one = user.types({"run", "--device", device, "--strategy", "random", "--db", whole});
    REQUIRE(one.exit_code == 0);
    CHECK(trials_of(user.at("a sweep/result.db")) == trials_of(whole));
    const auto best_in = [&](const std::string& database) {
      return user.types({"best", "--size", "4096x512", "--format", "flags", "--db", database}).out;
    };
    CHECK(has(best_in(whole), "-Dblock_size_x=17"));
    CHECK(best_in(user.at("a sweep/result.db")) == best_in(whole));
    // Of the killed shard its node still has what may not be published; all others tidied up.
    CHECK(has(log_of(killed), "kept on"));
    int left = 0;
    for (const auto& entry : fs::directory_iterator(user.node()))
      left += entry.path().filename().string().starts_with("tuner-ada-") ? 1 : 0;
    CHECK(left == 1);
  }
}

int main(int argc, char** argv) {
  const Slurm slurm;
  if (slurm.started().exit_code == 77) {
    std::cerr << "skipped: " << slurm.started().err;
    return 77;
  }
  if (slurm.started().exit_code != 0) {
    std::cerr << "Slurm's daemons did not start: " << slurm.started().err;
    return 1;
  }
  the_slurm = &slurm;
  return doctest::Context(argc, argv).run();
}
