#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "tests/support/fuzz.hpp"
#include "tests/worker/samples.hpp"
#include "tuner/worker/child_process.hpp"
#include "tuner/worker/message.hpp"

using namespace tuner;
using namespace tuner::worker;

TEST_SUITE("tuner::worker frames") {
  namespace {

  Bytes text(const std::string& characters) {
    return {characters.begin(), characters.end()};
  }

  /// Any of the messages, as bytes.
  std::vector<Bytes> payloads() {
    return {encode(CompilerReady{"nvrtc 13.0"}),
            encode(RunnerReady{test::full_device_info()}),
            encode(Failure{"no device", "look", model::ExitCode::no_device}),
            encode(test::full_compile_job()),
            encode(test::full_compilation()),
            encode(TrialRequest{test::full_trial_job(), true, false}),
            encode(PhaseReport{}),
            encode(test::full_outcome()),
            encode(FinalRequest{{TrialRequest{test::full_trial_job(), true, false}}, 5}),
            encode(test::full_final()),
            encode(Prepare{}),
            encode(Proceed{})};
  }

  /// Flips, overwrites, cuts, repeats or splices some bytes.
  void mutate(Bytes& bytes, std::mt19937& random) {
    const auto pick = [&](std::size_t below) { return below == 0 ? 0 : random() % below; };
    const std::size_t changes = 1 + pick(4);
    for (std::size_t i = 0; i < changes && !bytes.empty(); ++i) {
      const std::size_t at = pick(std::min<std::size_t>(bytes.size(), 2000));
      const auto position = bytes.begin() + static_cast<std::ptrdiff_t>(at);
      const std::size_t run = std::min<std::size_t>(bytes.size() - at, 1 + pick(16));
      const auto end = position + static_cast<std::ptrdiff_t>(run);
      switch (random() % 5) {
        case 0:
          *position ^= static_cast<std::uint8_t>(1U << pick(8));
          break;
        case 1:
          *position = static_cast<std::uint8_t>(random());
          break;
        case 2:
          bytes.erase(position, end);
          break;
        case 3: {
          const Bytes piece(position, end);
          bytes.insert(position, piece.begin(), piece.end());
          break;
        }
        default:
          bytes.resize(at);
      }
    }
  }

  }  // namespace

  TEST_CASE("frames come out whole however they arrive") {
    Bytes stream;
    for (const char* word : {"one", "", "three"}) {
      const Bytes frame = make_frame(text(word));
      stream.insert(stream.end(), frame.begin(), frame.end());
    }
    for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
      FrameDecoder decoder(100);
      std::vector<Bytes> got;
      for (std::size_t at = 0; at < stream.size(); at += piece) {
        decoder.feed(std::span(stream).subspan(at, std::min(piece, stream.size() - at)));
        while (auto payload = decoder.next()) got.push_back(*payload);
      }
      CHECK(got == std::vector<Bytes>{text("one"), {}, text("three")});
      CHECK(decoder.error().empty());
    }
  }

  TEST_CASE("half a frame is incomplete, not an error") {
    FrameDecoder decoder(100);
    const Bytes frame = make_frame(text("hello"));
    decoder.feed(std::span(frame).first(10));
    CHECK_FALSE(decoder.next());
    CHECK(decoder.error().empty());
    decoder.feed(std::span(frame).subspan(10));
    CHECK(decoder.next() == text("hello"));
  }

  TEST_CASE("text on the socket is an error from its first byte") {
    FrameDecoder decoder(100);
    decoder.feed(text("W"));
    CHECK_FALSE(decoder.next());
    CHECK(decoder.error() == "what arrived is not a frame");
    decoder.feed(make_frame(text("too late")));
    CHECK_FALSE(decoder.next());
  }

  TEST_CASE("a frame beyond the limit is an error as soon as its header is there") {
    FrameDecoder decoder(4);
    const Bytes frame = make_frame(text("hello"));
    decoder.feed(std::span(frame).first(frame_header_bytes));
    CHECK_FALSE(decoder.next());
    CHECK(decoder.error() == "a frame of 5 bytes exceeds the limit of 4");
  }

  TEST_CASE("a frame of exactly the limit is whole, and one byte more is too much") {
    FrameDecoder decoder(5);
    decoder.feed(make_frame(text("hello")));
    CHECK(decoder.next() == text("hello"));
    CHECK(decoder.error().empty());
    decoder.feed(make_frame(text("hello!")));
    CHECK_FALSE(decoder.next());
    CHECK(decoder.error() == "a frame of 6 bytes exceeds the limit of 5");
    FrameDecoder none(0);
    none.feed(make_frame({}));
    CHECK(none.next() == Bytes{});
  }

  TEST_CASE("no mutation of a message makes decoding crash") {
    const std::vector<Bytes> originals = payloads();
    test::fuzz([&](unsigned seed) {
      std::mt19937 random(seed);
      int refused = 0;
      constexpr int rounds = 20'000;
      for (int i = 0; i < rounds; ++i) {
        Bytes bytes = originals[random() % originals.size()];
        mutate(bytes, random);
        const auto decoded = decode(bytes);
        refused += std::holds_alternative<ProtocolError>(decoded) ? 1 : 0;
      }
      CHECK(refused > rounds / 4);  // else the mutations do nothing
      CHECK(refused < rounds);      // a changed byte of a string is still a message
    });
  }

  TEST_CASE("random bytes behind a right head do not crash either") {
    test::fuzz([](unsigned seed) {
      std::mt19937 random(seed);
      for (int i = 0; i < 20'000; ++i) {
        Bytes bytes = {0xa2,
                       0x64,
                       'k',
                       'i',
                       'n',
                       'd',
                       static_cast<std::uint8_t>(random() % std::variant_size_v<Message>),
                       0x64,
                       'b',
                       'o',
                       'd',
                       'y'};
        for (std::size_t j = random() % 60; j > 0; --j) bytes.push_back(static_cast<std::uint8_t>(random()));
        static_cast<void>(decode(bytes));
      }
    });
  }

  TEST_CASE("a stream of mutated frames ends in messages, an error or a wait") {
    const Bytes original = make_frame(encode(test::full_outcome()));
    test::fuzz([&](unsigned seed) {
      std::mt19937 random(seed);
      for (int i = 0; i < 3'000; ++i) {
        Bytes stream = original;
        mutate(stream, random);
        FrameDecoder decoder(1 << 20);
        decoder.feed(stream);
        while (auto payload = decoder.next()) static_cast<void>(decode(*payload));
      }
    });
  }

  TEST_CASE("what is printed is kept whole up to its limit, in whatever pieces it comes") {
    const std::string printed = "0123456789abcdefghijklmnopqrstuvwxyz";
    for (std::size_t piece = 1; piece <= printed.size(); ++piece) {
      for (std::size_t keep = 1; keep <= printed.size() + 1; ++keep) {
        OutputTail tail(keep);
        for (std::size_t at = 0; at < printed.size(); at += piece) tail.add(printed.substr(at, piece));
        const bool whole = keep >= printed.size();
        CHECK(tail.text() == (whole ? printed : "[…]" + printed.substr(printed.size() - keep)));
      }
    }
    OutputTail tail(10);
    tail.add("lines\r\n\n");
    CHECK(tail.text() == "lines");
  }

  TEST_CASE("a flood leaves its end and its size") {
    OutputTail tail(10);
    for (int i = 0; i < 100'000; ++i) tail.add("abc");
    tail.add("the end\n");
    CHECK(tail.printed_bytes() == 300'008);
    CHECK(tail.text() == "[…]bcthe end");
    tail.clear();
    CHECK(tail.printed_bytes() == 0);
    CHECK(tail.text().empty());
    tail.add("short");
    CHECK(tail.text() == "short");
  }
}
