#include "tuner/packing/build_recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "tuner/model/compiler_option.hpp"
#include "tuner/model/error.hpp"
#include "tuner/space/kernel_space.hpp"
#include "tuner/space/space.hpp"
#include "tuner/util/text.hpp"

namespace tuner::packing {
namespace {

bool is_name(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// Whether the source uses what only the chip's own architecture has, `sm_90a`.
bool needs_features(const model::KernelSpec& spec) {
  constexpr std::array marks = {"__CUDA_ARCH_FEAT_SM", "wgmma", "setmaxnreg", "tcgen05"};
  return std::ranges::any_of(spec.source, [&](const model::SourceText& file) {
    return std::ranges::any_of(marks,
                               [&](const char* mark) { return file.text.find(mark) != std::string::npos; });
  });
}

bool is_standard(const std::string& option) {
  return option.starts_with("-std=") || option.starts_with("--std=");
}

/// Of a CUDA device; the CPU has none that nvcc knows.
void add_architecture(const std::string& architecture, bool with_features, BuildRecipe& recipe) {
  if (!architecture.starts_with("sm_")) return;
  const bool has_digit = std::isdigit(static_cast<unsigned char>(architecture.back())) != 0;
  recipe.options.push_back("-arch=" + architecture + (with_features && has_digit ? "a" : ""));
}

/// A word reads better than its code: both are defined.
std::string readable(const model::Macro& macro, const model::Configuration& configuration,
                     const std::vector<model::Macro>& vocabulary) {
  const model::Value* const value = configuration.find(macro.name);
  if (value == nullptr || !value->is_word()) return macro.value;
  const std::string word = macro.name + "_" + value->text();
  const bool is_known = std::ranges::any_of(vocabulary, [&](const model::Macro& known) {
    return known.name == word && known.value == macro.value;
  });
  return is_known ? word : macro.value;
}

bool has_same_parameters(const model::KernelSpec& spec, const model::Configuration& configuration) {
  return spec.parameters.size() == configuration.assignments().size() &&
         std::ranges::all_of(spec.parameters, [&](const auto& parameter) {
           return configuration.find(parameter.name) != nullptr;
         });
}

/// What the trial alone says. It has the chosen words. Older trials do not say whether the source sees a word
/// or its code; only what cannot be a name is certain.
void add_recorded(const model::TrialRecord& trial, BuildRecipe& recipe) {
  recipe.macros = space::element_macros(trial.problem.type);
  for (const model::Assignment& one : trial.configuration.assignments()) {
    const std::string text = one.value.text();
    if (const model::Value* told = trial.macros.find(one.name)) {
      recipe.macros.push_back({one.name, told->text()});
    } else if (one.value.is_word() && is_name(text)) {
      const std::string word = one.name + "_" + text;
      recipe.macros.push_back({word, fmt::format("{}", one.value.code())});
      recipe.macros.push_back({one.name, word});
    } else {
      recipe.macros.push_back({one.name, text});
    }
  }
  for (const model::Assignment& told : trial.macros.assignments())
    if (trial.configuration.find(told.name) == nullptr)
      recipe.macros.push_back({told.name, told.value.text()});
}

void add_job(const model::TrialRecord& trial, const model::KernelSpec& spec, const model::Problem& problem,
             const std::string& architecture, BuildRecipe& recipe) {
  const space::KernelSpace space(spec);
  const auto job_at = [&](const model::Problem& at) {
    return space.compile_job(at, trial.configuration, architecture, trial.environment.toolkit);
  };
  const model::CompileJob job = job_at(problem);
  if (job_at(trial.problem).key() != trial.binary_key) {
    recipe.doubt = fmt::format(
        "{} or what it compiles has changed since this was measured: these are its macros and options of "
        "today",
        spec.path);
  }
  recipe.macros = job.vocabulary;
  if (!spec.library.empty()) recipe.library = spec.library.front().name;
  for (const model::Macro& macro : job.macros)
    recipe.macros.push_back({macro.name, readable(macro, trial.configuration, job.vocabulary)});
  if (std::ranges::none_of(job.options, is_standard)) recipe.options.emplace_back("-std=c++17");
  for (const std::string& option : job.options) recipe.options.push_back(model::with_short_name(option));
  for (const model::ParameterSpec& parameter : spec.parameters) {
    const model::Value& value = *trial.configuration.find(parameter.name);
    if (parameter.runtime) recipe.arguments.push_back({parameter.name, value});
    if (parameter.constant)
      recipe.constants.push_back(
          {parameter.name, parameter.spelled ? value.text() : fmt::format("{}", value.code())});
  }
}

/// A constant's value is one whatever stands beside it; a macro's need not be.
std::string as_macro(const model::Macro& constant) {
  return is_name(constant.value) ? constant.value : "(" + constant.value + ")";
}

/// What the shell that nvcc uses would change, in any quotes.
bool is_changed_by_shell(char c) {
  return c == '$' || c == '`' || c == '\\';
}

/// As one word behind a shell that splits at blanks, nvcc that splits at commas, and the shell that nvcc
/// uses. Nothing where there is none.
std::optional<std::string> as_word(const std::string& value) {
  std::string word;
  char quote = 0;  // within such a literal
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (is_changed_by_shell(c) || c == '\n' || (quote != 0 && c == ' ')) return std::nullopt;
    if (c == quote)
      quote = 0;
    else if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    if (c == ',')
      word += "\\,";
    else if (c != ' ')
      word += c;
    else if (!word.empty() && !word.ends_with("/**/") && i + 1 < value.size())
      word += "/**/";
  }
  return word;
}

bool is_definition(const std::string& option) {
  return option.starts_with("-D");
}

/// As as_word(), of an option.
std::optional<std::string> as_option(const std::string& option) {
  if (is_definition(option)) {
    const std::optional<std::string> word = as_word(option.substr(2));
    return word ? "-D" + *word : word;
  }
  const bool is_word = std::ranges::none_of(
      option, [](char c) { return is_changed_by_shell(c) || c == ' ' || c == '\t' || c == '\n'; });
  return is_word ? std::optional(option) : std::nullopt;
}

[[noreturn]] void refuse_word(const std::string& why, bool is_option) {
  throw model::Error(why, is_option ? "--format header names the options in a comment"
                                    : "--format header > best.h, then nvcc -include best.h");
}

/// `otherwise` says what is no word.
template <class Otherwise>
std::string flags_of(const BuildRecipe& recipe, const Otherwise& otherwise) {
  std::string flags;
  const auto define = [&](const std::string& name, const std::string& value) {
    const std::optional<std::string> word = as_word(value);
    const std::string definition = "-D" + name + "=";
    flags += (flags.empty() ? "" : " ") + (word ? definition + *word : otherwise(definition + value));
  };
  define("TUNER_KERNEL", recipe.kernel);
  for (const model::Macro& macro : recipe.macros) define(macro.name, macro.value);
  for (const model::Macro& constant : recipe.constants) define(constant.name, as_macro(constant));
  for (const auto* options : {&recipe.options, &recipe.includes}) {
    for (const std::string& option : *options) {
      const std::optional<std::string> word = as_option(option);
      flags += ' ' + (word ? *word : otherwise(option));
    }
  }
  return flags;
}

}  // namespace

BuildRecipe build_recipe(const model::TrialRecord& trial, const std::optional<model::KernelSpec>& spec,
                         const std::string& architecture, const std::optional<model::Problem>& asked) {
  const model::Problem& problem = asked ? *asked : trial.problem;
  BuildRecipe recipe;
  recipe.kernel = trial.kernel;
  add_architecture(architecture, spec && needs_features(*spec), recipe);
  if (spec && has_same_parameters(*spec, trial.configuration)) {
    add_job(trial, *spec, problem, architecture, recipe);
    return recipe;
  }
  add_recorded(trial, recipe);
  recipe.doubt = fmt::format(
      "{}: compiler options and the codes of words that were not chosen may be missing, and run-time "
      "parameters are among the macros",
      spec ? fmt::format("{} has other parameters today", spec->path)
           : fmt::format("the spec of {} is not at hand", trial.kernel));
  if (!(problem == trial.problem))
    recipe.doubt += "; what follows the size is of " + trial.problem.size_text();
  return recipe;
}

std::string library_text(const BuildRecipe& recipe) {
  if (recipe.library.empty()) return "";
  return fmt::format("{} also calls functions of {}, which is built apart, for the host", recipe.kernel,
                     recipe.library);
}

std::string arguments_text(const BuildRecipe& recipe) {
  std::vector<std::string> parts;
  for (const model::Assignment& one : recipe.arguments) {
    parts.push_back(fmt::format("{}={}{}", one.name, one.value.text(),
                                one.value.is_word() ? fmt::format(" ({})", one.value.code()) : ""));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string build_flags(const BuildRecipe& recipe) {
  return flags_of(recipe, [&](const std::string& flag) -> std::string {
    const bool is_option =
        std::ranges::count(recipe.options, flag) > 0 || std::ranges::count(recipe.includes, flag) > 0;
    refuse_word(fmt::format("no shell can hand on {} as a word of a command", flag), is_option);
  });
}

std::string build_words(const BuildRecipe& recipe) {
  return flags_of(recipe, util::shell_quote);
}

namespace {

/// As an element of a CMake list that nvcc is to get: brackets that the text does not have, no escapes but of
/// what parts lists and the values of nvcc's macros.
std::string cmake_element(const std::string& text, bool is_macro) {
  std::string escaped;
  for (const char c : text) {
    if (c == ';' || (c == ',' && is_macro)) escaped += '\\';
    escaped += c;
  }
  std::string equals;
  while (escaped.find("]" + equals + "]") != std::string::npos) equals += '=';
  return fmt::format("[{0}[{1}]{0}]", equals, escaped);
}

std::string cmake_set(const char* name, const std::vector<std::string>& values, bool are_macros = false) {
  std::string text = fmt::format("set({}", name);
  for (const std::string& value : values) {
    if (const auto found = std::ranges::find_if(value, is_changed_by_shell); found != value.end())
      refuse_word(fmt::format("CMake cannot hand on {} to nvcc, whose shell takes the {}", value, *found),
                  !are_macros);
    text += "\n  " + cmake_element(value, are_macros || is_definition(value));
  }
  return text + ")\n";
}

}  // namespace

std::string build_cmake(const BuildRecipe& recipe) {
  std::vector<std::string> definitions, options;
  for (const model::Macro& macro : recipe.macros) definitions.push_back(macro.name + "=" + macro.value);
  for (const model::Macro& constant : recipe.constants)
    definitions.push_back(constant.name + "=" + as_macro(constant));
  definitions.insert(definitions.begin(), "TUNER_KERNEL=" + recipe.kernel);
  std::string architecture, standard;
  for (const std::string& option : recipe.options) {
    if (option.starts_with("-arch=sm_"))
      architecture = option.substr(std::string_view("-arch=sm_").size());
    else if (is_standard(option))
      standard = option.substr(option.find_last_of("=+") + 1);
    else
      options.push_back(option);
  }
  options.insert(options.end(), recipe.includes.begin(), recipe.includes.end());
  std::string text =
      "# target_compile_definitions(app PRIVATE ${TUNER_DEFINITIONS})\n"
      "# target_compile_options(app PRIVATE ${TUNER_OPTIONS})\n"
      "# set_target_properties(app PROPERTIES CUDA_ARCHITECTURES \"${TUNER_ARCHITECTURE}\" CUDA_STANDARD "
      "\"${TUNER_STANDARD}\")\n";
  if (!recipe.doubt.empty()) text += "# doubtful: " + recipe.doubt + "\n";
  text += cmake_set("TUNER_KERNEL", {recipe.kernel}) + cmake_set("TUNER_DEFINITIONS", definitions, true) +
          cmake_set("TUNER_ARCHITECTURE", {architecture}) + cmake_set("TUNER_STANDARD", {standard}) +
          cmake_set("TUNER_OPTIONS", options);
  if (!recipe.arguments.empty()) text += cmake_set("TUNER_ARGUMENTS", {arguments_text(recipe)});
  return text;
}

std::string build_env(const BuildRecipe& recipe) {
  std::string text = fmt::format("TUNER_KERNEL={}\nTUNER_FLAGS={}\n", util::shell_quote(recipe.kernel),
                                 util::shell_quote(build_flags(recipe)));
  if (!recipe.arguments.empty())
    text += fmt::format("TUNER_ARGUMENTS={}\n", util::shell_quote(arguments_text(recipe)));
  return (recipe.doubt.empty() ? "" : "# doubtful: " + recipe.doubt + "\n") + text;
}

std::string build_defines(const BuildRecipe& recipe) {
  std::string text;
  std::vector<std::string> options = recipe.options;
  options.insert(options.end(), recipe.includes.begin(), recipe.includes.end());
  if (!options.empty()) text += fmt::format("// compile with: {}\n", fmt::join(options, " "));
  if (!recipe.arguments.empty()) text += fmt::format("// pass as arguments: {}\n", arguments_text(recipe));
  if (!recipe.library.empty()) text += fmt::format("// {}\n", library_text(recipe));
  if (!recipe.doubt.empty()) text += fmt::format("// doubtful: {}\n", recipe.doubt);
  text += fmt::format("#pragma once\n#define TUNER_KERNEL {}\n", recipe.kernel);
  for (const model::Macro& macro : recipe.macros)
    text += fmt::format("#define {} {}\n", macro.name, macro.value);
  for (const model::Macro& constant : recipe.constants)
    text += fmt::format("static constexpr auto {} = {};\n", constant.name, constant.value);
  return text;
}

}  // namespace tuner::packing
