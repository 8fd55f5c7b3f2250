#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/capture/folder.hpp"
#include "tuner/capture/kernels.hpp"
#include "tuner/use/library.hpp"
#include "tuner/use/tuner.h"

namespace tuner::capture {

/// A launch of the program as a launch of a pack's kernel.
struct Replacement {
  const tuner_kernel* kernel = nullptr;
  int device = 0;
  std::vector<std::int64_t> sizes = {};
  std::vector<tuner_value> arguments = {};
};

/// Finds for launches of the program what a pack has for them: the kernel whose binary has a function of the
/// same name and parameters, and the sizes at which it would be passed the same numbers. Variables that the
/// pack takes are those of the same names in the program's module.
class Replacer {
 public:
  /// `replaced`: the program's kernel that the pack's stand for; empty: the one of the same name. Says why a
  /// pack cannot be used.
  bool open(const std::string& path, const std::string& replaced, std::string& why);

  /// Whether the pack has the kernel at all.
  bool has(const Kernel& kernel);
  /// False where this launch cannot be one of the pack's; says why.
  bool plan(const Kernel& kernel, const std::vector<void*>& arguments, Replacement& replacement,
            std::string& why);
  /// Queues it as the program's launch would have been.
  static tuner_error launch(const Replacement& replacement, const Launch& launch);
  /// `matmul register_tile TILE=8`
  static std::string choice_text(const Replacement& replacement);

 private:
  /// A configuration that is one launch of a function that the program also has.
  struct Match {
    const tuner_kernel* kernel;
    const use::PackView* view;
    const use::ConfigurationRecord* configuration;
    const use::OperandRecord* operands;
    std::vector<int> size_operands;  ///< of each size the operand that is it, or -1
  };
  void find_matches(const tuner_kernel& kernel, const Kernel& launched, std::vector<Match>& matches) const;
  static bool plan_match(const Match& match, const Kernel& kernel, const std::vector<void*>& arguments,
                         Replacement& replacement, std::string& why);

  static bool pass_variables(const Match& match, const Kernel& kernel, Replacement& replacement,
                             std::vector<bool>& is_given, std::string& why);

  bool is_meant(const std::string& function, const std::string& launched) const;

  std::string m_replaced;
  tuner_pack* m_pack = nullptr;
  std::unordered_map<std::string, std::vector<Match>> m_matches;  ///< by the kernel's name
};

/// Of the last call of this thread, with its detail.
std::string error_text(tuner_error error);

/// Runs a launch as the program asked for it, puts back what it wrote, runs the replacement, and compares.
/// The replacement's results stay. `told`: how they compare, for people. Fails as the replacement does; then
/// the program's own results are there.
tuner_error verify(const Replacement& replacement, const Launch& launch, const LaunchQueue& queue,
                   CuResult& result, std::string& told);

}  // namespace tuner::capture
