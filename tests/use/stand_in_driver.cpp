#include <cstdio>
#include <cstring>
#include <map>
#include <sstream>

#include "tests/use/stand_in.hpp"
#include "tuner/use/driver.hpp"

namespace {

using tests::StandIn;
using namespace tuner::use;

StandIn state;

struct Function {
  std::string name;
  std::vector<std::size_t> parameters;
};
struct Module {
  std::map<std::string, Function> functions;
  std::map<std::string, std::string> variables;
};

constexpr CuResult ok = 0;
constexpr CuResult invalid_value = 1;
constexpr CuResult invalid_device = 101;
constexpr CuResult invalid_context = 201;
constexpr CuResult invalid_image = 200;
constexpr CuResult not_found = 500;

Function& function_of(CuFunction function) {
  return *reinterpret_cast<Function*>(function);
}

CuResult init(unsigned) {
  return ok;
}
CuResult get_error_name(CuResult result, const char** name) {
  *name = result == invalid_image ? "CUDA_ERROR_INVALID_IMAGE" : "CUDA_ERROR_OF_THE_STAND_IN";
  return ok;
}
CuResult get_error_string(CuResult, const char** text) {
  *text = "the stand-in says no";
  return ok;
}
CuResult device_get_count(int* count) {
  *count = static_cast<int>(state.gpus.size());
  return ok;
}
CuResult device_get(CuDevice* device, int number) {
  *device = number;
  return number < static_cast<int>(state.gpus.size()) ? ok : invalid_device;
}
CuResult device_get_name(char* name, int most, CuDevice device) {
  std::snprintf(name, static_cast<std::size_t>(most), "%s",
                state.gpus.at(static_cast<std::size_t>(device)).name.c_str());
  return ok;
}
CuResult device_get_attribute(int* value, int which, CuDevice device) {
  const StandIn::Gpu& gpu = state.gpus.at(static_cast<std::size_t>(device));
  static const std::map<int, int> values = {{1, 1024},       {2, 1024},   {3, 1024},      {4, 64},
                                            {5, 2147483647}, {6, 65535},  {7, 65535},     {8, 49152},
                                            {10, 32},        {12, 65536}, {38, 52428800}, {39, 2048},
                                            {81, 233472},    {82, 65536}, {97, 232448},   {106, 32}};
  if (which == device_compute_major) {
    *value = gpu.major;
  } else if (which == device_compute_minor) {
    *value = gpu.minor;
  } else if (which == 16) {
    *value = gpu.multiprocessors;
  } else {
    *value = values.at(which);
  }
  return ok;
}
CuResult ctx_get_current(CuContext* context) {
  *context = reinterpret_cast<CuContext>(state.current);
  return ok;
}
CuResult ctx_get_device(CuDevice* device) {
  *device = state.current->gpu;
  return ok;
}
CuResult ctx_get_id(CuContext context, unsigned long long* id) {
  *id = reinterpret_cast<StandIn::Context*>(context)->id;
  return reinterpret_cast<StandIn::Context*>(context)->is_gone ? invalid_context : ok;
}
std::vector<StandIn::Context*> pushed;
CuResult ctx_push(CuContext context) {
  if (reinterpret_cast<StandIn::Context*>(context)->is_gone) return invalid_context;
  pushed.push_back(state.current);
  state.current = reinterpret_cast<StandIn::Context*>(context);
  return ok;
}
CuResult ctx_pop(CuContext* context) {
  *context = reinterpret_cast<CuContext>(state.current);
  state.current = pushed.back();
  pushed.pop_back();
  return ok;
}
CuResult stream_get_ctx(CuStream stream, CuContext* context) {
  *context = reinterpret_cast<CuContext>(reinterpret_cast<StandIn::Stream*>(stream)->context);
  return ok;
}
CuResult stream_is_capturing(CuStream stream, int* status) {
  *status = stream != nullptr && reinterpret_cast<StandIn::Stream*>(stream)->is_captured ? 1 : 0;
  return ok;
}
CuResult module_load_data(CuModule* module, const void* bytes) {
  std::istringstream text(static_cast<const char*>(bytes));
  std::string line;
  if (!std::getline(text, line) || line.rfind("cubin ", 0) != 0) return invalid_image;
  auto* const made = new Module;
  while (std::getline(text, line) && !line.empty()) {
    std::istringstream words(line);
    Function function;
    words >> function.name;
    if (function.name == "variable") {
      std::size_t count = 0;
      words >> function.name >> count;
      made->variables[function.name].resize(count);
      continue;
    }
    for (std::size_t size = 0; words >> size;) function.parameters.push_back(size);
    made->functions[function.name] = function;
  }
  ++state.loads;
  *module = reinterpret_cast<CuModule>(made);
  return ok;
}
CuResult module_unload(CuModule module) {
  ++state.unloads;
  delete reinterpret_cast<Module*>(module);
  return ok;
}
CuResult module_get_function(CuFunction* function, CuModule module, const char* name) {
  auto& functions = reinterpret_cast<Module*>(module)->functions;
  const auto found = functions.find(name);
  if (found == functions.end()) return not_found;
  *function = reinterpret_cast<CuFunction>(&found->second);
  return ok;
}
CuResult module_get_global(CuAddress* address, std::size_t* bytes, CuModule module, const char* name) {
  auto& variables = reinterpret_cast<Module*>(module)->variables;
  const auto found = variables.find(name);
  if (found == variables.end()) return not_found;
  *address = reinterpret_cast<std::uintptr_t>(found->second.data());
  *bytes = found->second.size();
  state.variables[name] = *address;
  return ok;
}
CuResult func_get_attribute(int* value, int, CuFunction) {
  *value = 1024;
  return ok;
}
CuResult func_set_attribute(CuFunction function, int which, int value) {
  state.attributes.push_back({function_of(function).name, which, value});
  return ok;
}
CuResult func_get_param_info(CuFunction function, std::size_t index, std::size_t* offset, std::size_t* size) {
  const auto& parameters = function_of(function).parameters;
  if (index >= parameters.size()) return invalid_value;
  *offset = 0;
  *size = parameters[index];
  return ok;
}
CuResult launch_kernel(const CuLaunchConfig* config, CuFunction function, void** arguments, void**) {
  ++state.launch_count;
  if (!state.records) return ok;
  StandIn::Launch launch = {function_of(function).name,
                            {config->grid_x, config->grid_y, config->grid_z},
                            {config->block_x, config->block_y, config->block_z}};
  launch.shared_bytes = config->shared_bytes;
  launch.stream = config->stream;
  for (unsigned i = 0; i < config->attribute_count; ++i) {
    const CuLaunchAttribute& attribute = config->attributes[i];
    if (attribute.id == attribute_cooperative) launch.is_cooperative = attribute.value.flag != 0;
    if (attribute.id == attribute_overlap) launch.overlaps = attribute.value.flag != 0;
    if (attribute.id == attribute_cluster)
      std::memcpy(launch.cluster, &attribute.value.cluster, sizeof launch.cluster);
  }
  const auto& parameters = function_of(function).parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    launch.arguments.emplace_back(static_cast<const char*>(arguments[i]), parameters[i]);
  state.launches.push_back(launch);
  return ok;
}
CuResult memset_async(CuAddress address, unsigned char byte, std::size_t count, CuStream) {
  state.memsets.push_back({address, byte, count});
  return ok;
}
CuResult copy_async(CuAddress to, CuAddress from, std::size_t count, CuStream stream) {
  if (state.records) state.copies.push_back({to, from, count, stream, state.launches.size()});
  return ok;
}
CuResult tensor_map_encode(CuTensorMap* map, int type, std::uint32_t rank, void* address,
                           const std::uint64_t* shape, const std::uint64_t* strides, const std::uint32_t* box,
                           const std::uint32_t*, int, int swizzle, int, int) {
  if (reinterpret_cast<std::uintptr_t>(map) % 128 != 0) return invalid_value;
  state.maps.push_back(
      {type, address, {shape, shape + rank}, {strides, strides + rank - 1}, {box, box + rank}, swizzle});
  std::memset(map, 0x5a, sizeof *map);
  return ok;
}

}  // namespace

extern "C" {
[[gnu::visibility("default")]] tests::StandIn* stand_in_state();
tests::StandIn* stand_in_state() {
  return &state;
}

[[gnu::visibility("default")]] CuResult cuGetProcAddress_v2(const char*, void**, int, std::uint64_t, int*);
CuResult cuGetProcAddress_v2(const char* name, void** function, int, std::uint64_t, int* status) {
#define STAND_IN_FUNCTION(member, symbol, version, parameters) {#symbol, reinterpret_cast<void*>(&member)},
  static const std::map<std::string, void*> functions = {TUNER_USE_DRIVER(STAND_IN_FUNCTION)
                                                             TUNER_USE_OPTIONAL_DRIVER(STAND_IN_FUNCTION)};
#undef STAND_IN_FUNCTION
  const auto found = functions.find(name);
  *function = found == functions.end() ? nullptr : found->second;
  *status = found == functions.end() ? 1 : 0;
  return ok;
}
}
