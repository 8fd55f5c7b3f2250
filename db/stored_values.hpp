#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/statement.hpp"
#include "tuner/model/case.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/digest.hpp"

namespace db {

/// More samples than any measurement takes; a count beyond it in a stored row is damage or malice.
constexpr std::size_t most_samples = 1'000'000;

/// Samples as stored: a byte 1 (the version of this encoding), their number as 4 bytes, then a zstd frame of
/// the doubles with their bytes regrouped, first bytes first, last bytes last: exponents repeat, mantissas do
/// not. All little-endian; decode(encode(x)) is x bit for bit.
std::vector<std::byte> encode_samples(const std::vector<double>& samples);
/// Throws model::Error on anything encode_samples() does not make.
std::vector<double> decode_samples(std::span<const std::byte> encoded);

// The columns that hold JSON. Reading throws model::Error on what writing never makes.

/// The parameters' names in written order, which the configuration's canonical JSON has lost.
std::string parameters_json(const tuner::model::Configuration& configuration);
tuner::model::Configuration stored_configuration(std::string_view canonical_json,
                                                 std::string_view parameters);

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
