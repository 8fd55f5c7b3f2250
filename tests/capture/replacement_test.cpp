// `tuner capture --use`: a pack's kernels in place of the program's.
#include <doctest/doctest.h>

#include <string>

#include "tests/capture/fixture.hpp"
#include "tests/support/contains.hpp"
#include "tuner/use/pack_writer.hpp"

using namespace tuner::use;
using tests::Capture;
using tuner::test::ProgramResult;

namespace {

/// scale(y, x, n, 2) as one launch of `function`.
Configuration launch_of(const std::string& function, std::int64_t threads) {
  Operand y;
  Operand x;
  x.index = 1;
  Operand n;
  n.kind = OperandKind::number;
  n.type = TUNER_INT32;
  n.value = size(0);
  Operand a = n;
  a.type = TUNER_FLOAT32;
  a.value = constant_real(2);
  Step step;
  step.function = function;
  step.grid = {binary(Op::ceil_div, size(0), constant(threads))};
  step.block = {constant(threads)};
  step.operands = {y, x, n, a};
  Configuration one;
  one.kernel = "scale";
  one.name = "BLOCK=" + std::to_string(threads);
  one.steps = {step};
  return one;
}

/// At 1000 numbers `winner` was the fastest; the program's own kernel is the default.
std::string pack_with(const std::string& winner, const std::string& architecture = "sm_90",
                      const std::string& own = "_Z5scalePfPKfif") {
  Parameter y;
  y.name = "y";
  y.type_name = "float*";
  y.type = TUNER_FLOAT32;
  y.is_pointer = true;
  y.is_read = false;
  y.is_written = true;
  y.bytes = binary(Op::multiply, size(0), constant(4));
  Parameter x = y;
  x.name = "x";
  x.is_read = true;
  x.is_written = false;
  Target target;
  target.architecture = architecture;
  target.gpu = "Stand-in";
  target.measured = {{{1000}, 1, 5000, 0}};
  target.defaults = {0};
  Kernel kernel;
  kernel.family = "scale";
  kernel.type = "float";
  kernel.sizes = {"N"};
  kernel.parameters = {y, x};
  kernel.targets = {target};
  Pack pack;
  pack.kernels = {kernel};
  pack.configurations = {launch_of(own, 100), launch_of(winner, 500)};
  pack.images = {
      {architecture, ImageKind::cubin, "image sm_90\n" + own + " 8 8 4 4\n" + winner + " 8 8 4 4\n"}};
  return written(pack);
}

/// times(y, n) as `fast_times`, whose variable `factor` is the program's `variable`.
std::string pack_with_variable(const std::string& variable) {
  Parameter y;
  y.name = "y";
  y.type_name = "float*";
  y.type = TUNER_FLOAT32;
  y.is_pointer = true;
  y.is_written = true;
  y.bytes = binary(Op::multiply, size(0), constant(4));
  Parameter factor = y;
  factor.name = "factor";
  factor.bytes = constant(4);
  Step set;
  set.kind = StepKind::set_symbol;
  set.symbol = variable;
  set.target = 1;
  set.byte_count = constant(4);
  Step take = set;
  take.kind = StepKind::take_symbol;
  Step launch;
  launch.function = "fast_times";
  launch.grid = {constant(1)};
  launch.block = {constant(500)};
  Operand n;
  n.kind = OperandKind::number;
  n.type = TUNER_INT32;
  n.value = size(0);
  launch.operands = {Operand(), n};
  Configuration one;
  one.kernel = "times";
  one.name = "BLOCK=500";
  one.steps = {set, launch, take};
  Kernel kernel;
  kernel.family = "times";
  kernel.type = "float";
  kernel.sizes = {"N"};
  kernel.parameters = {y, factor};
  kernel.targets = {{"sm_90", "Stand-in", {}, {}, {0}}};
  Pack pack;
  pack.kernels = {kernel};
  pack.configurations = {one};
  pack.images = {
      {"sm_90", ImageKind::cubin, "image sm_90\nfast_times 8 4\nvariable factor 4\nvariable other 4\n"}};
  return written(pack);
}

/// A capture with that pack beside it.
struct WithPack : Capture {
  explicit WithPack(const std::string& pack) { tuner::test::write_text(folder / "scale.tuned", pack); }
};

}  // namespace

