#include <doctest/doctest.h>

#include <algorithm>

#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"

using tuner::compile::nvrtc::options_for;
using tuner::compile::nvrtc::refused_option;
using tuner::compile::nvrtc::Version;
using tuner::model::CompileJob;

namespace {

bool contains(const std::vector<std::string>& options, const std::string& option) {
  return std::find(options.begin(), options.end(), option) != options.end();
}

CompileJob job_with(std::vector<std::string> options) {
  CompileJob job;
  job.architecture = "sm_90a";
  job.macros = {{"BLOCK_SIZE", "32"}, {"ELEMENT_TYPE", "unsigned int"}};
  job.vocabulary = {{"PARTITION_row", "12345"}};
  job.options = std::move(options);
  return job;
}

}  // namespace

TEST_SUITE_BEGIN("tuner::compile::nvrtc options");

TEST_CASE("ordinary options of nvcc are translated, or left out where they are about the host's code") {
  const auto options =
      options_for(job_with({"-O3", "-Xcompiler", "-Wall", "--expt-relaxed-constexpr", "-m64",
                            "--extended-lambda", "--compiler-options=-fPIC", "-use_fast_math", "-Xptxas",
                            "-O1", "-lineinfo", "-maxrregcount=64"}),
                  Version{13, 0}, "");
  const std::vector<std::string> last(options.end() - 6, options.end());
  CHECK(last == std::vector<std::string>{"--device-as-default-execution-space", "-use_fast_math", "-Xptxas",
                                         "-O1", "-lineinfo", "-maxrregcount=64"});
  CHECK_FALSE(contains(options, "-Wall"));
  CHECK(refused_option({"-gencode=arch=compute_90,code=sm_90"}) ==
        "compile option '-gencode=arch=compute_90,code=sm_90' cannot be used: the architecture is that of "
        "the device");
  CHECK(refused_option({"-isystem=include"})->find("`include`") != std::string::npos);
}

TEST_CASE("a job's architecture, macros and vocabulary become options") {
  const auto options = options_for(job_with({}), Version{13, 0}, "");
  CHECK(contains(options, "--gpu-architecture=sm_90a"));
  CHECK(contains(options, "--define-macro=BLOCK_SIZE=32"));
  CHECK(contains(options, "--define-macro=ELEMENT_TYPE=unsigned int"));
  CHECK(contains(options, "--define-macro=PARTITION_row=12345"));
  CHECK(contains(options, "--std=c++17"));
  CHECK(contains(options, "--modify-stack-limit=false"));
}

TEST_CASE("a job's own language standard replaces ours") {
  for (const char* own : {"--std=c++20", "-std=c++20", "--std"}) {
    CHECK_FALSE(contains(options_for(job_with({own}), Version{13, 0}, ""), "--std=c++17"));
  }
}

TEST_CASE("NVRTC's cache is turned off where there is one") {
  CHECK(contains(options_for(job_with({}), Version{12, 9}, ""), "--no-cache"));
  CHECK_FALSE(contains(options_for(job_with({}), Version{12, 8}, ""), "--no-cache"));
}

TEST_CASE("ordinary options pass") {
  CHECK_FALSE(
      refused_option({"--use_fast_math", "-maxrregcount=64", "--ptxas-options=-O3", "-Xptxas", "-dlcm=ca",
                      "--std=c++20", "-DX=1", "-I/usr/include/cutlass", "-lineinfo", "-w"})
          .has_value());
}

TEST_CASE("options that write files, change the architecture or give no binary are refused by name") {
  for (const char* bad :
       {"--time=/tmp/x", "-time", "--create-pch=x", "--create_pch=x", "--fdevice-time-trace=x", "-arch=sm_80",
        "--gpu-architecture", "-dlto", "-rdc=true", "-dc", "--optix-ir", "--modify-stack-limit=true",
        "--ptxas-options=--output-file=x", "--ptxas-options=-o"}) {
    const auto refusal = refused_option({"-w", bad});
    REQUIRE_MESSAGE(refusal.has_value(), bad);
    CHECK(refusal->find(bad) != std::string::npos);
  }
  CHECK(refused_option({"-Xptxas", "-o"}).has_value());
}

TEST_SUITE_END();
