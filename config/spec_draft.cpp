#include "config/spec_draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "config/capture_draft.hpp"
#include "config/draft_plan.hpp"
#include "config/spec_reader.hpp"
#include "tuner/model/element_type.hpp"

namespace config {
namespace {

constexpr std::size_t most_free = 6;  ///< parameters that may all be independent

class Draft {
 public:
  explicit Draft(DraftSource& source) : m_source(source) {}

  SpecDraft write() {
    const CapturedSource* const captured = m_source.request.captured;
    std::optional<CapturePlan> recorded;
    if (captured != nullptr) recorded = plan_capture(m_source, *captured);
    m_plan = recorded ? recorded->plan : plan_by_source(m_source);
    limit_blocks(m_source, m_plan);
    keep_divisions();
    // First: what is asked follows from what is written.
    m_arguments =
        recorded ? capture_arguments(m_source, *captured, *recorded) : draft_arguments(m_source, m_plan);
    if (!recorded) draft_verification(m_source, m_plan, m_arguments);
    m_plan.constraints.insert(m_plan.constraints.end(), m_arguments.constraints.begin(),
                              m_arguments.constraints.end());
    SpecDraft draft;
    draft.spec =
        header() + parameters() + launch() + DraftTypes(m_source, m_plan).tables() + m_arguments.structs;
    for (const DraftArgument& argument : m_arguments.each) draft.spec += argument.table;
    draft.spec += m_arguments.variables + m_arguments.verify + metrics() + offers();
    draft.reference = std::move(m_arguments.reference);
    draft.sizes = present_sizes();
    draft.questions = std::move(m_source.questions);
    draft.files = std::move(m_arguments.files);
    return draft;
  }

 private:
  /// `BLK_K / DIM_Y` of the kernel leaves no rest, where it leaves none by default.
  void keep_divisions() {
    const auto usual = [&](std::string_view name) {
      const DraftParameter* const found = m_plan.parameter(name);
      return found == nullptr ? std::nullopt : config::number(found->usual);
    };
    for (const ProgramFunction* const function : m_source.reached) {
      const tuner::source::Tokens body = function->body;
      for (std::size_t i = 1; i + 2 < body.size(); ++i) {
        if (!body[i + 1].is("/") || tuner::source::is_one_of(body[i - 1].text, {"*", "/", "%"})) continue;
        const auto left = usual(body[i].text);
        const auto right = usual(body[i + 2].text);
        if (left && right && *right > 0 && *left % *right == 0)
          m_plan.add_constraint(fmt::format("{} % {} == 0", body[i].text, body[i + 2].text));
      }
    }
    if (m_plan.parameters.size() > most_free)
      m_source.ask(
          fmt::format("which of the {} parameters go together? constraints say it, as \"{} * 2 <= {}\"",
                      m_plan.parameters.size(), m_plan.parameters[0].name, m_plan.parameters[1].name));
  }

  std::string made_from() const {
    const CapturedSource* const captured = m_source.request.captured;
    if (captured == nullptr) return "its source";
    const auto& launch = captured->kernel.kept.front();
    return fmt::format("its source and its launches on {} ({})",
                       captured->device.empty() ? "a device" : captured->device, launch.architecture);
  }

  std::string header() {
    const bool is_verified = !m_arguments.verify.empty();
    std::string defaults;
    for (const DraftParameter& parameter : m_plan.parameters)
      if (!parameter.usual.empty())
        defaults += fmt::format("{}{} = {}", defaults.empty() ? "" : ", ", parameter.name, parameter.usual);
    std::string text = fmt::format(
        "# A first spec of {}, made from {} by `tuner init`.\n"
        "# A line with `?` is a guess: look at those first. docs/kernel-specs.md says what else can be "
        "said.\n\n",
        m_source.kernel.name, made_from());
    if (!m_plan.constraints.empty()) text += fmt::format("constraints = {}\n", toml_list(m_plan.constraints));
    if (!is_verified)
      text += "verify = \"none\"  # ? nothing says what is right: docs/specs-verification.md\n";
    if (!m_plan.constraints.empty() || !is_verified) text += "\n";
    text += fmt::format("[kernel]\nname = \"{}\"\n", m_source.kernel.name.substr(0, most_letters_of_a_name));
    if (const std::string& family = m_source.request.family; !family.empty())
      text += fmt::format("family = \"{}\"  # `{}` is a family of shipped kernels\n", family,
                          m_source.kernel.name);
    text += fmt::format("source = {}\nentry = {}\nsizes = {}", toml_text(m_source.request.file),
                        toml_text(entry()), toml_list(m_plan.sizes));
    const std::string present = present_sizes();
    text += present.empty() ? "\n" : fmt::format("  # {} in the program\n", present);
    if (m_source.host_code_line > 0)
      text += fmt::format("compiler = \"nvcc\"  # line {} is code for the host, which NVRTC does not take\n",
                          m_source.host_code_line);
    if (!m_source.request.include.empty())
      text += fmt::format("include = {}\n", toml_list(m_source.request.include));
    if (const std::vector<std::string> all = options(); !all.empty())
      text += fmt::format("options = {}\n", toml_list(all));
    if (!m_plan.element_types.empty()) text += "types = [\"float\"]  # ?\n";
    if (has_atomics()) text += "deterministic = false  # it has atomics\n";
    if (!defaults.empty()) text += fmt::format("default = {{ {} }}\n", defaults);
    return text;
  }

