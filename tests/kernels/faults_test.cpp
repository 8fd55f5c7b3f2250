// Kernels that misbehave, and what is said of them.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>

#include "tests/kernels/cpu_machine.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"

using tuner::compile::host::Instrument;
using tuner::device::DeviceFault;
using tuner::model::TrialStatus;
using tuner::test::CpuMachine;
using tuner::test::KernelRun;

namespace {

std::string fault_of(CpuMachine& machine, const KernelRun& run) {
  try {
    machine.run(run, std::vector<int>(256, 0));
  } catch (const DeviceFault& fault) {
    CHECK_FALSE(fault.lost());
    return fault.what();
  }
  return "no fault";
}

bool contains(const std::string& text, const std::string& part) {
  CAPTURE(text);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE_BEGIN("tuner::device::cpu");

TEST_CASE("a barrier that not all threads reach is reported with its line, and the device goes on") {
  CpuMachine machine;
  const std::string source = R"(extern "C" __global__ void kernel(int* out) {
  __shared__ int x;
  if (threadIdx.x == 31) __syncwarp();
  if (threadIdx.x == 0) x = 4;
  __syncthreads();
  out[threadIdx.x] = x;
})";
  for (int round = 0; round < 2; ++round) {
    const std::string fault = fault_of(machine, {.source = source, .grid = {20, 1, 1}});
    contains(fault, "not all threads of a block reached __syncthreads");
    contains(fault, "31 of 32 threads wait at kernel.cu:5 (first: (0, 0, 0))");
    contains(fault, "1 of 32 threads wait in a warp operation at kernel.cu:3 (first: (31, 0, 0))");
  }
  CHECK(
      machine.run({.source = "extern \"C\" __global__ void kernel(int* out) { __syncthreads(); *out = 3; }"},
                  std::vector<int>{0})[0] == 3);
}

TEST_CASE("threads that meet at different barriers are reported with both lines") {
  CpuMachine machine;
  const std::string fault = fault_of(machine, {.source = R"(extern "C" __global__ void kernel(int* out) {
  if (threadIdx.x < 8) {
    __syncthreads();
    out[0] = 1;
  } else {
    __syncthreads();
  }
})"});
  contains(fault, "not all threads of a block reached the same __syncthreads");
  contains(fault, "8 of 32 threads wait at kernel.cu:3");
  contains(fault, "24 of 32 threads wait at kernel.cu:6");
}

TEST_CASE("a shuffle that a thread of its mask never reaches is reported") {
  CpuMachine machine;
  contains(fault_of(machine, {.source = R"(extern "C" __global__ void kernel(int* out) {
  if (threadIdx.x < 16) out[0] = __shfl_down_sync(0xffffffff, 1, 1);
  else __syncwarp(0xffff0001);
})"}),
           "not all threads named in the mask reached a warp operation: 16 of 32 threads wait in a warp "
           "operation at "
           "kernel.cu:2");
  contains(fault_of(machine, {.source = R"(extern "C" __global__ void kernel(int* out) {
  out[0] = __ballot_sync(0xffff, 1);
})"}),
           "whose mask does not name it: kernel.cu:2, thread (16, 0, 0)");
}

TEST_CASE("launches that do not fit the kernel or the device are launch errors") {
  CpuMachine machine;
  const std::string source = "extern \"C\" __global__ void kernel(int* out) { *out = 1; }";
  contains(fault_of(machine, {.source = source, .block = {1025, 1, 1}}),
           "kernel: blockDim.x is 1025, allowed are 1 to 1024");
  contains(fault_of(machine, {.source = source, .block = {32, 33, 1}}),
           "the number of threads in a block is 1056");
  contains(fault_of(machine, {.source = source, .dynamic_shared_bytes = 1 << 20}),
           "1048576 bytes of shared memory");
  contains(
      fault_of(machine, {.source = "extern \"C\" __global__ void kernel(int* out, int n) { *out = n; }"}),
      "kernel takes 2 arguments, the spec passes 1");
  contains(fault_of(machine, {.source = "extern \"C\" __global__ void kernel(float out) {}"}),
           "parameter 1 has 4 bytes, the spec's argument 8");
}

