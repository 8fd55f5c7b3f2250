// What makes two plans, binaries and trials the same: a part that a key forgets is a result remembered for
// what it is not of.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/model/described_leaves.hpp"
#include "tuner/model/error.hpp"

using namespace tuner;
using tests::not_in_key;

namespace {

using Names = std::vector<std::string>;

model::Digest digest_of(const char* text) {
  return model::DigestBuilder().add(text).finish();
}

/// A buffer that has all there is, whether or not one can have all at once.
model::BufferPlan full_buffer() {
  model::BufferPlan buffer;
  buffer.name = "x";
  buffer.elements = 12;
  buffer.access = model::Access::out;
  buffer.init = {model::Init::Kind::sparse, -1, 2, 0.5};
  buffer.second_init = {model::Init::Kind::sorted, 3, 4, 5};
  buffer.file = {"a.bin", digest_of("a"), 16, model::ElementType::int8, 12};
  buffer.second_file = {"b.bin", digest_of("b"), 32, model::ElementType::int8, 12};
  buffer.expected = {"c.bin", digest_of("c"), 48, model::ElementType::int8, 12};
  buffer.ignores_unwritten = true;
  buffer.unordered_within = 4;
  buffer.restored = true;
  buffer.symbol = "variable";
  buffer.memory = model::Memory::pinned;
  buffer.tolerance = {1, 2, 3, 0.25};
  buffer.struct_bytes = 24;
  buffer.fields = {{1, 8}, {2, 16}};
  return buffer;
}

model::Operand full_operand() {
  model::Operand operand;
  operand.kind = model::Operand::Kind::scalar;
  operand.buffer = 1;
  operand.integer = 7;
  operand.real = 0.5;
  operand.integers = {1, 2};
  operand.reals = {1.5, 2.5};
  operand.tensor.emplace(model::TensorMap{{8, 16}, {32}, {4, 4}, {1, 1}, 16, 32, 64, true});
  operand.texture.emplace();
  operand.texture->shape = {8, 16};
  operand.texture->pitch_bytes = 32;
  operand.texture->in_array = true;
  operand.struct_bytes = 16;
  operand.numbers = {{model::ElementType::int32, 8, 3, 0.25}};
  return operand;
}

model::Step full_step(const char* entry) {
  model::Step step;
  step.entry = entry;
  step.grid = {2, 3, 4};
  step.block = {5, 6, 7};
  step.dynamic_shared_bytes = 64;
  step.overlap = true;
  step.cooperative = true;
  step.cluster = {2, 2, 2};
  step.shared_carveout_percent = 50;
  step.repeat = 3;
  step.repeat_steps = 2;
  step.operands = {full_operand(), full_operand()};
  step.buffer = 1;
  step.first = 2;
  step.count = 3;
  step.stream = 1;
  step.after = {0};
  return step;
}

model::Plan full_plan() {
  model::Plan plan;
  plan.buffers = {full_buffer()};
  plan.steps = {full_step("kernel")};
  plan.generator = {full_step("generate")};
  plan.verify.reference = {full_step("reference")};
  plan.verify.rounding_terms = 2.5;
  plan.verify.second_is_exact = true;
  plan.verify.tolerance = {0.5, 0.25, 2, 0.125};
  plan.verify.accumulator = model::ElementType::float32;
  plan.verify.comparison = {full_step("compare")};
  return plan;
}

model::CompileJob full_job() {
  model::CompileJob job;
  job.source = {{"a.cu", "text"}, {"b.h", "other text"}};
  job.macros = {{"B", "32"}, {"C", "1"}};
  job.vocabulary = {{"ORDER_row", "5"}};
  job.options = {"-G", "-O3"};
  job.entries = {"scale", "&table"};
  job.architecture = "sm_90";
  job.compiler = "nvrtc 13.0";
  job.host_library = true;
  job.by_nvcc = true;
  return job;
}

model::Digest key_of(const model::Plan& plan) {
  model::DigestBuilder digest;
  plan.add_to(digest);
  return digest.finish();
}

}  // namespace

TEST_SUITE_BEGIN("tuner::model");

TEST_CASE("every part of a plan is part of its identity, but where its files lie") {
  CHECK(not_in_key(full_plan(), key_of) == Names{"problem", "buffers.file.path", "buffers.file.type",
                                                 "buffers.second_file.path", "buffers.second_file.type",
                                                 "buffers.expected.path", "buffers.expected.type"});
}

