#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "config/draft_plan.hpp"
#include "config/time_specs.hpp"
#include "tuner/model/element_type.hpp"

namespace config {
namespace {

bool is_whole(const DraftBuffer& buffer) {
  const auto type = model::parse_element_type(buffer.type);
  return type && !model::is_floating(*type);
}

/// What the table of an output says of its tolerance, where nobody has said one: by its type. Integers are
/// equal.
std::string tolerance_text(const DraftBuffer& output, std::optional<double> said = std::nullopt) {
  const auto known = model::parse_element_type(output.type);
  const model::ElementType type = model::component_type(known.value_or(model::ElementType::float32));
  const double usual = type == model::ElementType::float64 ? 1e-9
                       : model::size_bytes(type) >= 4      ? 1e-4
                       : model::size_bytes(type) == 2      ? 0.02
                                                           : 0.1;
  const double allowed = said.value_or(usual);
  if (is_whole(output) || allowed == 0) return "";
  return fmt::format("tolerance = {{ absolute = {0}, relative = {0} }}", allowed);
}

class VerificationDraft {
 public:
  VerificationDraft(DraftSource& source, const DraftPlan& plan, DraftArguments& arguments)
      : m_source(source), m_plan(plan), m_arguments(arguments), m_types(source, plan) {}

  void write() {
    if (m_source.is_launched()) return by_cpu();
    m_arguments.verify = open_table();
    m_arguments.reference = open_reference();
  }

 private:
  /// Held against a function of the source within a tolerance.
  void by_cpu() {
    const auto found = cpu_reference(m_source, m_plan, m_arguments.buffers);
    if (!found) {
      m_source.ask(
          "which results are right? No function of the source computes it on the CPU in a way that can be "
          "used");
      return;
    }
    if (add_tolerances(has_real_numbers(found->text)))
      m_source.ask(
          fmt::format("how exact are results? {} is held against {} of line {} within a guessed tolerance",
                      m_source.kernel.name, found->function, found->line));
    m_arguments.verify = fmt::format(
        "\n[verify]\nreference = \"{}\"  # {} of line {}\nrounding_terms = \"0\"  # but for tolerances\n"
        "\n[verify.launch]  # one thread: choose small sizes, or share the work\nentry = \"{}_reference\"\n"
        "block = [1]\ngrid = [1]\narguments = {}\n",
        m_source.request.reference_file, found->function, found->line, m_source.kernel.name,
        toml_list(found->arguments));
    m_arguments.reference = found->text;
  }

  /// To the outputs that need one; whether some do. Where real numbers lead to whole ones, rounding may tip
  /// a few of these.
  bool add_tolerances(bool has_real_numbers) {
    bool has_added = false;
    for (DraftArgument& one : m_arguments.each) {
      const DraftBuffer* const buffer = one.buffer ? &m_arguments.buffers[*one.buffer] : nullptr;
      if (buffer == nullptr || !buffer->is_output) continue;
      if (!is_whole(*buffer))
        one.table += tolerance_text(*buffer) + "  # ?\n";
      else if (has_real_numbers)
        one.table += "tolerance = { share = 0.01 }  # ? rounding of real numbers may tip a few\n";
      has_added = has_added || !is_whole(*buffer) || has_real_numbers;
    }
    return has_added;
  }

  /// Besides its results, which it gives in double precision whatever they are.
  static bool has_real_numbers(const std::string& reference) {
    const std::vector<Token> tokens = source::tokens_of(reference);
    for (std::size_t i = 1; i + 2 < tokens.size(); ++i) {
      const std::string_view text = tokens[i].text;
      const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
      if (tokens[i].kind == Token::Kind::number && !is_hexadecimal &&
          text.find_first_of(".eE") != std::string_view::npos)
        return true;
      if (!source::is_one_of(text, {"double", "float", "__half", "__nv_bfloat16"})) continue;
      const bool is_pointer = tokens[i + 1].is("*") || (tokens[i + 1].is("(") && tokens[i + 2].is("*"));
      if (!is_pointer || tokens[i - 1].is("const")) return true;
    }
    return false;
  }

  // Of a reference that is still to be written: it gives exact results, with magnitudes to judge errors by.

