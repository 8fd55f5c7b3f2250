#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "tests/e2e/user.hpp"

using tuner::test::has;
using tuner::test::User;
using tuner::test::words_of;

TEST_SUITE("tuner command line, init") {
  namespace {

  void write_saxpy(const User& user, const std::string& file = "saxpy.cu") {
    std::ofstream(user.home / file) << R"(#ifndef BLOCK_SIZE
#define BLOCK_SIZE 256
#endif
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
)";
  }

  }  // namespace

  TEST_CASE("the commands that come next can be pasted into a shell, however narrow the terminal") {
    User user;
    const std::string folder = "kernels of mine/of a linear algebra/level one";
    std::filesystem::create_directories(user.home / folder);
    write_saxpy(user, folder + "/saxpy.cu");
    user.environment["COLUMNS"] = "40";
    const auto init = user.types({"init", folder + "/saxpy.cu"});
    REQUIRE(init.exit_code == 0);
    const std::string pasted = init.err.substr(init.err.find("then:\n") + 6);
    const auto read = tuner::test::run_program(
        {"/bin/sh", "-c", "tuner() { printf '<%s>' \"$@\"; }\n" + pasted}, {}, user.home.path());
    CHECK(read.out == "<check><" + folder + "/saxpy.toml>");
    CHECK_MESSAGE(read.exit_code == 0, pasted);
  }

  TEST_CASE("a kernel that is called like a family of shipped kernels does not join them") {
    const User user;
    std::ofstream(user.home / "sum.cu") << R"(__global__ void sum(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + 1.0f;
}
void add(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = x[i] + 1.0f;
}
void launch(const float* x, float* y, int n) { sum<<<(n + 127) / 128, 128>>>(x, y, n); }
)";
    CHECK(user.types({"init", "sum.cu"}).exit_code == 0);
    const std::string spec = tuner::test::read_text(user.home / "sum.toml");
    CHECK(has(spec, "name = \"sum\"\nfamily = \"my_sum\"  # `sum` is a family of shipped kernels\n"));
    const auto listed = user.types({"check", "sum.toml"});
    CHECK(has(listed.out, "sum: sound"));
    CHECK_FALSE(has(listed.out, "reduction"));

    // Without a family it would be held against kernels that do something else.
    const auto line = spec.find("family");
    tuner::test::write_text(user.home / "sum.toml",
                            std::string(spec).erase(line, spec.find('\n', line) + 1 - line));
    const auto run = user.types({"run", "--kernel", "sum.toml", "--device", "cpu", "--sizes", "100"});
    CHECK(run.exit_code == 2);
    CHECK(has(run.err, "sum.toml: kernel sum is named like the family of the shipped kernel reduction"));
    CHECK(has(run.err, "family = \"my_sum\""));
  }

  TEST_CASE("a drafted reference keeps of whole numbers what their type does, and asks for equality") {
    struct Program {
      std::string type, on_device, on_host;
      bool is_right;
    };
    const User user;
    for (const Program& one : std::vector<Program>{{"int", "1000050 + x[i]", "1000000 + x[i]", false},
                                                   {"unsigned char", "3 * x[i]", "3 * x[i]", true},
                                                   {"unsigned char", "0.3f * x[i]", "0.3f * x[i]", true},
                                                   {"unsigned int", "x[i] - 500", "x[i] - 500", true}}) {
      std::ofstream(user.home / "k.cu")
          << "typedef " << one.type << " T;\n"
          << "__global__ void k(const T* x, T* y, int n) {\n"
          << "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = " << one.on_device << "; }\n"
          << "void k_cpu(const T* x, T* y, int n) { for (int i = 0; i < n; ++i) y[i] = " << one.on_host
          << "; }\n"
          << "int main() { int n = 4096; T *h_x = new T[n], *h_y = new T[n], *d_x, *d_y;\n"
          << "  cudaMalloc(&d_x, n * sizeof(T)); cudaMalloc(&d_y, n * sizeof(T));\n"
          << "  cudaMemcpy(d_x, h_x, n * sizeof(T), cudaMemcpyHostToDevice);\n"
          << "  k<<<(n + 255) / 256, 256>>>(d_x, d_y, n); k_cpu(h_x, h_y, n); }\n";
      REQUIRE(user.types({"init", "k.cu"}).exit_code == 0);
      const auto run = user.types({"run", "--kernel", "k.toml", "--device", "cpu", "--sizes", "64",
                                   "--ceilings", "off", "--db", "k.db"});
      INFO(one.type << " " << one.on_device << "\n" << run.out << run.err);
      CHECK(has(run.err + run.out, "no usable trial") != one.is_right);
      for (const char* const file : {"k.toml", "k_reference.cu", "k.db"})
        std::filesystem::remove(user.home / file);
    }
  }

  TEST_CASE("where nothing allocates a kernel's buffers, its indices say how large they are") {
    const User user;
    std::ofstream(user.home / "product.cu") << R"(
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}
)";
    const std::string launch =
        "void launch(const float* A, const float* B, float* C, int m, int n, int k) {\n"
        "  product<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(A, B, C, m, n, k);\n}\n";
    for (const bool is_launched : {false, true}) {
      if (is_launched) std::ofstream(user.home / "product.cu", std::ios::app) << launch;
      const auto init = user.types({"init", "product.cu", "--force"});
      REQUIRE(init.exit_code == 0);
      const std::string spec = tuner::test::read_text(user.home / "product.toml");
      INFO(spec);
      CHECK(has(spec, "access = \"in\"  # const\nextent = [\"M\", \"K\"]  # ? by the kernel's indices\n"));
      CHECK(has(spec, "access = \"in\"  # const\nextent = [\"K\", \"N\"]  # ? by the kernel's indices\n"));
      CHECK(has(spec, "extent = [\"M\", \"N\"]  # ? by the kernel's indices\n"));
      CHECK_FALSE(has(init.err, "how many elements"));
      // The kernel's text fixes the block, launched or not.
      CHECK(has(spec, "block = [\"16\", \"16\"]\ngrid = [\"ceil_div(N, 16)\", \"ceil_div(M, 16)\"]\n"));
    }
  }

  TEST_CASE("a number of blocks is no size where threads go on by the grid's size, but a parameter") {
    const User user;
    for (const std::string type : {"int", "const int"}) {
      std::ofstream(user.home / "twice.cu")
          << "__global__ void twice(const float* x, float* y, int n) {\n"
             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "  for (; i < n; i += gridDim.x * blockDim.x) y[i] = 2 * x[i];\n}\n"
             "void launch(const float* x, float* y, int n) {\n  "
          << type << " blocks = 4 * 132;\n  twice<<<blocks, 256>>>(x, y, n);\n}\n";
      REQUIRE(user.types({"init", "twice.cu", "--force"}).exit_code == 0);
      const std::string spec = tuner::test::read_text(user.home / "twice.toml");
      INFO(spec);
      CHECK(has(spec, "sizes = [\"N\"]\n"));
      CHECK(has(spec, "BLOCKS = { values = [132, 264, 528, 1056, 2112], runtime = true }"));
      CHECK(has(spec, "grid = [\"BLOCKS\"]\n"));
    }
  }

  TEST_CASE("check lists configurations by their numbers") {
    const User user;
    write_saxpy(user);
    REQUIRE(user.types({"init", "saxpy.cu"}).exit_code == 0);
    const auto check = user.types({"check", "saxpy.toml"});
    const auto at = [&](const std::string& configuration) { return check.out.find(configuration + " "); };
    REQUIRE(at("BLOCK_SIZE=1024") != std::string::npos);
    CHECK(at("BLOCK_SIZE=64") < at("BLOCK_SIZE=128"));
    CHECK(at("BLOCK_SIZE=512") < at("BLOCK_SIZE=1024"));
  }

  TEST_CASE("a kernel nobody described is tuned once its reference is written, its source untouched") {
    const User user;
    write_saxpy(user);
    const auto init = user.types({"init", "saxpy.cu"});
    INFO(init.err);
    CHECK(init.exit_code == 0);
    CHECK(init.out == "saxpy.toml\nsaxpy_reference.cu\n");
    CHECK(has(init.err,
              "saxpy.toml is a spec of `saxpy`, which saxpy.cu defines in line 4; its reference goes into "
              "saxpy_reference.cu"));
    CHECK(has(init.err, "then:\n  tuner check saxpy.toml\n"));

    // Before the reference says what is right nothing passes.
    const auto early = user.types({"run", "--kernel", "saxpy.toml", "--device", "cpu", "--sizes", "1000"});
    CHECK(early.exit_code != 0);
    CHECK(has(early.out + early.err, "still to be written"));

    std::ofstream(user.home / "saxpy_reference.cu") << R"(
extern "C" __global__ void saxpy_reference(const float* x, const float* y, double* y_expected, double* y_magnitude,
                                           int N) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= N) return;
  y_expected[i] = double(x[i]) + y[i];
  y_magnitude[i] = fabs(double(x[i])) + fabs(double(y[i]));
}
)";
    const auto run = user.types({"run", "--kernel", "saxpy.toml", "--device", "cpu", "--sizes", "1000"});
    INFO(run.out, run.err);
    CHECK(run.exit_code == 0);
    CHECK(has(run.out, "BLOCK_SIZE="));
    CHECK(has(words_of(run.out), "searched whole: all 5"));

    SUBCASE("a second init replaces the spec alone, and only when told to") {
      const auto again = user.types({"init", "saxpy.cu"});
      CHECK(again.exit_code == 2);
      CHECK(has(again.err, "saxpy.toml is there already"));
      CHECK(has(again.err, "--force replaces it; to have both, move one source to another folder"));
      CHECK(user.types({"init", "saxpy.cu", "--force"}).exit_code == 0);
      // As `tuner init saxpy.cu > saxpy.toml` leaves it for us.
      tuner::test::write_text(user.home / "saxpy.toml", "");
      CHECK(user.types({"init", "saxpy.cu"}).exit_code == 0);
      CHECK(has(tuner::test::read_text(user.home / "saxpy.toml"), "[kernel]"));
      CHECK(has(tuner::test::read_text(user.home / "saxpy_reference.cu"), "y_expected[i] = double"));
    }
    SUBCASE("check holds the spec against the kernel's declaration") {
      std::string spec = tuner::test::read_text(user.home / "saxpy.toml");
      const std::string type = "name = \"n\"\ntype = \"int\"";
      REQUIRE(has(spec, type));
      spec.replace(spec.find(type), type.size(), "name = \"n\"\ntype = \"long long\"");
      std::ofstream(user.home / "saxpy.toml") << spec;
      const auto check = user.types({"check", "saxpy.toml"});
      CHECK(check.exit_code == 2);
      CHECK(has(check.err, "`n` has 8 bytes, and argument 1 of `saxpy` has 4"));
      CHECK(has(check.err, "saxpy.toml:"));
    }
  }

  TEST_CASE("macros that the build gives are parameters with its values, or options") {
    const User user;
    std::ofstream(user.home / "scale.cu") << "#ifndef BLOCK_SIZE\n#define BLOCK_SIZE 256\n#endif\n"
                                             "__global__ void scale(float* y, int n) {\n"
                                             "  int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;\n"
                                             "  if (i < n) y[i] = static_cast<REAL>(ROUNDS * y[i]);\n}\n";
    const auto init = user.types(
        {"init", "scale.cu", "-D", "BLOCK_SIZE=128", "-D", "ROUNDS=3", "-D", "REAL=double", "-D", "UNUSED"});
    CHECK_MESSAGE(init.exit_code == 0, init.err);
    const std::string spec = tuner::test::read_text(user.home / "scale.toml");
    INFO(spec);
    CHECK(has(spec, "default = { BLOCK_SIZE = 128, ROUNDS = 3 }"));
    CHECK(has(spec, "# ? given by the build"));
    CHECK(has(spec, "options = [\"-DREAL=double\"]"));
    const auto check = user.types({"check", "scale.toml"});
    INFO(check.out, check.err);
    CHECK(has(check.err, "still to be written"));
    CHECK_FALSE(has(check.out + check.err, "compile_error"));
  }

  TEST_CASE("headers come from the folders that the build gives") {
    for (const std::string include : {"\"block.h\"", "<block.h>"}) {
      CAPTURE(include);
      const User user;
      std::filesystem::create_directory(user.home / "lib");
      std::ofstream(user.home / "lib/block.h") << "#define BLOCK 192\n";
      std::ofstream(user.home / "scale.cu")
          << "#include " << include
          << "\n__global__ void scale(float* y, int n) {\n"
             "  int i = blockIdx.x * BLOCK + threadIdx.x;\n"
             "  if (i < n) y[i] *= 3;\n}\n"
             "void all(float* y, int n) { scale<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n); }\n";
      const auto init = user.types({"init", "scale.cu", "-I", "lib"});
      CHECK_MESSAGE(init.exit_code == 0, init.err);
      const std::string spec = tuner::test::read_text(user.home / "scale.toml");
      INFO(spec);
      CHECK(has(spec, "-I" + user.home / "lib"));
      CHECK(has(spec, "192"));
      const auto check = user.types({"check", "scale.toml"});
      CHECK_MESSAGE(!has(check.out + check.err, "compile_error"), check.out, check.err);
    }
  }

  TEST_CASE("a kernel in a namespace is called by its whole name") {
    const User user;
    std::ofstream(user.home / "scale.cu")
        << "namespace app::gpu { namespace {\n"
           "__global__ void scale(float* y, int n) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i < n) y[i] *= 3;\n}\n}\n"
           "void all(float* y, int n) { scale<<<(n + 255) / 256, 256>>>(y, n); }\n}\n";
    REQUIRE(user.types({"init", "scale.cu"}).exit_code == 0);
    CHECK(has(tuner::test::read_text(user.home / "scale.toml"), "entry = \"app::gpu::scale\""));
    const auto check = user.types({"check", "scale.toml"});
    CHECK_MESSAGE(!has(check.out + check.err, "compile_error"), check.out, check.err);
  }

  TEST_CASE("a variable in a namespace is called by its whole name") {
    const User user;
    std::ofstream(user.home / "conv.cu") << "namespace filter { __constant__ float taps[9]; }\n"
                                            "__global__ void conv1d(float* y, const float* x, int n) {\n"
                                            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                            "  if (i < n) y[i] = x[i] * filter::taps[i % 9];\n}\n";
    REQUIRE(user.types({"init", "conv.cu"}).exit_code == 0);
    CHECK(has(tuner::test::read_text(user.home / "conv1d.toml"), "symbol = \"filter::taps\""));
    const auto check = user.types({"check", "conv1d.toml"});
    CHECK_MESSAGE(!has(check.out + check.err, "compile_error"), check.out, check.err);
  }

  TEST_CASE("a kernel of structs is tuned once its reference is written, which is passed them") {
    const User user;
    std::ofstream(user.home / "particles.cu") << R"(
struct Particle { float3 position; short charge; };
struct Force { float field; int n; };
extern "C" __global__ void push(Force force, Particle* particles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < force.n) particles[i].position.x += particles[i].charge * force.field;
}
)";
    const auto init = user.types({"init", "particles.cu"});
    CHECK(init.out == "push.toml\npush_reference.cu\n");
    CHECK(has(init.err, "push.toml is a spec of `push`, which particles.cu defines in line 4"));
    const std::string declared = tuner::test::read_text(user.home / "push_reference.cu");
    CHECK(has(declared,
              "(const Particle* particles, double* particles_position_expected, double* "
              "particles_position_magnitude, double* particles_charge_expected, int N)"));
    const std::size_t definition = declared.find("struct Particle {");
    REQUIRE(definition != std::string::npos);
    std::ofstream(user.home / "push_reference.cu")
        << declared.substr(definition, declared.find("  const long long") - definition) << R"(
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= N) return;
  const float at[3] = {particles[i].position.x, particles[i].position.y, particles[i].position.z};
  const double push = particles[i].charge;
  for (int c = 0; c < 3; ++c) {
    particles_position_expected[3 * i + c] = at[c] + (c == 0 ? push : 0);
    particles_position_magnitude[3 * i + c] = fabs(double(at[c])) + (c == 0 ? fabs(push) : 0);
  }
  particles_charge_expected[i] = particles[i].charge;
}
)";
    const auto run = user.types({"run", "--kernel", "push.toml", "--device", "cpu", "--sizes", "1000"});
    INFO(run.out, run.err);
    CHECK(run.exit_code == 0);
    CHECK(has(words_of(run.out), "searched whole: all 5"));
  }

  TEST_CASE(
      "a kernel that its program launches and computes on the CPU too is tuned without a line written") {
    const User user;
    std::ofstream(user.home / "real.h")
        << "typedef float real;\n"
           "template <class T> __host__ __device__ T up(T a, T b) { return (a + b - 1) / b; }\n";
    std::ofstream(user.home / "blend.cu") << R"(#include <cstdlib>
#include "real.h"
void blend_cpu(float* out, const float* a, const float* b, int rows, int columns) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) out[i * columns + j] = 0.25f * a[i * columns + j] + b[j];
}
__global__ void blend(real* out, const real* a, const real* b, int n, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.25f * a[i] + b[i % columns];
}
void launch(real* out, real* a, real* b, int rows, int columns, const int block_size) {
  const int n = rows * columns;
  blend<<<up(n, block_size), block_size>>>(out, a, b, n, columns);
}
int main() {
  int rows = 64, columns = 48;
  float* out = (float*)malloc(rows * columns * sizeof(float));
  float* a = (float*)malloc(rows * columns * sizeof(float));
  float* b = (float*)malloc(columns * sizeof(float));
  blend_cpu(out, a, b, rows, columns);
  real *d_out, *d_a, *d_b;
  cudaMalloc(&d_out, rows * columns * sizeof(real));
  cudaMalloc(&d_a, rows * columns * sizeof(real));
  cudaMalloc(&d_b, columns * sizeof(real));
  int block_sizes[] = {64, 128};
  for (int j = 0; j < 2; j++) {
    int block_size = block_sizes[j];
    launch(d_out, d_a, d_b, rows, columns, block_size);
  }
}
)";
    const auto init = user.types({"init", "blend.cu"});
    INFO(init.err);
    CHECK(init.out == "blend.toml\nblend_reference.cu\n");
    const auto run = user.types({"run", "--kernel", "blend.toml", "--device", "cpu", "--sizes", "30x20"});
    INFO(run.out, run.err, tuner::test::read_text(user.home / "blend.toml"));
    CHECK(run.exit_code == 0);
    CHECK(has(words_of(run.out), "searched whole: all 2"));
    CHECK_FALSE(has(run.out, "unverified"));
    // A reference that is wrong is noticed: it does verify.
    std::string wrong = tuner::test::read_text(user.home / "blend_reference.cu");
    wrong.replace(wrong.find("0.25"), 4, "0.35");
    std::ofstream(user.home / "blend_reference.cu") << wrong;
    const auto again = user.types({"run", "--kernel", "blend.toml", "--device", "cpu", "--sizes", "30x20"});
    CHECK(again.exit_code == 1);
  }

  TEST_CASE("a source whose name has a quote, a backslash and a newline is named so in its spec") {
    const User user;
    write_saxpy(user, "a\"b\\c\nd.cu");
    const auto init = user.types({"init", "a\"b\\c\nd.cu"});
    INFO(init.err);
    REQUIRE(init.exit_code == 0);
    const auto check = user.types({"check", "--no-compile", "saxpy.toml"});
    INFO(check.err);
    CHECK(check.exit_code == 0);
  }

  TEST_CASE("kernels of one name are told apart by their namespaces") {
    const User user;
    std::ofstream(user.home / "b.cu")
        << "namespace q { __global__ void four(float* x, int n) { x[n] = 4; }\n"
           "__global__ void five(float* x, int n) { x[n] = 5; } }\n"
           "namespace r { __global__ void four(double* y, int n) { y[n] = 4; } }\n";
    const auto spec_of = [&](const std::string& entry) {
      const auto init = user.types({"init", "b.cu", "--force", "--entry", entry});
      CHECK_MESSAGE(init.exit_code == 0, init.err);
      return tuner::test::read_text(user.home / (entry.substr(entry.size() - 4) + ".toml"));
    };
    CHECK(has(spec_of("q::four"), "entry = \"q::four\""));
    const std::string spec = spec_of("r::four");
    CHECK(has(spec, "entry = \"r::four\""));
    CHECK(has(spec, "name = \"y\"\ntype = \"double*\""));
    CHECK(has(spec_of("five"), "entry = \"q::five\""));
    const auto init = user.types({"init", "b.cu", "--entry", "four"});
    CHECK(init.exit_code == 2);
    CHECK(has(init.err, "b.cu has 2 kernels: q::four, r::four"));
    CHECK(has(init.err, "say which, as --entry q::four"));
  }

  TEST_CASE("what no spec can be made of is told with what there is") {
    const User user;
    write_saxpy(user);
    const auto refused = [&](const std::vector<std::string>& command, const std::string& reason) {
      const auto result = user.types(command);
      CHECK(result.exit_code == 2);
      CHECK_MESSAGE(has(result.err, reason), result.err);
    };
    refused({"init", "nowhere.cu"}, "cannot read nowhere.cu");
    refused({"init", "."}, "cannot read .");
    refused({"init", "saxpy.cu", "--entry", "saxp"}, "did you mean `saxpy`");
    std::ofstream(user.home / "none.cu") << "int x;\n";
    refused({"init", "none.cu"}, "defines no __global__ function");
    std::ofstream(user.home / "two.cu") << "__global__ void a() {}\n__global__ void b() {}\n";
    refused({"init", "two.cu"}, "has 2 kernels: a, b");
  }
}
