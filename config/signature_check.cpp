#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/kernel_file.hpp"
#include "config/time_specs.hpp"
#include "tuner/source/kernel_source.hpp"
#include "tuner/util/text.hpp"

namespace config {
namespace {

using namespace tuner;
using source::read_kernel_source;
using source::Signature;
using source::SourceParameter;

/// What a launch passes in one place.
struct Passed {
  std::string name;
  bool pointer = false;
  std::int64_t bytes = 0;  ///< of a value; 0: not known
  std::optional<model::ElementType> type = {};
  bool null = false;  ///< 0 in 64 bits, which may be a pointer
  /// Of NAME.expected and NAME.magnitude, which are double whatever NAME is.
  bool is_double() const { return pointer && (name.ends_with(".expected") || name.ends_with(".magnitude")); }
};

Passed passed(const model::KernelSpec& spec, const std::string& name) {
  for (const model::ArgumentSpec& argument : spec.arguments) {
    if (argument.name != name) continue;
    if (argument.is_view()) return {name, false, 0};
    const bool is_null = !argument.pointer && argument.type == model::ElementType::uint64 && argument.value &&
                         argument.value->text == "0";
    if (is_null) return {name, false, 0, std::nullopt, true};
    if (argument.structure) return {name, argument.pointer, argument.structure->bytes};
    return {name, argument.pointer, argument.type ? model::size_bytes(*argument.type) : 0, argument.type};
  }
  // NAME.expected and its like of a reference; else a size, parameter or derived value.
  const bool is_pointer = name.find('.') != std::string::npos;
  return {name, is_pointer, is_pointer ? 0 : static_cast<std::int64_t>(sizeof(int))};
}

/// `of_kernel`: by the kernel itself, which is not passed its symbols.
std::vector<Passed> passed_by(const model::KernelSpec& spec, const model::StepSpec& step, bool of_kernel) {
  std::vector<Passed> all;
  if (step.arguments.empty()) {
    for (const model::ArgumentSpec& argument : spec.arguments)
      if (!argument.is_field() && (!of_kernel || argument.symbol.empty()))
        all.push_back(passed(spec, argument.name));
  } else {
    for (const std::string& name : step.arguments) all.push_back(passed(spec, name));
  }
  return all;
}

/// `a::b<C, D>` and `a::b(C, D)` -> `b`.
std::string plain_name(std::string entry) {
  entry = entry.substr(0, entry.find_first_of("<("));
  const std::size_t scope = entry.rfind("::");
  return scope == std::string::npos ? entry : entry.substr(scope + 2);
}

std::int64_t bytes_of(const SourceParameter& parameter) {
  if (parameter.text.find('(') != std::string::npos) return 0;  // `float (*x)[4]`
  if (parameter.type == "size_t") return 8;
  const auto type = model::parse_element_type(parameter.type);
  return type ? model::size_bytes(*type) : 0;
}

/// The kernels of the files that name `name` somewhere, and the names of their other functions.
source::KernelSource functions_of(const std::vector<model::SourceText>& source, std::string_view name = "") {
  source::KernelSource all;
  for (const model::SourceText& text : source) {
    if (text.text.find(name) == std::string::npos) continue;  // reading a header takes longer
    source::KernelSource one = read_kernel_source(text.text);
    std::ranges::move(one.kernels, std::back_inserter(all.kernels));
    std::ranges::move(one.functions, std::back_inserter(all.functions));
  }
  return all;
}

/// Whether the kernel can be given this, as far as its text shows; `exactly`: all of its types are known, and
/// values have the same.
bool takes(const Signature& kernel, const std::vector<Passed>& given, bool exactly) {
  if (given.size() != kernel.parameters.size()) return false;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const SourceParameter& parameter = kernel.parameters[i];
    const std::int64_t bytes = bytes_of(parameter);
    if (bytes == 0 && exactly) return false;
    if (bytes == 0) continue;  // a type of the source's own, maybe a pointer by another name
    if (given[i].pointer != parameter.pointer && !given[i].null) return false;
    const auto type = model::parse_element_type(parameter.type);
    const bool same = !given[i].type || !type || *given[i].type == *type;
    if (!same && (exactly || parameter.pointer)) return false;
    if (!parameter.pointer && given[i].bytes != 0 && given[i].bytes != bytes) return false;
  }
  return true;
}

/// `(const float*x, int n)`
std::string parameter_list(const Signature& kernel) {
  std::vector<std::string> parameters;
  for (const SourceParameter& parameter : kernel.parameters) parameters.push_back(parameter.text);
  return fmt::format("({})", fmt::join(parameters, ", "));
}

/// `float` and `64` of `tile<float, 64>`. Nothing where one is a pointer or a reference: in the place of `T`
/// it would change what `const T*` is.
std::optional<std::vector<std::string>> template_arguments(const std::string& entry) {
  const std::size_t begin = entry.find('<');
  if (begin == std::string::npos) return std::vector<std::string>();
  const std::string_view rest = std::string_view(entry).substr(begin + 1, entry.rfind('>') - begin - 1);
  if (rest.find_first_of("*&") != std::string_view::npos) return std::nullopt;
  return split_list(rest, ListOf::types);
}

/// An instance of a template, as far as its arguments are given.
Signature instance_of(Signature kernel, const std::vector<std::string>& arguments) {
  for (SourceParameter& parameter : kernel.parameters) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::string& name = kernel.template_parameters[i].name;
      parameter.type = source::with_word(parameter.type, name, arguments[i]);
      parameter.text = source::with_word(parameter.text, name, arguments[i]);
    }
  }
  return kernel;
}

