#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tuner/model/trial.hpp"
#include "tuner/space/configuration_list.hpp"
#include "tuner/space/space.hpp"

namespace tuner::space {

struct Slots;

/// One kernel's spec with every expression compiled, for asking about configurations and problems. Copies are
/// cheap and share the compiled spec; all of it is const and may be used from several threads at once.
class KernelSpace {
 public:
  /// Keeps a copy of `spec`. Throws model::UsageError with the first mistake where validate(spec) finds any.
  explicit KernelSpace(model::KernelSpec spec);

  const model::KernelSpec& spec() const;

  /// The valid configurations for one problem and device, in the order the spec's value lists give (last
  /// parameter fastest). Constraints are tested as soon as the last parameter they mention is set. A
  /// constraint or a `when` whose value is undefined excludes the configuration. A parameter whose `when` is
  /// false is inactive; in the order that comes before its first value. `visit` returns false to stop; what
  /// it is given changes afterwards.
  void enumerate(const model::Problem& problem, const model::DeviceLimits& limits,
                 const std::function<bool(const model::Configuration&)>& visit) const;
  /// So many configurations are listed; of more, list() is of a CountedSpace.
  static constexpr std::size_t most_listed = std::size_t{1} << 18U;
  /// What enumerate() delivers, in its order; listed where these are at most `most`. Where the constraints
  /// are too irregular for a CountedSpace, or `go_on` has ended it, a random sample, marked as such: empty
  /// where none was met.
  ConfigurationList list(const model::Problem& problem, const model::DeviceLimits& limits,
                         const GoOn& go_on = {}, std::size_t most = most_listed) const;
  /// Why list() has nothing: what excludes the default, say.
  std::string why_empty(const model::Problem& problem, const model::DeviceLimits& limits,
                        const ConfigurationList& list) const;
  /// What the space depends on of a problem and a device: where that is equal, so are the configurations.
  std::vector<std::int64_t> seen_of(const model::Problem& problem, const model::DeviceLimits& limits) const;

  /// Whether enumerate() would deliver `configuration`, which may come from anywhere: it has the spec's
  /// parameters and no others, with values of their lists, and the constraints hold on `problem`.
  bool contains(const model::Problem& problem, const model::Configuration& configuration,
                const model::DeviceLimits& limits) const;
  /// Where `configuration` lies in the spec's value lists, whatever the constraints; nothing where it does
  /// not.
  std::optional<std::vector<std::uint16_t>> coordinates_of(const model::Problem& problem,
                                                           const model::Configuration& configuration,
                                                           const model::DeviceLimits& limits) const;
  /// The same, worth trying on `problem` or not.
  bool offers(const model::Problem& problem, const model::Configuration& configuration,
              const model::DeviceLimits& limits) const;
  /// Whether `configuration` is right on `problem`, worth trying there or not: the constraints hold. One that
  /// is valid for some problem need not be for another.
  bool allows(const model::Problem& problem, const model::Configuration& configuration,
              const model::DeviceLimits& limits) const;

  /// Evaluates everything the spec says about `configuration` on `problem`. A division by zero, an overflow,
  /// a negative extent, an empty grid or a block beyond the device's limits is a Rejection that names the
  /// expression and its value.
  std::variant<model::Plan, Rejection> make_plan(const model::Problem& problem,
                                                 const model::Configuration& configuration,
                                                 const model::DeviceLimits& limits) const;
  /// The binary a configuration needs. Macros: each parameter that is not a run-time one, ELEMENT_TYPE (CUDA
  /// name), ELEMENT_BYTES, ELEMENT_IS_INTEGER, sorted by name so that the order in the spec changes no
  /// binary. A word parameter's macro is its code, and for every word W of parameter P the vocabulary defines
  /// P_W as that word's code: `#if PARTITION == PARTITION_row`. Throws model::UsageError where
  /// `configuration` leaves a parameter out.
  model::CompileJob compile_job(const model::Problem& problem, const model::Configuration& configuration,
                                const std::string& architecture, const std::string& compiler) const;
  /// The reference's binary; absent where the spec verifies nothing. Macros: the ELEMENT_ ones alone.
  std::optional<model::CompileJob> reference_job(const model::Problem& problem,
                                                 const std::string& architecture,
                                                 const std::string& compiler) const;
  /// The spec's metrics for a measured time, evaluated in double precision; a metric that cannot be evaluated
  /// is absent.
  model::Metrics metrics(const model::Problem& problem, const model::Configuration& configuration,
                         double time_ns) const;
  /// What the spec declares of `problem`; 0 where it says nothing, or where that has no value.
  model::Workload workload(const model::Problem& problem) const;
  /// The problem on which the spec's ceiling is measured on a device, of `type`, or of the kernel's first
  /// type where it does not offer that. Absent where the spec is of no ceiling, or gives a size below 1
  /// there.
  std::optional<model::Problem> ceiling_problem(const model::DeviceLimits& limits,
                                                std::optional<model::ElementType> type) const;
  /// Whether `configuration` is the one the spec names as default, the parameters it leaves out taking their
  /// first value and inactive ones `otherwise`. A `when` that asks about the problem or the device counts as
  /// false exactly where the parameter has the value `otherwise`.
  bool is_default(const model::Configuration& configuration) const;
  /// That configuration; nothing where `problem` or the limits exclude it.
  std::optional<model::Configuration> default_configuration(const model::Problem& problem,
                                                            const model::DeviceLimits& limits) const;
  /// See space.hpp.
  const model::Digest& definition() const { return m_definition; }
  const model::Digest& spec_digest() const { return m_spec_digest; }

 private:
  /// The spec's default, whatever excludes it.
  model::Configuration written_default(const model::Problem& problem,
                                       const model::DeviceLimits& limits) const;
  /// Whether the first `count` of the compiled constraints hold.
  bool first_hold(std::size_t count, const model::Problem& problem, const model::Configuration& configuration,
                  const model::DeviceLimits& limits) const;
  /// Macros and compiler options that are worked out for each configuration.
  void add_computed_parts(const model::Problem& problem, const model::Configuration& configuration,
                          model::CompileJob& job) const;
  /// For is_default: whether the parameter's `when` is false, as far as the configuration alone can tell.
  bool is_inactive(std::size_t parameter, const model::Value& value, const Slots& slots) const;

  std::shared_ptr<const CompiledSpec> m_compiled;
  model::Digest m_definition;
  model::Digest m_spec_digest;
  model::Digest m_source_key;
  model::Digest m_reference_key;  ///< of the reference's source; empty where there is none
};

}  // namespace tuner::space