  std::string open_table() {
    if (m_arguments.outputs.empty())
      m_source.ask("what does the kernel write? No argument is written in its text");
    m_source.ask(
        fmt::format("which results are right? Write the reference in {}; rounding_terms is the number of "
                    "roundings in a result",
                    m_source.request.reference_file));
    std::vector<std::string> names = m_arguments.inputs;
    for (const DraftOutput& output : m_arguments.outputs) {
      names.push_back(output.name + ".expected");
      if (output.has_magnitude) names.push_back(output.name + ".magnitude");
    }
    names.insert(names.end(), m_plan.sizes.begin(), m_plan.sizes.end());
    const auto output = std::ranges::find_if(m_arguments.buffers, &DraftBuffer::is_output);
    const std::string results =
        output == m_arguments.buffers.end() ? product_text(guessed_extent(m_source, m_plan)) : output->extent;
    return fmt::format(
        "\n[verify]\nreference = \"{}\"\nrounding_terms = \"1\"  # ? additions and multiplications behind "
        "one result\n"
        "\n[verify.launch]\nentry = \"{}_reference\"\nblock = [256]\ngrid = [\"ceil_div({}, 256)\"]  # ? one "
        "thread a result\n"
        "arguments = {}\n",
        m_source.request.reference_file, m_source.kernel.name, results, toml_list(names));
  }

  std::string open_reference() {
    std::vector<std::string> declared;
    for (const DraftBuffer& one : m_arguments.buffers)
      if (std::ranges::count(m_arguments.inputs, one.name) > 0)
        declared.push_back(fmt::format("const {}* {}", one.type, one.name));
    std::string body;
    for (const DraftOutput& output : m_arguments.outputs) {
      std::string name = output.name;
      std::ranges::replace(name, '.', '_');
      declared.push_back("double* " + name + "_expected");
      body += fmt::format("  // {}_expected[i] = …;   the exact result, in double precision\n", name);
      if (!output.has_magnitude) continue;
      declared.push_back("double* " + name + "_magnitude");
      body += fmt::format(
          "  // {}_magnitude[i] = …;  the same with absolute values: what rounding errors are a share of\n",
          name);
    }
    for (const std::string& size : m_plan.sizes) {
      const auto own = std::ranges::find(m_source.kernel.parameters, size, &SourceParameter::name);
      const std::string type = own == m_source.kernel.parameters.end()
                                   ? "int"
                                   : m_types.spec_type(m_types.resolved(*own), false, size);
      declared.push_back(type + " " + size);
    }
    return fmt::format(
        "// What {} has to compute, written for clearness: it is what results are held against.\n"
        "#error \"the reference of {} is still to be written\"\n\n{}{}"
        "extern \"C\" __global__ void {}_reference({}) {{\n"
        "  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;\n{}}}\n",
        m_source.kernel.name, m_source.kernel.name, headers(declared), defined_inputs(), m_source.kernel.name,
        fmt::join(declared, ", "), body);
  }

  static std::string headers(const std::vector<std::string>& declared) {
    std::string text;
    for (const auto& [type, header] :
         {std::pair("__half", "cuda_fp16.h"), std::pair("__nv_bfloat16", "cuda_bf16.h"),
          std::pair("__nv_fp8", "cuda_fp8.h")}) {
      const auto has_it = [&, type = type](const std::string& one) {
        return one.find(type) != std::string::npos;
      };
      if (std::ranges::any_of(declared, has_it)) text += fmt::format("#include <{}>\n\n", header);
    }
    return text;
  }

  bool is_input(const SourceParameter& parameter) const {
    return std::ranges::count(m_arguments.inputs, parameter.name) > 0;
  }

  /// The structs that the reference is passed, as the source defines them.
  std::string defined_inputs() const {
    std::string text;
    for (const SourceStruct* const one :
         m_types.structs_of([&](const SourceParameter& parameter) { return is_input(parameter); })) {
      text += fmt::format("struct {}{} {{\n", one->align > 0 ? fmt::format("alignas({}) ", one->align) : "",
                          one->name);
      for (const SourceField& field : one->fields) text += fmt::format("  {};\n", field_text(field));
      text += "};\n\n";
    }
    return text;
  }

  DraftSource& m_source;
  const DraftPlan& m_plan;
  DraftArguments& m_arguments;
  DraftTypes m_types;
};

}  // namespace

void draft_verification(DraftSource& source, const DraftPlan& plan, DraftArguments& arguments) {
  VerificationDraft(source, plan, arguments).write();
}

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
