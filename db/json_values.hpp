#pragma once
#include <string>
#include <vector>

#include "db/json.hpp"
#include "tuner/model/case.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/metrics.hpp"

namespace db {

// Small values as JSON, the same in a database's columns and in exports. Reading throws model::Error.

Json json_of(const tuner::model::Configuration& configuration);  ///< in written order
tuner::model::Configuration configuration_from(const Json& value);

Json json_of(const std::vector<tuner::model::Dimension>& sizes);
std::vector<tuner::model::Dimension> sizes_from(const Json& value);

Json json_of(const tuner::model::Metrics& metrics);
tuner::model::Metrics metrics_from(const Json& value);

Json json_of(const std::vector<std::string>& names);
std::vector<std::string> names_from(const Json& value);

Json json_of(const tuner::model::DeviceLimits& limits);
tuner::model::DeviceLimits limits_from(const Json& value);

Json json_of(const tuner::model::Environment& value);
tuner::model::Environment environment_from(const Fields& fields);

/// From the fields `family`, `sizes`, `type` and `row_padding`, which stand beside others.
tuner::model::Problem problem_from(const Fields& fields);

}  // namespace db
