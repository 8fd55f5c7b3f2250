#pragma once
#include <string>
#include <vector>

#include "tuner/model/compile_job.hpp"

namespace tuner::compile::host {

/// What a job's sources include besides each other.
struct ForeignHeaders {
  /// Whether any needs more of the C++ standard library than kernels get (see cuda_on_cpu.hpp): another of
  /// its headers, or one of the CUDA toolkit, which include some.
  bool need_standard = false;
  /// Those of the standard library, in the order met, each once.
  std::vector<std::string> standard;
};

ForeignHeaders foreign_headers(const model::CompileJob& job);

}  // namespace tuner::compile::host