/// Says in entries that mean more than one function of their source which kernel it is.
class OverloadChoice {
 public:
  OverloadChoice(const model::KernelSpec& spec, const std::vector<model::SourceText>& source, bool of_kernel)
      : m_spec(spec), m_of_kernel(of_kernel), m_source(source) {}

  void choose(std::vector<model::StepSpec>& steps) const {
    for (model::StepSpec& step : steps) {
      const bool is_told = step.entry.find('(') != std::string::npos;
      const auto arguments = template_arguments(step.entry);
      if (!step.entry.empty() && !step.calls && !is_told && arguments) choose(step, *arguments);
    }
  }

 private:
  void choose(model::StepSpec& step, const std::vector<std::string>& arguments) const {
    const std::string name = plain_name(step.entry);
    const source::KernelSource functions = functions_of(m_source, name);
    const std::vector<Passed> given = passed_by(m_spec, step, m_of_kernel);
    std::set<std::string> all;
    std::set<std::string> fitting;
    std::set<std::string> exact;
    for (const Signature& declared : functions.kernels) {
      const std::size_t templates = declared.template_parameters.size();
      const bool is_meant = arguments.empty() ? templates == 0 : arguments.size() <= templates;
      if (declared.name != name || !is_meant) continue;
      const Signature kernel = instance_of(declared, arguments);
      all.insert(parameter_list(kernel));
      if (takes(kernel, given, false)) fitting.insert(parameter_list(kernel));
      if (takes(kernel, given, true)) exact.insert(parameter_list(kernel));
    }
    const bool has_namesake = all.size() > 1 || std::ranges::count(functions.functions, name) > 0;
    const std::set<std::string>& best = exact.empty() ? fitting : exact;
    if (has_namesake && best.size() == 1) step.entry += *best.begin();
  }

  const model::KernelSpec& m_spec;
  bool m_of_kernel;
  const std::vector<model::SourceText>& m_source;
};

