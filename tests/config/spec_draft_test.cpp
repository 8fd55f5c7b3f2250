#include "config/spec_draft.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "config/kernel_file.hpp"
#include "config/signature_check.hpp"
#include "tests/config/temporary_folder.hpp"

using namespace config;

namespace {

struct Drafted {
  SpecDraft draft;
  LoadedKernels loaded;
  bool asks(const std::string& part) const {
    return std::any_of(draft.questions.begin(), draft.questions.end(),
                       [&](const std::string& question) { return question.find(part) != std::string::npos; });
  }
};

/// The draft of the one kernel of `source`, read back as a user's spec is.
Drafted drafted(const std::string& source) {
  const TemporaryFolder folder;
  const KernelSource read = read_kernel_source(source);
  REQUIRE(read.kernels.size() == 1);
  Drafted result{draft_spec(read.kernels.front(), read, "k.cu", "k_reference.cu"), {}};
  folder.write("k.cu", source);
  folder.write("k_reference.cu", result.draft.reference);
  result.loaded = load_kernel_file(folder.write("k.toml", result.draft.spec));
  INFO(result.draft.spec);
  for (const auto& mistake : result.loaded.mistakes) FAIL_CHECK(mistake.where.text(), " ", mistake.message);
  REQUIRE(result.loaded.kernels.size() == 1);
  for (const auto& mistake : signature_mistakes(result.loaded.kernels.front())) FAIL_CHECK(mistake.message);
  return result;
}

std::vector<std::int64_t> values_of(const Drafted& result, const std::string& name) {
  std::vector<std::int64_t> values;
  for (const auto& parameter : result.loaded.kernels.front().parameters)
    if (parameter.name == name)
      for (const auto& value : parameter.values) values.push_back(value.code());
  return values;
}

}  // namespace

TEST_SUITE("config::draft_spec") {
  TEST_CASE("a plain kernel: sizes, access, defaults and tunables come from its source") {
    const Drafted result = drafted(
        "#ifndef BLOCK_SIZE\n#define BLOCK_SIZE 256\n#endif\n"
        "extern \"C\" __global__ void saxpy(int n, float a, const float* x, float* y) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i] + y[i]; }");
    const auto& spec = result.loaded.kernels.front();
    CHECK(spec.name == "saxpy");
    CHECK(spec.sizes == std::vector<std::string>{"N"});
    REQUIRE(spec.arguments.size() == 4);
    CHECK(spec.arguments[2].access == tuner::model::Access::in);
    CHECK(spec.arguments[3].access == tuner::model::Access::inout);
    CHECK(values_of(result, "BLOCK_SIZE") == std::vector<std::int64_t>{64, 128, 256, 512, 1024});
    REQUIRE(spec.defaults.size() == 1);
    CHECK(spec.defaults.front().value.code() == 256);
    CHECK(result.asks("a: which value?"));
    CHECK(result.asks("y is read and written"));
  }

  TEST_CASE("a source with code for the host asks for nvcc, another does not") {
    const std::string kernel =
        "__global__ void fill(float* x, int n) { if (threadIdx.x << 2 < n) x[0] = 1; }\n";
    CHECK_FALSE(drafted(kernel).loaded.kernels.front().by_nvcc);
    CHECK_FALSE(drafted(kernel + "// int main() { fill<<<1, 1>>>(0, 0); }\n").loaded.kernels.front().by_nvcc);
    CHECK(drafted(kernel + "int main() { return 0; }\n").loaded.kernels.front().by_nvcc);
    CHECK(drafted(kernel + "void go(float* x) { fill<<<1, 32>>>(x, 3); }\n").loaded.kernels.front().by_nvcc);
  }

  TEST_CASE("a tiled template kernel: its types, template arguments and tiles") {
    const Drafted result = drafted(
        "template <typename T, int UNROLL> __global__ void mm(const T* A, const T* B, T* C, int M, int N, "
        "int K, int lda) {\n"
        "  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;\n"
        "  C[row * N + col] = A[row * lda] * B[col]; }");
    const auto& spec = result.loaded.kernels.front();
    CHECK(spec.steps.front().entry == "mm<ELEMENT_TYPE, TUNED_UNROLL>");
    CHECK(spec.sizes == std::vector<std::string>{"M", "N", "K"});  // lda is none
    CHECK(spec.steps.front().grid.front().text == "ceil_div(N, TILE)");
    CHECK(spec.steps.front().block.size() == 2);
    CHECK(result.asks("which types may T be?"));
    CHECK(result.asks("lda: which value?"));
  }

  TEST_CASE("a kernel that says nothing of itself gets a draft that says so") {
    const Drafted result = drafted("__global__ void mystery(float* out) { out[threadIdx.x] = 1; }");
    CHECK(result.asks("how large is the problem?"));
    // Block sizes that no macro names share one binary.
    CHECK(result.loaded.kernels.front().parameters.front().runtime);
  }

  TEST_CASE("its reference does not pass for one before it is written") {
    const Drafted result = drafted("__global__ void k(float* out, int n) { out[n] = 1; }");
    CHECK(result.draft.reference.find("#error") != std::string::npos);
    CHECK(result.asks("k_reference.cu"));
  }
}

