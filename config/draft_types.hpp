#pragma once
#include <functional>
#include <string>
#include <vector>

#include "config/draft_plan.hpp"

namespace config {

/// The types of a kernel's parameters as a spec names them.
class DraftTypes {
 public:
  /// Both outlive it.
  DraftTypes(DraftSource& source, const DraftPlan& plan) : m_source(source), m_plan(plan) {}

  /// With the types that a launch gives a template.
  std::string resolved(const tuner::source::SourceParameter& parameter) const;
  /// What the source says of the parameter's type, where a spec can say it; else null.
  const tuner::source::SourceStruct* struct_of(const tuner::source::SourceParameter& parameter) const;
  /// The structs of parameters that count, in the source's order.
  std::vector<const tuner::source::SourceStruct*> structs_of(
      const std::function<bool(const tuner::source::SourceParameter&)>& counts) const;
  /// The spec's name of a type; asks where it has none.
  std::string spec_type(const std::string& type, bool pointer, const std::string& name);
  /// A comment behind a type that no [structs] has, and the source defines.
  std::string doubt(const tuner::source::SourceParameter& parameter) const;
  /// [structs] of all that arguments have.
  std::string tables() const;

 private:
  const tuner::source::SourceStruct* defined(const std::string& type) const;

  DraftSource& m_source;
  const DraftPlan& m_plan;
};

/// A spec's name of a type that has another name in it, as `long long` of `long`; else the name itself.
std::string spec_name(const std::string& type);
/// Names as a list of TOML.
std::string toml_list(const std::vector<std::string>& names);
/// `float x[4]`
std::string field_text(const tuner::source::SourceField& field);

}  // namespace config
