#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tests/compile/nvrtc_jobs.hpp"
#include "tuner/compile/binary_cache.hpp"
#include "tuner/compile/compile_pool.hpp"
#include "tuner/util/files.hpp"

using tuner::compile::BinaryCache;
using tuner::compile::CachingCompiler;
using tuner::compile::CompilePool;
using tuner::model::CompileJob;
using tuner::model::TrialStatus;
using tuner::test::cuda_job;
using tuner::test::kernel_of;

TEST_SUITE_BEGIN("tuner::compile with the real NVRTC");

TEST_CASE(
    "a pool over one library compiles a set, and a second pool takes it all from the cache, byte for byte") {
  const tuner::util::TemporaryFolder made;
  const std::filesystem::path& folder = made.path();
  const auto library = tuner::compile::nvrtc::load_library();
  const auto cache = std::make_shared<BinaryCache>(folder);
  const auto run = [&] {
    CompilePool pool(2, [&] {
      return std::make_unique<CachingCompiler>(
          std::make_unique<tuner::compile::nvrtc::NvrtcCompiler>(library), cache);
    });
    for (int unroll = 1; unroll <= 6; ++unroll) {
      CompileJob job = cuda_job(kernel_of("#pragma unroll\nfor (int i = 0; i < UNROLL; ++i) p[i * n] *= 2;"));
      job.macros = {{"UNROLL", std::to_string(unroll)}};
      pool.submit(std::move(job));
    }
    std::vector<std::shared_ptr<const tuner::model::Compilation>> results(7);
    while (const auto finished = pool.take()) results.at(finished->ticket) = finished->compilation;
    return results;
  };
  const auto first = run();
  const auto second = run();
  for (std::size_t i = 1; i <= 6; ++i) {
    REQUIRE(first[i]);
    REQUIRE(first[i]->status == TrialStatus::ok);
    CHECK_FALSE(first[i]->from_cache);
    CHECK(second[i]->from_cache);
    CHECK(second[i]->binary == first[i]->binary);
    CHECK(second[i]->kernels.at(0).registers == first[i]->kernels.at(0).registers);
  }
}

TEST_CASE("NVRTC and its builtins load from a folder that the loader does not search") {
  const auto usual = tuner::compile::nvrtc::load_library();
  const auto by_file = tuner::compile::nvrtc::load_library(usual->path().string());
  CHECK(by_file->path() == usual->path());
  const auto by_folder = tuner::compile::nvrtc::load_library(usual->path().parent_path().string());
  CHECK(by_folder->version() == usual->version());
}

TEST_SUITE_END();
