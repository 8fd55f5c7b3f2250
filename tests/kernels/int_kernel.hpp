#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/kernel_spec.hpp"
#include "tuner/space/kernel_space.hpp"

namespace tuner::test {

/// A kernel without parameters on an array of N ints, `data`; its first line is line 2 of kernel.cu.
inline space::KernelSpace int_kernel(const std::string& body, std::int64_t threads = 64,
                                     std::vector<model::Expression> constraints = {}) {
  model::KernelSpec spec;
  spec.constraints = std::move(constraints);
  spec.name = "kernel";
  spec.family = "test";
  spec.source = {{"kernel.cu", "extern \"C\" __global__ void kernel(int* data, int N) {\n" + body + "\n}\n"}};
  spec.sizes = {"N"};
  spec.types = {model::ElementType::int32};
  model::ArgumentSpec data;
  data.name = "data";
  data.pointer = true;
  data.type = model::ElementType::int32;
  data.access = model::Access::inout;
  data.extent = {{"N", {}}};
  data.init.usual = {model::Init::Kind::iota, 0, 1};
  model::ArgumentSpec size;
  size.name = "N";
  size.type = model::ElementType::int32;
  spec.arguments = {data, size};
  model::StepSpec step;
  step.entry = "kernel";
  step.grid = {{"ceil_div(N, " + std::to_string(threads) + ")", {}}};
  step.block = {{std::to_string(threads), {}}};
  step.dynamic_shared_bytes = model::Expression{std::to_string(4 * threads), {}};
  spec.steps = {step};
  return space::KernelSpace(spec);
}

}  // namespace tuner::test