  /// On what a pointer leads to, or on a variable of the device.
  bool has_atomics() const {
    if (std::ranges::any_of(m_source.uses, &PointerUse::atomic)) return true;
    const std::vector<DeviceVariable> variables = m_source.device_variables();
    const auto is_variable = [&](const Token& token) {
      return std::ranges::any_of(variables,
                                 [&](const DeviceVariable& one) { return token.is(one.variable->name); });
    };
    return std::ranges::any_of(m_source.reached, [&](const ProgramFunction* function) {
      const Tokens body = function->body;
      for (std::size_t i = 0; i + 1 < body.size(); ++i) {
        if (!body[i].text.starts_with("atomic") || !body[i + 1].is("(")) continue;
        const Tokens inside = source::inside_bracket(body, i + 1);
        const Tokens target = inside.first(source::find_outside(inside, 0, {","}));
        if (std::ranges::any_of(target, is_variable)) return true;
      }
      return false;
    });
  }

  /// With macros of the build that are no parameters, where the source asks for them and says nothing itself.
  std::vector<std::string> options() const {
    std::vector<std::string> all = m_source.request.options;
    for (const auto& [name, value] : m_source.request.macros) {
      const auto* const known = m_source.program.macro(name);
      if (asks_for(name) && (known == nullptr || known->line == 0) && !m_plan.has_parameter(name))
        all.push_back(fmt::format("-D{}={}", name, value));
    }
    // CUDA 13 has no longer what these names of the host's code were.
    for (const auto& [name, now] : {std::pair("cudaThreadSynchronize", "cudaDeviceSynchronize"),
                                    std::pair("cudaThreadExit", "cudaDeviceReset"),
                                    std::pair("cudaThreadSetCacheConfig", "cudaDeviceSetCacheConfig")})
      if (m_source.host_code_line > 0 && asks_for(name)) all.push_back(fmt::format("-D{}={}", name, now));
    return all;
  }

  /// A file has the name.
  bool asks_for(const std::string& name) const {
    return std::ranges::any_of(m_source.program.files(),
                               [&](const auto& file) { return mentions(file.text, name); });
  }

  std::string entry() const {
    const std::string name = m_source.kernel.qualified_name();
    if (m_plan.template_arguments.empty()) return name;
    return fmt::format("{}<{}>", name, fmt::join(m_plan.template_arguments, ", "));
  }

  std::string present_sizes() const {
    if (!m_arguments.sizes.empty()) return fmt::format("{}", fmt::join(m_arguments.sizes, ","));
    std::string text;
    for (const auto& one : m_plan.present) {
      if (!one || *one <= 0) return {};
      text += (text.empty() ? "" : "x") + std::to_string(*one);
    }
    return text;
  }

  std::string parameters() const {
    std::string text = "\n[parameters]  # every combination is tried\n";
    for (const DraftParameter& parameter : m_plan.parameters)
      text += commented(fmt::format("{} = {}", parameter.name,
                                    parameter.toml(fmt::format("{}", fmt::join(parameter.values, ", ")))),
                        (m_plan.is_guess ? "? " : "") + parameter.why);
    for (const std::string& note : m_plan.notes) text += fmt::format("# {}\n", note);
    return text;
  }

