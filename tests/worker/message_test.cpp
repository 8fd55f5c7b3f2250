#include "tuner/worker/message.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/worker/samples.hpp"

using namespace tuner;
using namespace tuner::worker;

namespace {

template <class T>
T round_trip(const Bytes& payload) {
  auto decoded = decode(payload);
  if (const auto* error = std::get_if<ProtocolError>(&decoded)) FAIL(error->message);
  return std::get<T>(std::get<Message>(decoded));
}

std::string objection(const Bytes& payload, const FrameLimits& limits = {}) {
  const auto decoded = decode(payload, limits);
  const auto* error = std::get_if<ProtocolError>(&decoded);
  return error ? error->message : "";
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("tuner::worker messages") {
  TEST_CASE("every field of the samples differs from its default, so that losing one is noticed") {
    const std::vector<std::string> none;
    CHECK(test::fields_at_default(test::full_compile_job()) == none);
    CHECK(test::fields_at_default(test::full_compilation()) == none);
    CHECK(test::fields_at_default(test::full_compilation().kernels.at(0)) == none);
    CHECK(test::fields_at_default(test::full_device_info()) == none);
    CHECK(test::fields_at_default(test::full_device_info().limits) == none);
    CHECK(test::fields_at_default(test::full_trial_job()) == none);
    CHECK(test::fields_at_default(test::full_trial_job().policy) == none);
    CHECK(test::fields_at_default(test::full_trial_job().plan) == none);
    CHECK(test::fields_at_default(test::full_outcome()) == none);
    CHECK(test::fields_at_default(test::full_outcome().verification) == none);
    CHECK(test::fields_at_default(*test::full_outcome().measurement) == none);
  }
  TEST_CASE("every field of every message survives the journey") {
    CHECK(round_trip<model::CompileJob>(encode(test::full_compile_job())) == test::full_compile_job());
    CHECK(round_trip<model::Compilation>(encode(test::full_compilation())) == test::full_compilation());
    CHECK(round_trip<RunnerReady>(encode(RunnerReady{test::full_device_info()})).device ==
          test::full_device_info());
    CHECK(round_trip<model::TrialOutcome>(encode(test::full_outcome())) == test::full_outcome());
    CHECK(round_trip<model::FinalOutcome>(encode(test::full_final())) == test::full_final());
    CHECK(round_trip<CompilerReady>(encode(CompilerReady{"nvrtc 13.0"})).compiler == "nvrtc 13.0");
    CHECK(round_trip<PhaseReport>(encode(PhaseReport{model::TrialPhase::timing})).phase ==
          model::TrialPhase::timing);
    const auto failure =
        round_trip<Failure>(encode(Failure{"no device", "look", model::ExitCode::no_device}));
    CHECK(failure.message == "no device");
    CHECK(failure.hint == "look");
    CHECK(failure.code == model::ExitCode::no_device);
  }

  TEST_CASE("a trial travels with its reference or without it") {
    model::TrialJob job = test::full_trial_job();
    const auto with = round_trip<TrialRequest>(encode(TrialRequest{job, true, true}));
    CHECK(with.carries_reference);
    CHECK(with.forget_references);
    CHECK(with.job == job);

    const auto without = round_trip<TrialRequest>(encode(TrialRequest{job, false, false}));
    CHECK_FALSE(without.carries_reference);
    CHECK_FALSE(without.forget_references);
    job.reference_binary.clear();
    job.reference_kernels.clear();
    CHECK(without.job == job);
  }

  TEST_CASE("a final travels with those references that the child lacks") {
    const model::TrialJob job = test::full_trial_job();
    const auto read = round_trip<FinalRequest>(
        encode(FinalRequest{{TrialRequest{job, true, true}, TrialRequest{job, false, false}}, 77}));
    CHECK(read.seed == 77);
    REQUIRE(read.trials.size() == 2);
    CHECK(read.trials[0].job == job);
    CHECK(read.trials[1].job.reference_binary.empty());
    CHECK(read.trials[1].job.binary == job.binary);
  }

  TEST_CASE("an outcome without a measurement has none on the other side") {
    model::TrialOutcome outcome = test::full_outcome();
    outcome.measurement.reset();
    CHECK(round_trip<model::TrialOutcome>(encode(outcome)) == outcome);
  }

  TEST_CASE("infinities, NaN and negative zero stay what they are") {
    const double infinity = std::numeric_limits<double>::infinity();
    model::TrialOutcome outcome = test::full_outcome();
    outcome.measurement->samples_ns = {infinity, -infinity, std::nan(""), -0.0, 1e300, 0.1};
    const auto samples = round_trip<model::TrialOutcome>(encode(outcome)).measurement->samples_ns;
    CHECK(samples[0] == infinity);
    CHECK(samples[1] == -infinity);
    CHECK(std::isnan(samples[2]));
    CHECK(std::signbit(samples[3]));
    CHECK(samples[4] == 1e300);
    CHECK(samples[5] == 0.1);
  }

  TEST_CASE("a number that is no enumerator is refused by name") {
    model::TrialOutcome outcome;
    outcome.status = static_cast<model::TrialStatus>(99);
    CHECK(objection(encode(outcome)) == "malformed message: status: has the unknown value 99");
  }

  TEST_CASE("nesting beyond the limit is refused whatever it is made of") {
    // Arrays, maps in maps, strings and byte strings of unknown length in each other, tags.
    for (const std::uint8_t opener : Bytes{0x81, 0x9f, 0xbf, 0x7f, 0x5f, 0xc6}) {
      CAPTURE(opener);
      CHECK_FALSE(objection(Bytes(1'000'000, opener)).empty());
    }
    Bytes maps;
    for (int i = 0; i < 100'000; ++i) maps.insert(maps.end(), {0xa1, 0x60});
    CHECK(mentions(objection(maps), "nested deeper than 32"));
  }

  TEST_CASE("lengths that lie are refused before memory is asked for") {
    CHECK(mentions(objection({0x5b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}),
                   "longer than its message"));
    CHECK(mentions(objection({0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}),
                   "longer than its message"));
    CHECK(mentions(objection({0xbb, 0x80, 0, 0, 0, 0, 0, 0, 0}), "longer than its message"));
    CHECK(mentions(objection({0x19, 0x01}), "ends early"));
    CHECK(mentions(objection({}), "ends early"));
  }

  TEST_CASE("values beyond the limit of items are refused") {
    FrameLimits limits;
    limits.max_items = 10;
    CHECK(mentions(objection(encode(test::full_outcome()), limits), "more than 10 values"));
  }

  TEST_CASE("what follows a message is refused") {
    Bytes payload = encode(CompilerReady{"x"});
    payload.push_back(0xf6);
    CHECK(objection(payload) == "malformed message: 1 bytes after the end of the message");
  }

  TEST_CASE("a missing or mistyped field is named") {
    // {"kind": 2, "body": {}} and {"kind": 0, "body": {"compiler": 1}}
    CHECK(mentions(objection({0xa2, 0x64, 'k', 'i', 'n', 'd', 2, 0x64, 'b', 'o', 'd', 'y', 0xa0}),
                   "message: is missing"));
    CHECK(mentions(objection({0xa2, 0x64, 'k', 'i', 'n', 'd', 0,   0x64, 'b', 'o', 'd', 'y',
                              0xa1, 0x68, 'c', 'o', 'm', 'p', 'i', 'l',  'e', 'r', 1}),
                   "compiler: is not a byte string"));
    CHECK(mentions(objection({0xa1, 0x64, 'k', 'i', 'n', 'd', 2}), "is missing"));
    CHECK(mentions(objection({0xa2, 0x64, 'k', 'i', 'n', 'd', 0x18, 99, 0x64, 'b', 'o', 'd', 'y', 0xa0}),
                   "unknown kind 99"));
  }
}