TEST_CASE("compiler errors name the kernel's own file and line") {
  CpuMachine machine;
  const auto unknown =
      machine.compile({.source = "__global__ void kernel(int* out) {\n  *out = unknown;\n}\n"});
  CHECK(unknown.status == TrialStatus::compile_error);
  contains(unknown.log, "kernel.cu:2:");
  contains(unknown.log, "unknown");
  const auto missing = machine.compile({.source = "", .entry = "absent"});
  CHECK(missing.status == TrialStatus::compile_error);
  contains(missing.log, "launch of absent:1:");
  const auto split = machine.compile({.source = "#define SHARED extern __shared__\n"
                                                "__global__ void kernel() { SHARED int data[]; }\n"});
  CHECK(split.status == TrialStatus::compile_error);
  contains(split.log, "kernel.cu:1: error: `extern __shared__` is not followed by a type and a name");
  const auto assembly = machine.compile({.source = "__global__ void kernel(unsigned* out) {\n"
                                                   "  asm(\"mov.u32 %0, %laneid;\" : \"=r\"(*out));\n}\n"});
  CHECK(assembly.status == TrialStatus::compile_error);
  contains(assembly.log, "kernel.cu:2:");
}

TEST_CASE("more static shared memory than a GPU takes is unlaunchable") {
  CpuMachine machine;
  const std::string source =
      "__global__ void kernel(int* out) { __shared__ int a[SIZE]; a[*out] = 1; *out = a[0]; }";
  CHECK(machine.compile({.source = source, .macros = {{"SIZE", "12288"}}}).status == TrialStatus::ok);
  const auto large = machine.compile({.source = source, .macros = {{"SIZE", "12289"}}});
  CHECK(large.status == TrialStatus::unlaunchable);
  contains(large.log, "49156 bytes of static shared memory");
}

TEST_CASE("equal jobs give equal binaries") {
  CpuMachine machine;
  const KernelRun run{.source = "__global__ void kernel(int* out) { assert(*out == 0); }"};
  CHECK(machine.compile(run).binary == machine.compile(run).binary);
}