/// Names that the preprocessor may replace in the source, and whether a list may take their place.
std::map<std::string_view, bool> macros_of(const model::KernelSpec& spec,
                                           const std::vector<model::SourceText>& source) {
  std::map<std::string_view, bool> macros;
  for (const model::SourceText& text : source) {
    for (const source::Directive& line : source::lines_of(text.text).directives) {
      if (line.name != "define" || line.tokens.empty()) continue;
      const auto is_comma = [](const source::Token& token) { return token.is(","); };
      macros[line.tokens.front().text] |= std::ranges::any_of(line.tokens, is_comma);
    }
  }
  for (const model::ParameterSpec& parameter : spec.parameters) macros.try_emplace(parameter.name, false);
  for (const model::PlacedName& derived : spec.macros) macros.try_emplace(derived.name, false);
  const auto add_option = [&](std::string_view option) {
    if (!option.starts_with("-D")) return;
    const std::string_view given = util::trimmed(option.substr(2));
    macros[given.substr(0, given.find('='))] |= given.find(',') != std::string_view::npos;
  };
  for (const model::CompilerOption& option : spec.compile_options) add_option(option.text);
  for (const model::ConditionalOption& option : spec.conditional_options) add_option(option.text);
  return macros;
}

/// A macro may stand for parameters of the kernel: as one of them, as a call, or with a comma.
bool has_unread_parameters(const Signature& kernel, const std::map<std::string_view, bool>& macros) {
  return std::ranges::any_of(kernel.parameters, [&](const SourceParameter& parameter) {
    const std::vector<source::Token> tokens = source::tokens_of(parameter.text);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto macro = macros.find(tokens[i].text);
      const bool is_call = i + 1 < tokens.size() && tokens[i + 1].is("(");
      if (macro != macros.end() && (macro->second || is_call || tokens.size() == 1)) return true;
    }
    return false;
  });
}

/// Numbers of one kind are read as such of another. Kernels may take the bits of a buffer for integers.
bool mistakes_bits(const Passed& given, const SourceParameter& parameter) {
  const auto declared = model::parse_element_type(parameter.type);
  if (!given.type || !declared || bytes_of(parameter) == 0) return false;
  const model::ElementType from = model::component_type(*given.type);
  const model::ElementType to = model::component_type(*declared);
  if (model::is_floating(from) != model::is_floating(to)) return !parameter.pointer;
  return model::is_floating(from) && from != to;
}

std::string declared_text(const SourceParameter& parameter) {
  return fmt::format("{}{} {}", parameter.type, parameter.pointer ? "*" : "", parameter.name);
}

class SignatureCheck {
 public:
  explicit SignatureCheck(const model::KernelSpec& spec) : m_spec(spec) {}

  std::vector<model::Diagnostic> run() {
    check_steps(m_spec.steps, m_spec.source);
    if (!m_spec.verify) return std::move(m_mistakes);
    check_steps(m_spec.verify->steps, m_spec.verify->source);
    check_steps(m_spec.verify->comparison, m_spec.verify->source);
    return std::move(m_mistakes);
  }

 private:
  void check_steps(const std::vector<model::StepSpec>& steps, const std::vector<model::SourceText>& source) {
    const std::vector<Signature> kernels = functions_of(source).kernels;
    for (const model::StepSpec& step : steps) {
      if (step.entry.empty() || step.calls) continue;
      const std::string name = plain_name(step.entry);
      const auto has_name = [&](const Signature& kernel) { return kernel.name == name; };
      const auto declared = std::ranges::count_if(kernels, has_name);
      if (declared == 1) check_readable(step, *std::ranges::find_if(kernels, has_name), source);
      if (declared == 0) check_name(step, name, kernels, source.front().name);
    }
  }

  void check_name(const model::StepSpec& step, const std::string& name, const std::vector<Signature>& kernels,
                  const std::string& file) {
    std::vector<std::string> names;
    for (const Signature& kernel : kernels) names.push_back(kernel.name);
    // A name that is like none may come from a macro; the compiler knows.
    const std::string meant = util::did_you_mean(name, names);
    if (!meant.empty()) add(step.where, fmt::format("`{}` is no kernel of {}", name, file), meant);
  }

