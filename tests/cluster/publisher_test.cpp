#include "tuner/cluster/publisher.hpp"

#include <doctest/doctest.h>

#include <functional>

#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"

using namespace tuner;
using db_test::ask;
using db_test::TempFolder;
using namespace std::chrono_literals;

TEST_SUITE("cluster") {
  namespace {

  constexpr double never_s = 3600;

  void add_trial(const std::filesystem::path& database, const std::string& name) {
    db::ResultStore store(database);
    store.begin_run(db_test::sample_run(name));
    model::TrialRecord trial = db_test::timed_trial(name, 512, 100);
    trial.run = db_test::key(name);
    store.record(trial);
  }

  void wait_until(const std::function<bool()>& true_now) {
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    while (!true_now()) {
      REQUIRE(std::chrono::steady_clock::now() < deadline);
      std::this_thread::sleep_for(5ms);
    }
  }

  struct Published {
    Published() { add_trial(folder / "local.db", "a"); }
    cluster::Publication publication() const { return {folder / "local.db", folder / "shared/1.db"}; }
    std::optional<cluster::PartProgress> progress() const {
      return cluster::read_progress(cluster::progress_file_of(folder / "shared/1.db"));
    }
    bool has(const std::string& trials) const {
      return std::filesystem::exists(folder / "shared/1.db") &&
             ask(folder / "shared/1.db", "SELECT count(*) FROM trials") == trials;
    }
    void make_shared() const { std::filesystem::create_directory(folder / "shared"); }

    TempFolder folder;
    std::atomic<bool> stop{false};
  };

  }  // namespace

  TEST_CASE("a run is published when it begins, at intervals, and whole at its end") {
    Published published;
    published.make_shared();
    cluster::Publisher publisher(published.publication(), {}, 0.05, published.stop);
    wait_until([&] { return published.has("1"); });
    publisher.planned(10, 4);
    publisher.finished_one();
    publisher.more(-1);
    add_trial(published.folder / "local.db", "b");
    wait_until([&] { return published.has("2") && published.progress()->finished == 1; });
    CHECK(published.progress()->planned == 9);
    CHECK(published.progress()->known == 4);
    CHECK(published.progress()->state == cluster::RunState::running);
    add_trial(published.folder / "local.db", "c");
    CHECK(publisher.finish(cluster::RunState::done).empty());
    CHECK(published.has("3"));
    CHECK(published.progress()->state == cluster::RunState::done);
    CHECK(publisher.take_notices().empty());
  }

  TEST_CASE("a run that is asked to stop is published at once, long before it has stopped") {
    Published published;
    published.make_shared();
    cluster::Publisher publisher(published.publication(), {}, never_s, published.stop);
    wait_until([&] { return published.has("1"); });
    add_trial(published.folder / "local.db", "b");
    published.stop = true;
    wait_until([&] { return published.has("2"); });
    CHECK(published.progress()->state == cluster::RunState::running);
    CHECK(publisher.finish(cluster::RunState::interrupted).empty());
    CHECK(published.progress()->state == cluster::RunState::interrupted);
  }

  TEST_CASE("a folder that is gone is told once, tried again, and told to be back") {
    Published published;
    cluster::Publisher publisher(published.publication(), {}, 0.02, published.stop);
    std::vector<std::string> notices;
    const auto collect = [&] {
      for (std::string& notice : publisher.take_notices()) notices.push_back(std::move(notice));
      return notices.size();
    };
    wait_until([&] { return collect() >= 1; });
    std::this_thread::sleep_for(200ms);
    CHECK(collect() == 1);
    CHECK(contains(notices[0], (published.folder / "shared/1.db").string()));
    CHECK(contains(notices[0], "No such file"));
    published.make_shared();
    wait_until([&] { return collect() >= 2; });
    CHECK(contains(notices[1], "published again"));
    CHECK(published.has("1"));
    std::filesystem::remove_all(published.folder / "shared");
    CHECK(contains(publisher.finish(cluster::RunState::done), "No such file"));
  }

  TEST_CASE("a run that ends by an error is published as failed") {
    Published published;
    published.make_shared();
    { const cluster::Publisher publisher(published.publication(), {}, never_s, published.stop); }
    CHECK(published.has("1"));
    CHECK(published.progress()->state == cluster::RunState::failed);
  }
}