namespace {

/// Sets an environment variable for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : m_name(name) {
    if (const char* old = std::getenv(name)) m_old = old;
    setenv(name, value, 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { m_old ? setenv(m_name, m_old->c_str(), 1) : unsetenv(m_name); }

 private:
  const char* m_name;
  std::optional<std::string> m_old;
};

std::string why_no_compiler() {
  try {
    return "found " + tuner::compile::host::HostCompiler().name();
  } catch (const tuner::model::Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a missing host compiler is named") {
  const Variable path("PATH", "/nowhere");
  const Variable everybody("CXX", "/nowhere/g++");
  const std::string why = why_no_compiler();
  contains(why, "looked for /nowhere/g++ (from CXX), ");
  contains(why, "c++, g++ and clang++");
}

TEST_CASE("a host compiler that was asked for and is not there is not replaced by another") {
  const Variable ours("TUNER_HOST_CXX", "/nowhere/g++");
  CHECK(why_no_compiler() == "TUNER_HOST_CXX is /nowhere/g++, which does not exist");
}

TEST_CASE("a compilation that takes too long is a timeout") {
  tuner::compile::host::HostCompiler compiler({.deadline = std::chrono::milliseconds(300)});
  tuner::model::CompileJob job;
  // Each level doubles the number of distinct templates: far too many.
  job.source = {{"slow.cu",
                 "template <int Level, long Path> struct Tree { static constexpr long count =\n"
                 "  Tree<Level - 1, 2 * Path>::count + Tree<Level - 1, 2 * Path + 1>::count; };\n"
                 "template <long Path> struct Tree<0, Path> { static constexpr long count = 1; };\n"
                 "__global__ void kernel(int* out) { *out = Tree<40, 0>::count; }\n"}};
  job.entries = {"kernel"};
  job.options = {"--use_fast_math"};
  const auto result = compiler.compile(job);
  CHECK(result.status == TrialStatus::timeout);
  contains(result.log, "options left out on the CPU: --use_fast_math");
  CHECK(result.compile_ms < 5000);
}

TEST_CASE("options that a host compiler knows are its own, the others are named, each") {
  tuner::compile::host::HostCompiler compiler;
  tuner::model::CompileJob job;
  job.source = {{"kernel.cu",
                 "#if __cplusplus < 202002L || !defined ONE || defined TWO\n#error options\n#endif\n"
                 "__global__ void kernel(int* out) {}\n"}};
  job.entries = {"kernel"};
  job.options = {"--std=c++20", "-lineinfo", "-DONE", "-DTWO", "-UTWO", "-O3", "-w"};
  const auto made = compiler.compile(job);
  CHECK(made.status == TrialStatus::ok);
  contains(made.log, "options left out on the CPU: -lineinfo -w");
  job.options = {"--std=c++20", "-DONE"};
  CHECK(compiler.compile(job).log.empty());
  job.options.clear();
  CHECK(compiler.compile(job).status == TrialStatus::compile_error);
}

TEST_CASE("macros of options have the names that nvcc knows, and none that the runtime's headers see") {
  tuner::compile::host::HostCompiler compiler;
  tuner::model::CompileJob job;
  job.source = {{"kernel.cu",
                 "#if L != 2 || !defined x || ONE != 1 || TWO != 2 || TWICE(4) != 8 || defined GONE\n"
                 "#error options\n#endif\n"
                 "__global__ void kernel(int* out) {}\n"}};
  job.entries = {"kernel"};
  job.options = {"-DL=2",
                 "-Dx",
                 "-Dsize=64",
                 "-DType=float",
                 "--define-macro=ONE=1",
                 "-D TWO=2",
                 "-DGONE=1",
                 "-DTWICE(value)=(2 * value)",
                 "--undefine-macro=GONE"};
  const auto made = compiler.compile(job);
  CHECK_MESSAGE(made.status == TrialStatus::ok, made.log);
  CHECK(made.log.empty());
}

TEST_CASE("headers may lie four folders above their kernel, and no more") {
  tuner::compile::host::HostCompiler compiler;
  tuner::model::CompileJob job;
  job.entries = {"kernel"};
  const auto made = [&](const std::string& header) {
    job.source = {
        {"kernel.cu", "#include \"" + header + "\"\n__global__ void kernel(int* out) { *out = ONE; }\n"},
        {header, "#define ONE 1\n"}};
    return compiler.compile(job);
  };
  CHECK(made("../../../../one.cuh").status == TrialStatus::ok);
  CHECK(made("sub/one.cuh").status == TrialStatus::ok);
  const auto far = made("../../../../../../one.cuh");
  CHECK(far.status == TrialStatus::compile_error);
  contains(far.log, "one.cuh:1: error: this header is too far from its kernel");
  CHECK(made("/tmp/one.cuh").status == TrialStatus::compile_error);
  job.source.clear();
  CHECK_THROWS_AS(compiler.compile(job), tuner::model::Error);
}

TEST_CASE("a false assertion ends the process and says where") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // doctest's handler would tell its own story
    dup2(ends[1], 2);
    CpuMachine machine(1);
    machine.run({.source = "extern \"C\" __global__ void kernel(int* out) {\n  assert(*out == 5);\n}"},
                std::vector<int>{4});
    _exit(0);
  }
  close(ends[1]);
  std::string said(1000, '\0');
  said.resize(static_cast<std::size_t>(std::max<ssize_t>(read(ends[0], said.data(), said.size()), 0)));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  contains(said, "kernel.cu:2: block (0, 0, 0), thread (0, 0, 0): assertion `*out == 5` failed");
}

TEST_CASE("races between threads of a block are found with both lines") {
  CpuMachine machine;
  const std::string source = R"(extern "C" __global__ void kernel(int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  BETWEEN
  out[threadIdx.x] = tile[63 - threadIdx.x];
})";
  const auto races = [&](const std::string& between) {
    machine.run({.source = source,
                 .block = {64, 1, 1},
                 .macros = {{"BETWEEN", between}},
                 .instrument = Instrument::accesses},
                std::vector<int>(64, 0));
    return machine.races();
  };
  CHECK(races("__syncthreads();").empty());
  const auto missing = races("");
  REQUIRE(missing.size() >= 1);
  CHECK(missing[0].first.file == "kernel.cu");
  CHECK(std::min(missing[0].first.line, missing[0].second.line) == 3);
  CHECK(std::max(missing[0].first.line, missing[0].second.line) == 5);
  contains(missing[0].text, "write by thread ");
  contains(missing[0].text, " at kernel.cu:5");
  CHECK_FALSE(races("__syncwarp();").empty());  // orders only the threads of a warp
  const auto copied = [&](const std::string& between) {
    machine.run({.source = "#include <cuda_pipeline.h>\n__global__ void kernel(int* out) {\n"
                           "__shared__ int tile[64], more[64];\n"
                           "__pipeline_memcpy_async(tile + threadIdx.x, out + threadIdx.x, 4);\n"
                           "__pipeline_commit();\n__pipeline_wait_prior(0);\n" +
                           between + "\nmemcpy(more + threadIdx.x, tile + 63 - threadIdx.x, 4);\n}",
                 .block = {64, 1, 1},
                 .instrument = Instrument::accesses},
                std::vector<int>(64, 0));
    return machine.races();
  };
  CHECK(copied("__syncthreads();").empty());
  CHECK_FALSE(copied("").empty());
}

