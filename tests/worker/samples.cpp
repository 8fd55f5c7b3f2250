#include "tests/worker/samples.hpp"

#include <limits>

namespace tuner::test {
namespace {

using namespace tuner::model;

std::vector<std::byte> binary(int size) {
  std::vector<std::byte> bytes;
  for (int i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(i * 7));
  return bytes;
}

KernelResources full_resources(const std::string& entry) {
  return {entry, "_Z" + entry, 40, 8, 12, 16, 20, 24, 256};
}

Operand operand(Operand::Kind kind, double real) {
  return {kind, 1, ElementType::float64, std::numeric_limits<std::int64_t>::min(), real, {-1, 2}, {0.5},
          {},   {}};
}

FileContents full_file(const std::string& path) {
  return {path, DigestBuilder().add(path).finish(), 128, ElementType::double2, 99};
}

Step full_step(Step::Kind kind) {
  Step step;
  step.kind = kind;
  step.entry = "add<4>";
  step.grid = {5, 6, 7};
  step.block = {8, 9, 10};
  step.dynamic_shared_bytes = 98304;
  step.overlap = step.cooperative = true;
  step.cluster = {2, 3, 1};
  step.shared_carveout_percent = 40;
  step.repeat = 7;
  step.repeat_steps = 2;
  step.operands = {operand(Operand::Kind::expected, 0.1), operand(Operand::Kind::scalar, -0.0),
                   operand(Operand::Kind::tensor_map, 0)};
  step.operands.push_back(operand(Operand::Kind::scalar, -1));
  step.operands.back().struct_bytes = 16;
  step.operands.back().numbers = {{ElementType::uint8, 2, 255, 0}, {ElementType::float32, 12, 0, -0.5}};
  step.operands.push_back(operand(Operand::Kind::texture, 0));
  step.operands.back().texture = {{64, 32}, 256, Texture::Outside::mirror, true, true, true, true, true};
  step.operands.back().tensor = {{64, std::int64_t{1} << 32U}, {256}, {64, 8}, {1, 2}, 16, 128, 256, true};
  step.buffer = 2;
  step.first = 3;
  step.count = std::int64_t{1} << 40U;
  step.stream = 1;
  step.after = {0, 2};
  return step;
}

}  // namespace

CompileJob full_compile_job() {
  CompileJob job;
  job.source = {{"a.cu", "// \xff\xfe not UTF-8\n"}, {"b.cuh", std::string("\0zero", 5)}};
  job.source_key = source_key(job.source);
  job.macros = {{"TILE", "32"}};
  job.vocabulary = {{"PARTITION_row", "77"}};
  job.options = {"--use_fast_math"};
  job.entries = {"add<4>", "scale"};
  job.architecture = "sm_90";
  job.compiler = "nvrtc 13.0";
  job.host_library = true;
  job.by_nvcc = true;
  job.library = {job};
  return job;
}

Compilation full_compilation() {
  return {TrialStatus::compile_error,
          binary(70'000),
          {full_resources("a"), full_resources("b")},
          "a.cu(1): error: \xc3\x28",
          155.25,
          true,
          binary(50)};
}

DeviceInfo full_device_info() {
  DeviceInfo device = {"cuda:1", "cuda",  "NVIDIA H200",   "GPU-1-2", "sm_90", 9,
                       1,        "580.1", 150'000'000'000, 7,         {}};
  device.limits = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
  return device;
}

TrialJob full_trial_job() {
  TrialJob job;
  job.key = Digest::from_hex("000102030405060708090a0b0c0d0e0f");
  job.plan.problem = "64 float";
  job.plan.buffers = {{"A",
                       ElementType::uint8,
                       99,
                       Access::inout,
                       {Init::Kind::uniform, -1.5, 0.1, 0.25},
                       {Init::Kind::signs, 2, 45, 1},
                       full_file("a.npy"),
                       full_file("b.npy"),
                       full_file("c.npy"),
                       true,
                       7,
                       true,
                       "space::values",
                       Memory::managed,
                       Tolerance{1, 2, 3, 0.5},
                       48,
                       {{3, 16}, {4, 28}}}};
  job.plan.steps = {full_step(Step::Kind::launch), full_step(Step::Kind::upload)};
  job.plan.generator = {full_step(Step::Kind::launch)};
  job.plan.verify = {
      {full_step(Step::Kind::launch)}, 1e-300, true, {1e-6, 1e-5, 2, 0.25}, ElementType::float32,
      {full_step(Step::Kind::launch)}};
  job.plan.deterministic = false;
  job.binary = binary(1000);
  job.kernels = {full_resources("a")};
  job.library = binary(40);
  job.reference_binary = binary(500);
  job.reference_kernels = {full_resources("r")};
  job.reference_key = Digest::from_hex("ffeeddccbbaa99887766554433221100");
  job.policy = {
      "thorough-1",   40,  {{5, 1.25}}, {6, 1.5, 7, 8, 4.0}, 1.0, 2.0, 3.0, true, Execution::eager, true,
      Objective::edp, 1410};
  job.probes = {job.plan, job.plan};
  job.best_ns = 12'345.678;
  job.seed = std::numeric_limits<std::uint64_t>::max();
  job.role = model::Role::baseline;
  job.distrusted = true;
  return job;
}

TrialOutcome full_outcome() {
  TrialOutcome outcome;
  outcome.status = TrialStatus::quarantined;
  outcome.detail = "why \x80 not";
  outcome.verification = {true, std::numeric_limits<double>::infinity(), 5e-324, 3, 1, "C", "equal"};
  outcome.measurement = Measurement{{1.1, 2.2, 3.3}, 4, 2.2, 1.1, 3.3, 1.1, 1980.5, 2, 61.5, 700.25, true};
  outcome.device_lost = true;
  outcome.subject = model::Subject::binary;
  outcome.probes_passed = true;
  outcome.driver_blocks_per_multiprocessor = 6;
  outcome.output_bits = model::OutputBits{Digest::from_hex("0102030405060708090a0b0c0d0e0f10"),
                                          Digest::from_hex("1112131415161718191a1b1c1d1e1f20")};
  outcome.energy = Energy{0.25, 0.125, 0.5, 1e6, 75.5, 1755, 5, 99};
  return outcome;
}

FinalOutcome full_final() {
  FinalOutcome outcome;
  outcome.standings = {{*full_outcome().measurement, 1.25, 1.125, 1.5, true, full_outcome().energy}};
  outcome.fastest = 3;
  outcome.rounds = 60;
  outcome.throttled_rounds = 4;
  outcome.failure = full_outcome();
  outcome.culprit = 2;
  return outcome;
}

TrialJob trial_job(const std::string& entry) {
  TrialJob job;
  job.plan.steps.emplace_back().entry = entry;
  job.binary = binary(100);
  job.policy.time_limit_ns = 0;  // nothing is sampled for long, so a hang is noticed soon
  return job;
}

CompileJob compile_job(const std::string& entry) {
  CompileJob job;
  job.entries = {entry};
  job.source = {{"kernel.cu", "// " + entry}};
  return job;
}

}  // namespace tuner::test
