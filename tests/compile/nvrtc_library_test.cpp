#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/support/variable.hpp"
#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"
#include "tuner/model/error.hpp"

namespace nvrtc = tuner::compile::nvrtc;
using tuner::model::Error;
using tuner::model::ExitCode;
using tuner::test::Variable;

TEST_SUITE_BEGIN("tuner::compile::nvrtc library");

TEST_CASE("a library that is not there is an error that says what was looked for") {
  try {
    nvrtc::load_library("/no/such/libnvrtc.so.13");
    FAIL("something was loaded");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::no_device);
    CHECK_FALSE(error.hint().empty());
    const std::string text = error.what();
    const bool named = text.find("/no/such (as asked for): no libnvrtc.so.13") != std::string::npos;
    const bool not_built = text.find("this build has no NVRTC") != std::string::npos;
    CHECK((named || not_built));
  }
}

TEST_CASE("a file that is no library, and a library that is no NVRTC, are refused with the reason") {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "tuner_not_a_library.so";
  std::ofstream(file) << "text";
  CHECK_THROWS_AS(nvrtc::load_library(file.string()), Error);
  std::filesystem::remove(file);
  try {
    nvrtc::load_library("libc.so.6");
    FAIL("libc was taken for NVRTC");
  } catch (const Error& error) {
    const std::string text = error.what();
    const bool lacking = text.find("nvrtcCompileProgram") != std::string::npos;
    const bool not_built = text.find("this build has no NVRTC") != std::string::npos;
    CHECK((lacking || not_built));
  }
}

TEST_CASE("the search goes from the loader over the environment to the usual places") {
  const Variable variable("CUDA_PATH", "/opt/my-cuda");
  const auto candidates = nvrtc::library_candidates("");
  const auto index_of = [&](const std::string& file) {
    const auto found =
        std::find_if(candidates.begin(), candidates.end(),
                     [&](const nvrtc::Candidate& candidate) { return candidate.file == file; });
    REQUIRE_MESSAGE(found != candidates.end(), file);
    return found - candidates.begin();
  };
  CHECK(candidates.front().file == "libnvrtc.so.13");
  CHECK(index_of("libnvrtc.so.12") < index_of("/opt/my-cuda/lib64/libnvrtc.so.13"));
  const auto own = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  CHECK(index_of("/opt/my-cuda/lib64/libnvrtc.so.13") < index_of((own / "libnvrtc.so.13").string()));
  CHECK(index_of((own.parent_path() / "lib/nvidia/cu13/lib/libnvrtc.so.13").string()) > 0);
  CHECK(index_of((own.parent_path() / "lib/nvidia/cuda_nvrtc/lib/libnvrtc.so.12").string()) > 0);
}

TEST_CASE("an explicit path is the only place looked at") {
  const auto file = nvrtc::library_candidates("/somewhere/libnvrtc.so.12");
  REQUIRE(file.size() == 1);
  CHECK(file[0].file == "/somewhere/libnvrtc.so.12");
  const auto folder = nvrtc::library_candidates("/tmp");
  for (const nvrtc::Candidate& candidate : folder) CHECK(candidate.file.rfind("/tmp/", 0) == 0);
}

TEST_SUITE_END();
