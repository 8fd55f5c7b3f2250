#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"
#include "tuner/util/files.hpp"

namespace fs = std::filesystem;
using tuner::compile::nvrtc::stub_headers;

namespace {

bool offers(const std::vector<tuner::model::SourceText>& headers, const std::string& name) {
  return std::any_of(headers.begin(), headers.end(), [&](const auto& header) { return header.name == name; });
}

}  // namespace

TEST_SUITE_BEGIN("tuner::compile::nvrtc stub headers");

TEST_CASE("no name is offered twice, and every stand-in may be included twice") {
  std::set<std::string> names;
  for (const auto& header : stub_headers({}, "")) {
    CHECK(names.insert(header.name).second);
    CHECK(header.text.rfind("#pragma once\n", 0) == 0);
  }
}

TEST_CASE("a job's own headers and the toolkit's are left alone, the host's C library is never used") {
  const tuner::util::TemporaryFolder made;
  const fs::path& folder = made.path();
  for (const char* file : {"cuda_runtime.h", "cuda.h", "stdint.h"}) std::ofstream(folder / file) << "\n";
  const auto headers = stub_headers({{"cstdio", "mine"}}, folder);
  CHECK_FALSE(offers(headers, "cstdio"));
  CHECK_FALSE(offers(headers, "cuda_runtime.h"));
  CHECK(offers(headers, "device_launch_parameters.h"));
  CHECK(offers(headers, "cuda.h"));
  CHECK(offers(headers, "stdint.h"));
}

TEST_SUITE_END();