TEST_CASE("inputs and what is right are told apart by all that makes them, and by no launch") {
  const auto key = [](const model::Plan& plan) { return plan.inputs_key(); };
  model::Plan plan = full_plan();
  plan.steps.clear();
  CHECK(plan.inputs_key() == full_plan().inputs_key());
  CHECK(not_in_key(plan, key) == Names{"problem", "buffers.file.path", "buffers.file.type",
                                       "buffers.second_file.path", "buffers.second_file.type",
                                       "buffers.expected.path", "buffers.expected.type", "buffers.symbol",
                                       "deterministic"});
}

TEST_CASE("what is prepared once does not depend on how near a result must be") {
  const auto key = [](const model::Plan& plan) {
    return model::preparation_key(plan, digest_of("reference"));
  };
  model::Plan plan = full_plan();
  plan.steps.clear();
  CHECK(not_in_key(plan, key) == Names{"problem",
                                       "buffers.file.path",
                                       "buffers.file.type",
                                       "buffers.second_file.path",
                                       "buffers.second_file.type",
                                       "buffers.expected.path",
                                       "buffers.expected.type",
                                       "buffers.symbol",
                                       "buffers.tolerance.absolute",
                                       "buffers.tolerance.relative",
                                       "buffers.tolerance.ulps",
                                       "buffers.tolerance.share",
                                       "verify.rounding_terms",
                                       "verify.second_is_exact",
                                       "verify.tolerance.absolute",
                                       "verify.tolerance.relative",
                                       "verify.tolerance.ulps",
                                       "verify.tolerance.share",
                                       "verify.accumulator",
                                       "deterministic"});
  CHECK(key(plan) != model::preparation_key(plan, digest_of("another")));
}

TEST_CASE("workspaces are not prepared, but a buffer behind one keeps its number") {
  const auto key = [](const std::vector<model::BufferPlan>& buffers) {
    model::Plan plan;
    plan.buffers = buffers;
    return model::preparation_key(plan, {});
  };
  const model::BufferPlan input = full_buffer();
  model::BufferPlan workspace = full_buffer();
  workspace.access = model::Access::workspace;
  model::BufferPlan larger = workspace;
  larger.elements *= 2;
  larger.type = model::ElementType::float64;
  CHECK(key({input, workspace}) == key({input}));
  CHECK(key({input, workspace, larger}) == key({input}));
  CHECK(key({workspace, input}) == key({larger, input}));
  CHECK(key({workspace, input}) != key({input}));
  CHECK(key({workspace, input}) != key({input, workspace}));
  CHECK(key({workspace}) == key({}));
}

TEST_CASE("every part of a compile job is part of its key, but the codes of words") {
  const auto key = [](const model::CompileJob& job) { return job.key(); };
  const model::CompileJob job = full_job();
  CHECK(not_in_key(job, key) == Names{"vocabulary.name", "vocabulary.value", "vocabulary"});
  model::CompileJob calls = job;
  calls.library = {job};
  CHECK(not_in_key(calls, key) == Names{"vocabulary.name", "vocabulary.value", "vocabulary",
                                        "library.vocabulary.name", "library.vocabulary.value",
                                        "library.vocabulary"});
  model::CompileJob known = job;
  known.source_key = model::source_key(job.source);
  CHECK(known.key() == job.key());
  known.source.clear();
  CHECK(known.key() == job.key());
}

TEST_CASE("identities of what uses everything stay what they were") {
  // Recorded: what is remembered under other ones would be measured and compiled anew.
  CHECK(key_of(full_plan()).hex() == "058ad1ac77852593c5aebd5cce6aa70b");
  CHECK(full_plan().inputs_key().hex() == "737c77f28be8f39c72e290e57a432e40");
  CHECK(model::preparation_key(full_plan(), digest_of("reference")).hex() ==
        "b27ffdeb271f33690910608f21f7cb72");
  CHECK(full_job().key().hex() == "610f0d325c4b39991f2d5fafe7c26a28");
}

