#include "tests/use/cpu_pack.hpp"

#include <stdexcept>

#include "tuner/compile/host/host_compiler.hpp"

namespace tests {

using namespace tuner::use;

namespace {

constexpr const char* matmul_source = R"(
__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[TILE][TILE];
  extern __shared__ float b[];
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < K; first += TILE) {
    const int i = first + threadIdx.x;
    const int j = first + threadIdx.y;
    a[threadIdx.y][threadIdx.x] = row < M && i < K ? A[row * K + i] : 0;
    b[threadIdx.y * TILE + threadIdx.x] = j < K && column < N ? B[j * N + column] : 0;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += a[threadIdx.y][k] * b[k * TILE + threadIdx.x];
    __syncthreads();
  }
  if (row < M && column < N) C[row * N + column] = sum;
}
)";

constexpr const char* sums_source = R"(
__global__ void row_sums(const float* X, float* Y, int N) {
  float sum = 0;
  for (int i = threadIdx.x; i < N; i += 32) sum += X[blockIdx.x * N + i];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffff, sum, distance);
  __shared__ int arrived;
  if (threadIdx.x == 0) arrived = 0;
  __syncwarp();
  if (threadIdx.x > 0) atomicAdd(&arrived, 1);
  while (threadIdx.x == 0 && atomicAdd(&arrived, 0) < 31) __nanosleep(20);
  if (threadIdx.x >= 8) return;
  __syncthreads();
  __syncwarp();
  if (threadIdx.x == 0) Y[blockIdx.x] = sum;
}
)";

constexpr const char* weighted_source = R"(
__constant__ float weights[4];
__device__ int calls;
__global__ void weighted(float* Y) {
  Y[threadIdx.x] = weights[threadIdx.x % 4];
  if (threadIdx.x == 0) calls += 1;
}
)";

struct Compiled {
  Image image;
  std::string symbol;
  std::vector<std::string> variables = {};
};

Compiled compiled(const char* source, const std::string& entry,
                  const std::vector<tuner::model::Macro>& macros,
                  const std::vector<std::string>& variables = {}) {
  tuner::compile::host::HostCompiler compiler;
  tuner::model::CompileJob job;
  job.source = {{entry + ".cu", source}};
  job.macros = macros;
  job.entries = {entry};
  for (const std::string& variable : variables) job.entries.push_back("&" + variable);
  job.architecture = "host";
  job.compiler = compiler.name();
  const tuner::model::Compilation result = compiler.compile(job);
  if (result.status != tuner::model::TrialStatus::ok) throw std::runtime_error(result.log);
  const auto* const bytes = reinterpret_cast<const char*>(result.binary.data());
  Compiled made = {{"host", ImageKind::shared_object, std::string(bytes, result.binary.size())},
                   result.kernels[0].symbol};
  for (std::size_t i = 1; i < result.kernels.size(); ++i) made.variables.push_back(result.kernels[i].symbol);
  return made;
}

Expression bytes_of(const Expression& a, const Expression& b) {
  return binary(Op::multiply, binary(Op::multiply, a, b), constant(4));
}

Parameter matrix(const std::string& name, const Expression& bytes, bool is_written = false) {
  Parameter parameter;
  parameter.name = name;
  parameter.type_name = "float*";
  parameter.type = TUNER_FLOAT32;
  parameter.is_pointer = true;
  parameter.is_read = !is_written;
  parameter.is_written = is_written;
  parameter.bytes = bytes;
  return parameter;
}

Operand whole(const Expression& value) {
  Operand operand;
  operand.kind = OperandKind::number;
  operand.value = value;
  return operand;
}

Operand passed(std::uint32_t index) {
  Operand operand;
  operand.index = index;
  return operand;
}

Configuration tiled(std::int64_t tile, std::uint32_t image, const std::string& symbol) {
  Configuration one;
  one.kernel = "tiled";
  one.name = "TILE=" + std::to_string(tile);
  one.image = image;
  Step step;
  step.function = symbol;
  step.grid = {binary(Op::ceil_div, size(1), constant(tile)), binary(Op::ceil_div, size(0), constant(tile))};
  step.block = {constant(tile), constant(tile)};
  step.dynamic_shared_bytes = constant(4 * tile * tile);
  step.operands = {passed(0), passed(1), passed(2), whole(size(0)), whole(size(1)), whole(size(2))};
  one.steps = {step};
  return one;
}

/// weighted(Y), with the caller's weights and calls in the variables.
Configuration weighting(const Compiled& weighted, std::uint32_t image) {
  Configuration one;
  one.kernel = "weighted";
  one.image = image;
  one.steps.resize(4);
  for (const std::size_t i : {0, 1, 3}) {
    one.steps[i].kind = i < 2 ? StepKind::set_symbol : StepKind::take_symbol;
    one.steps[i].symbol = weighted.variables[i == 0 ? 0 : 1];
    one.steps[i].target = i == 0 ? 0 : 1;
    one.steps[i].byte_count = constant(i == 0 ? 16 : 4);
  }
  one.steps[2].function = weighted.symbol;
  one.steps[2].grid = {constant(1)};
  one.steps[2].block = {size(0)};
  one.steps[2].operands = {passed(2)};
  return one;
}

}  // namespace

Pack cpu_pack() {
  const Compiled large = compiled(matmul_source, "matmul", {{"TILE", "16"}});
  const Compiled small = compiled(matmul_source, "matmul", {{"TILE", "8"}});
  const Compiled sums = compiled(sums_source, "row_sums", {});
  Pack pack;
  pack.images = {large.image, small.image, sums.image};
  pack.configurations = {tiled(16, 0, large.symbol), tiled(8, 1, small.symbol)};
  Configuration warps;
  warps.kernel = "shuffles";
  warps.image = 2;
  warps.steps.resize(1);
  warps.steps[0].function = sums.symbol;
  warps.steps[0].grid = {size(0)};
  warps.steps[0].block = {constant(32)};
  warps.steps[0].operands = {passed(0), passed(1), whole(size(1))};
  pack.configurations.push_back(warps);
  Kernel matmul;
  matmul.family = "matmul";
  matmul.type = "float";
  matmul.sizes = {"M", "N", "K"};
  matmul.parameters = {matrix("A", bytes_of(size(0), size(2))), matrix("B", bytes_of(size(2), size(1))),
                       matrix("C", bytes_of(size(0), size(1)), true)};
  matmul.targets = {{"host", "", {{{64, 64, 64}, 0, 1000, 0}}, {}, {1}}};
  Kernel row_sums;
  row_sums.family = "row_sums";
  row_sums.type = "float";
  row_sums.sizes = {"M", "N"};
  row_sums.parameters = {matrix("X", bytes_of(size(0), size(1))),
                         matrix("Y", bytes_of(size(0), constant(1)), true)};
  row_sums.targets = {{"host", "", {}, {}, {2}}};
  const Compiled made = compiled(weighted_source, "weighted", {}, {"weights", "calls"});
  pack.images.push_back(made.image);
  pack.configurations.push_back(weighting(made, 3));
  Kernel weighted;
  weighted.family = "weighted";
  weighted.type = "float";
  weighted.sizes = {"N"};
  weighted.parameters = {matrix("weights", constant(16)), matrix("calls", constant(4), true),
                         matrix("Y", bytes_of(size(0), constant(1)), true)};
  weighted.parameters[1].is_read = true;
  weighted.parameters[1].type = TUNER_INT32;
  weighted.targets = {{"host", "", {}, {}, {3}}};
  pack.kernels = {matmul, row_sums, weighted};
  return pack;
}

}  // namespace tests
