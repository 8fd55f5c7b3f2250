// Where inputs and expected results come from besides a distribution.
#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "tests/measure/trial_fixture.hpp"
#include "tuner/measure/verify.hpp"

using namespace tuner::model;
using tests::FakeArguments;
using tests::TrialFixture;

namespace {

/// Floats in a file of their own, gone with the object.
class NumbersFile {
 public:
  explicit NumbersFile(const std::vector<float>& numbers) {
    std::string name = (std::filesystem::temp_directory_path() / "tuner_numbers_XXXXXX").string();
    const int descriptor = mkstemp(name.data());
    REQUIRE(descriptor >= 0);
    close(descriptor);
    m_path = name;
    write(numbers);
  }
  NumbersFile(const NumbersFile&) = delete;
  NumbersFile& operator=(const NumbersFile&) = delete;
  ~NumbersFile() { std::filesystem::remove(m_path); }

  void write(const std::vector<float>& numbers) const {
    std::ofstream(m_path, std::ios::binary)
        .write(reinterpret_cast<const char*>(numbers.data()),
               static_cast<std::streamsize>(numbers.size() * sizeof(float)));
  }
  FileContents contents(std::int64_t elements) const {
    return {m_path, digest_of_file(m_path), 0, ElementType::float32, elements};
  }

 private:
  std::string m_path;
};

constexpr std::int64_t few = 4;

TrialJob from_file(const NumbersFile& file) {
  TrialJob job = TrialFixture::job(few);
  job.plan.buffers[0].init = {Init::Kind::file, 0, 0};
  job.plan.buffers[0].file = file.contents(few);
  return job;
}

Operand seed() {
  Operand operand;
  operand.kind = Operand::Kind::seed;
  return operand;
}

/// x comes from a generator that counts from the seed's low digits on.
TrialJob generated() {
  TrialJob job = TrialFixture::job(few);
  job.plan.buffers[0].init = {Init::Kind::generated, 0, 0};
  Step step;
  step.entry = "generator";
  step.operands = {TrialFixture::buffer(0), seed(), TrialFixture::number(few)};
  job.plan.generator = {step};
  job.reference_kernels.push_back(TrialFixture::named("generator"));
  return job;
}

void count_from_seed(const FakeArguments& arguments) {
  for (std::int64_t i = 0; i < arguments.integer(2); ++i)
    arguments.pointer<float>(0)[i] = static_cast<float>((arguments.integer(1) & 0xFF) + i);
}

}  // namespace

TEST_SUITE_BEGIN("tuner::measure sources");

TEST_CASE("a buffer's contents come from a file, the same in both input sets") {
  const NumbersFile file({1, -2, 3, 0.5F});
  TrialFixture fixture;
  std::vector<std::vector<float>> seen;
  fixture.script.kernels["kernel"] = [&](const FakeArguments& arguments) {
    const auto* x = arguments.pointer<float>(0);
    seen.emplace_back(x, x + few);
    TrialFixture::twice(arguments);
  };
  const TrialOutcome outcome = fixture.run(from_file(file));
  CHECK(to_string(outcome.status) == "ok");
  REQUIRE(seen.size() >= 2);
  CHECK(seen.front() == std::vector<float>{1, -2, 3, 0.5F});
  CHECK(seen.back() == seen.front());
}

TEST_CASE("a file that changed since its spec was read fails the problem, not a configuration") {
  const NumbersFile file({1, 2, 3, 4});
  const TrialJob job = from_file(file);
  file.write({1, 2, 3, 5});
  TrialFixture fixture;
  const TrialOutcome outcome = fixture.run(job);
  CHECK(to_string(outcome.status) == "launch_error");
  CHECK(outcome.subject == Subject::problem);
  CHECK(outcome.detail.find("has changed since the spec was read") != std::string::npos);
}

