#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "config/draft_plan.hpp"
#include "config/time_specs.hpp"
#include "tuner/model/element_type.hpp"

namespace config {
namespace {

/// A run of the kernel, and what outputs hold before it.
struct ReferenceRun {
  const char* name;
  const char* before;
};
constexpr std::array<ReferenceRun, 2> runs = {{{"first", "0xA7"}, {"second", "0x5C"}}};

/// How an output's elements are read.
struct ElementText {
  std::string type;       ///< of an element
  std::string component;  ///< of its parts
  int components = 1;
};

ElementText output_element(const std::string& type) {
  const auto known = model::parse_element_type(type);
  if (!known) return {type, type};  // ELEMENT_TYPE
  return {std::string(model::cuda_name(*known)), std::string(model::cuda_name(model::component_type(*known))),
          model::components(*known)};
}

std::string launch_text(const std::string& entry, const std::vector<std::string>& block,
                        const std::vector<std::string>& grid, const std::vector<std::string>& arguments,
                        const std::string& shared_bytes = "") {
  std::string text = fmt::format("\n[[verify.launch]]\nentry = {}\nblock = {}\ngrid = {}\narguments = {}\n",
                                 toml_text(entry), toml_list(block), toml_list(grid), toml_list(arguments));
  if (!shared_bytes.empty()) text += fmt::format("dynamic_shared_bytes = {}\n", toml_text(shared_bytes));
  return text;
}

constexpr const char* reference_begin = R"(
template <typename T> static __device__ double tuner_number(T value) { return (double)(float)value; }
static __device__ double tuner_number(double value) { return value; }
static __device__ double tuner_number(int value) { return value; }
static __device__ double tuner_number(unsigned int value) { return value; }
static __device__ double tuner_number(long long value) { return (double)value; }
static __device__ double tuner_number(unsigned long long value) { return (double)value; }
)";

constexpr const char* index_text = "const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;";

/// Fills what only is written, and copies what is read too.
std::string before_text(std::size_t output, const ElementText& element, bool is_input) {
  std::string text;
  for (const ReferenceRun& run : runs) {
    text +=
        fmt::format("extern \"C\" __global__ void tuner_before_{}_{}({}unsigned char* bytes, int count) {{\n",
                    run.name, output, is_input ? "const unsigned char* old, " : "");
    text += fmt::format("  {}\n  if (i >= count) return;\n", index_text);
    text += fmt::format(
        "  for (int b = 0; b < (int)sizeof({0}); ++b) bytes[i * sizeof({0}) + b] = {1};\n}}\n", element.type,
        is_input ? fmt::format("old[i * sizeof({}) + b]", element.type) : run.before);
  }
  return text;
}

std::string after_text(std::size_t output, const ElementText& element, bool is_input) {
  return fmt::format(
      "extern \"C\" __global__ void tuner_after_{0}(const unsigned char* first, const unsigned char* second, "
      "double* expected, int count) {{\n"
      "  {1}\n  if (i >= count) return;\n  bool is_written = {2};\n"
      "  for (int b = 0; b < (int)sizeof({3}); ++b)\n"
      "    is_written |= first[i * sizeof({3}) + b] != {4} || second[i * sizeof({3}) + b] != {5};\n"
      "  for (int c = 0; is_written && c < {6}; ++c)\n"
      "    expected[i * {6} + c] = tuner_number(((const {7}*)first)[i * {6} + c]);\n}}\n",
      output, index_text, is_input ? "true" : "false", element.type, runs[0].before, runs[1].before,
      element.components, element.component);
}

}  // namespace

bool has_structs(const TimedArgument& argument) {
  return argument.buffer->type != "ELEMENT_TYPE" && !model::parse_element_type(argument.buffer->type);
}

TimeReference time_reference(const TimeReferenceRequest& request) {
  TimeReference out;
  for (const auto& [name, value] : request.macros) out.source += fmt::format("#define {} {}\n", name, value);
  const std::string included =
      fmt::format("#include \"{}\"", std::filesystem::path(request.source).filename().string());
  out.source += (request.text.empty() ? included : request.text) + '\n' + reference_begin;
  out.derived = "\n[derived]\n";
  std::string before;
  std::string after;
  std::array<std::vector<std::string>, runs.size()> passed;
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    const TimedArgument& argument = request.arguments[i];
    const bool is_output = argument.buffer && argument.buffer->is_output;
    out.tolerances.push_back(is_output ? tolerance_text(*argument.buffer, request.tolerance) + '\n' : "");
    for (std::size_t run = 0; run < runs.size(); ++run)
      passed[run].push_back(is_output ? fmt::format("tuner_{}_{}", runs[run].name, i) : argument.name);
    if (!is_output) continue;
    const ElementText element = output_element(argument.buffer->type);
    const bool is_input = argument.buffer->is_input;
    const std::string count = fmt::format("tuner_count_{}", i);
    out.derived += fmt::format("{} = \"{}\"\n", count, argument.buffer->extent);
    out.source += before_text(i, element, is_input) + after_text(i, element, is_input);
    const std::vector<std::string> grid = {fmt::format("ceil_div({}, 256)", count)};
    for (std::size_t run = 0; run < runs.size(); ++run) {
      const std::string& copy = passed[run].back();
      out.buffers += argument_table(copy, argument.buffer->type + "*") +
                     fmt::format("access = \"workspace\"\nextent = \"{}\"\n", count);
      std::vector<std::string> arguments = {copy, count};
      if (is_input) arguments.insert(arguments.begin(), argument.name);
      before += launch_text(fmt::format("tuner_before_{}_{}", runs[run].name, i), {"256"}, grid, arguments);
    }
    after += launch_text(fmt::format("tuner_after_{}", i), {"256"}, grid,
                         {passed[0].back(), passed[1].back(), argument.name + ".expected", count});
  }
  out.verify = fmt::format("\n[verify]\nreference = \"{}\"\nrounding_terms = \"0\"\n", request.file) + before;
  for (const std::vector<std::string>& arguments : passed)
    out.verify += launch_text(request.entry, request.block, request.grid, arguments, request.shared_bytes);
  out.verify += after;
  return out;
}

}  // namespace config
