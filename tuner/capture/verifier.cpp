#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "tuner/capture/replacer.hpp"

namespace tuner::capture {
namespace {

/// A buffer that the kernel writes.
struct Output {
  std::string name;
  tuner_type type;
  CuAddress address;
  std::vector<char> before;
  std::vector<char> expected;
  std::vector<char> found;
};

bool read(const Output& output, std::vector<char>& bytes) {
  return driver().memcpy_to_host(bytes.data(), output.address, bytes.size()) == cu_success;
}
bool write(const Output& output, const std::vector<char>& bytes) {
  return driver().memcpy_to_device(output.address, bytes.data(), bytes.size()) == cu_success;
}

std::vector<Output> outputs_of(const Replacement& replacement) {
  std::vector<Output> outputs;
  for (std::size_t i = 0; i < replacement.arguments.size(); ++i) {
    tuner_parameter parameter = {};
    std::uint64_t bytes = 0;
    if (tuner_kernel_parameter(replacement.kernel, i, &parameter) != TUNER_OK || parameter.is_written == 0 ||
        tuner_kernel_parameter_bytes(replacement.kernel, replacement.device, replacement.sizes.data(),
                                     replacement.sizes.size(), i, &bytes) != TUNER_OK ||
        bytes > replacement.arguments[i].bytes)
      continue;
    const auto address = reinterpret_cast<CuAddress>(replacement.arguments[i].value.pointer);
    const std::vector<char> room(bytes);
    outputs.push_back({parameter.name, parameter.type, address, room, room, room});
  }
  return outputs;
}

float half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int mantissa = bits & 1023;
  const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 31) return mantissa == 0 ? sign * INFINITY : NAN;
  return sign * (exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                               : std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25));
}

double real_at(const std::vector<char>& bytes, tuner_type type, std::size_t place) {
  if (type == TUNER_FLOAT64) {
    double value = 0;
    std::memcpy(&value, bytes.data() + place * sizeof value, sizeof value);
    return value;
  }
  if (type == TUNER_FLOAT32) {
    float value = 0;
    std::memcpy(&value, bytes.data() + place * sizeof value, sizeof value);
    return static_cast<double>(value);
  }
  std::uint16_t bits = 0;
  std::memcpy(&bits, bytes.data() + place * sizeof bits, sizeof bits);
  if (type == TUNER_FLOAT16) return static_cast<double>(half(bits));
  const std::uint32_t wide = std::uint32_t{bits} << 16U;
  float value = 0;
  std::memcpy(&value, &wide, sizeof value);
  return static_cast<double>(value);
}

std::string compared(const Output& output) {
  if (output.expected == output.found) return output.name + " is equal in every bit";
  const bool is_real = output.type == TUNER_FLOAT16 || output.type == TUNER_BFLOAT16 ||
                       output.type == TUNER_FLOAT32 || output.type == TUNER_FLOAT64;
  const std::size_t size = std::max<std::size_t>(1, use::size_of(output.type));
  const std::size_t count = output.expected.size() / size;
  std::size_t differ = 0;
  double largest = 0;
  double difference = 0;
  for (std::size_t i = 0; i < count; ++i) {
    differ +=
        std::memcmp(output.expected.data() + i * size, output.found.data() + i * size, size) != 0 ? 1 : 0;
    if (!is_real) continue;
    const double expected = real_at(output.expected, output.type, i);
    const double apart = std::fabs(real_at(output.found, output.type, i) - expected);
    largest = std::max(largest, std::fabs(expected));
    if (!(apart <= difference)) difference = apart;  // also where it is not a number
  }
  char text[256];
  if (is_real)
    std::snprintf(text, sizeof text, "%s differs in %zu of %zu numbers, by %.3g at most; its largest is %.3g",
                  output.name.c_str(), differ, count, difference, largest);
  else
    std::snprintf(text, sizeof text, "%s DIFFERS in %zu of %zu elements", output.name.c_str(), differ, count);
  return text;
}

}  // namespace

tuner_error verify(const Replacement& replacement, const Launch& launch, const LaunchQueue& queue,
                   CuResult& result, std::string& told) {
  const Driver& ask = driver();
  std::vector<Output> outputs = outputs_of(replacement);
  bool is_good = ask.ctx_synchronize() == cu_success;
  for (Output& output : outputs) is_good = is_good && read(output, output.before);
  result = queue.queue();
  is_good = is_good && result == cu_success && ask.ctx_synchronize() == cu_success;
  for (Output& output : outputs) is_good = is_good && read(output, output.expected);
  if (!is_good) {
    told = "it could not be compared";
    return TUNER_OK;
  }
  for (Output& output : outputs) is_good = write(output, output.before) && is_good;
  const tuner_error error = is_good ? Replacer::launch(replacement, launch) : TUNER_CANNOT_LAUNCH;
  if (error != TUNER_OK) {
    for (Output& output : outputs) write(output, output.expected);
    return error;
  }
  is_good = ask.ctx_synchronize() == cu_success;
  for (Output& output : outputs) {
    is_good = is_good && read(output, output.found);
    told += (told.empty() ? "" : "; ") + (is_good ? compared(output) : output.name + " cannot be read");
  }
  if (outputs.empty()) told = "the pack says of no buffer that it is written";
  return TUNER_OK;
}

}  // namespace tuner::capture
