#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "config/draft_plan.hpp"
#include "tuner/model/element_type.hpp"

namespace config {
namespace {

bool is_whole(const DraftBuffer& buffer) {
  const auto type = model::parse_element_type(buffer.type);
  return type && !model::is_floating(*type);
}

}  // namespace

std::string tolerance_text(const DraftBuffer& output, std::optional<double> said) {
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

namespace {

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

}  // namespace config
