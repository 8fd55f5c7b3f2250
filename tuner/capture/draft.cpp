#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>

#include "tuner/capture/parameters.hpp"
#include "tuner/capture/saver.hpp"

namespace tuner::capture {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\u%04x", code);
    out += code < 32 || code >= 127 || letter == '"' || letter == '\\' ? std::string(escaped)
                                                                       : std::string(1, letter);
  }
  return out + '"';
}

std::string hexadecimal(const void* bytes, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<const unsigned char*>(bytes)[i]);
    out += digits;
  }
  return out;
}

template <typename Range>
std::string list(const Range& values) {
  std::string out;
  for (const auto& value : values) out += (out.empty() ? "" : ", ") + std::to_string(value);
  return '[' + out + ']';
}

class Members {
 public:
  Members& raw(const char* name, const std::string& value) {
    m_text += (m_text.empty() ? "" : ", ") + quoted(name) + ": " + value;
    return *this;
  }
  Members& text(const char* name, const std::string& value) { return raw(name, quoted(value)); }
  template <typename Number>
  Members& number(const char* name, Number value) {
    return raw(name, std::to_string(value));
  }
  std::string done() const { return '{' + m_text + '}'; }

 private:
  std::string m_text;
};

template <typename Value, typename Text>
std::string objects(const std::vector<Value>& values, const Text& text) {
  std::string out;
  for (const Value& value : values) out += (out.empty() ? "\n  " : ",\n  ") + text(value);
  return '[' + out + ']';
}

std::string argument_text(const KernelParameter& parameter, const void* place,
                          const std::vector<Region>& regions) {
  Members members;
  members.number("bytes", parameter.bytes).number("offset", parameter.offset);
  members.text("type", parameter.type);
  members.text("raw", hexadecimal(place, parameter.bytes));
  CuAddress address = 0;
  if (may_be_pointer(parameter)) std::memcpy(&address, place, sizeof address);
  for (std::size_t i = 0; i < regions.size() && address != 0; ++i) {
    if (regions[i].address != address || !regions[i].variable.empty()) continue;
    return members.text("kind", "pointer").number("region", i).done();
  }
  members.text("kind", kind_word(parameter.kind));
  if (may_hold_pointers(parameter))
    members.raw("pointers_inside", list(pointers_inside(static_cast<const char*>(place), parameter.bytes)));
  return members.done();
}

std::string region_text(const Region& region) {
  Members members;
  members.number("address", region.address).number("bytes", region.bytes);
  members.number("allocation_bytes", region.allocation_bytes);
  if (!region.variable.empty()) members.text("variable", region.variable);
  return members.done();
}

std::string attributes_text(const Launch& launch, std::array<unsigned, 3>& cluster, bool& cooperative) {
  std::vector<int> ids;
  const unsigned count =
      launch.config == nullptr || launch.config->attributes == nullptr ? 0 : launch.config->attribute_count;
  for (unsigned i = 0; i < count; ++i) {
    const CuLaunchAttribute& attribute = launch.config->attributes[i];
    ids.push_back(attribute.id);
    if (attribute.id == use::attribute_cluster)
      cluster = {attribute.value.cluster.x, attribute.value.cluster.y, attribute.value.cluster.z};
    if (attribute.id == use::attribute_cooperative) cooperative = attribute.value.flag != 0;
  }
  return list(ids);
}

std::string quoted_list(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + quoted(text);
  return '[' + out + ']';
}

/// `null` where NVRTC did not make it.
std::string source_text(const Image& image) {
  if (image.source == nullptr) return "null";
  std::vector<std::string> headers;
  for (const auto& [name, text] : image.source->headers) headers.push_back(name);
  return Members()
      .text("name", image.source->name)
      .raw("options", quoted_list(image.source->options))
      .raw("headers", quoted_list(headers))
      .done();
}

int function_attribute(const Kernel& kernel, int which) {
  int value = 0;
  if (kernel.function == nullptr || driver().func_get_attribute == nullptr ||
      driver().func_get_attribute(&value, which, kernel.function) != cu_success)
    return 0;
  return value;
}

std::string architecture() {
  const Driver& ask = driver();
  CuDevice device = 0;
  int major = 0;
  int minor = 0;
  if (ask.ctx_get_device == nullptr || ask.ctx_get_device(&device) != cu_success) return "";
  ask.device_get_attribute(&major, device_compute_major, device);
  ask.device_get_attribute(&minor, device_compute_minor, device);
  return "sm_" + std::to_string(major) + std::to_string(minor);
}

}  // namespace

bool may_be_pointer(const KernelParameter& parameter) {
  return parameter.bytes == sizeof(CuAddress) &&
         (parameter.kind == ParameterKind::pointer || parameter.kind == ParameterKind::unknown);
}

bool may_hold_pointers(const KernelParameter& parameter) {
  return parameter.kind == ParameterKind::structure ||
         (parameter.kind == ParameterKind::unknown && parameter.bytes > sizeof(CuAddress));
}

std::vector<std::size_t> pointers_inside(const char* bytes, std::size_t count) {
  std::vector<std::size_t> places;
  const Driver& ask = driver();
  for (std::size_t at = 0; ask.mem_get_address_range != nullptr && at + sizeof(CuAddress) <= count;
       at += sizeof(CuAddress)) {
    CuAddress address = 0;
    std::memcpy(&address, bytes + at, sizeof address);
    if (address != 0 && ask.mem_get_address_range(nullptr, nullptr, address) == cu_success)
      places.push_back(at);
  }
  return places;
}

std::string draft_of(const WantedLaunch& wanted, const std::vector<Region>& regions, bool is_twice) {
  const Kernel& kernel = wanted.kernel;
  const Launch& launch = wanted.launch;
  std::array<unsigned, 3> cluster = {1, 1, 1};
  bool cooperative = launch.cooperative;
  const std::string attributes = attributes_text(launch, cluster, cooperative);
  const char* const kinds[] = {"unknown", "cubin", "fatbin", "ptx"};
  std::string arguments;
  for (std::size_t i = 0; i < wanted.arguments.size(); ++i)
    arguments +=
        (i == 0 ? "\n  " : ",\n  ") + argument_text(kernel.parameters[i], wanted.arguments[i], regions);
  return Members()
             .number("schema_version", 1)
             .text("kernel", kernel.name)
             .number("process", getpid())
             .number("launch", wanted.number)
             .text("architecture", architecture())
             .raw("grid", list(launch.grid))
             .raw("block", list(launch.block))
             .raw("cluster", list(cluster))
             .number("dynamic_shared_bytes", launch.dynamic_shared_bytes)
             .number("static_shared_bytes", function_attribute(kernel, function_static_bytes))
             .number("registers", function_attribute(kernel, function_registers))
             .raw("cooperative", cooperative ? "true" : "false")
             .raw("twice", is_twice ? "true" : "false")
             .raw("null_stream", launch.stream == nullptr ? "true" : "false")
             .raw("attributes", attributes)
             .text("module",
                   wanted.image.bytes == nullptr ? "none" : kinds[static_cast<int>(wanted.image.kind)])
             .raw("source", source_text(wanted.image))
             .raw("arguments", '[' + arguments + ']')
             .raw("regions", objects(regions, region_text))
             .done() +
         '\n';
}

}  // namespace tuner::capture
