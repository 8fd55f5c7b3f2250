#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tuner/cover/rule.hpp"
#include "tuner/model/case.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::packing {

/// What makes a compiler build what a trial measured.
struct BuildRecipe {
  std::string kernel;
  /// The configuration, the codes of all words of its spec (PARTITION_row), ELEMENT_TYPE and its kin.
  std::vector<model::Macro> macros;
  /// Parameters that are `constexpr` in the source. A compiler's option can only make macros of them.
  std::vector<model::Macro> constants;
  std::vector<std::string> options;   ///< of nvcc: architecture, standard, then the spec's
  std::vector<std::string> includes;  ///< options that find and include headers, see config::include_options
  std::string library;                ///< the source that its host code calls; empty: none
  std::vector<model::Assignment> arguments;  ///< run-time parameters: what the program passes, no macros
  std::string doubt;                         ///< why it may build something else; empty: it does not
  bool is_excluded = false;                  ///< by a constraint, at what was asked for
  std::string headers;  ///< what finds the headers of a shipped kernel, wherever it lies; empty: nothing more
};

/// `spec`: of the trial's kernel; nothing where none is at hand, and then only what the trial itself says is
/// in the recipe. `architecture`: of the device that measured the trial. `asked`: what is built for; nothing:
/// what the trial measured.
BuildRecipe build_recipe(const model::TrialRecord& trial, const std::optional<model::KernelSpec>& spec,
                         const std::string& architecture, const std::optional<model::Problem>& asked = {});

/// What is not built by the recipe: `scale.cu calls what linear_gemm.cpp defines, …`; empty: there is none.
std::string library_text(const BuildRecipe& recipe);

/// Run-time parameters, words with their codes: `CHUNK=4 STREAM=all (321211333)`.
std::string arguments_text(const BuildRecipe& recipe);

/// Options for `nvcc $(...)`: a shell splits them at blanks and takes nothing else away, so no value has a
/// blank: `unsigned/**/int` for `unsigned int`. nvcc splits values at commas, hence `\,`. Throws model::Error
/// where a value cannot be said so, such as a string with a blank.
std::string build_flags(const BuildRecipe& recipe);
/// The same, and what it refuses in quotes, for people who type it.
std::string build_words(const BuildRecipe& recipe);

/// `set()` lines for include(): TUNER_KERNEL, TUNER_DEFINITIONS, TUNER_ARCHITECTURE, TUNER_STANDARD,
/// TUNER_OPTIONS, and TUNER_ARGUMENTS where there are run-time parameters. Commas are escaped for nvcc.
std::string build_cmake(const BuildRecipe& recipe);

/// Assignments for a POSIX shell: TUNER_KERNEL, TUNER_FLAGS (build_flags(), for `nvcc $TUNER_FLAGS`), and
/// TUNER_ARGUMENTS.
std::string build_env(const BuildRecipe& recipe);

/// `#define` lines and constants, below comments with what no header can say: options and run-time
/// parameters.
std::string build_defines(const BuildRecipe& recipe);

/// A configuration of a header.
struct HeaderConfiguration {
  const model::KernelSpec* spec = nullptr;
  model::Configuration values;
  model::Problem problem;            ///< that `options` are of
  std::string options;               ///< of nvcc
  std::vector<std::string> remarks;  ///< what is known of it
};

/// One C++17 header that needs nothing but the standard library: the configurations as structs `A`, `B`, …,
/// `select()` by the rule, and each launch as functions of the sizes and the device.
struct LaunchHeader {
  std::string name_space;               ///< `tuned::matmul`
  std::vector<std::string> dimensions;  ///< of the rule
  std::vector<HeaderConfiguration> configurations;
  cover::Rule rule;                  ///< its configurations are places in that list
  model::DeviceInfo device;          ///< that was measured
  std::vector<std::string> remarks;  ///< at its head

  /// Throws model::UsageError where a spec cannot be said in C++.
  std::string text() const;
};

}  // namespace tuner::packing