TEST_CASE("a class whose launches follow each other in a graph is the one of before other ways were known") {
  const model::Environment graph{"GPU", "580", "13.0", model::ElementType::float32, "warm", "m", "spec"};
  CHECK(graph.execution_word() == "graph");
  CHECK(graph.key().hex() == "8d03cf8ca85295cbf73839ddc1a86342");
}

TEST_CASE("a comparison class is all of its parts") {
  const model::Environment first{"GPU", "580", "13.0", model::ElementType::float32, "warm", "m", "spec"};
  std::vector<model::Environment> environments(10, first);
  environments[1].device = "another";
  environments[2].driver = "another";
  environments[3].toolkit = "another";
  environments[4].type = model::ElementType::float64;
  environments[5].l2 = "another";
  environments[6].method = "another";
  environments[7].inputs = "another";
  environments[8].execution = "stream";
  environments[9].execution = "eager";
  for (const auto& a : environments) {
    CAPTURE(a.text());
    CHECK(std::count_if(environments.begin(), environments.end(),
                        [&](const auto& b) { return a.key() == b.key(); }) == 1);
    CHECK(std::count_if(environments.begin(), environments.end(),
                        [&](const auto& b) { return a.text() == b.text(); }) == 1);
  }
}

TEST_CASE("a trial is a kernel, a configuration, a binary, a plan, a reference, a problem and a class") {
  struct Trial {
    std::string kernel = "k";
    model::Configuration configuration = model::Configuration({{"B", 32}, {"A", 1}});
    model::Digest binary = digest_of("binary");
    model::Plan plan = full_plan();
    model::Digest reference = digest_of("reference");
    model::Problem problem{"family", {{"N", 8}, {"K", 9}}, model::ElementType::float32, 0};
    model::Environment environment{"GPU", "580", "13.0", model::ElementType::float32, "warm", "m", "spec"};
    model::Digest key() const {
      return model::trial_key(kernel, configuration, binary, plan, reference, problem, environment);
    }
  };
  std::vector<Trial> trials(13);
  trials[1].kernel = "l";
  trials[2].configuration = model::Configuration({{"B", 64}, {"A", 1}});
  trials[3].configuration = model::Configuration({{"B", 32}});
  trials[4].binary = digest_of("another");
  trials[5].plan.steps.front().block.x = 32;
  trials[6].reference = digest_of("another");
  trials[7].problem.family = "another";
  trials[8].problem.sizes[0].value = 9;
  trials[9].problem.sizes[1].name = "L";
  trials[10].problem.type = model::ElementType::float64;
  trials[11].problem.row_padding = 1;
  trials[12].environment.l2 = "cold";
  for (std::size_t i = 0; i < trials.size(); ++i) {
    CAPTURE(i);
    CHECK(std::count_if(trials.begin(), trials.end(),
                        [&](const Trial& other) { return other.key() == trials[i].key(); }) == 1);
  }
  Trial written_otherwise;
  written_otherwise.configuration = model::Configuration({{"A", 1}, {"B", 32}});
  CHECK(written_otherwise.key() == trials[0].key());
}

TEST_CASE("probes are judged for a binary, its plans, a reference, a device and its driver") {
  const model::Environment first{"GPU", "580", "13.0", model::ElementType::float32, "warm", "m", "spec"};
  model::Environment other_device = first;
  other_device.device = "another";
  model::Environment other_driver = first;
  other_driver.driver = "another";
  model::Environment other_l2 = first;
  other_l2.l2 = "cold";
  const model::Digest binary = digest_of("binary");
  const model::Digest reference = digest_of("reference");
  const model::Plan plan = full_plan();
  model::Plan other = plan;
  other.steps.front().grid.x = 9;
  const std::vector<model::Digest> keys = {model::probe_key(binary, {plan}, reference, first),
                                           model::probe_key(reference, {plan}, reference, first),
                                           model::probe_key(binary, {plan}, binary, first),
                                           model::probe_key(binary, {other}, reference, first),
                                           model::probe_key(binary, {plan, other}, reference, first),
                                           model::probe_key(binary, {}, reference, first),
                                           model::probe_key(binary, {plan}, reference, other_device),
                                           model::probe_key(binary, {plan}, reference, other_driver)};
  for (const model::Digest& key : keys) CHECK(std::count(keys.begin(), keys.end(), key) == 1);
  CHECK(model::probe_key(binary, {plan}, reference, other_l2) == keys[0]);
}

TEST_SUITE_END();
