// Headers of kernels that g++ read once, for the CPU device: what is compiled with them is the same.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "tests/kernels/cpu_machine.hpp"

using tuner::compile::BinaryCache;
using tuner::compile::host::HostCompiler;
using tuner::compile::host::Instrument;
using tuner::model::TrialStatus;

TEST_SUITE_BEGIN("tuner::compile::host, precompiled headers");

namespace {

namespace fs = std::filesystem;

tuner::model::CompileJob job_of(const std::string& source,
                                std::vector<tuner::model::SourceText> headers = {}) {
  tuner::model::CompileJob job;
  job.source = {{"kernel.cu", source}};
  job.source.insert(job.source.end(), headers.begin(), headers.end());
  job.entries = {"kernel"};
  return job;
}

std::vector<fs::path> kept_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".headers") files.push_back(entry.path());
  return files;
}

const std::string plain = "__global__ void kernel(float* out) { out[threadIdx.x] = sqrtf(2); }\n";
const std::string half =
    "#include <cuda_fp16.h>\n__global__ void kernel(float* out) { out[0] = float(__half(2) * __half(3)); }\n";

}  // namespace

TEST_CASE("binaries are the same with headers that were read before, in every instrument") {
  const tuner::util::TemporaryFolder folder;
  const auto cache = std::make_shared<BinaryCache>(folder.path());
  std::size_t sets = 0;
  for (const Instrument instrument : {Instrument::none, Instrument::memory, Instrument::accesses}) {
    for (const std::string& source : {plain, half}) {
      if (source == half && !tuner::test::has_toolkit()) continue;
      const auto job = job_of(source);
      const auto text = HostCompiler({.instrument = instrument}).compile(job);
      REQUIRE_MESSAGE(text.status == TrialStatus::ok, text.log);
      HostCompiler compiler({.instrument = instrument, .cache = cache});
      for (int i = 0; i < 2; ++i) CHECK(compiler.compile(job).binary == text.binary);
      CHECK(HostCompiler({.instrument = instrument, .cache = cache}).compile(job).binary == text.binary);
      if (compiler.name().starts_with("g++")) CHECK(kept_in(folder.path()).size() == ++sets);
    }
  }
  CHECK(cache->stats().entries == 0);
  // Options that do not fit what was kept make units of their own.
  auto job = job_of("#if __cplusplus < 202002L\n#error old\n#endif\n" + plain);
  job.options = {"-std=c++20", "-O1"};
  CHECK(HostCompiler({.cache = cache}).compile(job).status == TrialStatus::ok);
}

TEST_CASE("kept headers that are damaged or gone, and headers somebody removed, cost no compilation") {
  const tuner::util::TemporaryFolder folder;
  const auto cache = std::make_shared<BinaryCache>(folder.path());
  const auto job = job_of(plain);
  const auto good = HostCompiler({.cache = cache}).compile(job);
  REQUIRE(good.status == TrialStatus::ok);
  for (const fs::path& file : kept_in(folder.path())) {
    const auto bytes = fs::file_size(file);
    const fs::path whole = folder.path() / "whole";
    fs::copy_file(file, whole);
    for (const auto rest : {bytes - 10, bytes / 2, std::uintmax_t{5000}, std::uintmax_t{100}}) {
      CAPTURE(rest);
      fs::copy_file(whole, file, fs::copy_options::overwrite_existing);
      fs::resize_file(file, rest);
      const auto made = HostCompiler({.cache = cache}).compile(job);
      CHECK_MESSAGE(made.status == TrialStatus::ok, made.log);
      CHECK(made.binary == good.binary);
    }
    fs::copy_file(whole, file, fs::copy_options::overwrite_existing);
    for (const auto begin : {bytes / 10, bytes / 2}) {
      std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
      out.seekp(static_cast<std::streamoff>(begin));
      out << std::string(bytes / 3, '\x5a');
    }
    HostCompiler compiler({.cache = cache});
    for (int i = 0; i < 2; ++i) {
      const auto made = compiler.compile(job);
      CHECK_MESSAGE(made.status == TrialStatus::ok, made.log);
      CHECK(made.binary == good.binary);
    }
  }
  const tuner::util::TemporaryFolder empty;
  const auto hasty = std::make_shared<BinaryCache>(empty.path());
  CHECK(
      HostCompiler({.cache = hasty, .precompile_limit = std::chrono::milliseconds(1)}).compile(job).binary ==
      good.binary);
  CHECK(kept_in(empty.path()).empty());
  HostCompiler compiler({.cache = cache});
  CHECK(compiler.compile(job).binary == good.binary);
  cache->clear();
  CHECK(compiler.compile(job).binary == good.binary);

  const char* const old = std::getenv("TMPDIR");
  const std::string before = old == nullptr ? "" : old;
  const tuner::util::TemporaryFolder temporary;
  setenv("TMPDIR", temporary.path().c_str(), 1);
  HostCompiler robbed;
  CHECK(robbed.compile(job).binary == good.binary);
  for (const auto& entry : fs::directory_iterator(temporary.path())) fs::remove_all(entry);
  CHECK(robbed.compile(job).binary == good.binary);
  old == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", before.c_str(), 1);
}

TEST_CASE("the toolkit's narrow types come first only where a source always includes them as they are") {
  if (!tuner::test::has_toolkit()) return;
  const std::string include = "#include <cuda_fp16.h>\n";
  const auto begins_with_it = [&](const tuner::model::CompileJob& job) {
    return tuner::compile::host::begin_of_unit(job).find(include) != std::string::npos;
  };
  CHECK(begins_with_it(job_of(half)));
  CHECK(begins_with_it(job_of("#include \"a.cuh\"\n", {{"a.cuh", "#pragma once\n" + include}})));
  CHECK_FALSE(begins_with_it(job_of(plain)));
  CHECK_FALSE(begins_with_it(job_of("#if HALF\n#include \"a.cuh\"\n#endif\n", {{"a.cuh", include}})));
  HostCompiler compiler({.cache = tuner::test::shared_cache()});
  auto job = job_of("#if HALF\n" + include + "#else\nstruct __half { float x; };\n#endif\n" +
                    "__global__ void kernel(__half* out) { *out = __half{1}; }\n");
  CHECK_FALSE(begins_with_it(job));
  CHECK(compiler.compile(job).status == TrialStatus::ok);
  for (const std::string& limited : {"#define __CUDA_NO_HALF_OPERATORS__\n" + half, half}) {
    job = job_of(limited);
    if (limited == half) job.macros = {{"__CUDA_NO_HALF_OPERATORS__", "1"}};
    CHECK_FALSE(begins_with_it(job));
    CHECK(compiler.compile(job).status == TrialStatus::compile_error);
  }
  CHECK(compiler.compile(job_of(half)).status == TrialStatus::ok);
}

TEST_SUITE_END();
