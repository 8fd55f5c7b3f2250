#include "tests/kernels/matmul_reference.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "config/kernel_file.hpp"
#include "kernels/shipped.hpp"
#include "tuner/device/buffer_contents.hpp"
#include "tuner/space/kernel_space.hpp"

namespace tuner::test {
namespace {

constexpr std::uint64_t seed = 11;

space::KernelSpace naive() {
  return space::KernelSpace(config::load_embedded(kernels::shipped(), "matmul/naive.toml").kernels.at(0));
}

/// A buffer of the plan as every device holds it.
std::vector<double> contents(const model::BufferPlan& buffer) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(buffer.bytes()));
  device::fill_on_host(bytes.data(), buffer.type, buffer.elements, buffer.init, seed);
  std::vector<double> out(static_cast<std::size_t>(buffer.elements));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const void* element = bytes.data() + i * static_cast<std::size_t>(model::size_bytes(buffer.type));
    switch (buffer.type) {
      case model::ElementType::float32:
        out[i] = *static_cast<const float*>(element);
        break;
      case model::ElementType::float64:
        out[i] = *static_cast<const double*>(element);
        break;
      case model::ElementType::int32:
        out[i] = *static_cast<const int*>(element);
        break;
      default:
        throw std::runtime_error("the family has no such type");
    }
  }
  return out;
}

struct Row {
  std::int64_t row = 0;
  std::vector<double> expected;
  std::vector<double> magnitude;
};

/// The definition, in the widest arithmetic the CPU has.
Row by_definition(const std::vector<double>& a, const std::vector<double>& b, std::int64_t row,
                  std::int64_t n, std::int64_t k, std::int64_t lda, std::int64_t ldb) {
  Row out{row, {}, {}};
  for (std::int64_t j = 0; j < n; ++j) {
    long double sum = 0;
    long double magnitude = 0;
    for (std::int64_t l = 0; l < k; ++l) {
      const long double product = static_cast<long double>(a[static_cast<std::size_t>(row * lda + l)]) *
                                  b[static_cast<std::size_t>(l * ldb + j)];
      sum += product;
      magnitude += std::fabs(product);
    }
    out.expected.push_back(static_cast<double>(sum));
    out.magnitude.push_back(static_cast<double>(magnitude));
  }
  return out;
}

std::string literals(const std::vector<Row>& rows, const std::vector<double> Row::*values) {
  std::string out;
  for (const Row& row : rows) {
    for (const double value : row.*values) out += fmt::format("{:a},", value);
  }
  return out;
}

/// How far the reference may be off, as a share of the magnitude.
struct Tolerance {
  double expected = 0;
  double magnitude = 0;
};

/// A kernel that writes 1 where the reference is further off than that, else 0.
std::string counting_source(const std::vector<Row>& rows, std::int64_t n, std::int64_t ldc,
                            const Tolerance& tolerance) {
  std::string row_numbers;
  for (const Row& row : rows) row_numbers += fmt::format("{},", row.row);
  return fmt::format(R"cu(
__device__ const long long row_of[] = {{{}}};
__device__ const double expected_here[] = {{{}}};
__device__ const double magnitude_here[] = {{{}}};
extern "C" __global__ void count(const double* expected, const double* magnitude, float* different, int elements) {{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= elements) return;
  const long long at = row_of[i / {n}] * {ldc} + i % {n};
  const double scale = magnitude_here[i];
  const bool same = fabs(expected[at] - expected_here[i]) <= {expected:a} * scale &&
                    fabs(magnitude[at] - scale) <= {magnitude:a} * scale;
  different[i] = same ? 0.0f : 1.0f;
}}
)cu",
                     row_numbers, literals(rows, &Row::expected), literals(rows, &Row::magnitude),
                     fmt::arg("n", n), fmt::arg("ldc", ldc), fmt::arg("expected", tolerance.expected),
                     fmt::arg("magnitude", tolerance.magnitude));
}

model::Operand operand(model::Operand::Kind kind, int buffer) {
  model::Operand out;
  out.kind = kind;
  out.buffer = buffer;
  return out;
}

model::Compilation compiled(compile::Compiler& compiler, const model::CompileJob& job) {
  model::Compilation compilation = compiler.compile(job);
  if (compilation.status != model::TrialStatus::ok) throw std::runtime_error(compilation.log);
  return compilation;
}

