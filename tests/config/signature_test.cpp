// Launches against what their sources declare.
#include <doctest/doctest.h>

#include <string>

#include "config/kernel_file.hpp"
#include "tests/config/drafted.hpp"

using config::choose_overloads;
using config::signature_mistakes;
using config_test::Drafted;
using config_test::drafted;

TEST_SUITE("config::choose_overloads") {
  TEST_CASE("an entry that names several functions becomes the kernel that can take what is passed") {
    const Drafted result = drafted("__global__ void k(const float* x, float* y, int n) { y[n] = x[n]; }");
    const auto entry_of = [&](const std::string& text) {
      tuner::model::KernelSpec spec = result.loaded.kernels.front();
      spec.source.front().text = text;
      choose_overloads(spec);
      CHECK(spec.verify->steps.front().entry == "k_reference");
      return spec.steps.front().entry;
    };
    const std::string own =
        "__global__ void k(const float* __restrict__ x, float *y, int n = 3) { y[n] = x[n]; }\n";
    const std::string named = "k(const float*__restrict__ x, float*y, int n)";
    CHECK(entry_of(own) == "k");
    CHECK(entry_of("__global__ void k(const float* __restrict__ x, float *y, int n);\n" + own) == "k");
    CHECK(entry_of(own + "void k(std::vector<float>& x) { k<<<1, 1>>>(x.data(), nullptr, 3); }") == named);
    CHECK(entry_of("namespace { float k(int n); }\n" + own) == named);
    CHECK(entry_of(own + "__global__ void k(const float* x, float* y) {}") == named);
    CHECK(entry_of(own + "__global__ void k(const int* x, float* y, int n) {}") == named);
    CHECK(entry_of("__global__ void k(const double* x, float* y, int n) {}\n"
                   "__global__ void k(const float* x, float* y, float n) {}") ==
          "k(const float*x, float*y, float n)");
    // Instances of templates.
    const auto instance_of = [&](const std::string& entry, const std::string& text) {
      tuner::model::KernelSpec spec = result.loaded.kernels.front();
      spec.source.front().text = text;
      spec.steps.front().entry = entry;
      choose_overloads(spec);
      return spec.steps.front().entry;
    };
    const std::string tile =
        "template <typename T, int B> __global__ void k(const T* x, T* y, int n) {}\n"
        "template <typename T, int B> __global__ void k(const T* x, T* y) {}\n";
    CHECK(instance_of("k<float, 64>", tile) == "k<float, 64>(const float*x, float*y, int n)");
    CHECK(instance_of("k<float, 64>", tile.substr(0, tile.find('\n'))) == "k<float, 64>");
    CHECK(
        instance_of("k<float, 64>", tile + "template <typename T, int B> void k(T* x, float* y, int n) {}") ==
        "k<float, 64>(const float*x, float*y, int n)");
    CHECK(instance_of("k<float*, 64>", tile) == "k<float*, 64>");
    CHECK(instance_of("k<float, 64>(const float*, float*)", tile) == "k<float, 64>(const float*, float*)");
    // What is no function of that name, and what fits as well.
    CHECK(entry_of(own + "struct S { void k(int n); };\nvoid other() { k(3); int k(5); }") == "k");
    CHECK(entry_of(own + "__global__ void k(const float* x, float* y, Index n) {}") == named);
    CHECK(entry_of("__global__ void k(Pointer x, float* y, int n) {}\n"
                   "__global__ void k(const float* x, float* y, Index n) {}") == "k");
  }
}

