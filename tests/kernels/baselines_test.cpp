#include <doctest/doctest.h>

#include <set>

#include "config/kernel_file.hpp"
#include "kernels/shipped.hpp"
#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/device/host_library.hpp"
#include "tuner/space/kernel_space.hpp"

using namespace tuner;

TEST_SUITE("shipped baselines") {
  TEST_CASE(
      "each compiles for the host without CUDA's headers, or by nvcc where there is one, and says its "
      "version or "
      "why it is not there") {
    const config::LoadedKernels shipped = config::load_embedded(kernels::shipped());
    REQUIRE(shipped.mistakes.empty());
    compile::host::HostCompiler compiler;
    std::set<std::string> seen;
    for (const model::KernelSpec& kernel : shipped.kernels) {
      for (const model::KernelSpec& baseline : space::baselines(kernel)) {
        CAPTURE(baseline.name);
        seen.insert(baseline.name);
        CHECK(kernel.types.front() == baseline.types.front());
        const model::Problem problem = space::make_problem(baseline, {64}, std::nullopt, 0);
        const model::CompileJob job = space::KernelSpace(baseline).compile_job(
            problem, model::Configuration(), "sm_90", compiler.name());
        const model::Compilation compilation = compiler.compile(job);
        INFO(compilation.log);
        if (compilation.status == model::TrialStatus::skipped) {
          const bool says_why = compilation.log.find("nvcc") != std::string::npos ||
                                compilation.log.find("not there: ") != std::string::npos;
          CHECK(says_why);
          MESSAGE(compilation.log);
          continue;
        }
        REQUIRE(compilation.status == model::TrialStatus::ok);
        REQUIRE(compilation.find("tuner_baseline") != nullptr);
        try {
          const device::HostLibrary library(compilation.binary);
          CHECK(library.version().starts_with(baseline.name + " "));
          CHECK_NOTHROW(library.function("tuner_baseline"));
        } catch (const device::DeviceFault& fault) {
          CHECK(fault.status() == model::TrialStatus::skipped);
          CHECK_FALSE(std::string(fault.what()).empty());
          MESSAGE(std::string(fault.what()));
        }
      }
    }
    CHECK(seen == std::set<std::string>{"CUB", "CUTLASS", "cuBLAS", "cuBLASLt"});
  }
}