TEST_SUITE("config::signature_mistakes") {
  TEST_CASE("a launch that does not fit the kernel's declaration is told with both") {
    Drafted result = drafted("__global__ void k(const float* x, float* y, int n) { y[n] = x[n]; }");
    tuner::model::KernelSpec spec = result.loaded.kernels.front();
    const auto only = [&] {
      const auto mistakes = signature_mistakes(spec);
      REQUIRE(mistakes.size() == 1);
      return mistakes.front();
    };
    SUBCASE("too few arguments") {
      spec.arguments.erase(spec.arguments.begin());
      spec.verify.reset();
      CHECK(only().message == "`k` takes 3 arguments and is given 2");
      CHECK(only().hint == "k.cu, line 1: (float* x, float* y, int n)");
    }
    SUBCASE("a buffer for a value") {
      spec.steps.front().arguments = {"x", "y", "y"};
      CHECK(only().message == "`y` is a buffer, and argument 3 of `k` is a value");
      CHECK(only().where.line > 0);
    }
    SUBCASE("a value of another size") {
      spec.arguments[2].type = tuner::model::ElementType::int64;
      CHECK(only().message == "`n` has 8 bytes, and argument 3 of `k` has 4");
    }
    SUBCASE("a misspelt entry") {
      spec.source.front().text = "__global__ void kernel(const float* x, float* y, int n) {}";
      spec.steps.front().entry = "kernal";
      CHECK(only().hint.find("kernel") != std::string::npos);
    }
    SUBCASE("the reference's launch") {
      spec.verify->steps.front().arguments.pop_back();
      CHECK(only().message == "`k_reference` takes 4 arguments and is given 3");
    }
  }

  TEST_CASE("a tensor map or a texture is over a buffer that the draft asks for") {
    const KernelSource read = read_kernel_source(
        "__global__ void k(const __grid_constant__ CUtensorMap map, cudaTextureObject_t image, "
        "cudaSurfaceObject_t result, float* y, int n) {\n"
        "  y[n] = 0; }");
    REQUIRE(read.kernels.size() == 1);
    const SpecDraft draft = draft_spec(read.kernels.front(), read, "k.cu", "k_reference.cu");
    CHECK(draft.spec.find("name = \"map\"\ntype = \"CUtensorMap\"\ntensor = \"?\"\nshape = [\"N\"]  # ?\n"
                          "box = [\"N\"]  # ?\n") != std::string::npos);
    CHECK(draft.spec.find("type = \"cudaTextureObject_t\"\ntexture = \"?\"\nshape = [\"N\"]  # ?\n\n") !=
          std::string::npos);
    CHECK(draft.spec.find("type = \"cudaSurfaceObject_t\"\nsurface = \"?\"\nshape = [\"N\"]  # ?\n\n") !=
          std::string::npos);
    CHECK(std::count_if(draft.questions.begin(), draft.questions.end(), [](const std::string& question) {
            return question.find("over which buffer?") != std::string::npos;
          }) == 3);
  }

  TEST_CASE("what its text does not show is left to the compiler") {
    Drafted result = drafted("__global__ void k(const float* x, float* y, int n) { y[n] = x[n]; }");
    tuner::model::KernelSpec spec = result.loaded.kernels.front();
    spec.verify.reset();
    spec.source.front().text = "KERNEL(k)(const float* x)";
    CHECK(signature_mistakes(spec).empty());
    spec.source.front().text = "__global__ void k(Pointer x, Pointer y, Index n) {}";
    CHECK(signature_mistakes(spec).empty());
  }
}
