#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tuner/source/access.hpp"

using tuner::source::indexed_shapes;
using tuner::source::Program;
using Shapes = std::vector<std::vector<std::string>>;

TEST_SUITE("source::indexed_shapes") {
  namespace {

  /// Of the parameters of `__global__ void k(PARAMETERS) { BODY }`.
  Shapes shapes(const std::string& parameters, const std::string& body) {
    const Program program({"k.cu", "__global__ void k(" + parameters + ") {\n" + body + "\n}\n"},
                          [](auto&&...) { return std::nullopt; });
    REQUIRE(program.functions().size() == 1);
    return indexed_shapes(program, program.functions().front());
  }

  const std::string row_and_column =
      "int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;\n";

  }  // namespace

  TEST_CASE("a row's length and what bounds the row are the dimensions") {
    const std::string product = "const float* A, const float* B, float* C, int M, int N, int K";
    const Shapes of_product = {{"M", "K"}, {"K", "N"}, {"M", "N"}, {}, {}, {}};
    CHECK(shapes(product, row_and_column +
                              "if (row >= M || col >= N) return;\nfloat sum = 0;\n"
                              "for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];\n"
                              "C[row * N + col] = sum;") == of_product);
    CHECK(shapes(product, row_and_column + "for (int t = 0; t < (K + 15) / 16; ++t) {\n"
                                           "  a[threadIdx.y] = row < M && t * 16 + threadIdx.x < K ? A[row * "
                                           "K + t * 16 + threadIdx.x] : 0;\n"
                                           "  b[threadIdx.y] = col < N && t * 16 + threadIdx.y < K ? B[(t * "
                                           "16 + threadIdx.y) * N + col] : 0;\n"
                                           "}\nif (row < M && col < N) C[row * N + col] = sum;") ==
          of_product);
    CHECK(shapes(product,
                 "int wm = blockIdx.y, wn = blockIdx.x;\nif (wm * 16 >= M || wn * 16 >= N) return;\n"
                 "for (int k = 0; k < K; k += 16) {\n"
                 "  load(a, A + wm * 16 * K + k, K);\n  load(b, B + k * N + wn * 16, N);\n}\n"
                 "store(C + wm * 16 * N + wn * 16, c, N);") == of_product);
  }

  TEST_CASE("a pointer to vectors has a dimension more, unless the index ends at a part of a size") {
    const std::string index = "int i = blockIdx.x * 256 + threadIdx.x;\n";
    const Shapes by_four = {{"n", "4"}, {}};
    for (const std::string cast : {"reinterpret_cast<float4*>(x)[i]", "((float4*)x)[i]", "*((int4*)x + i)",
                                   "*(reinterpret_cast<uint4*>(x) + i)"})
      CHECK_MESSAGE(shapes("float* x, int n", index + "if (i < n) " + cast + " = v;") == by_four, cast);
    CHECK(shapes("const float* x, int n",
                 index + "auto y = reinterpret_cast<const float4*>(x);\nif (i < n) use(y[i]);") == by_four);
    CHECK(shapes("const float* x, int n",
                 index + "const float4* y = (const float4*)x;\nif (i < n / 4) use(y[i]);") ==
          Shapes{{"n"}, {}});
    CHECK(shapes("half* x, int n", index + "int m = n >> 1;\nif (i < m) ((half2*)x)[i] = v;") ==
          Shapes{{"n"}, {}});
    CHECK(shapes("half* x, int n", index + "if (i < n) reinterpret_cast<float4*>(x)[i] = v;") ==
          Shapes{{"n", "8"}, {}});
    CHECK(shapes("float* x, int rows, int cols",
                 "float4* y = (float4*)x;\nfor (int c = threadIdx.x; c < cols; c += 32) "
                 "y[blockIdx.x * cols + c] = v;") == Shapes{{"gridDim.x", "cols", "4"}, {}, {}});
    // One index may be of elements.
    CHECK(shapes("float* x, int n",
                 index + "if (i < n / 4) reinterpret_cast<float4*>(x)[i] = v; if (i < n) x[i] = 0;")
              .front()
              .size() < 2);
  }

  TEST_CASE("indices in variables, casts and more dimensions are followed") {
    CHECK(shapes("const float* x, float* y, int n",
                 "for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 32) y[i] = x[i + 1];") ==
          Shapes{{"n + 1"}, {"n"}, {}});
    CHECK(shapes("const float* x, float* y, int n", "int i = threadIdx.x;\nif (i < n) copy(x + i, &y[i]);") ==
          Shapes{{"n"}, {"n"}, {}});
    CHECK(shapes("const float* x, float* y, int rows, int cols",
                 "const float* in = x + (size_t)blockIdx.x * cols;\n"
                 "float* out = &y[static_cast<size_t>(blockIdx.x) * cols];") ==
          Shapes{{"gridDim.x", "cols"}, {"gridDim.x", "cols"}, {}, {}});
    CHECK(
        shapes("float* x, int B, int H, int W",
               "int b = blockIdx.z, h = blockIdx.y, w = threadIdx.x;\nif (b < B && h < H && w < W) {\n"
               "  const int at = (b * H + h) * W + w;\n  x[at] = 0;\n  x[b * H * W + h * W + w] += 1;\n}") ==
        Shapes{{"B", "H", "W"}, {}, {}, {}});
  }

  TEST_CASE("a bound holds in its loop or branch, and a loop may end at a number") {
    CHECK(shapes("float* x, int n, int m",
                 "for (int i = 0; i < n; ++i) f(i);\nfor (int i = 0; i < m; ++i) x[i] = 0;") ==
          Shapes{{"m"}, {}, {}});
    CHECK(shapes("const float* x, int* bins, int n",
                 "for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;\n"
                 "for (int i = threadIdx.x; i < n; i += blockDim.x) add(local, x[i]);\n"
                 "for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], local[i]);") ==
          Shapes{{"n"}, {"256"}, {}});
    CHECK(shapes("float* x, int n",
                 "for (int i = 0; i < n / 4; ++i)\n  for (int k = 0; k < 4; ++k) x[i * 4 + k] = 0;\n") ==
          Shapes{{}, {}});
    CHECK(shapes("float* x, int n", "for (int i = n; i >= 0; --i) x[i] = 0;") == Shapes{{}, {}});
    CHECK(shapes("float* x, int n", "if (i < n) x[i] = 1;\nfor (int k = 0; k < 4; ++k) x[k] = 0;") ==
          Shapes{{"n"}, {}});
    CHECK(shapes("float* x, int n", "for (int k = 0; k < 4; ++k) x[k] = 0;\nif (i < n) x[i] = 1;") ==
          Shapes{{"n"}, {}});
  }

  TEST_CASE("a dimension may be a template's parameter") {
    const Program program(
        {"k.cu",
         "template <int DIM> __global__ void k(const float* Q, int length) {\n"
         "  const int row = blockIdx.x * 4 + threadIdx.y;\n  if (row >= length) return;\n"
         "  const size_t base = (size_t)blockIdx.y * length * DIM;\n"
         "  for (int i = 0; i < DIM / 32; ++i) f(Q[base + (size_t)row * DIM + i * 32 + threadIdx.x]);\n}\n"},
        [](auto&&...) { return std::nullopt; });
    CHECK(indexed_shapes(program, program.functions().front()) == Shapes{{"gridDim.y", "length", "DIM"}, {}});
  }

  TEST_CASE("bounds in brackets, and bounds of what lies inside, are those of the whole") {
    CHECK(shapes("float* x, int n", "for (int i = threadIdx.x; i < (n); i += 32) x[i] = 0;") ==
          Shapes{{"n"}, {}});
    CHECK(shapes("float* x, int nx, int ny",
                 "int i = threadIdx.x, j = threadIdx.y;\nif (i < 1 || j < 1 || i >= nx - 1 || j >= ny - 1) "
                 "return;\n"
                 "x[j * nx + i] = 0;") == Shapes{{"ny", "nx"}, {}, {}});
  }

  TEST_CASE("what the text does not say, or says twice, is not guessed") {
    CHECK(shapes("float* x, int n, int m", "int i = threadIdx.x;\nx[i] = n;") == Shapes{{}, {}, {}});
    CHECK(shapes("float* x, int n, int m",
                 row_and_column + "if (row < n) x[row * m + col] = 0;\nif (col < m) x[col * n + row] = 0;") ==
          Shapes{{}, {}, {}});
    CHECK(shapes("float* x, int n, int m", "const bool a = i < n, b = i < m;\nif (a && b) x[i] = 0;") ==
          Shapes{{}, {}, {}});
    CHECK(shapes("float* x, int n, int m",
                 row_and_column + "x += blockIdx.z * n * m;\nif (row < n) x[row * m + col] = 0;") ==
          Shapes{{}, {}, {}});
    CHECK(shapes("float* x, int n, int m",
                 row_and_column + "float* y = x + col;\nif (col < n) y[row * n] = 0;") == Shapes{{}, {}, {}});
    CHECK(shapes("float* x, int n", "x[") == Shapes{{}, {}});
  }
}