std::int64_t count_different(compile::Compiler& compiler, device::Device& device, const std::string& source,
                             const device::Bindings& reference, int output, std::int64_t elements) {
  model::CompileJob job;
  job.source = {{"count.cu", source}};
  job.entries = {"count"};
  job.architecture = device.info().architecture;
  job.compiler = compiler.name();
  const model::Compilation compilation = compiled(compiler, job);
  const auto module = device.load(compilation.binary);
  const auto different = device.allocate(elements * 4);
  const auto zeros = device.allocate(elements * 8);
  device.fill(zeros->address(), model::ElementType::float64, elements, {model::Init::Kind::constant, 0, 0},
              seed);

  model::BufferPlan buffer{"different", model::ElementType::float32, elements, model::Access::out, {}, {}};
  model::Operand size;
  size.kind = model::Operand::Kind::scalar;
  size.integer = elements;
  model::Step step;
  step.entry = "count";
  step.grid = {(elements + 127) / 128, 1, 1};
  step.block = {128, 1, 1};
  step.operands = {operand(model::Operand::Kind::expected, 0), operand(model::Operand::Kind::magnitude, 0),
                   operand(model::Operand::Kind::buffer, 0), size};
  const auto at = static_cast<std::size_t>(output);
  device
      .bind(*module, compilation.kernels, {step}, {buffer},
            {{different->address()}, {reference.expected[at]}, {reference.magnitude[at]}})
      ->run(1);
  device::CompareRequest request{
      different->address(), model::ElementType::float32, elements, zeros->address(), zeros->address(), 0};
  return device.compare(request).wrong_elements;
}

}  // namespace

ReferenceCheck check_matmul_reference(compile::Compiler& compiler, device::Device& device, std::int64_t m,
                                      std::int64_t n, std::int64_t k, model::ElementType type,
                                      std::int64_t row_padding) {
  const space::KernelSpace kernel = naive();
  const model::Problem problem = space::make_problem(kernel.spec(), {m, n, k}, type, row_padding);
  const auto list = kernel.list(problem, device.info().limits);
  const auto made = kernel.make_plan(problem, list[0], device.info().limits);
  const auto& plan = std::get<model::Plan>(made);
  const auto job = kernel.reference_job(problem, device.info().architecture, compiler.name());
  const model::Compilation reference = compiled(compiler, *job);
  const auto module = device.load(reference.binary);

  std::vector<std::unique_ptr<device::Buffer>> owned;
  device::Bindings bindings;
  int output = -1;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const model::BufferPlan& buffer = plan.buffers[i];
    const auto memory = [&](model::ElementType what, const model::Init& init) {
      owned.push_back(device.allocate(buffer.elements * model::size_bytes(what)));
      device.fill(owned.back()->address(), what, buffer.elements, init, seed);
      return owned.back()->address();
    };
    const bool out = buffer.access == model::Access::out;
    if (out) output = static_cast<int>(i);
    bindings.buffers.push_back(memory(buffer.type, buffer.init));
    bindings.expected.push_back(out ? memory(model::ElementType::float64, {}) : 0);
    bindings.magnitude.push_back(out ? memory(model::ElementType::float64, {}) : 0);
  }
  device.bind(*module, reference.kernels, plan.verify.reference, plan.buffers, bindings)->run(1);

  const std::int64_t lda = k + row_padding;
  const std::int64_t ld = n + row_padding;
  const std::vector<double> a = contents(plan.buffers[0]);
  const std::vector<double> b = contents(plan.buffers[1]);
  std::vector<Row> rows;
  for (const std::int64_t row : {std::int64_t{0}, m / 2, m - 1}) {
    if (rows.empty() || rows.back().row != row) rows.push_back(by_definition(a, b, row, n, k, lda, ld));
  }
  // Products of floats are exact in double; of doubles the reference's compensated sum is as if exact. What
  // is left is the rounding of a plain double sum: at most k units of 2^-53, twice that for room.
  const double plain_sum = static_cast<double>(k) * 0x1p-52;
  const Tolerance tolerance{type == model::ElementType::float64 ? 0x1p-51 : plain_sum, plain_sum};
  const auto elements = static_cast<std::int64_t>(rows.size()) * n;
  return {elements, count_different(compiler, device, counting_source(rows, n, ld, tolerance), bindings,
                                    output, elements)};
}

}  // namespace tuner::test
