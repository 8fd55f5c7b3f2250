#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/compile/compiler.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/sweep/request.hpp"

namespace bench {

/// A sweep of a kernel that is never compiled, on an imagined GPU: three parameters with `values` numbers
/// each, at each of `sizes`.
tuner::sweep::Request imagined_request(const std::array<std::int64_t, 3>& values,
                                       const std::vector<std::int64_t>& sizes);

/// A library that does the same, a baseline of it.
void add_library(tuner::sweep::Request& request, const std::string& name);

/// A trial whose samples are all alike.
tuner::model::Measurement measured(double time_ns);

/// Answers at once, with a binary of the size of a matmul's.
class QuickCompiler final : public tuner::compile::Compiler {
 public:
  std::string name() const override { return "quick 1"; }
  tuner::model::Compilation compile(const tuner::model::CompileJob& job) override;
};

}  // namespace bench
