#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>
#include <map>

#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"
#include "tuner/cluster/sweep_status.hpp"

using namespace tuner;
using cluster::PartState;
using cluster::RunState;
using db_test::TempFolder;

TEST_SUITE("cluster") {
  namespace {

  constexpr std::int64_t second_ns = 1'000'000'000;

  /// A folder of a sweep in four parts, and how Slurm and the file server see it.
  class Sweep {
   public:
    explicit Sweep(bool of_slurm = true) : m_shared(m_folder.path()) {
      std::filesystem::create_directories(m_shared.results());
      if (of_slurm) cluster::write_description(m_shared, {4, "tuner slurm", m_shared.path() / "result.db"});
      m_of_slurm = of_slurm;
    }

    /// A part says how it stands; the file server dates it `ago_s` before its now.
    void says(int part, RunState state, const std::string& job = "", double ago_s = 0) {
      cluster::PartProgress progress;
      progress.part = {part, part == 0 ? 0 : 4};
      progress.state = state;
      progress.planned = 100;
      progress.known = 10;
      progress.finished = state == RunState::done ? 90 : 30;
      progress.trials_per_second = 2;
      progress.next_within_s = 60;
      progress.job = job;
      const auto folder = m_of_slurm ? m_shared.results() : m_shared.path();
      const auto published =
          part == 0 ? m_shared.path() / "result.db" : folder / (std::to_string(part) + ".db");
      write(cluster::progress_file_of(published), cluster::progress_text(progress), ago_s);
    }
    void write(const std::filesystem::path& file, const std::string& text, double ago_s = 0) {
      std::ofstream(file) << text;
      const std::int64_t at = server_now_ns - static_cast<std::int64_t>(ago_s * second_ns);
      const timespec times[] = {{at / second_ns, at % second_ns}, {at / second_ns, at % second_ns}};
      REQUIRE(utimensat(AT_FDCWD, file.c_str(), times, 0) == 0);
    }

    cluster::SweepStatus look() const {
      return cluster::look_at(m_shared, queue, [this](const auto&) { return server_now_ns; });
    }
    PartState state(int part) const { return look().parts.at(static_cast<std::size_t>(part) - 1).state; }
    const cluster::SweepFolder& shared() const { return m_shared; }

    cluster::Queue queue;
    std::int64_t server_now_ns = 1'900'000'000 * second_ns;

   private:
    TempFolder m_folder;
    cluster::SweepFolder m_shared;
    bool m_of_slurm = true;
  };

  cluster::QueuedTask task(std::optional<int> part, bool waiting) {
    return {"12", part, part ? "tuner" : "tuner-last", waiting};
  }

  }  // namespace

  TEST_CASE("what Slurm has in its queue waits or runs, and what it has not and is not done is lost") {
    Sweep sweep;
    sweep.queue.there = true;
    sweep.queue.tasks = {task(2, true), task(3, false), task({}, true)};
    sweep.says(1, RunState::done, "12_1");
    sweep.says(2, RunState::interrupted, "12_2");
    sweep.says(3, RunState::running, "12_3", 1e6);  // Slurm knows better than any time
    const auto status = sweep.look();
    CHECK(status.count(PartState::done) == 1);
    CHECK(sweep.state(2) == PartState::waiting);
    CHECK(contains(status.parts[1].note, "begun again"));
    CHECK(sweep.state(3) == PartState::running);
    CHECK(sweep.state(4) == PartState::lost);
    CHECK(status.parts[3].note == "not in Slurm's queue, and never begun");
    std::filesystem::create_directories(sweep.shared().logs());
    sweep.write(sweep.shared().logs() / "4.log", "no such file: kernel.toml\n");
    CHECK(sweep.look().parts[3].note == "not in Slurm's queue, and never begun; see logs/4.log");
    REQUIRE(status.last);
    CHECK(status.last->state == PartState::waiting);
    CHECK_FALSE(status.done());
    CHECK(status.planned() == 300);
    CHECK(status.measured() == 100 + 40 + 40);
    CHECK(status.trials_per_second() == 2);
    CHECK_FALSE(status.seconds_left());

    sweep.queue.tasks.clear();
    CHECK(sweep.state(1) == PartState::done);
    CHECK(sweep.state(2) == PartState::lost);
    CHECK(sweep.look().parts[1].note == "interrupted");
    CHECK(sweep.state(3) == PartState::lost);
    CHECK(contains(sweep.look().parts[2].note, "12_3"));
    CHECK(sweep.look().last->state == PartState::lost);
    sweep.queue.tasks = {{"13", {}, "another-job", false}};
    CHECK(sweep.look().last->state == PartState::lost);
  }

  TEST_CASE("without Slurm the age of the last sign of life decides, by the file server's clock alone") {
    Sweep sweep;
    SUBCASE("which is of today") {
      sweep.server_now_ns = cluster::folder_time_ns(sweep.shared().results());
    }
    SUBCASE("which is an hour ahead of this host's") {
      sweep.server_now_ns = cluster::folder_time_ns(sweep.shared().results()) + 3600 * second_ns;
    }
    SUBCASE("which is an hour behind this host's") {
      sweep.server_now_ns = cluster::folder_time_ns(sweep.shared().results()) - 3600 * second_ns;
    }
    sweep.says(1, RunState::running, "", 100);
    sweep.says(2, RunState::running, "12_2", 299);  // of Slurm's, where nobody can be asked
    sweep.says(3, RunState::running, "", 301);
    CHECK(sweep.state(1) == PartState::running);
    CHECK(sweep.state(2) == PartState::running);
    CHECK(sweep.state(3) == PartState::lost);
    CHECK(contains(sweep.look().parts[2].note, "no sign of life for 301 s"));
    CHECK(sweep.state(4) == PartState::waiting);
  }

  TEST_CASE("who says of which part it is, counts as that part, and who has none as none") {
    Sweep sweep;
    sweep.says(1, RunState::done, "12_1");
    cluster::PartProgress whole;
    whole.part = {1, 0};
    whole.state = RunState::failed;
    sweep.write(cluster::progress_file_of(sweep.shared().results() / "whole.db"),
                cluster::progress_text(whole), -10);
    CHECK(sweep.state(1) == PartState::done);
  }

  TEST_CASE("a folder filled by hand is known by what the parts say; who was never begun waits") {
    Sweep sweep(false);
    CHECK(db_test::error_of([&] { sweep.look(); }).code() == model::ExitCode::nothing_found);
    sweep.says(3, RunState::done);
    sweep.says(2, RunState::failed);
    const auto status = sweep.look();
    REQUIRE(status.parts.size() == 4);
    CHECK(status.parts[0].state == PartState::waiting);
    CHECK(status.parts[1].state == PartState::lost);
    CHECK(status.parts[1].note == "failed");
    CHECK(status.parts[2].state == PartState::done);
    CHECK_FALSE(status.last);
    CHECK_FALSE(status.done());
    for (const int part : {1, 2, 4}) sweep.says(part, RunState::done);
    CHECK(sweep.look().done());
    CHECK(sweep.look().seconds_left() == 0);
  }

  TEST_CASE("time left is that of the slowest part") {
    Sweep sweep(false);
    for (const int part : {1, 2, 3, 4}) sweep.says(part, RunState::running);
    CHECK(sweep.look().seconds_left() == 30);
    CHECK(sweep.look().trials_per_second() == 8);
  }

  TEST_CASE("a sweep is done when its last job is, if that did what parts had left") {
    Sweep sweep;
    sweep.queue.there = true;
    sweep.says(0, RunState::done);
    CHECK(sweep.look().done());  // all 100 of 100, though no part is done
    sweep.queue.tasks = {task({}, true)};
    CHECK_FALSE(sweep.look().done());  // one more was submitted
    sweep.queue.tasks.clear();
    sweep.says(0, RunState::interrupted);
    for (const int part : {1, 2, 3, 4}) sweep.says(part, RunState::done);
    CHECK_FALSE(sweep.look().done());
  }

  TEST_CASE("a damaged progress file is told, and hides no other") {
    Sweep sweep(false);
    sweep.says(1, RunState::done);
    sweep.write(sweep.shared().path() / "2.db.progress.json", "{\"shard\": 2");
    const auto status = sweep.look();
    REQUIRE(status.notes.size() == 1);
    CHECK(contains(status.notes[0], "2.db.progress.json"));
    CHECK(status.parts[0].state == PartState::done);
  }

  TEST_CASE("squeue's lines are read, and jobs of other folders left out") {
    const auto tasks = cluster::parse_queue(
        "7|1|R|tuner|/shared/my sweep|x\n7|2|PD|tuner|/shared/my sweep|x\n8|N/A|PD|tuner-last|/shared/my "
        "sweep|x\n"
        "9|1|R|tuner|/elsewhere\nnonsense\n",
        "/shared/my sweep|x");
    CHECK(tasks == std::vector<cluster::QueuedTask>{{"7", 1, "tuner", false},
                                                    {"7", 2, "tuner", true},
                                                    {"8", std::nullopt, "tuner-last", true}});
  }

  TEST_CASE(
      "the file server's time comes from a file there; where none can be written, from the newest one") {
    const TempFolder folder;
    const std::int64_t first = cluster::folder_time_ns(folder.path());
    CHECK(first > 0);
    CHECK(cluster::folder_time_ns(folder.path()) >= first);
    CHECK(std::filesystem::is_empty(folder.path()));
    CHECK(cluster::folder_time_ns(folder / "gone") == 0);
  }

  TEST_CASE("a sweep's description is read back, and one that makes no sense is named") {
    const TempFolder folder;
    const cluster::SweepFolder shared(folder.path());
    CHECK_FALSE(cluster::read_description(shared));
    const cluster::SweepDescription description{16, "tuner slurm --kernel 'a b'", "/home/ada/result.db"};
    cluster::write_description(shared, description);
    CHECK(cluster::read_description(shared) == description);
    for (const char* bad :
         {"", "{}", "{\"schema_version\": 1, \"shards\": 0, \"command\": \"\", \"result\": \"\"}",
          "{\"schema_version\": 2, \"shards\": 1, \"command\": \"\", \"result\": \"\"}"}) {
      std::ofstream(shared.description_file()) << bad;
      CHECK(contains(db_test::error_of([&] { cluster::read_description(shared); }).what(), "sweep.json"));
    }
  }
}
