#include "tuner/worker/message.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/fuzz.hpp"
#include "tests/worker/random_value.hpp"
#include "tests/worker/samples.hpp"

using namespace tuner;
using namespace tuner::worker;

TEST_SUITE("tuner::worker messages") {
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

  /// One of any kind, with random contents.
  template <std::size_t... kind>
  Message random_message_of(test::RandomValue& random, std::index_sequence<kind...>) {
    Message message;
    const std::size_t chosen = random.below(sizeof...(kind));
    ((chosen == kind ? void(message = random.make<std::variant_alternative_t<kind, Message>>()) : void()),
     ...);
    return message;
  }
  Message random_message(test::RandomValue& random) {
    return random_message_of(random, std::make_index_sequence<std::variant_size_v<Message>>());
  }

  template <class T>
  requires std::equality_comparable<T>
  bool same(const T& a, const T& b) {
    return a == b;
  }
  bool same(const CompilerReady& a, const CompilerReady& b) {
    return a.compiler == b.compiler;
  }
  bool same(const RunnerReady& a, const RunnerReady& b) {
    return a.device == b.device;
  }
  bool same(const Failure& a, const Failure& b) {
    return a.message == b.message && a.hint == b.hint && a.code == b.code;
  }
  bool same(const TrialRequest& a, const TrialRequest& b) {
    return a.job == b.job && a.carries_reference == b.carries_reference &&
           a.forget_references == b.forget_references;
  }
  bool same(const ProfileRequest& a, const ProfileRequest& b) {
    return same(a.trial, b.trial) && a.metrics == b.metrics;
  }
  bool same(const FinalRequest& a, const FinalRequest& b) {
    const auto alike = [](const TrialRequest& left, const TrialRequest& right) { return same(left, right); };
    return a.seed == b.seed &&
           std::equal(a.trials.begin(), a.trials.end(), b.trials.begin(), b.trials.end(), alike);
  }
  bool same(const PhaseReport& a, const PhaseReport& b) {
    return a.phase == b.phase;
  }
  bool same(const FinalistReport& a, const FinalistReport& b) {
    return a.finalist == b.finalist;
  }
  bool same(const Prepare&, const Prepare&) {
    return true;
  }
  bool same(const Proceed&, const Proceed&) {
    return true;
  }

  bool same_message(const Message& a, const Message& b) {
    return a.index() == b.index() &&
           std::visit([&](const auto& left) { return same(left, std::get<std::decay_t<decltype(left)>>(b)); },
                      a);
  }

  /// Memory behind whose end lies a page that nobody may read.
  class EdgeOfMemory {
   public:
    static constexpr std::size_t most = std::size_t{1} << 20U;

    EdgeOfMemory() {
      void* mapped =
          ::mmap(nullptr, most + m_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      REQUIRE(mapped != MAP_FAILED);
      m_begin = static_cast<std::uint8_t*>(mapped);
      REQUIRE(::mprotect(m_begin + most, m_page, PROT_NONE) == 0);
    }
    EdgeOfMemory(const EdgeOfMemory&) = delete;
    EdgeOfMemory& operator=(const EdgeOfMemory&) = delete;
    ~EdgeOfMemory() { ::munmap(m_begin, most + m_page); }

    /// A copy that ends with the memory.
    std::span<const std::uint8_t> at_end(std::span<const std::uint8_t> bytes) {
      REQUIRE(bytes.size() <= most);
      std::uint8_t* begin = m_begin + (most - bytes.size());
      std::copy(bytes.begin(), bytes.end(), begin);
      return {begin, bytes.size()};
    }

   private:
    std::size_t m_page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::uint8_t* m_begin = nullptr;
  };

  }  // namespace

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
    CHECK(round_trip<FinalistReport>(encode(FinalistReport{3})).finalist == 3);
    const auto failure =
        round_trip<Failure>(encode(Failure{"no device", "look", model::ExitCode::no_device}));
    CHECK(failure.message == "no device");
    CHECK(failure.hint == "look");
    CHECK(failure.code == model::ExitCode::no_device);
  }

  TEST_CASE("a message of any kind survives the journey, whatever it holds") {
    test::fuzz([](unsigned seed) {
      test::RandomValue random(seed);
      for (int i = 0; i < 300; ++i) {
        CAPTURE(i);
        const Message message = random_message(random);
        const Bytes payload = encode(message);
        const auto decoded = decode(payload);
        if (const auto* error = std::get_if<ProtocolError>(&decoded)) FAIL(error->message);
        REQUIRE(same_message(std::get<Message>(decoded), message));
        REQUIRE(encode(std::get<Message>(decoded)) == payload);
      }
    });
  }

  TEST_CASE(
      "a message cut short anywhere is refused, and one with flipped bits is never read beyond its end") {
    EdgeOfMemory edge;
    test::fuzz([&](unsigned seed) {
      test::RandomValue random(seed);
      int refused = 0;
      for (int i = 0; i < 150; ++i) {
        CAPTURE(i);
        Bytes payload = encode(random_message(random));
        if (payload.size() > EdgeOfMemory::most) continue;
        for (int cut = 0; cut < 8; ++cut) {
          const std::size_t kept = random.below(payload.size());
          CAPTURE(kept);
          REQUIRE(std::holds_alternative<ProtocolError>(decode(edge.at_end(std::span(payload).first(kept)))));
        }
        for (int flip = 0; flip < 8; ++flip) {
          // Where heads are dense, so that lengths and kinds change too.
          const std::size_t at =
              random.below(std::min<std::size_t>(payload.size(), flip < 4 ? 200 : 1U << 20U));
          payload[at] ^= static_cast<std::uint8_t>(1U << random.below(8));
          const auto decoded = decode(edge.at_end(payload));
          if (const auto* message = std::get_if<Message>(&decoded))
            REQUIRE(std::holds_alternative<Message>(decode(encode(*message))));
          else
            ++refused;
        }
      }
      CHECK(refused > 100);
    });
  }

  TEST_CASE("a frame with any bit of its header flipped is refused, waited for, or of another length") {
    const Bytes frame = make_frame(encode(CompilerReady{"nvrtc 13.0"}));
    for (std::size_t bit = 0; bit < 8 * frame_header_bytes; ++bit) {
      CAPTURE(bit);
      Bytes flipped = frame;
      flipped[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
      FrameDecoder decoder(1 << 20);
      decoder.feed(flipped);
      const auto payload = decoder.next();
      if (payload) CHECK(std::holds_alternative<ProtocolError>(decode(*payload)));
      if (bit < 32) CHECK(decoder.error() == "what arrived is not a frame");
    }
  }

  TEST_CASE("limits are what is still accepted") {
    const Bytes payload = encode(CompilerReady{"nvrtc 13.0"});
    FrameLimits limits;
    limits.max_items = 7;  // two maps, three names, a number and a string
    CHECK(objection(payload, limits).empty());
    limits.max_items = 6;
    CHECK(mentions(objection(payload, limits), "more than 6 values"));
    limits = {};
    limits.max_depth = 2;
    CHECK(objection(payload, limits).empty());
    limits.max_depth = 1;
    CHECK(mentions(objection(payload, limits), "nested deeper than 1"));
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

  TEST_CASE("what our own encoder does not write is refused, whatever a library would make of it") {
    // undefined, a simple value in two bytes, a tag, a break, and heads that are reserved
    for (const Bytes& payload : {Bytes{0xf7}, Bytes{0xf8, 0x20}, Bytes{0xc1, 0x00}, Bytes{0xff}, Bytes{0x1c},
                                 Bytes{0x1f, 0, 0, 0, 0, 0, 0, 0, 0}, Bytes{0x5c}, Bytes{0x9d}}) {
      CAPTURE(static_cast<int>(payload[0]));
      CHECK(mentions(objection(payload), payload[0] == 0xf7 || payload[0] == 0xf8 ? "unassigned simple value"
                                         : payload[0] == 0xc1                     ? "a tag"
                                                                                  : "starts no value"));
    }
    // What it does write is refused for nothing but saying nothing.
    for (const Bytes& payload : {Bytes{0xf4}, Bytes{0xf5}, Bytes{0xf6}, Bytes{0xf9, 0x3c, 0},
                                 Bytes{0x41, 'x'}, Bytes{0x60}, Bytes{0x81, 0x00}, Bytes{0x20}}) {
      CAPTURE(static_cast<int>(payload[0]));
      CHECK(objection(payload) == "malformed message: is not a map");
    }
  }

  TEST_CASE("numbers, digests and enumerators out of their range are refused by name") {
    const auto changed = [](Bytes payload, const std::string& name, const Bytes& from, const Bytes& to) {
      Bytes before(name.begin(), name.end());
      before.insert(before.end(), from.begin(), from.end());
      const auto at = std::search(payload.begin(), payload.end(), before.begin(), before.end());
      REQUIRE(at != payload.end());
      const auto value = at + static_cast<std::ptrdiff_t>(name.size());
      payload.insert(payload.erase(value, value + static_cast<std::ptrdiff_t>(from.size())), to.begin(),
                     to.end());
      return payload;
    };
    const Bytes outcome = encode(model::TrialOutcome{});
    CHECK(objection(outcome).empty());
    const Bytes int_max = {0x1a, 0x7f, 0xff, 0xff, 0xff};
    const Bytes beyond = {0x1a, 0x80, 0, 0, 0};
    const Bytes int_min = {0x3a, 0x7f, 0xff, 0xff, 0xff};
    const Bytes below = {0x3a, 0x80, 0, 0, 0};
    const std::string blocks = "driver_blocks_per_multiprocessor";
    const Bytes unknown = {static_cast<std::uint8_t>(0x20)};  // -1
    CHECK(objection(changed(outcome, blocks, unknown, int_max)).empty());
    CHECK(objection(changed(outcome, blocks, unknown, int_min)).empty());
    CHECK(mentions(objection(changed(outcome, blocks, unknown, beyond)),
                   blocks + ": is not an integer in range"));
    CHECK(mentions(objection(changed(outcome, blocks, unknown, below)),
                   blocks + ": is not an integer in range"));
    CHECK(mentions(objection(changed(outcome, blocks, unknown, {0xf9, 0x3c, 0})),
                   "is not an integer in range"));
    CHECK(
        mentions(objection(changed(outcome, "status", {0x00}, {0x20})), "status: has the unknown value -1"));
    CHECK(mentions(objection(changed(outcome, "device_lost", {0xf4}, {0x00})),
                   "device_lost: is not true or false"));
    for (int last = 0; last < 40; ++last) {  // each enumerator there is, and the next is none
      CAPTURE(last);
      model::TrialOutcome any;
      any.status = static_cast<model::TrialStatus>(last);
      const bool known = last <= static_cast<int>(model::TrialStatus::quarantined);
      CHECK(objection(encode(any)).empty() == known);
    }
    const Bytes job = encode(model::CompileJob{});
    const Bytes digest(16, 0);
    for (const std::size_t size : {15U, 17U}) {
      Bytes other = {static_cast<std::uint8_t>(0x40 + size)};
      other.resize(1 + size);
      Bytes own = {0x50};
      own.insert(own.end(), digest.begin(), digest.end());
      CHECK(mentions(objection(changed(job, "source_key", own, other)),
                     "source_key: is a digest of " + std::to_string(size) + " bytes"));
    }
    CHECK(mentions(objection(changed(job, "macros", {0x80}, {0xa0})), "macros: is not an array"));
    CHECK(mentions(objection(changed(encode(model::Compilation{}), "compile_ms", {0xfa, 0, 0, 0, 0}, {0x60})),
                   "compile_ms: is not a number"));
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
