// What is found wrong with results, and in which words.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/measure/trial_fixture.hpp"
#include "tests/support/contains.hpp"

using tests::FakeArguments;
using tests::TrialFixture;
using tuner::model::Access;
using tuner::model::ElementType;
using tuner::model::Init;
using tuner::model::TrialStatus;

namespace {

/// Trials of y = 2x and z = 2x.
struct TwoOutputs : TrialFixture {
  TwoOutputs() {
    both = job();
    both.plan.buffers.push_back({"z", ElementType::float32, elements, Access::out, {}, {}});
    both.plan.steps[0].operands.push_back(buffer(3));
    auto reference = both.plan.verify.reference[0];
    using Kind = tuner::model::Operand::Kind;
    reference.operands = {buffer(0), buffer(3, Kind::expected), buffer(3, Kind::magnitude), number(elements)};
    both.plan.verify.reference.push_back(reference);
    both.plan.verify.rounding_terms = 4;
  }
  static void twice_twice(const FakeArguments& arguments) {
    twice(arguments);
    std::copy_n(arguments.pointer<float>(1), elements, arguments.pointer<float>(4));
  }
  tuner::model::TrialJob both;
};

}  // namespace

TEST_SUITE("tuner::measure::DeviceTrialRunner wrong results") {
  TEST_CASE_FIXTURE(TrialFixture, "a kernel that does nothing has a wrong result") {
    const auto outcome = run_kernel([](const FakeArguments&) {});
    CHECK(outcome.status == TrialStatus::wrong_result);
    CHECK(outcome.verification.wrong_elements == elements);
    CHECK_FALSE(outcome.measurement);
    CHECK(contains(outcome.detail, "never written"));
  }

  TEST_CASE_FIXTURE(TrialFixture, "an output begins as poison, whatever its plan says that it holds") {
    tuner::model::TrialJob says_zero = job();
    for (auto& buffer : says_zero.plan.buffers) {
      if (buffer.access == Access::out) buffer.init = {Init::Kind::constant, 0, 0};
    }
    script.kernels["kernel"] = [](const FakeArguments&) {};
    const auto outcome = run(says_zero);
    CHECK(outcome.status == TrialStatus::wrong_result);
    CHECK(contains(outcome.detail, "never written"));
  }

  TEST_CASE_FIXTURE(TrialFixture, "one wrong element at the edge is found, and named") {
    const auto outcome = run_kernel([](const FakeArguments& arguments) {
      twice(arguments);
      arguments.pointer<float>(1)[elements - 1] *= 1.001F;
    });
    CHECK(outcome.status == TrialStatus::wrong_result);
    CHECK(outcome.verification.wrong_elements == 1);
    CHECK(outcome.verification.first_wrong == elements - 1);
    CHECK(outcome.detail.starts_with(
        "on the second input set: 1 of the 1003 elements of y are wrong, the first at index 1002"));
  }

  TEST_CASE_FIXTURE(TrialFixture, "the first wrong values are told, with what was expected of them") {
    const auto outcome = run_kernel([](const FakeArguments& arguments) {
      for (std::int64_t i = 0; i < elements; ++i) arguments.pointer<float>(1)[i] = i % 2 == 0 ? 4 : 0;
    });
    CAPTURE(outcome.detail);
    CHECK(contains(outcome.detail, "y[0] = 4, expected "));
    CHECK(contains(outcome.detail, "y[1] = 0, expected "));
    CHECK(contains(outcome.detail, " ± "));
    CHECK(contains(outcome.detail, "y[3] = 0, expected "));
    CHECK_FALSE(contains(outcome.detail, "y[4]"));
    CHECK(contains(outcome.detail, "wrong: all of them"));
    CHECK_FALSE(contains(outcome.detail, "whole tiles"));
  }

  TEST_CASE_FIXTURE(TrialFixture, "a difference in the last digits is told with as many as it takes") {
    const auto outcome = run_kernel([](const FakeArguments& arguments) {
      twice(arguments);
      arguments.pointer<float>(1)[7] *= 1.00001F;
    });
    CAPTURE(outcome.detail);
    const std::size_t at = outcome.detail.find("y[7] = ");
    REQUIRE(at != std::string::npos);
    const std::string values = outcome.detail.substr(at + 7);
    const std::string got = values.substr(0, values.find(','));
    const std::string expected = values.substr(values.find("expected ") + 9);
    CHECK(got != expected.substr(0, expected.find(' ')));
    CHECK(contains(outcome.detail, "wrong: one alone"));
  }

  TEST_CASE_FIXTURE(TrialFixture, "errors of a few roundings more than the spec has are told as such") {
    const auto off_by = [this](float factor) {
      return run_kernel([factor](const FakeArguments& arguments) {
        twice(arguments);
        for (const int i : {7, 30, 500, 901}) arguments.pointer<float>(1)[i] *= factor;
      });
    };
    const float some = 1 + 3 * std::numeric_limits<float>::epsilon();
    const std::string detail = off_by(some).detail;
    CAPTURE(detail);
    CHECK(contains(detail, "; 7 rounding terms would allow this, and the spec has 1"));
    CHECK_FALSE(contains(off_by(1.0001F).detail, "rounding terms"));
    CHECK_FALSE(contains(off_by(std::numeric_limits<float>::infinity()).detail, "rounding terms"));
  }

  TEST_CASE_FIXTURE(TrialFixture, "whole tiles are spoken of where the edge alone is wrong") {
    const auto outcome = run_kernel([](const FakeArguments& arguments) {
      for (std::int64_t i = 0; i < arguments.integer(3) / 32 * 32; ++i)
        arguments.pointer<float>(1)[i] = 2 * arguments.pointer<float>(0)[i];
    });
    CAPTURE(outcome.detail);
    CHECK(contains(outcome.detail,
                   "y[992] was never written, or is made of what was never written to scratch or of what "
                   "lies beyond an input, expected "));
    CHECK(contains(outcome.detail,
                   "wrong: the edge alone, the last 11; a kernel for whole tiles alone says so"));
  }

  TEST_CASE_FIXTURE(TrialFixture, "no values are read of a trial that is right, nor of what has no order") {
    CHECK(run().status == TrialStatus::ok);
    auto unordered = job();
    unordered.plan.buffers[1].unordered_within = 17;
    script.kernels["kernel"] = [](const FakeArguments&) {};
    const auto outcome = run(unordered);
    CHECK(outcome.status == TrialStatus::wrong_result);
    CHECK_FALSE(contains(outcome.detail, "y["));
    CHECK(std::count(script.calls.begin(), script.calls.end(), "read") == 0);
  }

  TEST_CASE_FIXTURE(TrialFixture, "a tile never written is found, also when an earlier trial wrote it") {
    CHECK(run().status == TrialStatus::ok);
    const auto outcome = run_kernel([](const FakeArguments& arguments) {
      for (std::int64_t i = 0; i < elements; ++i) {
        if (i < 256 || i >= 288) arguments.pointer<float>(1)[i] = 2 * arguments.pointer<float>(0)[i];
      }
    });
    CHECK(outcome.status == TrialStatus::wrong_result);
    CHECK(outcome.verification.wrong_elements == 32);
    CHECK(outcome.verification.first_wrong == 256);
  }

  TEST_CASE_FIXTURE(TrialFixture, "a NaN never passes") {
    const auto outcome = run_kernel([](const FakeArguments& arguments) {
      twice(arguments);
      arguments.pointer<float>(1)[17] = std::numeric_limits<float>::quiet_NaN();
    });
    CHECK(outcome.status == TrialStatus::wrong_result);
    CHECK(outcome.verification.first_wrong == 17);
  }

  TEST_CASE_FIXTURE(TrialFixture, "a write past either end is out of bounds") {
    for (const std::int64_t index : {elements, std::int64_t{-1}, elements + 8000}) {
      CAPTURE(index);
      const auto outcome = run_kernel([index](const FakeArguments& arguments) {
        twice(arguments);
        arguments.pointer<float>(1)[index] = 0;
      });
      CHECK(outcome.status == TrialStatus::out_of_bounds);
      CHECK(contains(outcome.detail, index < 0 ? "before the start of y" : "past the end of y"));
    }
  }

  TEST_CASE_FIXTURE(TrialFixture, "a workspace has fences too") {
    const auto outcome = run_kernel([](const FakeArguments& arguments) {
      twice(arguments);
      arguments.pointer<int>(2)[16] = 1;
    });
    CHECK(outcome.status == TrialStatus::out_of_bounds);
    CHECK(contains(outcome.detail, "scratch"));
  }

  TEST_CASE_FIXTURE(TrialFixture, "out of bounds comes before a wrong result that may follow from it") {
    const auto outcome =
        run_kernel([](const FakeArguments& arguments) { arguments.pointer<float>(1)[elements] = 0; });
    CHECK(outcome.status == TrialStatus::out_of_bounds);
  }

  TEST_CASE_FIXTURE(TrialFixture, "out of bounds comes before a changed input, which may follow from it") {
    const auto outcome = run_kernel([](const FakeArguments& arguments) {
      twice(arguments);
      arguments.pointer<float>(0)[3] = 9;
      arguments.pointer<float>(1)[elements] = 0;
    });
    CHECK(outcome.status == TrialStatus::out_of_bounds);
  }

  TEST_CASE_FIXTURE(TwoOutputs, "of several outputs the one that is wrong is told, wherever it stands") {
    for (const int wrong : {1, 4}) {
      script.kernels["kernel"] = [wrong](const FakeArguments& arguments) {
        twice_twice(arguments);
        arguments.pointer<float>(wrong)[7] += 1;
        float& right = arguments.pointer<float>(5 - wrong)[9];
        right = std::nextafter(right, 10.0F);
      };
      const auto outcome = run(both);
      CHECK(outcome.status == TrialStatus::wrong_result);
      CHECK(outcome.verification.buffer == (wrong == 1 ? "y" : "z"));
      CHECK(contains(outcome.detail, wrong == 1 ? "elements of y are wrong" : "elements of z are wrong"));
      CHECK(contains(outcome.detail, wrong == 1 ? "; y[7] = " : "; z[7] = "));
    }
  }

  TEST_CASE_FIXTURE(TwoOutputs,
                    "an output that is farther off, as its share allows, hides none that is wrong") {
    for (const int wrong : {1, 4}) {
      for (const std::size_t buffer : {1U, 3U}) both.plan.buffers[buffer].tolerance.reset();
      both.plan.buffers[wrong == 1 ? 3 : 1].tolerance = tuner::model::Tolerance{0, 0, 0, 0.5};
      script.kernels["kernel"] = [wrong](const FakeArguments& arguments) {
        twice_twice(arguments);
        arguments.pointer<float>(wrong)[7] += 1;
        arguments.pointer<float>(5 - wrong)[9] += 1000;
      };
      const auto outcome = run(both);
      CHECK(outcome.status == TrialStatus::wrong_result);
      CHECK(outcome.verification.buffer == (wrong == 1 ? "y" : "z"));
    }
  }

  TEST_CASE_FIXTURE(TwoOutputs, "of several outputs that are right the one with the largest error is told") {
    for (const int worse : {1, 4}) {
      script.kernels["kernel"] = [worse](const FakeArguments& arguments) {
        twice_twice(arguments);
        float& y = arguments.pointer<float>(worse)[7];
        y = std::nextafter(y, 10.0F);
      };
      const auto outcome = run(both);
      CHECK(outcome.status == TrialStatus::ok);
      CHECK(outcome.verification.buffer == (worse == 1 ? "y" : "z"));
      CHECK(outcome.verification.error_ratio > 0);
    }
  }

  TEST_CASE_FIXTURE(TwoOutputs, "each output must be the same again after the timed launches") {
    for (const int unsteady : {1, 4}) {
      run(both);  // warms the device
      int calls = 0;
      script.kernels["kernel"] = [&](const FakeArguments& arguments) {
        twice_twice(arguments);
        float& y = arguments.pointer<float>(unsteady)[5];
        if (++calls > 2) y = std::nextafter(y, 0.0F);
      };
      const auto outcome = run(both);
      CHECK(outcome.status == TrialStatus::unstable);
      CHECK(contains(outcome.detail, unsteady == 1 ? "gave different y" : "gave different z"));
      script.kernels["kernel"] = twice_twice;
    }
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "outputs that may differ from run to run must be right after the last one all the same") {
    auto loose = job();
    loose.plan.verify.rounding_terms = 4;
    loose.plan.deterministic = false;
    run(loose);
    int calls = 0;
    double off = 0;
    script.kernels["kernel"] = [&](const FakeArguments& arguments) {
      twice(arguments);
      float& y = arguments.pointer<float>(1)[5];
      if (++calls > 2) y = off == 0 ? std::nextafter(y, 10.0F) : static_cast<float>(off);
    };
    const auto within = run(loose);
    CHECK(within.status == TrialStatus::ok);
    CHECK(within.verification.error_ratio > 0);  // of the last run
    calls = 0;
    off = 5;
    const auto beyond = run(loose);
    CHECK(beyond.status == TrialStatus::wrong_result);
    CHECK(contains(beyond.detail, "after the timed launches"));
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "a read beyond the end tells in the result, and what is added to there is seen") {
    const auto reads = run_kernel([](const FakeArguments& arguments) {
      twice(arguments);
      arguments.pointer<float>(1)[3] += 0 * arguments.pointer<float>(0)[elements];
    });
    CHECK(reads.status == TrialStatus::wrong_result);
    CHECK(contains(reads.detail, "on the second input set"));
    const auto adds = run_kernel([](const FakeArguments& arguments) {
      twice(arguments);
      arguments.pointer<float>(1)[elements] += 1;
    });
    CHECK(adds.status == TrialStatus::out_of_bounds);
    CHECK(contains(adds.detail, "on the first input set"));
  }

  TEST_CASE_FIXTURE(TrialFixture, "an exact second input set asks nothing more of the first") {
    auto exact = job();
    exact.plan.verify.rounding_terms = 1 << 16;
    exact.plan.verify.second_is_exact = true;
    exact.plan.buffers[0].second_init = {Init::Kind::constant, 3, 0};
    script.kernels["kernel"] = [](const FakeArguments& arguments) {
      for (std::int64_t i = 0; i < elements; ++i) {  // 3 has few bits, so nothing of it is lost
        const double x = static_cast<double>(arguments.pointer<float>(0)[i]);
        const double unit = std::ldexp(1.0, std::ilogb(x) - 10);
        arguments.pointer<float>(1)[i] = static_cast<float>(2 * unit * std::round(x / unit));
      }
    };
    CHECK(run(exact).status == TrialStatus::ok);
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "a stray write that widens what is allowed does not let the next trial pass") {
    double* magnitude = nullptr;
    script.kernels["reference"] = [&,
                                   original = script.kernels["reference"]](const FakeArguments& arguments) {
      original(arguments);
      magnitude = arguments.pointer<double>(2);  // of the input set that is made last
    };
    run_kernel([&](const FakeArguments& arguments) {
      twice(arguments);
      std::fill_n(magnitude, elements, 1e30);
      arguments.pointer<float>(1)[elements] = 0;
    });
    double* second = magnitude;
    const auto next = run_kernel([&](const FakeArguments& arguments) {
      twice(arguments);
      arguments.pointer<float>(1)[3] += 1;
    });
    CHECK(second != nullptr);
    CHECK(next.status == TrialStatus::wrong_result);
  }

  TEST_CASE_FIXTURE(TrialFixture, "a changed input is found, and the next trial gets it as it was") {
    const auto outcome = run_kernel([](const FakeArguments& arguments) {
      twice(arguments);
      arguments.pointer<float>(0)[elements / 2] += 1;
    });
    CHECK(outcome.status == TrialStatus::input_modified);
    CHECK(contains(outcome.detail, "x is an input"));
    const auto next = run_kernel(twice);
    CHECK(next.status == TrialStatus::ok);
    CHECK(next.verification.error_ratio == 0);
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "a stray write into what the reference said does not spoil the next trial") {
    double* expected = nullptr;
    script.kernels["reference"] = [&,
                                   original = script.kernels["reference"]](const FakeArguments& arguments) {
      original(arguments);
      expected = arguments.pointer<double>(1);
    };
    run_kernel([&](const FakeArguments& arguments) {
      twice(arguments);
      expected[3] = 1e9;
    });
    CHECK(run_kernel(twice).status == TrialStatus::ok);
  }

  TEST_CASE_FIXTURE(TrialFixture, "two runs that differ within the bound are unstable, unless declared so") {
    int calls = 0;
    const auto wavering = [&](const FakeArguments& arguments) {
      twice(arguments);
      float& y = arguments.pointer<float>(1)[5];
      if (++calls > 2) y = std::nextafter(y, 0.0F);  // both verified runs are right
    };
    auto tolerant = job();
    tolerant.plan.verify.rounding_terms = 4;
    script.kernels["kernel"] = wavering;
    tolerant.plan.deterministic = false;
    CHECK(run(tolerant).status == TrialStatus::ok);
    calls = 0;
    tolerant.plan.deterministic = true;
    const auto outcome = run(tolerant);
    CHECK(outcome.status == TrialStatus::unstable);
    CHECK(
        outcome.detail.starts_with("after the timed launches: two runs on the same inputs gave different y"));
  }

  TEST_CASE_FIXTURE(TrialFixture, "runs that read their outputs are compared on fresh ones") {
    auto accumulate = job();
    accumulate.plan.buffers[1] = {"y",           ElementType::float32,         elements,
                                  Access::inout, {Init::Kind::constant, 0, 0}, {}};
    accumulate.plan.verify.rounding_terms = 4;
    const auto add = [](const FakeArguments& arguments) {
      for (std::int64_t i = 0; i < elements; ++i)
        arguments.pointer<float>(1)[i] += 2 * arguments.pointer<float>(0)[i];
    };
    script.kernels["kernel"] = add;
    CHECK(run(accumulate).status == TrialStatus::ok);
    int calls = 0;
    script.kernels["kernel"] = [&](const FakeArguments& arguments) {
      add(arguments);
      float& y = arguments.pointer<float>(1)[5];
      if (++calls > 5) y = std::nextafter(y, 0.0F);
    };
    const auto outcome = run(accumulate);
    CHECK(outcome.status == TrialStatus::unstable);
    CHECK(outcome.detail.starts_with("after the timed launches: two runs"));
  }

  TEST_CASE_FIXTURE(TrialFixture, "results kept from an earlier input set are wrong on the next") {
    std::vector<float> kept;
    const auto outcome = run_kernel([&](const FakeArguments& arguments) {
      if (kept.empty()) {
        twice(arguments);
        kept.assign(arguments.pointer<float>(1), arguments.pointer<float>(1) + elements);
      }
      std::copy(kept.begin(), kept.end(), arguments.pointer<float>(1));
    });
    CHECK(outcome.status == TrialStatus::wrong_result);
    CHECK(outcome.detail.starts_with("on the first input set: "));
    CHECK_FALSE(outcome.measurement);
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "an exact second input set allows no rounding, where the first allows its bound") {
    auto tolerant = job();
    tolerant.plan.verify.rounding_terms = 1 << 16;
    tolerant.plan.buffers[0].second_init = {Init::Kind::odd_integers, 4097, 8191};
    script.kernels["kernel"] = [](const FakeArguments& arguments) {
      for (std::int64_t i = 0; i < elements; ++i) {
        const double x = static_cast<double>(arguments.pointer<float>(0)[i]);
        const double unit = std::ldexp(1.0, std::ilogb(x) - 10);  // of 11 significant bits, as TF32 has
        arguments.pointer<float>(1)[i] = static_cast<float>(2 * unit * std::round(x / unit));
      }
    };
    CHECK(run(tolerant).status == TrialStatus::ok);
    tolerant.plan.verify.second_is_exact = true;
    const auto outcome = run(tolerant);
    CHECK(outcome.status == TrialStatus::wrong_result);
    CHECK(outcome.detail.starts_with("on the second input set (exact): "));
    CHECK(contains(outcome.detail, "not equal where equality is asked for"));
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "a run on one input set that writes into the inputs of the other is caught") {
    float* second = nullptr;
    const auto outcome = run_kernel([&](const FakeArguments& arguments) {
      twice(arguments);
      if (second == nullptr) second = arguments.pointer<float>(0);
      if (second != arguments.pointer<float>(0)) second[7] = 9;
    });
    CHECK(outcome.status == TrialStatus::input_modified);
    CHECK(outcome.detail.starts_with("after the timed launches: "));
    CHECK(run_kernel(twice).status == TrialStatus::ok);
  }
}
