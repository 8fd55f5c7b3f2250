#pragma once
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/kernel_spec.hpp"

namespace tuner::space {

/// The matrix-multiplication space of Nugteren and Codreanu, "CLTune: A Generic Auto-Tuner for OpenCL
/// Kernels" (MCSoC 2015), which tuners have compared themselves on since: 1,327,104 combinations, of which
/// 241,600 are valid.
inline model::KernelSpec cltune_gemm() {
  model::KernelSpec spec;
  spec.name = "xgemm";
  spec.family = "matmul";
  spec.path = "xgemm.toml";
  spec.sizes = {"M", "N", "K"};
  spec.types = {model::ElementType::float32};
  const auto parameter = [&](const char* name, std::vector<std::int64_t> numbers) {
    model::ParameterSpec added;
    added.name = name;
    added.values.assign(numbers.begin(), numbers.end());
    spec.parameters.push_back(std::move(added));
  };
  parameter("MWG", {16, 32, 64, 128});  // tile of C of a work-group, and its slice of K
  parameter("NWG", {16, 32, 64, 128});
  parameter("KWG", {16, 32});
  parameter("MDIMC", {8, 16, 32});  // shape of the work-group, and as it is seen when loading A and B
  parameter("NDIMC", {8, 16, 32});
  parameter("MDIMA", {8, 16, 32});
  parameter("NDIMB", {8, 16, 32});
  parameter("KWI", {2, 8});        // unrolling
  parameter("VWM", {1, 2, 4, 8});  // vector widths
  parameter("VWN", {1, 2, 4, 8});
  parameter("STRM", {0, 1});  // strided accesses
  parameter("STRN", {0, 1});
  parameter("SA", {0, 1});  // A and B in local memory
  parameter("SB", {0, 1});
  for (const char* text : {
           "KWG % KWI == 0",
           "MWG % (MDIMC * VWM) == 0",
           "NWG % (NDIMC * VWN) == 0",
           "MWG % (MDIMA * VWM) == 0",
           "NWG % (NDIMB * VWN) == 0",
           "KWG % (MDIMC * NDIMC / MDIMA) == 0",
           "KWG % (MDIMC * NDIMC / NDIMB) == 0",
       }) {
    spec.constraints.push_back({text, {"xgemm.toml", 0, 0}});
  }
  model::StepSpec launch;
  launch.entry = "Xgemm";
  launch.block = {{"MDIMC", {}}, {"NDIMC", {}}};
  launch.grid = {{"M / MWG", {}}, {"N / NWG", {}}};
  spec.steps.push_back(std::move(launch));
  return spec;
}

constexpr std::int64_t cltune_gemm_combinations = 1'327'104;
constexpr std::int64_t cltune_gemm_valid = 241'600;

}  // namespace tuner::space