  /// What seems wrong is no mistake where macros make the parameters.
  void check_readable(const model::StepSpec& step, const Signature& kernel,
                      const std::vector<model::SourceText>& source) {
    const std::size_t before = m_mistakes.size();
    check(step, kernel, source);
    if (m_mistakes.size() > before && has_unread_parameters(kernel, macros_of(m_spec, source)))
      m_mistakes.erase(m_mistakes.begin() + static_cast<std::ptrdiff_t>(before), m_mistakes.end());
  }

  void check(const model::StepSpec& step, const Signature& kernel,
             const std::vector<model::SourceText>& source) {
    const bool of_kernel = &source == &m_spec.source;
    const std::vector<Passed> given = passed_by(m_spec, step, of_kernel);
    const std::string& file = source.front().name;
    const std::string place = fmt::format("{}, line {}", file, kernel.line);
    if (given.size() != kernel.parameters.size()) {
      std::vector<std::string> declared;
      for (const SourceParameter& parameter : kernel.parameters) declared.push_back(declared_text(parameter));
      add(step.where,
          fmt::format("`{}` takes {} arguments and is given {}", kernel.name, kernel.parameters.size(),
                      given.size()),
          fmt::format("{}: ({})", place, fmt::join(declared, ", ")));
      return;
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
      const std::string why =
          misfit(given[i], kernel.parameters[i], fmt::format("argument {} of `{}`", i + 1, kernel.name));
      if (!why.empty())
        add(where_of(given[i].name, step), why,
            fmt::format("{}: {}", place, declared_text(kernel.parameters[i])));
    }
  }

  /// Why this cannot be passed for the parameter, which is `argument`; empty: it can.
  static std::string misfit(const Passed& given, const SourceParameter& parameter,
                            const std::string& argument) {
    const std::int64_t bytes = bytes_of(parameter);
    if (given.pointer != parameter.pointer) {
      // A type that is not known may be a pointer by another name.
      if ((!parameter.pointer && bytes == 0) || given.null) return {};
      return fmt::format("`{}` is {}, and {} is {}", given.name, given.pointer ? "a buffer" : "a value",
                         argument, parameter.pointer ? "a pointer" : "a value");
    }
    if (given.is_double() && bytes != 0 && bytes < 8)
      return fmt::format("`{}` is a buffer of double, and {} is {}*", given.name, argument, parameter.type);
    if (!parameter.pointer && given.bytes != 0 && bytes != 0 && given.bytes != bytes)
      return fmt::format("`{}` has {} bytes, and {} has {}", given.name, given.bytes, argument, bytes);
    if (!mistakes_bits(given, parameter)) return {};
    const char* const star = given.pointer ? "*" : "";
    return fmt::format("`{}` is {}{}, and {} is {}{}", given.name, model::cuda_name(*given.type), star,
                       argument, parameter.type, star);
  }

  model::SourceLocation where_of(const std::string& argument, const model::StepSpec& step) const {
    for (const model::ArgumentSpec& one : m_spec.arguments)
      if (one.name == argument) return one.where;
    return step.where;
  }

  void add(const model::SourceLocation& where, std::string message, std::string hint) {
    m_mistakes.push_back({where, std::move(message), std::move(hint)});
  }

  const model::KernelSpec& m_spec;
  std::vector<model::Diagnostic> m_mistakes;
};

}  // namespace

void choose_overloads(model::KernelSpec& spec) {
  OverloadChoice(spec, spec.source, true).choose(spec.steps);
  if (!spec.verify || spec.verify->source.empty()) return;
  const OverloadChoice of_reference(spec, spec.verify->source, false);
  of_reference.choose(spec.verify->steps);
  of_reference.choose(spec.verify->comparison);
}

std::vector<model::Diagnostic> signature_mistakes(const model::KernelSpec& spec) {
  return SignatureCheck(spec).run();
}

}  // namespace config
