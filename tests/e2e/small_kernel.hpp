#pragma once
#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/support/run_program.hpp"

namespace tuner::test {

/// A kernel `NAME(inputs…, float* y, int N, arguments…)` that fills y, its spec and its reference. A test
/// says what is its own, and no more.
struct SmallKernel {
  std::string name = "small";
  std::string before = "";                      ///< lines of the spec before its tables
  std::string keys = "";                        ///< lines of [kernel]
  std::string parameters = "BLOCK = [32, 64]";  ///< lines of [parameters]; a table may follow
  std::string block = "32";                     ///< threads, as the spec says it
  std::vector<std::string> inputs = {};         ///< arrays of N floats from -1 to 1
  std::vector<std::string> arguments = {};      ///< integers
  std::string begin = "";                       ///< lines of the source
  std::string value = "i";                      ///< of y[i], in C
  std::string right = "";                       ///< what it should be; empty: the value
  int rounding_terms = 0;
  std::string elements = "N";  ///< so many are written
  /// That each thread of the first block wastes first. Times that are to differ lie so far apart that another
  /// program on the same cores does not change which is less.
  std::string loops = "0";
  bool is_verified = true;

  std::string spec() const {
    std::string text = is_verified ? before : "verify = \"none\"\n" + before;
    text += fmt::format(
        "\n[kernel]\nname = \"{0}\"\nsource = \"{0}.cu\"\nentry = \"{0}\"\nsizes = [\"N\"]\n{1}\n", name,
        keys);
    text += fmt::format("[parameters]\n{}\n\n[launch]\nblock = [\"{}\"]\ngrid = [\"ceil_div(N, {})\"]\n\n",
                        parameters, block, block);
    for (const std::string& input : inputs)
      text += argument(input, "float*", true) + "init = \"uniform(-1, 1)\"\n\n";
    text += argument("y", "float*", false) + "\n[[arguments]]\nname = \"N\"\ntype = \"int\"\n";
    for (const std::string& one : arguments)
      text += fmt::format("\n[[arguments]]\nname = \"{}\"\ntype = \"int\"\n", one);
    text += "\n[metrics]\n\"Gelements/s\" = \"1.0 * N / time_ns\"\n";
    if (!is_verified) return text;
    return text + fmt::format(R"text(
[verify]
reference = "reference.cu"
rounding_terms = {}

[verify.launch]
entry = "reference"
block = [32]
grid = ["ceil_div(N, 32)"]
arguments = [{}"y.expected", "y.magnitude", "N"]
)text",
                              rounding_terms, of_inputs("\"{}\", "));
  }

  std::string source() const {
    std::string integers;
    for (const std::string& one : arguments) integers += ", int " + one;
    return begin + fmt::format(R"text(extern "C" __global__ void {}({}float* y, int N{}) {{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile float wasted = 0;
  if (blockIdx.x == 0)
    for (long long k = 0; k < ({}); ++k) wasted = wasted + 1;
  if (i < {}) y[i] = {};
}}
)text",
                               name, of_inputs("const float* {}, "), integers, loops, elements, value);
  }

  std::string reference() const {
    return fmt::format(R"text(extern "C" __global__ void reference({}double* y, double* magnitude, int N) {{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  y[i] = {};
  magnitude[i] = fabs(y[i]);
}}
)text",
                       of_inputs("const float* {}, "), right.empty() ? value : right);
  }

  /// NAME.toml, NAME.cu and reference.cu.
  void write(const TemporaryFolder& folder) const {
    write_text(folder / (name + ".toml"), spec());
    write_text(folder / (name + ".cu"), source());
    if (is_verified) write_text(folder / "reference.cu", reference());
  }

 private:
  static std::string argument(const std::string& name, const std::string& type, bool is_input) {
    return fmt::format("[[arguments]]\nname = \"{}\"\ntype = \"{}\"\naccess = \"{}\"\nextent = [\"N\"]\n",
                       name, type, is_input ? "in" : "out");
  }
  std::string of_inputs(const char* format) const {
    std::string text;
    for (const std::string& input : inputs) text += fmt::format(fmt::runtime(format), input);
    return text;
  }
};

}  // namespace tuner::test