TEST_SUITE("capture with a pack") {
  TEST_CASE("launches are replaced by the pack's choice, and that is said") {
    const WithPack capture(pack_with("fast"));
    const ProgramResult result =
        capture.run({"--use", "scale.tuned", "--format", "csv"}, {"init", "scale", "add", "print"});
    CAPTURE(result.err);
    CHECK(result.out == "5 5\n");
    CHECK(contains(result.err,
                   "replaced: 5 launches of scale(float*, float const*, int, float) by scale BLOCK=500"));
    CHECK_FALSE(contains(result.err, "passed through"));
    CHECK(contains(tuner::test::read_text(capture.folder / "table"), "fast,fast,2x1x1,500x1x1"));
  }

  TEST_CASE("a pack whose kernels have other names stands for the kernel that is named") {
    const WithPack capture(pack_with("fast", "sm_90", "other"));
    CHECK(contains(capture.run({"--use", "scale.tuned"}, {"init", "scale"}).err, "nothing was replaced"));
    const ProgramResult result = capture.run({"--use", "scale=scale.tuned"}, {"init", "scale", "print"});
    CHECK(result.out == "2 2\n");
    CHECK(contains(result.err, "replaced: 5 launches of scale(float*, float const*, int, float) by"));
  }

  TEST_CASE("a launch that the pack would pass other numbers is left to the program, with the reason") {
    const WithPack capture(pack_with("fast"));
    const ProgramResult result = capture.run({"--use", "scale.tuned"}, {"init", "by_three", "print"});
    CAPTURE(result.err);
    CHECK(result.out == "3 3\n");
    CHECK(contains(result.err, "passed through: 2 launches of scale(float*, float const*, int, float): "));
    CHECK(contains(result.err, "argument 4 is not what the pack passes"));
  }

  TEST_CASE("--verify compares the first launches with the program's own") {
    const WithPack good(pack_with("fast"));
    const ProgramResult equal = good.run({"--use", "scale.tuned", "--verify"}, {"init", "scale", "print"});
    CHECK(equal.out == "2 2\n");
    CHECK(contains(equal.err, "y is equal in every bit"));
    const WithPack bad(pack_with("wrong"));
    const ProgramResult other = bad.run({"--use", "scale.tuned", "--verify"}, {"init", "scale", "print"});
    CHECK(contains(other.err, "y differs in 1000 of 1000 numbers, by 5 at most"));
  }

  TEST_CASE("a replaced launch finds the program's variables, and the program what it left in them") {
    const WithPack capture(pack_with_variable("factor"));
    const ProgramResult result =
        capture.run({"--use", "times=scale.tuned", "--verify"}, {"init", "scale", "times", "print"});
    CAPTURE(result.err);
    CHECK(result.out == "24 24\n");  // 2 * 3 * 4
    CHECK(contains(result.err, "replaced: 2 launches of times(float*, int) by times BLOCK=500"));
    CHECK(contains(result.err, "y is equal in every bit; factor is equal in every bit"));
    const WithPack other(pack_with_variable("other"));
    const ProgramResult left = other.run({"--use", "times=scale.tuned"}, {"init", "scale", "times", "print"});
    CHECK(left.out == "24 24\n");
    CHECK(contains(left.err,
                   "passed through: 2 launches of times(float*, int): its module has no variable other"));
  }

  TEST_CASE("a pack of another architecture replaces nothing") {
    const WithPack capture(pack_with("fast", "sm_80"));
    const ProgramResult result = capture.run({"--use", "scale.tuned"}, {"init", "scale", "print"});
    CHECK(result.out == "2 2\n");
    CHECK(contains(result.err, "passed through: 5 launches of scale"));
  }

  TEST_CASE("a pack that is none ends the command, and one without the program's kernels is named") {
    const WithPack none("no pack");
    CHECK(none.run({"--use", "scale.tuned"}, {"print"}).exit_code == 1);
    const WithPack capture(pack_with("fast"));
    CHECK(contains(capture.run({"--use", "scale.tuned"}, {"init", "add"}).err, "nothing was replaced"));
    CHECK(capture.run({"--verify"}, {"print"}).exit_code == 2);
  }
}