TEST_CASE("races between blocks are found in global memory, unless a fence or another launch lies between") {
  CpuMachine machine;
  const auto races = [&](const std::string& body) {
    machine.run({.source = "__global__ void kernel(int* out) {\n__shared__ int own[32];\n" + body + "\n}",
                 .grid = {3, 1, 1},
                 .instrument = Instrument::accesses},
                std::vector<int>(200, 0));
    return machine.races();
  };
  CHECK(races("own[threadIdx.x] = 1; out[threadIdx.x + 32 * blockIdx.x] = own[threadIdx.x];").empty());
  const auto own = races("int mine = 0; __shfl_sync(~0u, &mine, 0)[0] += threadIdx.x == 1; __syncwarp();");
  CHECK_FALSE(own.empty());
  for (const tuner::device::cpu::Race& race : own) contains(race.text, ", in block (");
  const auto lost = races("if (threadIdx.x == 0)\n  out[0] += blockIdx.x;");
  REQUIRE_FALSE(lost.empty());
  contains(lost[0].text,
           "write by thread 0 at kernel.cu:4 and read by thread 0 at kernel.cu:4, in blocks (0, 0, 0)");
  contains(lost[0].text, "and (1, 0, 0)");
  CHECK(races("if (threadIdx.x == 0) atomicAdd(out, 1);").empty());
  CHECK_FALSE(races("out[threadIdx.x + 16 * blockIdx.x] = 1;").empty());
  const auto with = [&](const std::string& fence) {
    return "if (threadIdx.x == 0) out[64 + blockIdx.x] = 7;\n" + fence +
           "\n__shared__ bool is_last;\nif (threadIdx.x == 0) is_last = atomicAdd(out, 1) == 2;\n"
           "__syncthreads();\nif (is_last && threadIdx.x == 0) out[1] = out[64] + out[65] + out[66];";
  };
  CHECK(races(with("__threadfence();")).empty());
  // A missing fence is not found: a counter of all blocks may be what they wait for.
  CHECK(races(with("__threadfence_block();")).empty());
}

TEST_CASE("a chain of warp operations orders accesses within a warp") {
  CpuMachine machine;
  const std::string source = R"(extern "C" __global__ void kernel(int* out) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = threadIdx.x;
  ORDER
  out[threadIdx.x] = tile[31 - threadIdx.x];
})";
  const auto races = [&](const std::string& order) {
    machine.run({.source = source,
                 .dynamic_shared_bytes = 128,
                 .macros = {{"ORDER", order}},
                 .instrument = Instrument::accesses},
                std::vector<int>(32, 0));
    return machine.races().size();
  };
  CHECK(races("__syncwarp();") == 0);
  CHECK(races("__syncwarp(threadIdx.x < 16 ? 0xffff : 0xffff0000);") == 1);
  CHECK(races("") == 1);
}

TEST_CASE("atomics race with plain accesses and not with each other; bytes side by side do not race") {
  CpuMachine machine;
  const auto races = [&](const std::string& body) {
    machine.run({.source = "extern \"C\" __global__ void kernel(int* out) {\n" + body + "\n}",
                 .grid = {3, 1, 1},
                 .instrument = Instrument::accesses},
                std::vector<int>(32, 0));
    return machine.races();
  };
  CHECK(races("atomicAdd(out, 1);").empty());
  CHECK(races("reinterpret_cast<char*>(out)[threadIdx.x + 32 * blockIdx.x] = 1;").empty());
  const auto reset = races(
      "__shared__ int bins[4];\nif (threadIdx.x < 4) bins[threadIdx.x] = 0;\n"
      "atomicAdd(bins + threadIdx.x % 4, 1);");
  REQUIRE_FALSE(reset.empty());
  contains(reset[0].text, "atomic by thread");
  CHECK(std::min(reset[0].first.line, reset[0].second.line) == 3);
  CHECK(std::max(reset[0].first.line, reset[0].second.line) == 4);
  CHECK_FALSE(races("out[0] = threadIdx.x;").empty());  // two writes to global memory
  if (!tuner::util::find_program("clang++")) return;
  const Variable clang("TUNER_HOST_CXX", "clang++");
  CHECK(races("atomicAdd(out, 1); atomicMax(out + 1, 3);").empty());
}

TEST_SUITE_END();
