#include <doctest/doctest.h>

#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"
#include "tuner/cli/answers/show.hpp"

namespace answers = tuner::cli::answers;
namespace model = tuner::model;
using db_test::full_trial;
using db_test::key;
using db_test::timed_trial;

TEST_SUITE("cli") {
  namespace {

  const answers::Style style{[](const model::Digest& key) { return key.hex().substr(0, 7); }, 400};

  /// Every run of blanks as one.
  std::string words(const std::string& text) {
    std::string out;
    for (const char c : text)
      if (c != ' ' || out.empty() || out.back() != ' ') out += c;
    return out;
  }

  answers::TrialFacts facts_of(model::TrialRecord trial) {
    answers::TrialFacts facts;
    facts.trial = std::move(trial);
    return facts;
  }

  db::StoredMeasurement measured_once(const model::Measurement& measurement) {
    db::StoredMeasurement stored;
    stored.measurement = measurement;
    stored.measured_at = "2026-11-20T10:11:12.345Z";
    return stored;
  }

  std::string sheet(const answers::TrialFacts& facts) {
    return words(answers::trial_text(facts, style));
  }

  /// Chosen in a final with a and c, of which a was tied.
  answers::TrialFacts finalist(const std::string& name, double median_ns) {
    answers::TrialFacts facts = facts_of(timed_trial(name, 512, median_ns));
    facts.final = db_test::sample_final();
    return facts;
  }

  }  // namespace

  TEST_CASE("a trial's sheet tells what it is, what it was compiled to, how it was judged and its time") {
    answers::TrialFacts facts = facts_of(full_trial());
    facts.code_bytes = 4000;
    facts.occupancy_steps = {{"registers", 24576, 65536, 3}, {"blocks", 1, 32, 32}};
    facts.measurements = {measured_once(*facts.trial.outcome.measurement)};
    const std::string text = sheet(facts);
    CAPTURE(text);
    for (const std::string line :
         {"kernel register_tile (the default configuration)", "problem matmul 512x1024x256 float",
          "origin 1024 float", "status ok", "registers 96 a thread",
          "spills 8 bytes stored, 12 loaded a thread", "stack 16 bytes a thread",
          "shared memory 4096 bytes static, 65536 dynamic", "code 4000 bytes",
          "blocks by registers 3 (24576 of 65536 each)", "blocks by blocks 32\n",
          "occupancy 37.5 %: 3 blocks a multiprocessor, limited by registers, shared memory",
          "judged by equal", "largest error 0.1250 of the bound, 3.500 × unit roundoff × magnitude",
          "4 samples of 7 launches, 2 more at a lowered clock, SM clock 1980 MHz, 61 °C, 512 W; launch "
          "latency",
          "samples [µs]: ", "compiler log\nptxas info: 96 registers"}) {
      CAPTURE(line);
      CHECK(contains(text, line));
    }
    CHECK_FALSE(contains(text, "wrong elements"));
    CHECK_FALSE(contains(text, "unverified"));
  }

  TEST_CASE("all that follows from the time of a dropped trial is approximate, as that is") {
    answers::TrialFacts facts = facts_of(full_trial());
    facts.trial.outcome.status = model::TrialStatus::dropped;
    facts.trial.metrics = {{"GFLOP/s", 1234}};
    const std::string text = sheet(facts);
    CHECK(contains(text, "median ~"));
    CHECK(contains(text, "GFLOP/s ~1234"));
  }

  TEST_CASE("what nobody knows of a trial takes no line of its sheet") {
    answers::TrialFacts facts = facts_of(full_trial());
    model::Measurement& measured = *facts.trial.outcome.measurement;
    measured.throttled_samples = 0;
    measured.sm_clock_mhz = measured.temperature_c = measured.power_w = 0;
    measured.includes_launch_latency = false;
    facts.measurements = {measured_once(measured)};
    facts.trial.resources->stack_bytes = 0;
    facts.trial.resources->spill_store_bytes = facts.trial.resources->spill_load_bytes = 0;
    facts.trial.is_default = false;
    facts.trial.compile_log.clear();
    facts.trial.compile_ms = 0;
    facts.trial.binary_key = {};
    facts.trial.occupancy.reset();
    facts.trial.outcome.energy.reset();
    const std::string text = sheet(facts);
    CAPTURE(text);
    for (const char* part : {"lowered clock", "SM clock", "°C", " W", "launch latency", "stack",
                             "default configuration", "compiler log", "compile time", "binary", "occupancy",
                             "code", "share of ceiling", "energy", "final", "chosen", "spec "}) {
      CAPTURE(part);
      CHECK_FALSE(contains(text, part));
    }
    CHECK(contains(text, "spills none"));
    CHECK(contains(text, "4 samples of 7 launches\n"));
  }

  TEST_CASE("spills in one direction are spills") {
    answers::TrialFacts facts = facts_of(full_trial());
    facts.trial.resources->spill_load_bytes = 0;
    CHECK(contains(sheet(facts), "8 bytes stored, 0 loaded"));
    facts.trial.resources->spill_store_bytes = 0;
    facts.trial.resources->spill_load_bytes = 16;
    CHECK(contains(sheet(facts), "0 bytes stored, 16 loaded"));
  }

  TEST_CASE(
      "a failure's sheet gives its reason, a wrong result's the buffer and the place, a library's its "
      "version") {
    const std::string failed =
        sheet(facts_of(db_test::failed_trial("bad", 512, model::TrialStatus::timeout)));
    CHECK(contains(failed, "reason what went wrong with bad"));
    CHECK_FALSE(contains(failed, "median"));
    CHECK_FALSE(contains(failed, "unverified"));  // there is no result that somebody could look at

    answers::TrialFacts wrong = facts_of(full_trial());
    wrong.trial.outcome.status = model::TrialStatus::wrong_result;
    wrong.trial.outcome.verification.wrong_elements = 7;
    wrong.trial.outcome.verification.first_wrong = 31;
    CHECK(contains(sheet(wrong), "wrong elements 7 of C, the first at 31"));

    answers::TrialFacts library = facts_of(full_trial());
    library.trial.role = model::Role::baseline;
    library.trial.outcome.detail = "libfast 3.1";
    CHECK(contains(sheet(library), "kernel register_tile (a baseline)"));
    CHECK(contains(sheet(library), "library libfast 3.1"));
    library.trial.outcome.status = model::TrialStatus::crashed;
    CHECK(contains(sheet(library), "reason libfast 3.1"));
  }

  TEST_CASE("a time that was broken off is approximate, and one that nobody verified is called so") {
    answers::TrialFacts facts = facts_of(timed_trial("a", 512, 1010));
    CHECK_FALSE(contains(sheet(facts), "~"));
    facts.trial.outcome.status = model::TrialStatus::dropped;
    CHECK(contains(sheet(facts), "median ~1.010 µs"));
    facts.trial.outcome.verification.checked = false;
    CHECK(contains(sheet(facts), "results unverified"));
  }

  TEST_CASE("a sheet says what its spec describes no longer") {
    answers::TrialFacts facts = facts_of(full_trial());
    facts.superseded = true;
    CHECK(contains(sheet(facts), "spec not what its kernel's spec describes today"));
  }

  TEST_CASE("a sheet says how its trial did in the final, and whether it was chosen among equals") {
    const std::string first = sheet(finalist("a", 1010));
    CHECK(contains(first, "final first, tied with 1; 3 finalists, 60 rounds and 3 at a lowered clock"));
    CHECK_FALSE(contains(first, "chosen"));
    CHECK(contains(sheet(finalist("b", 1012)), "chosen fewest registers"));
    const std::string last = sheet(finalist("c", 1050));
    CHECK(contains(last, "final 1.040 (1.030–1.050) of the fastest's time; 3 finalists"));
    CHECK_FALSE(contains(last, "tied"));
    CHECK_FALSE(contains(sheet(finalist("elsewhere", 1000)), "final"));

    answers::TrialFacts only = finalist("a", 1010);
    only.final->entries.resize(1);
    CHECK(contains(sheet(only), "first; 1 finalist, 60 rounds"));

    answers::TrialFacts alone = finalist("a", 1010);
    alone.final->entries[1].tied = false;
    alone.final->chosen = key("a");
    alone.final->throttled_rounds = 0;
    alone.final->measured_at = "2026-11-20T10:11:12.345Z";
    CHECK(contains(sheet(alone), "final first; 3 finalists, 60 rounds, 2026-11-20"));
    CHECK_FALSE(contains(sheet(alone), "chosen"));
  }

  TEST_CASE("of two trials what differs stands side by side, and what is the same is said once") {
    answers::TrialFacts a = facts_of(full_trial("a"));
    answers::TrialFacts b = facts_of(full_trial("b"));
    a.trial.configuration = model::Configuration(
        {{"TILE", model::Value(32)}, {"ROWS", model::Value(4)}, {"ONLY_A", model::Value(1)}});
    b.trial.configuration = model::Configuration(
        {{"TILE", model::Value(32)}, {"ROWS", model::Value(8)}, {"ONLY_B", model::Value(2)}});
    a.code_bytes = 4000;
    b.trial.outcome.detail = "a remark";
    const std::string text = words(answers::trials_text(a, b, style));
    CAPTURE(text);
    CHECK(contains(text, "ROWS 4 8"));
    CHECK(contains(text, "ONLY_A 1 –"));
    CHECK(contains(text, "ONLY_B – 2"));
    CHECK(contains(text, "code 4000 bytes –"));
    CHECK(contains(text, "reason – a remark"));
    const std::size_t same = text.find("the same of both");
    REQUIRE(same != std::string::npos);
    CHECK(contains(text.substr(same), "configuration TILE=32\n"));
    CHECK(contains(text.substr(same), "registers 96 a thread"));
    CHECK_FALSE(contains(text.substr(0, same), "TILE"));
    CHECK_FALSE(contains(text.substr(same), "ROWS"));
  }
}
