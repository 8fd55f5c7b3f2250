#pragma once
#include <string>

#include "config/capture_plan.hpp"

namespace config {

/// The arguments of a captured kernel that it is passed by value, as they were recorded.
class CapturedValues {
 public:
  CapturedValues(DraftSource& source, const CapturedSource& captured, const CapturePlan& planned)
      : m_source(source),
        m_captured(captured),
        m_planned(planned),
        m_launch(planned.launches.reference()),
        m_types(source, planned.plan) {}

  /// TOML of one argument.
  std::string table(std::size_t argument, const std::string& name);
  /// TOML of the structs that the source does not show, for the arguments so far.
  const std::string& structs() const { return m_structs; }

 private:
  std::string scalar(std::size_t argument, tuner::model::ElementType type, const std::string& name);
  std::string number_text(const std::string& bytes, tuner::model::ElementType type);
  std::string fields(std::size_t argument, const tuner::source::SourceStruct& one);
  std::optional<std::string> field_size(std::size_t argument, const std::string& field) const;
  std::string raw_struct(const tuner::model::CapturedArgument& passed, const std::string& type,
                         const std::string& name, const std::string& doubt);

  DraftSource& m_source;
  const CapturedSource& m_captured;
  const CapturePlan& m_planned;
  const tuner::model::CapturedLaunch& m_launch;
  DraftTypes m_types;
  std::string m_structs;
};

}  // namespace config
