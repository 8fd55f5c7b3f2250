#pragma once
#include <map>
#include <string>
#include <vector>

#include "config/draft_plan.hpp"
#include "config/draft_source.hpp"
#include "config/time_specs.hpp"

namespace config {

/// Names of a kernel, and what stands in their place.
using Renames = std::map<std::string, std::string>;

/// A kernel with how its source says it is launched, each parameter with one value.
class LaunchedKernel {
 public:
  LaunchedKernel(const TimedKernel& kernel, const TimeRequest& request);

  const TimedKernel& kernel() const { return m_kernel; }
  DraftSource& source() { return m_source; }
  DraftPlan& plan() { return m_plan; }
  const std::vector<DraftParameter>& parameters() const { return m_plan.parameters; }
  bool is_launch_known() const;

  /// What the source gives the parameter of this place, as a spec writes it.
  std::string value(std::size_t i) const;
  std::string type(const tuner::source::SourceParameter& parameter);
  /// Of sizes, in all of its expressions.
  void rename(const Renames& names);
  /// Launched as `other` is.
  void launch_as(const LaunchedKernel& other);
  /// Each parameter has the value that was set, else that of the source, else one that is likely.
  void choose_values(std::vector<std::string>& assumed);
  /// Throws model::UsageError where the source does not say it.
  void require_known_launch() const;
  /// In its block, grid or shared memory.
  bool is_used(const std::string& name) const;
  std::vector<std::string> used_names() const;
  /// With the values of its parameters in place of their names.
  std::string number(const std::string& text) const;
  std::vector<std::string> numbered(std::vector<std::string> texts) const;
  std::string entry() const;
  std::string kernel_table(const std::string& family, const std::vector<std::string>& sizes,
                           const std::vector<std::string>& include, bool by_nvcc) const;
  std::string launch_table(const std::vector<std::string>& arguments) const;

 private:
  /// Its name says the arguments of its template.
  bool is_instance() const { return m_kernel.entry.find('<') != std::string::npos; }
  /// A guess has no words for values that are sizes: the draft gives them the names of the sizes.
  void name_values();
  void set(const std::string& name, const std::string& value);
  template <typename Change>
  void for_each_expression(const Change& change) {
    for (auto* list : {&m_plan.block, &m_plan.grid})
      for (std::string& text : *list) change(text);
    change(m_plan.shared_bytes);
  }

  const TimedKernel& m_kernel;
  DraftRequest m_draft_request;
  DraftSource m_source;
  DraftPlan m_plan;
};

}  // namespace config
