#include "db/stored_values.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>

#include "db/json.hpp"
#include "tuner/model/error.hpp"

namespace db {

using tuner::model::Digest;
using tuner::model::DigestBuilder;

Digest problem_id(const tuner::model::Problem& problem) {
  DigestBuilder digest;
  digest.add("problem 1").add(problem.family).add(problem.sizes_json()).add(cuda_name(problem.type));
  return digest.add(problem.row_padding).finish();
}

Digest case_id(const tuner::model::Problem& problem, const tuner::model::Environment& environment) {
  return DigestBuilder().add("contest 1").add(problem_id(problem)).add(environment.key()).finish();
}

Digest configuration_id(std::string_view canonical_json) {
  return DigestBuilder().add("configuration 1").add(canonical_json).finish();
}

Digest kernel_id(const std::string& family, const std::string& name, const std::string& parameters) {
  return DigestBuilder().add("kernel 1").add(family).add(name).add(parameters).finish();
}

Digest device_id(const tuner::model::DeviceInfo& device, const std::string& limits_json) {
  DigestBuilder digest;
  digest.add("device 1").add(device.kind).add(device.name).add(device.uuid).add(device.architecture);
  digest.add(device.compute_major).add(device.compute_minor).add(device.driver).add(device.memory_bytes);
  return digest.add(limits_json).finish();
}

namespace {

constexpr std::size_t usual_digits = 7;

/// Digits that both begin with.
std::size_t shared_digits(const std::string& a, const std::string& b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

}  // namespace

ShortIds::ShortIds(const Connection& db)
    : m_before(db, "SELECT id FROM trials WHERE id < ? ORDER BY id DESC LIMIT 1"),
      m_after(db, "SELECT id FROM trials WHERE id > ? ORDER BY id LIMIT 1") {}

std::string ShortIds::of(const Digest& trial) {
  const std::string hex = trial.hex();
  std::size_t digits = usual_digits;
  for (Statement* neighbour : {&m_before, &m_after}) {
    auto row = neighbour->use(trial);
    if (row.step()) digits = std::max(digits, shared_digits(hex, row.digest().hex()) + 1);
  }
  return hex.substr(0, digits);
}

namespace {

using tuner::model::Error;

constexpr std::byte encoding_version{1};
constexpr std::size_t header_bytes = 5;
constexpr int compression_level = 3;

/// Made once a thread: making one takes longer than compressing what a measurement has.
template <class Context, Context* (*make)(), std::size_t (*release)(Context*)>
Context* kept() {
  struct Release {
    void operator()(Context* context) const noexcept { release(context); }
  };
  thread_local const std::unique_ptr<Context, Release> context(make());
  if (!context) throw Error("samples: no memory for compressing them");
  return context.get();
}

std::vector<std::byte> regroup(const std::vector<double>& samples) {
  std::vector<std::byte> planes(samples.size() * sizeof(double));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(samples[i]);
    for (std::size_t plane = 0; plane < sizeof(double); ++plane) {
      planes[plane * samples.size() + i] = static_cast<std::byte>(bits >> (8 * plane));
    }
  }
  return planes;
}

std::vector<double> ungroup(const std::vector<std::byte>& planes) {
  std::vector<double> samples(planes.size() / sizeof(double));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::uint64_t bits = 0;
    for (std::size_t plane = 0; plane < sizeof(double); ++plane) {
      bits |= std::to_integer<std::uint64_t>(planes[plane * samples.size() + i]) << (8 * plane);
    }
    samples[i] = std::bit_cast<double>(bits);
  }
  return samples;
}

}  // namespace

std::vector<std::byte> encode_samples(const std::vector<double>& samples) {
  if (samples.size() > most_samples) {
    throw Error(
        fmt::format("a measurement has {} samples, at most {} can be stored", samples.size(), most_samples));
  }
  const std::vector<std::byte> planes = regroup(samples);
  std::vector<std::byte> out(header_bytes + ZSTD_compressBound(planes.size()));
  out[0] = encoding_version;
  for (std::size_t i = 0; i < 4; ++i) out[1 + i] = static_cast<std::byte>(samples.size() >> (8 * i));
  const std::size_t written =
      ZSTD_compressCCtx(kept<ZSTD_CCtx, ZSTD_createCCtx, ZSTD_freeCCtx>(), out.data() + header_bytes,
                        out.size() - header_bytes, planes.data(), planes.size(), compression_level);
  if (ZSTD_isError(written) != 0) throw Error(fmt::format("samples: {}", ZSTD_getErrorName(written)));
  out.resize(header_bytes + written);
  return out;
}

std::vector<double> decode_samples(std::span<const std::byte> encoded) {
  if (encoded.size() < header_bytes || encoded[0] != encoding_version) {
    throw Error(fmt::format("samples: {} bytes in no known encoding", encoded.size()));
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < 4; ++i) count |= std::to_integer<std::size_t>(encoded[1 + i]) << (8 * i);
  if (count > most_samples)
    throw Error(fmt::format("samples: {} of them, at most {} expected", count, most_samples));
  std::vector<std::byte> planes(count * sizeof(double));
  const std::span<const std::byte> frame = encoded.subspan(header_bytes);
  // Into a buffer of the announced size: a frame that unfolds into more is refused, not followed.
  const std::size_t read = ZSTD_decompressDCtx(kept<ZSTD_DCtx, ZSTD_createDCtx, ZSTD_freeDCtx>(),
                                               planes.data(), planes.size(), frame.data(), frame.size());
  if (ZSTD_isError(read) != 0 || read != planes.size()) {
    throw Error(fmt::format("samples: the compressed block does not hold the {} announced", count));
  }
  return ungroup(planes);
}

using tuner::model::Assignment;
using tuner::model::Configuration;

std::string parameters_json(const Configuration& configuration) {
  std::vector<std::string> names;
  for (const Assignment& assignment : configuration.assignments()) names.push_back(assignment.name);
  return json_line(json_of(names));
}

Configuration stored_configuration(std::string_view canonical_json, std::string_view parameters) {
  const auto sorted = value_of<Configuration>(parse_json(canonical_json), "configuration");
  std::vector<Assignment> written;
  for (const auto& name : value_of<std::vector<std::string>>(parse_json(parameters), "parameters")) {
    const tuner::model::Value* value = sorted.find(name);
    if (value == nullptr) throw Error(fmt::format("configuration {} has no {}", canonical_json, name));
    written.push_back({name, *value});
  }
  return Configuration(std::move(written));
}

}  // namespace db