TEST_SUITE("config::signature_mistakes") {
  TEST_CASE("an address without a buffer is no value in the place of a pointer") {
    Drafted result = drafted("__global__ void k(const float* x, float* y, int n) { y[n] = x[n]; }");
    tuner::model::KernelSpec spec = result.loaded.kernels.front();
    spec.source.front().text = "__global__ void k(const float* x, float* y, int n, float* extra) {}";
    tuner::model::ArgumentSpec& extra = spec.arguments.emplace_back();
    extra.name = "extra";
    extra.type = tuner::model::ElementType::uint64;
    extra.value = tuner::model::Expression{"0", {}};
    CHECK(signature_mistakes(spec).empty());
    extra.value->text = "1";
    REQUIRE(signature_mistakes(spec).size() == 1);
    CHECK(signature_mistakes(spec)[0].message == "`extra` is a value, and argument 4 of `k` is a pointer");
  }

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
    SUBCASE("an exact result that the reference takes for single precision") {
      const std::string reference = spec.verify->source.front().text;
      const std::size_t at = reference.find("double");
      REQUIRE(at != std::string::npos);
      spec.verify->source.front().text = std::string(reference).replace(at, 6, "float");
      CHECK(only().message.find(".expected` is a buffer of double, and argument ") != std::string::npos);
      CHECK(only().message.find(" of `k_reference` is float*") != std::string::npos);
    }
    SUBCASE("a value of another size") {
      spec.arguments[2].type = tuner::model::ElementType::int64;
      CHECK(only().message == "`n` has 8 bytes, and argument 3 of `k` has 4");
    }
    SUBCASE("a value of another kind") {
      spec.arguments[2].type = tuner::model::ElementType::float32;
      CHECK(only().message == "`n` is float, and argument 3 of `k` is int");
    }
    SUBCASE("a buffer of other numbers, but not one whose bits are taken for integers") {
      spec.verify.reset();
      spec.arguments[0].type = tuner::model::ElementType::float64;
      CHECK(only().message == "`x` is double*, and argument 1 of `k` is float*");
      spec.arguments[0].type = tuner::model::ElementType::float4;
      CHECK(signature_mistakes(spec).empty());
      spec.arguments[0].type = tuner::model::ElementType::int32;
      CHECK(signature_mistakes(spec).empty());
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

  TEST_CASE("what its text does not show is left to the compiler") {
    Drafted result = drafted("__global__ void k(const float* x, float* y, int n) { y[n] = x[n]; }");
    tuner::model::KernelSpec spec = result.loaded.kernels.front();
    spec.verify.reset();
    spec.source.front().text = "KERNEL(k)(const float* x)";
    CHECK(signature_mistakes(spec).empty());
    spec.source.front().text = "__global__ void k(Pointer x, Pointer y, Index n) {}";
    CHECK(signature_mistakes(spec).empty());
  }

  TEST_CASE(
      "a list of parameters that macros make is left to the compiler, other lists with macros are not") {
    Drafted result = drafted("__global__ void k(const float* x, float* y, int n) { y[threadIdx.x] = x[n]; }");
    tuner::model::KernelSpec spec = result.loaded.kernels.front();
    spec.verify.reset();
    const auto passes = [&](const std::string& text) {
      spec.source.front().text = text;
      return signature_mistakes(spec).empty();
    };
    const std::string lone = "extern \"C\" __global__ void k(ARGS) {}\n";
    CHECK_FALSE(passes(lone));
    CHECK(passes("#define ARGS const float* x, float* y, int n\n" + lone));
    CHECK(
        passes("#define TARGS(T) const T* x, T* y, int n\n"
               "template <typename T> __global__ void k(TARGS(T)) {}"));
    CHECK(passes("#define MORE , int n\n__global__ void k(const float* x, float* y MORE) {}"));
    CHECK_FALSE(passes("#define REAL float\n__global__ void k(const REAL* x, REAL* y) {}"));
    SUBCASE("by a header") {
      spec.source.push_back({"args.h", "#define ARGS const float* x, float* y, int n\n"});
      CHECK(passes(lone));
    }
    SUBCASE("by an option") {
      spec.compile_options.emplace_back("-DARGS=const float* x, float* y, int n");
      CHECK(passes(lone));
    }
    SUBCASE("by a parameter") {
      spec.parameters.front().name = "ARGS";
      CHECK(passes(lone));
    }
  }
}
