#include <doctest/doctest.h>

#include <vector>

#include "tuner/compile/nvrtc/cubin.hpp"

using tuner::compile::nvrtc::constant_bytes;
using tuner::compile::nvrtc::max_threads_per_block;

namespace {

constexpr const char* ptx = R"(.version 9.0
.target sm_90
.visible .entry first(
	.param .u64 .ptr .align 1 first_param_0
)
.maxntid 32, 8, 2
.minnctapersm 2
{
	ret;
}
.visible .entry second(
	.param .u64 second_param_0
)
{
	// .maxntid 99 inside a body is no directive
	ret;
}
.visible .entry third()
.reqntid 128
{
	ret;
}
)";

}  // namespace

TEST_SUITE_BEGIN("tuner::compile::nvrtc cubin and PTX");

TEST_CASE("launch bounds are the product of the directive's numbers, of the right kernel") {
  CHECK(max_threads_per_block(ptx, "first") == 512);
  CHECK(max_threads_per_block(ptx, "second") == 0);
  CHECK(max_threads_per_block(ptx, "third") == 128);
  CHECK(max_threads_per_block(ptx, "absent") == 0);
  CHECK(max_threads_per_block("", "first") == 0);
  CHECK(max_threads_per_block(".entry a() .maxntid x {", "a") == 0);
}

TEST_CASE("something that is no ELF file has no constants, however it ends") {
  CHECK(constant_bytes({}, "k") == 0);
  std::vector<std::byte> bytes(100, std::byte{0xFF});
  CHECK(constant_bytes(bytes, "k") == 0);
  const char magic[] = {'\x7f', 'E', 'L', 'F', 2};
  for (std::size_t i = 0; i < sizeof magic; ++i) bytes[i] = static_cast<std::byte>(magic[i]);
  CHECK(constant_bytes(bytes, "k") == 0);  // every offset and count in it is absurd
}

TEST_SUITE_END();
