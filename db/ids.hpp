#pragma once
#include <string>
#include <string_view>

#include "db/statement.hpp"
#include "tuner/model/case.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/digest.hpp"

namespace db {

// Ids of rows by their content: the same in every database.

tuner::model::Digest problem_id(const tuner::model::Problem& problem);
tuner::model::Digest case_id(const tuner::model::Problem& problem,
                             const tuner::model::Environment& environment);
tuner::model::Digest configuration_id(std::string_view canonical_json);
/// `parameters`: JSON array of their names as written.
tuner::model::Digest kernel_id(const std::string& family, const std::string& name,
                               const std::string& parameters);
/// Without the address and the free memory, which are not the device's own.
tuner::model::Digest device_id(const tuner::model::DeviceInfo& device, const std::string& limits_json);

/// Identifiers of trials as short as people like them: seven hexadecimal digits, and more only where another
/// trial of the database begins with the same ones. find_trial() takes them.
class ShortIds {
 public:
  explicit ShortIds(const Connection& db);
  std::string of(const tuner::model::Digest& trial);

 private:
  Statement m_before, m_after;
};

}  // namespace db