TEST_CASE("a file with fewer numbers than its buffer, or more, fails the problem, and nothing is launched") {
  for (const std::int64_t elements : {few - 1, few + 1}) {
    const NumbersFile file(std::vector<float>(static_cast<std::size_t>(elements), 1.0F));
    TrialJob job = from_file(file);
    job.plan.buffers[0].file = file.contents(elements);
    TrialFixture fixture;
    const TrialOutcome outcome = fixture.run(job);
    CHECK(to_string(outcome.status) == "launch_error");
    CHECK(outcome.subject == Subject::problem);
    CHECK(outcome.detail.find("bytes from a file of") != std::string::npos);
    CHECK(fixture.script.launches["kernel"] == 0);
  }
}

TEST_CASE("a file of expected numbers that are too few or too many fails the problem") {
  for (const std::int64_t elements : {few - 1, few + 1}) {
    const NumbersFile inputs({1, 2, 3, 4});
    const NumbersFile results(std::vector<float>(static_cast<std::size_t>(elements), 2.0F));
    TrialJob job = from_file(inputs);
    job.plan.buffers[1].expected = results.contents(elements);
    job.plan.verify.reference.clear();
    TrialFixture fixture;
    const TrialOutcome outcome = fixture.run(job);
    CHECK(to_string(outcome.status) == "launch_error");
    CHECK(outcome.subject == Subject::problem);
    CHECK(outcome.detail.find("has 4 numbers, its expected values " + std::to_string(elements)) !=
          std::string::npos);
  }
}

TEST_CASE("what is expected may come from a file, and then nothing is launched for it") {
  const NumbersFile inputs({1, 2, 3, 4});
  const NumbersFile results({2, 4, 6, 8});
  TrialJob job = from_file(inputs);
  job.plan.buffers[1].expected = results.contents(few);
  job.plan.verify.reference.clear();
  job.plan.verify.rounding_terms = 0;
  TrialFixture fixture;
  const TrialOutcome right = fixture.run(job);
  CHECK(to_string(right.status) == "ok");
  CHECK(right.verification.checked);
  CHECK(right.verification.rule == "equal");
  CHECK(fixture.script.launches.count("reference") == 0);

  const NumbersFile others({2, 4, 6, 9});
  job.plan.buffers[1].expected = others.contents(few);
  const TrialOutcome wrong = fixture.run(job);
  CHECK(to_string(wrong.status) == "wrong_result");
  CHECK(wrong.verification.first_wrong == 3);
}

TEST_CASE("a generator fills before the reference runs, from a seed of each input set") {
  TrialFixture fixture;
  fixture.script.kernels["generator"] = count_from_seed;
  std::vector<float> firsts;
  fixture.script.kernels["kernel"] = [&](const FakeArguments& arguments) {
    const auto* x = arguments.pointer<float>(0);
    firsts.push_back(x[0]);
    CHECK(x[3] == x[0] + 3);
    TrialFixture::twice(arguments);
  };
  CHECK(to_string(fixture.run(generated()).status) == "ok");
  REQUIRE(firsts.size() >= 2);
  CHECK(firsts.front() != firsts.back());
  CHECK(fixture.script.launches["generator"] == 2);
}

TEST_CASE("a generator's fault is told as its own, and is the problem's") {
  TrialFixture fixture;
  fixture.script.kernels["generator"] = [](const FakeArguments&) {
    throw tuner::device::DeviceFault(TrialStatus::crashed, false, "it divided by zero");
  };
  const TrialOutcome outcome = fixture.run(generated());
  CHECK(outcome.detail == "the generator: it divided by zero");
  CHECK(outcome.subject == Subject::problem);
}

TEST_CASE("what a generator made is there again before each verified run, where a kernel changes it") {
  TrialFixture fixture;
  fixture.script.kernels["generator"] = count_from_seed;
  fixture.script.kernels["kernel"] = [](const FakeArguments& arguments) {
    auto* x = arguments.pointer<float>(0);
    for (std::int64_t i = 0; i < few; ++i) x[i] = 2 * x[i];
  };
  TrialJob job = generated();
  job.plan.buffers[0].access = Access::inout;
  job.plan.buffers.resize(1);
  job.plan.steps[0].operands = {TrialFixture::buffer(0)};
  auto& reference = job.plan.verify.reference[0];
  reference.operands = {TrialFixture::buffer(0), TrialFixture::buffer(0, Operand::Kind::expected),
                        TrialFixture::buffer(0, Operand::Kind::magnitude), TrialFixture::number(few)};
  const TrialOutcome outcome = fixture.run(job);
  CHECK(outcome.detail == "");
  CHECK(to_string(outcome.status) == "ok");
  CHECK(fixture.script.launches["generator"] == 2);
}

