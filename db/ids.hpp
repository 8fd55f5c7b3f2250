#pragma once
#include <string>
#include <string_view>

#include "tuner/model/comparison_class.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/device_info.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/model/problem.hpp"

namespace db {

// Ids of rows by their content: the same in every database.

tuner::model::Digest problem_id(const tuner::model::Problem& problem);
tuner::model::Digest contest_id(const tuner::model::Problem& problem,
                                const tuner::model::ComparisonClass& comparison_class);
tuner::model::Digest configuration_id(const tuner::model::Configuration& configuration);
tuner::model::Digest configuration_id(std::string_view canonical_json);
/// `parameters`: JSON array of their names as written.
tuner::model::Digest kernel_id(const std::string& family, const std::string& name,
                               const std::string& parameters);
/// Without the address and the free memory, which are not the device's own.
tuner::model::Digest device_id(const tuner::model::DeviceInfo& device, const std::string& limits_json);

}  // namespace db
