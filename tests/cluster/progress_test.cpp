#include <doctest/doctest.h>

#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"
#include "tuner/cluster/shared_file.hpp"

using namespace tuner;

TEST_SUITE("cluster") {
  namespace {

  cluster::PartProgress sample_progress() {
    cluster::PartProgress progress;
    progress.part = {3, 16};
    progress.planned = 1000;
    progress.known = 20;
    progress.finished = 480;
    progress.trials_per_second = 12.5;
    progress.state = cluster::RunState::interrupted;
    progress.host = "node \"7\"";
    progress.process = 4711;
    progress.job = "123_3";
    progress.owner = "abc";
    progress.database = "/tmp/tuner.db";
    progress.next_within_s = 72;
    return progress;
  }

  std::string with(std::string text, const std::string& what, const std::string& other) {
    const auto at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), other);
  }

  }  // namespace

  TEST_CASE("a run's progress is read back as it was written, in each of its states") {
    for (const auto state : {cluster::RunState::running, cluster::RunState::interrupted,
                             cluster::RunState::done, cluster::RunState::failed}) {
      cluster::PartProgress progress = sample_progress();
      progress.state = state;
      CHECK(cluster::parse_progress(cluster::progress_text(progress), "here") == progress);
    }
  }

  TEST_CASE("a progress file that makes no sense is told with its name and key, and not believed") {
    const std::string sound = cluster::progress_text(sample_progress());
    const auto refusal = [&](const std::string& text) {
      return std::string(db_test::error_of([&] { cluster::parse_progress(text, "3.progress"); }).what());
    };
    for (const auto& [what, other, key] :
         {std::tuple("1000", "-1", "planned"), std::tuple("1000", "1e400", "no valid JSON"),
          std::tuple("12.5", "\"x\"", "trials_per_second"), std::tuple("interrupted", "sleeping", "state"),
          std::tuple("\"interrupted\"", "7", "state"),
          std::tuple("\"schema_version\": 1", "\"schema_version\": 2", "schema_version"),
          std::tuple("\"owner\"", "\"ower\"", "owner"), std::tuple("4711", "4.5", "process")}) {
      CAPTURE(what);
      const std::string said = refusal(with(sound, what, other));
      CHECK(contains(said, "3.progress"));
      CHECK(contains(said, key));
    }
    CHECK(contains(refusal(""), "3.progress"));
    CHECK(contains(refusal(sound.substr(0, 40)), "3.progress"));
    CHECK(contains(refusal("[1, 2]"), "3.progress"));
    CHECK(contains(refusal(std::string(60'000, '[')), "3.progress"));
  }
}
