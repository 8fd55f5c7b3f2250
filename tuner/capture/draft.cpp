#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tuner/capture/parameters.hpp"
#include "tuner/capture/saver.hpp"

namespace tuner::capture {
namespace {

using nlohmann::json;

std::string hexadecimal(const void* bytes, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<const unsigned char*>(bytes)[i]);
    out += digits;
  }
  return out;
}

json argument_json(const KernelParameter& parameter, const void* place, const std::vector<Region>& regions) {
  json argument = {{"bytes", parameter.bytes},
                   {"offset", parameter.offset},
                   {"type", parameter.type},
                   {"raw", hexadecimal(place, parameter.bytes)},
                   {"kind", kind_word(parameter.kind)}};
  CuAddress address = 0;
  if (may_be_pointer(parameter)) std::memcpy(&address, place, sizeof address);
  for (std::size_t i = 0; i < regions.size() && address != 0; ++i) {
    if (regions[i].address != address || !regions[i].variable.empty()) continue;
    argument["kind"] = kind_word(ParameterKind::pointer);
    argument["region"] = i;
    return argument;
  }
  if (may_hold_pointers(parameter))
    argument["pointers_inside"] = pointers_inside(static_cast<const char*>(place), parameter.bytes);
  return argument;
}

json region_json(const Region& region) {
  json one = {
      {"address", region.address}, {"bytes", region.bytes}, {"allocation_bytes", region.allocation_bytes}};
  if (!region.variable.empty()) one["variable"] = region.variable;
  return one;
}

/// `null` where NVRTC did not make it.
json source_json(const Image& image) {
  if (image.source == nullptr) return {};
  json headers = json::array();
  for (const auto& [name, text] : image.source->headers) headers.push_back(name);
  return {{"name", image.source->name}, {"options", image.source->options}, {"headers", headers}};
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
  constexpr const char* images[] = {"unknown", "cubin", "fatbin", "ptx"};
  json draft = {
      {"schema_version", 1},
      {"kernel", kernel.name},
      {"process", getpid()},
      {"launch", wanted.number},
      {"architecture", architecture()},
      {"grid", launch.grid},
      {"block", launch.block},
      {"cluster", {1, 1, 1}},
      {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
      {"static_shared_bytes", function_attribute(kernel, function_shared_bytes)},
      {"registers", function_attribute(kernel, function_registers)},
      {"cooperative", launch.cooperative},
      {"twice", is_twice},
      {"null_stream", launch.stream == nullptr},
      {"attributes", json::array()},
      {"module", wanted.image.bytes == nullptr ? "none" : images[static_cast<int>(wanted.image.kind)]},
      {"source", source_json(wanted.image)},
      {"arguments", json::array()},
      {"regions", json::array()}};
  const CuLaunchConfig* const config = launch.config;
  const unsigned attributes =
      config == nullptr || config->attributes == nullptr ? 0 : config->attribute_count;
  for (unsigned i = 0; i < attributes; ++i) {
    const CuLaunchAttribute& attribute = config->attributes[i];
    const auto& cluster = attribute.value.cluster;
    draft["attributes"].push_back(attribute.id);
    if (attribute.id == use::attribute_cluster) draft["cluster"] = {cluster.x, cluster.y, cluster.z};
    if (attribute.id == use::attribute_cooperative) draft["cooperative"] = attribute.value.flag != 0;
  }
  for (std::size_t i = 0; i < wanted.arguments.size(); ++i)
    draft["arguments"].push_back(argument_json(kernel.parameters[i], wanted.arguments[i], regions));
  for (const Region& region : regions) draft["regions"].push_back(region_json(region));
  return draft.dump(1, ' ', true, json::error_handler_t::replace) + '\n';
}

}  // namespace tuner::capture
