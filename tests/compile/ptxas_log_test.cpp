#include <doctest/doctest.h>

#include "tuner/compile/nvrtc/cubin.hpp"

using tuner::compile::nvrtc::find_shared_excess;
using tuner::compile::nvrtc::parse_ptxas_log;

namespace {

// As NVRTC 13.0 writes it.
constexpr const char* two_kernels =
    R"(main.cu(4): warning #177-D: variable "x" was declared but never referenced

ptxas info    : 400 bytes gmem
ptxas info    : Compiling entry function '_Z1tILi256EEvPf' for 'sm_90'
ptxas info    : Function properties for _Z1tILi256EEvPf
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 1024 bytes smem
ptxas info    : Compile time = 4.583 ms
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized
ptxas info    : Compiling entry function 'e' for 'sm_90'
ptxas info    : Function properties for e
ptxas         .     1264 bytes stack frame, 1704 bytes spill stores, 1700 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 1664 bytes cumulative stack size
ptxas info    : Compile time = 76.670 ms
ptxas info    : Function properties for _Z1hPfi
ptxas         .     64 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
)";

}  // namespace

TEST_SUITE_BEGIN("tuner::compile::nvrtc ptxas log");

TEST_CASE("resources are read per kernel") {
  const auto report = parse_ptxas_log(two_kernels);
  REQUIRE(report.entries.size() == 2);
  const auto* t = report.find("_Z1tILi256EEvPf");
  REQUIRE(t != nullptr);
  CHECK(t->registers == 10);
  CHECK(t->shared_bytes == 1024);
  CHECK(t->stack_bytes == 0);
  CHECK(t->spill_store_bytes == 0);
  const auto* e = report.find("e");
  REQUIRE(e != nullptr);
  CHECK(e->registers == 32);
  CHECK(e->shared_bytes == 0);
  CHECK(e->stack_bytes == 1664);
  CHECK(e->spill_store_bytes == 1704);
  CHECK(e->spill_load_bytes == 1700);
  CHECK(report.find("_Z1hPfi") == nullptr);
}

TEST_CASE("spills of functions that were called are not lost") {
  const auto report = parse_ptxas_log(two_kernels);
  CHECK(report.called_spill_store_bytes == 8);
  CHECK(report.called_spill_load_bytes == 12);
}

TEST_CASE("warnings and advice remain, statistics go") {
  const std::string rest = parse_ptxas_log(two_kernels).rest;
  CHECK(rest.find("warning #177-D") != std::string::npos);
  CHECK(rest.find("(C7510)") != std::string::npos);
  CHECK(rest.find("Compiling entry") == std::string::npos);
  CHECK(rest.find("registers") == std::string::npos);
  CHECK(rest.find("Compile time") == std::string::npos);
  CHECK(rest.find("gmem") == std::string::npos);
}

TEST_CASE("the layout of CUDA 12 is read too") {
  const auto report = parse_ptxas_log(R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'k' for 'sm_80'
ptxas info    : Function properties for k
    24 bytes stack frame, 16 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 255 registers, 8192 bytes smem, 376 bytes cmem[0]
)");
  REQUIRE(report.entries.size() == 1);
  CHECK(report.entries[0].registers == 255);
  CHECK(report.entries[0].shared_bytes == 8192);
  CHECK(report.entries[0].stack_bytes == 24);
  CHECK(report.entries[0].spill_load_bytes == 20);
  CHECK(report.rest.empty());
}

TEST_CASE("too much static shared memory is recognised with and without statistics") {
  const auto verbose =
      find_shared_excess(parse_ptxas_log(R"(ptxas info    : Compiling entry function 'e' for 'sm_90'
ptxas info    : Function properties for e
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 80000 bytes smem
)"));
  REQUIRE(verbose.has_value());
  CHECK(verbose->symbol == "e");
  CHECK(verbose->bytes == 80000);
  CHECK(verbose->limit == 49152);
  const auto terse = find_shared_excess(parse_ptxas_log(
      "ptxas error   : Entry function 'e' uses too much shared data (0x13880 bytes, 0xc000 max)\n"));
  REQUIRE(terse.has_value());
  CHECK(terse->symbol == "e");
  CHECK(terse->bytes == 80000);
  CHECK(terse->limit == 49152);
  CHECK_FALSE(find_shared_excess(parse_ptxas_log(two_kernels)).has_value());
}

TEST_CASE("anything else does not confuse the reader") {
  CHECK(parse_ptxas_log("").entries.empty());
  CHECK(parse_ptxas_log("ptxas info    : Used 10 registers\n").entries.empty());
  CHECK(parse_ptxas_log("ptxas info : Compiling entry function 'unfinished").entries.size() == 1);
  CHECK(parse_ptxas_log("no newline at the end").rest == "no newline at the end\n");
}

TEST_SUITE_END();
