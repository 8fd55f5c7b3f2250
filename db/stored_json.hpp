#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/configuration.hpp"
#include "tuner/model/device_info.hpp"
#include "tuner/model/metrics.hpp"
#include "tuner/model/problem.hpp"

namespace db {

// The columns that hold JSON. Reading throws model::Error on what writing never makes.

/// The parameters' names in written order, which the configuration's canonical JSON has lost.
std::string parameters_json(const tuner::model::Configuration& configuration);
tuner::model::Configuration stored_configuration(std::string_view canonical_json,
                                                 std::string_view parameters);
/// Empty where there are none.
std::string macros_json(const tuner::model::Configuration& macros);
tuner::model::Configuration stored_macros(std::string_view json);
std::vector<tuner::model::Dimension> stored_sizes(std::string_view json);
std::string metrics_json(const tuner::model::Metrics& metrics);
tuner::model::Metrics stored_metrics(std::string_view json);
std::string names_json(const std::vector<std::string>& names);
std::vector<std::string> stored_names(std::string_view json);
std::string limits_json(const tuner::model::DeviceLimits& limits);
tuner::model::DeviceLimits stored_limits(std::string_view json);

}  // namespace db
