#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "config/draft_plan.hpp"
#include "config/fit_expression.hpp"

namespace config {

/// The parameters of a plan with the values that they had in recorded launches, as far as is known.
class RecordedParameters {
 public:
  explicit RecordedParameters(DraftPlan& plan) : m_plan(plan) {}

  /// What the kernel's mangled name says: template arguments, and types that the source leaves open.
  void set_template_arguments(const DraftSource& source, const tuner::model::CapturedKernel& captured);
  /// Each parameter that the source has a default for had it in so many launches.
  void take_defaults(std::size_t launches);
  /// The parameter had these values. The first becomes its default, and its values go about them.
  void record(const std::string& name, const std::vector<std::int64_t>& values);
  void add_block(const std::string& name, const std::vector<std::int64_t>& values);

  DraftParameter* find(const std::string& name);
  bool is_known(const std::string& name) const { return m_values.contains(name); }
  const std::map<std::string, std::vector<std::int64_t>>& values() const { return m_values; }
  /// Those whose values are known and that count.
  std::vector<FitName> names(const std::function<bool(const std::string&)>& counts) const;

 private:
  DraftPlan& m_plan;
  std::map<std::string, std::vector<std::int64_t>> m_values;
};

/// A parameter that no binary depends on.
bool is_runtime(const DraftParameter& parameter);

}  // namespace config
