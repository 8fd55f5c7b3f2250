// Where publishing, or a look at a sweep's parts, that is nearly right differs from one that is.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"
#include "tuner/cluster/publisher.hpp"
#include "tuner/cluster/shared_file.hpp"
#include "tuner/cluster/sweep_status.hpp"

using namespace tuner;
using cluster::RunState;
using db_test::TempFolder;
using namespace std::chrono_literals;

TEST_SUITE("cluster") {
  namespace {

  constexpr std::int64_t second_ns = 1'000'000'000;
  constexpr std::int64_t now_ns = 1'900'000'000 * second_ns;

  void make_database(const std::filesystem::path& database) {
    db::ResultStore store(database);
    store.begin_run(db_test::sample_run("a"));
  }

  cluster::PartProgress of_part(int number, RunState state) {
    cluster::PartProgress progress;
    progress.part = {number, number == 0 ? 0 : 2};
    progress.state = state;
    progress.planned = 100;
    progress.finished = 50;
    progress.trials_per_second = 2;
    progress.next_within_s = 60;
    return progress;
  }

  void write_sign(const std::filesystem::path& published, const cluster::PartProgress& progress,
                  std::int64_t ago_s) {
    const auto file = cluster::progress_file_of(published);
    std::ofstream(file) << cluster::progress_text(progress);
    const timespec at = {(now_ns / second_ns) - ago_s, 0};
    const timespec times[] = {at, at};
    REQUIRE(utimensat(AT_FDCWD, file.c_str(), times, 0) == 0);
  }

  cluster::SweepStatus look(const std::filesystem::path& folder, const cluster::Queue& queue = {}) {
    return cluster::look_at(cluster::SweepFolder(folder), queue, [](const auto&) { return now_ns; });
  }

  }  // namespace

  TEST_CASE("a progress file that goes on for ever is not read to its end, whatever it begins with") {
    const TempFolder folder;
    std::ofstream(folder / "1.db.progress.json")
        << cluster::progress_text(of_part(1, RunState::done)) << std::string(100'000, ' ');
    const auto error = db_test::error_of([&] { cluster::read_progress(folder / "1.db.progress.json"); });
    CHECK(contains(error.what(), "too long"));
  }

  TEST_CASE("a publisher clears away what one that was killed had begun to write") {
    const TempFolder folder;
    make_database(folder / "local.db");
    std::filesystem::create_directory(folder / "shared");
    const std::vector<std::filesystem::path> left = {folder / "shared/1.db.new-node7-4711",
                                                     folder / "shared/1.db.progress.json.new-node7-4711"};
    for (const auto& file : left) std::ofstream(file) << "half";
    cluster::Publication publication(folder / "local.db", folder / "shared/1.db");
    publication.publish({}, 1s);
    for (const auto& file : left) CHECK_FALSE(std::filesystem::exists(file));
  }

  TEST_CASE("publishing that takes long is done less often, and says so") {
    const TempFolder folder;
    make_database(folder / "local.db");
    std::filesystem::create_directory(folder / "shared");
    const auto published = folder / "shared/1.db";
    std::atomic<bool> stop{false};
    auto other = std::make_unique<cluster::PublishLock>(published, 1s);
    cluster::Publisher publisher({folder / "local.db", published}, {}, 0.05, stop);
    std::this_thread::sleep_for(300ms);
    other.reset();
    while (!std::filesystem::exists(cluster::progress_file_of(published))) std::this_thread::sleep_for(5ms);
    publisher.finish(RunState::done);
    // Nine times as long as it waited for the other, and a fifth more.
    CHECK(cluster::read_progress(cluster::progress_file_of(published))->next_within_s > 9 * 0.25);
  }

  TEST_CASE("of two files of one part the newer one counts, whatever their names are") {
    for (const bool first_is_newer : {true, false}) {
      CAPTURE(first_is_newer);
      const TempFolder folder;
      write_sign(folder / "1-a.db", of_part(1, first_is_newer ? RunState::done : RunState::failed),
                 first_is_newer ? 10 : 1000);
      write_sign(folder / "1-b.db", of_part(1, first_is_newer ? RunState::failed : RunState::done),
                 first_is_newer ? 1000 : 10);
      CHECK(look(folder.path()).parts.at(0).state == cluster::PartState::done);
    }
  }

  TEST_CASE("a last job that ended before it measured what a lost part had left ends no sweep") {
    const TempFolder folder;
    const cluster::SweepFolder shared(folder.path());
    std::filesystem::create_directories(shared.results());
    cluster::write_description(shared, {2, "tuner slurm", folder / "result.db"});
    write_sign(shared.published(1), of_part(1, RunState::done), 10);
    cluster::PartProgress last = of_part(0, RunState::done);
    write_sign(folder / "result.db", last, 10);
    CHECK_FALSE(look(folder.path()).done());
    last.finished = last.planned;
    write_sign(folder / "result.db", last, 10);
    CHECK(look(folder.path()).done());
  }

  TEST_CASE("of two tasks of one part the one that runs counts, in whichever order Slurm has them") {
    const TempFolder folder;
    write_sign(folder / "1.db", of_part(1, RunState::running), 1);
    for (const bool waits_first : {true, false}) {
      cluster::Queue queue;
      queue.there = true;
      queue.tasks = {{waits_first ? "8" : "7", 1, "tuner", waits_first},
                     {waits_first ? "7" : "8", 1, "tuner", !waits_first}};
      const auto status = look(folder.path(), queue);
      CHECK(status.parts.at(0).state == cluster::PartState::running);
      CHECK(status.parts.at(0).note == "job 7");
    }
  }

  TEST_CASE("nobody can say when a sweep will be done of which a part was lost") {
    const TempFolder folder;
    write_sign(folder / "1.db", of_part(1, RunState::running), 10);
    write_sign(folder / "2.db", of_part(2, RunState::running), 10);
    REQUIRE(look(folder.path()).seconds_left());
    CHECK(*look(folder.path()).seconds_left() == doctest::Approx(25));
    write_sign(folder / "2.db", of_part(2, RunState::interrupted), 10);
    CHECK_FALSE(look(folder.path()).seconds_left());
  }
}