TEST_CASE("what a generator or a file says is there again before each timed run, where it is restored") {
  const NumbersFile file({1, -2, 3, 0.5F});
  TrialJob from_generator = generated();
  TrialJob of_file = from_file(file);
  for (TrialJob* job : {&from_generator, &of_file}) {
    job->plan.buffers[0].access = Access::inout;
    job->plan.buffers[0].restored = true;
    TrialFixture fixture;
    fixture.script.kernels["generator"] = count_from_seed;
    int runs = 0;
    std::set<std::vector<float>> seen;
    fixture.script.kernels["kernel"] = [&](const FakeArguments& arguments) {
      auto* x = arguments.pointer<float>(0);
      ++runs;
      seen.emplace(x, x + few);
      TrialFixture::twice(arguments);
      for (std::int64_t i = 0; i < few; ++i) x[i] = -7;
      if (runs == 2 && job == &of_file)
        file.write({9, 9, 9, 9});  // what was read is kept: nobody reads it between timed runs
    };
    const TrialOutcome outcome = fixture.run(*job);
    CHECK(outcome.detail == "");
    CHECK(to_string(outcome.status) == "ok");
    CHECK(runs > 10);
    CHECK(seen.size() == (job == &of_file ? 1 : 2));  // of two input sets
    for (const auto& x : seen) {
      if (job == &of_file) continue;
      CHECK(x[3] == x[0] + 3);
    }
  }
}

TEST_CASE("the rule says what was asked for, and a wrong output is not hidden by an excused one") {
  TrialFixture fixture;
  TrialJob job = TrialFixture::job();
  CHECK(fixture.run(job).verification.rule == "rounding bound of 1 term");
  job.plan.verify.rounding_terms = 0;
  job.plan.verify.tolerance = {1e-6, 0.5, 0, 0.25};
  job.plan.buffers[1].unordered_within = 17;
  job.plan.buffers[1].ignores_unwritten = true;
  CHECK(fixture.run(job).verification.rule ==
        "absolute 1e-06 + relative 0.5, but for 25 %, in any order within 17, where the reference writes");

  job = TrialFixture::job(8);
  job.plan.verify.tolerance.share = 0.5;
  const TrialOutcome excused = fixture.run(job);
  CHECK(to_string(excused.status) == "ok");
  fixture.script.kernels["kernel"] = [](const FakeArguments& arguments) {
    TrialFixture::twice(arguments);
    for (int i = 0; i < 5; ++i) arguments.pointer<float>(1)[i] = 1e30F;
  };
  CHECK(to_string(fixture.run(job).status) == "wrong_result");
  fixture.script.kernels["kernel"] = [](const FakeArguments& arguments) {
    TrialFixture::twice(arguments);
    for (int i = 0; i < 4; ++i) arguments.pointer<float>(1)[i] = 1e30F;
  };
  CHECK(to_string(fixture.run(job).status) == "ok");
}

TEST_CASE("half rounded once after sums in float has the bound of both") {
  using tuner::measure::bound_factor;
  CHECK(*bound_factor(1000, ElementType::float32, ElementType::float32) ==
        *bound_factor(1000, ElementType::float32));
  const double gamma = *bound_factor(1000, ElementType::float32);
  CHECK(*bound_factor(1000, ElementType::float32, ElementType::float16) ==
        doctest::Approx(gamma + 0x1p-11 * (1 + gamma)));
  CHECK_FALSE(bound_factor(4096, ElementType::float16));
  CHECK(bound_factor(4096, ElementType::float32, ElementType::float16));
}

TEST_SUITE_END();