  std::string launch() {
    std::string text = fmt::format("\n[launch]  # {}\n", m_plan.launch_from);
    for (const auto& [key, values] : {std::pair("block", &m_plan.block), std::pair("grid", &m_plan.grid)}) {
      std::vector<std::string> said = *values;
      std::string comment = doubt(key);
      for (std::size_t axis = 0; axis < said.size(); ++axis) {
        std::string& one = said[axis];
        if (one != "?") continue;
        const std::string threads = axis == 0 ? "256" : "1";
        const bool has_threads = axis < m_plan.block.size() && m_plan.block[axis] != "?";
        one = std::string_view(key) == "block"
                  ? threads
                  : fmt::format("ceil_div({}, {})", m_plan.sizes.empty() ? "1" : m_plan.sizes.front(),
                                has_threads ? m_plan.block[axis] : threads);
        comment = "? the launch does not say it in a way that can be read";
        m_source.ask(fmt::format("{}: line {} does not say it in a way that can be read", key,
                                 m_source.launches.front().line));
      }
      text += commented(fmt::format("{} = {}", key, toml_list(said)), comment);
    }
    if (m_plan.shared_bytes == "?") {
      text += "dynamic_shared_bytes = \"0\"  # ? the launch has some\n";
      m_source.ask("dynamic_shared_bytes: the launch has some, in a way that cannot be read");
    } else if (!m_plan.shared_bytes.empty()) {
      text += commented(fmt::format("dynamic_shared_bytes = \"{}\"", m_plan.shared_bytes),
                        doubt("dynamic_shared_bytes"));
    }
    return text + m_plan.launch_kind();
  }

  std::string doubt(const std::string& key) const {
    const auto found = m_plan.doubts.find(key);
    return found == m_plan.doubts.end() ? "" : found->second;
  }

  /// By the kernel: what it writes in part holds something before, and is not read for that.
  bool is_read(const std::string& buffer) const {
    const auto& parameters = m_source.kernel.parameters;
    const auto at = std::ranges::find(parameters, buffer, &SourceParameter::name);
    if (at == parameters.end()) return true;
    const PointerUse& use = m_source.uses[static_cast<std::size_t>(at - parameters.begin())];
    return use.read || use.atomic || use.handed_on;
  }

  std::string metrics() const {
    std::string bytes;
    for (const DraftBuffer& buffer : m_arguments.buffers) {
      const auto type = model::parse_element_type(buffer.type);
      // Metrics are real numbers over sizes.
      const bool is_plain =
          buffer.extent.find_first_of("<>?&|%^") == std::string::npos &&
          !contains_any(buffer.extent, {"multiprocessor", "max_", "l2_bytes", "max(", "min("});
      if (!type || m_plan.mentions_parameter(buffer.extent) || !is_plain) continue;
      const int times = buffer.is_input && buffer.is_output && is_read(buffer.name) ? 2 : 1;
      const auto each = static_cast<double>(model::size_bytes(*type)) * times;
      bytes += fmt::format("{}{:.1f} * {}", bytes.empty() ? "" : " + ", each, buffer.extent);
    }
    const bool is_guess = m_plan.is_guess && std::ranges::any_of(m_arguments.buffers, &DraftBuffer::is_guess);
    if (!is_guess && !bytes.empty())
      return fmt::format(
          "\n[metrics]  # ? each buffer moved once\n\"GB/s\" = \"({}) / time_ns\"\n\n[workload]  # ? the "
          "same\nbytes = \"{}\"\n",
          bytes, bytes);
    return fmt::format(
        "\n[metrics]  # ? what is done in a nanosecond\n\"Gelement/s\" = \"1.0 * {} / time_ns\"\n",
        fmt::join(m_plan.sizes.empty() ? std::vector<std::string>{"1"} : m_plan.sizes, " * "));
  }

  /// What the source does not have, and often pays.
  std::string offers() const {
    if (m_plan.is_guess) return {};
    std::string text;
    if (!m_source.words.contains("__launch_bounds__"))
      text += "#   __launch_bounds__(THREADS, BLOCKS): a macro for each, [1, 2, 3, 4] for BLOCKS\n";
    const auto unrolls = [&](const ProgramFunction* function) {
      const auto& text_of_file = m_source.program.files()[static_cast<std::size_t>(function->file)].text;
      return text_of_file.find("unroll") != std::string::npos;
    };
    if (!std::ranges::any_of(m_source.reached, unrolls) && m_source.words.contains("for"))
      text += "#   #pragma unroll UNROLL: UNROLL = { values = [1, 2, 4, 8, 16], constexpr = true }\n";
    const bool has_vectors = std::ranges::any_of(m_source.words, [](std::string_view word) {
      return word == "float4" || word == "float2" || word == "int4" || word == "Packed128" || word == "x128";
    });
    if (!has_vectors)
      text +=
          "#   float2 and float4 instead of float: VECTOR = { values = [\"float\", \"float2\", \"float4\"], "
          "spelled = true }\n";
    return text.empty() ? text : "\n# What the source does not have, and may pay as a parameter:\n" + text;
  }

  DraftSource& m_source;
  DraftPlan m_plan;
  DraftArguments m_arguments;
};

}  // namespace

SpecDraft draft_spec(const Program& program, const ProgramFunction& kernel, const DraftRequest& request) {
  DraftSource source(program, kernel, request);
  return Draft(source).write();
}

}  // namespace config
