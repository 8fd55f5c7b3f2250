// Drives an HTML report in a real browser: a script that is added to the page does what a reader does. Where
// there is no Chromium, this is no pass but a skip.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"
#include "tests/e2e/large_recording.hpp"
#include "tests/e2e/user.hpp"
#include "tuner/util/command.hpp"

using tuner::test::BackgroundProgram;
using tuner::test::has;
using tuner::test::User;

namespace {

std::string browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    if (const auto program = tuner::util::find_program(name)) return program->string();
  }
  return "";
}

/// What the script that is added to the page says at its end.
nlohmann::json outcome_of(const User& user, const std::string& script, int width) {
  const std::string file = user.home / "acted.html";
  const std::string scripts = TUNER_SOURCE_DIR "/tests/e2e/page_";
  tuner::test::write_text(file, tuner::test::read_text(user.home / "report.html") +
                                    "<script type=\"module\">\n" +
                                    tuner::test::read_text(scripts + "reader.js") +
                                    tuner::test::read_text(scripts + script) + "</script>\n");
  const BackgroundProgram chromium({browser(), "--headless", "--no-sandbox", "--disable-gpu",
                                    "--enable-logging=stderr", "--user-data-dir=" + user.home / "profile",
                                    "--window-size=" + std::to_string(width) + ",1000", "file://" + file},
                                   user.environment, user.home.path());
  const std::string mark = "\"outcome: ";
  for (int tenths = 0; tenths < 600; ++tenths) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const std::string said = chromium.err();
    const std::size_t begin = said.find(mark);
    const std::size_t end = said.find("\", source:", begin == std::string::npos ? 0 : begin);
    if (begin == std::string::npos || end == std::string::npos) continue;
    return nlohmann::json::parse(said.substr(begin + mark.size(), end - begin - mark.size()));
  }
  FAIL("the browser said nothing in a minute:\n" << chromium.err());
  return {};
}

/// Writes the report of a recording under docs/results.
void reports(const User& user, const std::string& recording) {
  const std::string path = TUNER_SOURCE_DIR "/docs/results/" + recording;
  REQUIRE(user.types({"import", path, "--db", user.home / "t.db"}).exit_code == 0);
  const auto written = user.types({"report", "--db", user.home / "t.db", "-o", user.home / "report.html"});
  REQUIRE_MESSAGE(written.exit_code == 0, written.err);
}

/// Everything that the script does to the page gives what it must.
void reads(const User& user, const std::string& script, int width) {
  CAPTURE(width);
  const nlohmann::json outcome = outcome_of(user, script, width);
  for (const auto& failure : outcome["failed"]) FAIL_CHECK(failure.get<std::string>());
  CHECK(outcome["done"] == outcome["of"]);
}

}  // namespace

TEST_SUITE("page") {
  TEST_CASE("a reader asks a report of a recorded sweep, on a wide screen and on a telephone") {
    const User user;
    reports(user, "h200-2026-11-23-session/session.jsonl");
    for (const int width : {1400, 500}) reads(user, "acts.js", width);
  }

  TEST_CASE("a library in the final is no rival, and never the next one") {
    const User user;
    reports(user, "h200-2026-11-23-matmul-half/few_rows.jsonl.gz");
    reads(user, "libraries.js", 1400);
  }

  TEST_CASE("where a sweep measured energies, the answer has them") {
    const User user;
    reports(user, "h100-2026-11-26-why/sweep.jsonl.gz");
    reads(user, "energy.js", 1300);
  }

  TEST_CASE("what was skipped is no failure, and what is per watt is a rate") {
    const User user;
    {
      db::ResultStore store(user.home / "t.db");
      store.begin_run(db_test::sample_run());
      for (const double ns : {100.0, 200.0}) {
        auto trial = db_test::timed_trial("of " + std::to_string(ns), 512, ns);
        trial.metrics = {{"ns per item", ns / 512}, {"GB/s", 1e5 / ns}};
        trial.outcome.energy->mean_j = ns / 400;
        store.record(trial);
      }
      store.record(db_test::failed_trial("skipped", 512, tuner::model::TrialStatus::skipped));
      store.record(db_test::failed_trial("wrong", 512, tuner::model::TrialStatus::wrong_result));
    }
    REQUIRE(user.types({"report", "--db", "t.db", "-o", "report.html"}).exit_code == 0);
    reads(user, "failures.js", 1300);
  }

  // On a machine at rest it is ready in half a second and draws 60 frames a second; the bounds are for busy
  // ones.
  TEST_CASE("a page of 20,000 trials is soon ready and follows the mouse") {
    const User user;
    tuner::test::write_large_recording(user.home / "large.json", 142);
    REQUIRE(user.types({"report", "--db", "large.json", "-o", "report.html"}).exit_code == 0);
    const nlohmann::json outcome = outcome_of(user, "speed.js", 1400);
    MESSAGE(outcome.dump());
    CHECK(outcome["failed"].empty());
    CHECK(outcome["of"] == 142 * 142);
    CHECK(outcome["kept"] > 1000);
    CHECK(outcome["kept"] < 19'000);
    CHECK(outcome["ready"] < 3000);
    CHECK(outcome["frame"] < 50);
  }
}

int main(int argc, char** argv) {
  if (browser().empty()) {
    std::cerr << "skipped: no Chromium is installed\n";
    return 77;
  }
  return doctest::Context(argc, argv).run();
}
