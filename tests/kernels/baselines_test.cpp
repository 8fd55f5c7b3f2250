#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "config/kernel_file.hpp"
#include "kernels/shipped.hpp"
#include "tests/support/variable.hpp"
#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/device/host_library.hpp"
#include "tuner/space/kernel_space.hpp"
#include "tuner/util/files.hpp"

using namespace tuner;

TEST_CASE("shipped kernels are found by the lines of their specs as their specs have them") {
  const config::LoadedKernels shipped = config::load_embedded(kernels::shipped());
  REQUIRE(shipped.kernels.size() == kernels::shipped_kernels().size());
  for (std::size_t i = 0; i < shipped.kernels.size(); ++i) {
    const model::KernelSpec& spec = shipped.kernels[i];
    const kernels::ShippedKernel& found = kernels::shipped_kernels()[i];
    CHECK(found.name == spec.name);
    CHECK(found.family == spec.family);
    CHECK(found.description == spec.description);
    CHECK(std::string(model::shipped_prefix) + std::string(found.file) == spec.path);
    // `tuner run` measures the ceilings of a device by this folder.
    CHECK(found.file.starts_with("ceilings/") == (!spec.ceiling.empty() || spec.name == "read"));
  }
}

TEST_SUITE("shipped baselines") {
  TEST_CASE(
      "each compiles for the host without CUDA's headers, or by nvcc where there is one, and says its "
      "version or "
      "why it is not there") {
    const config::LoadedKernels shipped = config::load_embedded(kernels::shipped());
    REQUIRE(shipped.mistakes.empty());
    compile::host::HostCompiler compiler;
    std::set<std::string> seen;
    std::set<model::Digest> made;
    for (const model::KernelSpec& kernel : shipped.kernels) {
      for (const model::KernelSpec& baseline : space::baselines(kernel)) {
        CAPTURE(baseline.name);
        seen.insert(baseline.name);
        CHECK(kernel.types.front() == baseline.types.front());
        const model::Problem problem = space::make_problem(baseline, {64}, std::nullopt, 0);
        const model::CompileJob job = space::KernelSpace(baseline).compile_job(
            problem, model::Configuration(), "sm_90", compiler.name());
        if (!made.insert(job.key()).second) continue;
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

  TEST_CASE(
      "nvcc makes a library for its architecture alone, with its features where the source names them") {
    const util::TemporaryFolder folder;
    const std::filesystem::path nvcc = folder.path() / "nvcc";
    util::write_file(nvcc, "#!/bin/sh\necho \"$@\"\nexit 1\n");
    std::filesystem::permissions(nvcc, std::filesystem::perms::owner_all);
    const tuner::test::Variable named("TUNER_NVCC", nvcc.string());
    model::CompileJob job;
    job.host_library = true;
    job.architecture = "sm_90";
    job.source = {{"library.cu", "// plain"}};
    CHECK(job.patience() > 1);
    compile::host::HostCompiler compiler;
    CHECK(compiler.compile(job).log.find("-gencode=arch=compute_90,code=sm_90 ") != std::string::npos);
    job.source.front().text = "#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n#endif\n";
    CHECK(compiler.compile(job).log.find("-gencode=arch=compute_90a,code=sm_90a ") != std::string::npos);
    job.source.front().name = "library.cpp";
    CHECK(job.patience() == 1);
  }
}
