// A libcuda.so.1 for programs under `tuner capture`: it has memory of its own and runs two kernels on the
// host. It loads cubins and PTX of one of them; else an "image" is text: a line `image sm_90`, then for each
// kernel a line of its name and the bytes of its parameters.
#include <dlfcn.h>
#include <elf.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/capture/stand_in.hpp"

namespace {

using namespace tests;

constexpr int ok = 0;
constexpr int invalid_value = 1;
constexpr int invalid_image = 200;
constexpr int not_found = 500;

struct Kernel {
  std::string name;
  std::vector<std::size_t> bytes;
  std::vector<char>* factor = nullptr;  ///< the variable of that name of its module
};
struct Image {
  std::map<std::string, Kernel> kernels;
  std::map<std::string, std::vector<char>> variables;
};
struct Event {
  std::uint64_t ns = 0;
};

std::map<std::uintptr_t, std::size_t> memory;
std::vector<StandInRun> runs;
std::uint64_t clock_ns = 0;
bool is_capturing = false;
std::vector<StandInRun> captured;
int contexts[2];
int current = 0;  ///< of the contexts; each is of another GPU

Kernel& kernel_of(void* handle) {
  return *static_cast<Kernel*>(handle);
}

template <typename Value>
Value argument(void** arguments, int place) {
  Value value;
  std::memcpy(&value, arguments[place], sizeof value);
  return value;
}

/// scale(float* y, const float* x, int n, float a); add(float* y, const float* x, int n). `fast` is scale,
/// and `wrong` is not. times(float* y, int n), also as `fast_times`, multiplies by the variable `factor`,
/// which is one more then. With STAND_IN_VARIES, scale leaves a quarter more from one launch to the next.
void compute(const std::string& name, void** arguments, std::vector<char>* variable) {
  if (name == "_Z5timesPfi" || name == "fast_times") {
    float factor = 0;
    std::memcpy(&factor, variable->data(), sizeof factor);
    for (int i = 0; i < argument<int>(arguments, 1); ++i) argument<float*>(arguments, 0)[i] *= factor;
    factor += 1;
    std::memcpy(variable->data(), &factor, sizeof factor);
  }
  const bool scales = name == "_Z5scalePfPKfif" || name == "fast";
  if (name == "wrong") *argument<float*>(arguments, 0) = 7;
  if (!scales && name != "_Z3addPfPKfi") return;
  auto* const y = argument<float*>(arguments, 0);
  const auto* const x = argument<const float*>(arguments, 1);
  const int n = argument<int>(arguments, 2);
  static const bool varies = std::getenv("STAND_IN_VARIES") != nullptr;
  static float more = 0;
  for (int i = 0; i < n; ++i) y[i] = scales ? argument<float>(arguments, 3) * x[i] + more : y[i] + x[i];
  if (varies) more += 0.25F;
}

int run(StandInRun one, void** arguments, std::vector<char>* variable) {
  one.gpu = static_cast<unsigned>(current);
  if (is_capturing) {
    captured.push_back(one);
    return ok;
  }
  if (arguments != nullptr) compute(one.name, arguments, variable);
  clock_ns += one.ns;
  runs.push_back(one);
  return ok;
}

/// The kernels of PTX, with the bytes of their parameters.
Image* read_ptx(const std::string& text) {
  auto* const image = new Image;
  const std::string entry = ".entry ";
  for (std::size_t at = text.find(entry); at != std::string::npos; at = text.find(entry, at + 1)) {
    const std::size_t open = text.find('(', at);
    std::istringstream parameters(text.substr(open + 1, text.find(')', open) - open - 1));
    Kernel kernel;
    kernel.name = text.substr(at + entry.size(), open - at - entry.size());
    for (std::string word; parameters >> word;)
      if (word.size() == 4 && word[0] == '.' && word != ".ptr")
        kernel.bytes.push_back(word[2] == '6' ? 8 : 4);
    image->kernels[kernel.name] = kernel;
  }
  return image;
}

/// Of a cubin that has it, `scale` alone.
Image* read_cubin(const char* bytes) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes, sizeof header);
  auto* const image = new Image;
  Elf64_Shdr names;
  std::memcpy(&names, bytes + header.e_shoff + header.e_shstrndx * sizeof names, sizeof names);
  const std::string all(bytes + names.sh_offset, names.sh_size);
  if (all.find(".text._Z5scalePfPKfif") != std::string::npos)
    image->kernels["_Z5scalePfPKfif"] = {"_Z5scalePfPKfif", {8, 8, 4, 4}};
  return image;
}

int load(Image** made, const void* bytes) {
  if (std::memcmp(bytes, ELFMAG, SELFMAG) == 0) {
    *made = read_cubin(static_cast<const char*>(bytes));
    return ok;
  }
  if (std::strstr(static_cast<const char*>(bytes), ".entry ") != nullptr) {
    *made = read_ptx(static_cast<const char*>(bytes));
    return ok;
  }
  std::istringstream text(static_cast<const char*>(bytes));
  std::string line;
  if (!std::getline(text, line) || line.rfind("image ", 0) != 0) return invalid_image;
  auto* const image = new Image;
  while (std::getline(text, line) && !line.empty()) {
    std::istringstream words(line);
    Kernel kernel;
    words >> kernel.name;
    if (kernel.name == "variable") {
      std::string name;
      std::size_t size = 0;
      words >> name >> size;
      image->variables[name].resize(size, 'v');
      continue;
    }
    for (std::size_t size = 0; words >> size;) kernel.bytes.push_back(size);
    image->kernels[kernel.name] = kernel;
  }
  *made = image;
  return ok;
}

int find(void** kernel, Image& image, const char* name) {
  const auto found = image.kernels.find(name);
  if (found == image.kernels.end()) return not_found;
  if (const auto factor = image.variables.find("factor"); factor != image.variables.end())
    found->second.factor = &factor->second;
  *kernel = &found->second;
  return ok;
}

}  // namespace

#define DRIVER extern "C" [[gnu::visibility("default")]] int

extern "C" [[gnu::visibility("default")]] const std::vector<StandInRun>* stand_in_runs();
const std::vector<StandInRun>* stand_in_runs() {
  return &runs;
}

#pragma GCC diagnostic ignored "-Wmissing-declarations"

DRIVER cuInit(unsigned) {
  return std::getenv("STAND_IN_FAILS") == nullptr ? ok : 100;
}
DRIVER cuDriverGetVersion(int* version) {
#ifdef STAND_IN_OLD
  *version = 12020;
#else
  *version = 13000;
#endif
  return ok;
}
DRIVER cuCtxGetCurrent(void** context) {
  *context = &contexts[current];
  return ok;
}
DRIVER cuCtxGetDevice(int* device) {
  *device = current;
  return ok;
}
DRIVER cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = &contexts[device];
  return ok;
}
DRIVER cuCtxSetCurrent(void* context) {
  current = static_cast<int>(static_cast<int*>(context) - contexts);
  return ok;
}
DRIVER cuCtxSynchronize() {
  return ok;
}
DRIVER cuDeviceGetName(char* name, int most, int) {
  std::strncpy(name, "Stand-in", static_cast<std::size_t>(most));
  return ok;
}
DRIVER cuDeviceGetAttribute(int* value, int which, int) {
  *value = which == 75 ? 9 : which == 76 ? 0 : 1024;
  return ok;
}
DRIVER cuGetErrorName(int, const char** name) {
  *name = "CUDA_ERROR_OF_THE_STAND_IN";
  return ok;
}
DRIVER cuGetErrorString(int, const char** text) {
  *text = "the stand-in says no";
  return ok;
}
DRIVER cuDeviceGetCount(int* count) {
  *count = 1;
  return ok;
}
DRIVER cuDeviceGet(int* device, int number) {
  *device = number;
  return ok;
}
DRIVER cuCtxGetId(void*, unsigned long long* id) {
  *id = 1;
  return ok;
}
DRIVER cuCtxPushCurrent_v2(void*) {
  return ok;
}
DRIVER cuCtxPopCurrent_v2(void**) {
  return ok;
}
DRIVER cuStreamGetCtx(void*, void** of_stream) {
  *of_stream = &contexts[current];
  return ok;
}
DRIVER cuFuncSetAttribute(void*, int, int) {
  return ok;
}
DRIVER cuMemsetD8Async(std::uintptr_t, unsigned char, std::size_t, void*) {
  return ok;
}
DRIVER cuMemcpyDtoDAsync_v2(std::uintptr_t to, std::uintptr_t from, std::size_t bytes, void*) {
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return ok;
}
DRIVER cuMemAlloc_v2(std::uintptr_t* address, std::size_t bytes) {
  *address = reinterpret_cast<std::uintptr_t>(std::calloc(1, bytes));
  memory[*address] = bytes;
  return ok;
}
DRIVER cuMemGetAddressRange_v2(std::uintptr_t* base, std::size_t* bytes, std::uintptr_t address) {
  auto found = memory.upper_bound(address);
  if (found == memory.begin()) return invalid_value;
  --found;
  if (address >= found->first + found->second) return invalid_value;
  if (base != nullptr) *base = found->first;
  if (bytes != nullptr) *bytes = found->second;
  return ok;
}
DRIVER cuMemcpyDtoH_v2(void* to, std::uintptr_t from, std::size_t bytes) {
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return ok;
}
DRIVER cuMemcpyHtoD_v2(std::uintptr_t to, const void* from, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return ok;
}
DRIVER cuModuleLoadData(void** module, const void* image) {
  return load(reinterpret_cast<Image**>(module), image);
}
DRIVER cuModuleGetGlobal_v2(std::uintptr_t* address, std::size_t* bytes, void* module, const char* name) {
  auto& variables = static_cast<Image*>(module)->variables;
  const auto found = variables.find(name);
  if (found == variables.end()) return not_found;
  *address = reinterpret_cast<std::uintptr_t>(found->second.data());
  *bytes = found->second.size();
  return ok;
}
DRIVER cuLibraryGetGlobal(std::uintptr_t* address, std::size_t* bytes, void* library, const char* name) {
  return cuModuleGetGlobal_v2(address, bytes, library, name);
}
DRIVER cuModuleUnload(void* module) {
  delete static_cast<Image*>(module);
  return ok;
}
DRIVER cuModuleGetFunction(void** function, void* module, const char* name) {
  return find(function, *static_cast<Image*>(module), name);
}
DRIVER cuLibraryLoadData(void** library, const void* image, void*, void*, unsigned, void*, void*, unsigned) {
  return load(reinterpret_cast<Image**>(library), image);
}
DRIVER cuLibraryUnload(void* library) {
  delete static_cast<Image*>(library);
  return ok;
}
DRIVER cuLibraryGetKernel(void** kernel, void* library, const char* name) {
  return find(kernel, *static_cast<Image*>(library), name);
}
DRIVER cuKernelGetFunction(void** function, void* kernel) {
  *function = kernel;
  return ok;
}
DRIVER cuFuncGetName(const char** name, void* function) {
  *name = kernel_of(function).name.c_str();
  return ok;
}
DRIVER cuFuncGetAttribute(int* value, int which, void*) {
  *value = which == 4 ? 32 : which == 1 ? 1024 : 0;
  return ok;
}
#ifndef STAND_IN_OLD
DRIVER cuFuncGetParamInfo(void* function, std::size_t place, std::size_t* offset, std::size_t* bytes) {
  const std::vector<std::size_t>& all = kernel_of(function).bytes;
  if (place >= all.size()) return invalid_value;
  *offset = 0;
  for (std::size_t i = 0; i <= place; ++i) {
    *offset = (*offset + all[i] - 1) / all[i] * all[i];
    if (i < place) *offset += all[i];
  }
  *bytes = all[place];
  return ok;
}
#endif
DRIVER cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                      unsigned bz, unsigned shared, void*, void** arguments, void**) {
  return run({kernel_of(function).name, {gx, gy, gz}, {bx, by, bz}, shared, 0, 1000U * gx}, arguments,
             kernel_of(function).factor);
}
DRIVER cuLaunchKernel_ptsz(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                           unsigned bz, unsigned shared, void* stream, void** arguments, void** extra) {
  return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra);
}
DRIVER cuLaunchKernelEx(const tuner::use::CuLaunchConfig* config, void* function, void** arguments,
                        void** extra) {
  return cuLaunchKernel(function, config->grid_x, config->grid_y, config->grid_z, config->block_x,
                        config->block_y, config->block_z, config->shared_bytes, nullptr, arguments, extra);
}
DRIVER cuStreamBeginCapture_v2(void*, int) {
  is_capturing = true;
  captured.clear();
  return ok;
}
DRIVER cuStreamEndCapture(void*, void** graph) {
  is_capturing = false;
  *graph = &captured;
  return ok;
}
DRIVER cuStreamIsCapturing(void*, int* status) {
  *status = is_capturing ? 1 : 0;
  return ok;
}
DRIVER cuGraphLaunch(void*, void*) {
  for (StandInRun one : captured) {
    one.graph = 7;
    runs.push_back(one);
  }
  return ok;
}
DRIVER cuEventCreate(void** event, unsigned) {
  *event = new Event;
  return ok;
}
DRIVER cuEventRecord(void* event, void*) {
  static_cast<Event*>(event)->ns = clock_ns;
  return ok;
}
DRIVER cuEventQuery(void*) {
  return ok;
}
DRIVER cuEventElapsedTime(float* ms, void* from, void* to) {
  *ms = static_cast<float>(static_cast<Event*>(to)->ns - static_cast<Event*>(from)->ns) * 1e-6F;
  return ok;
}
DRIVER cuGetProcAddress_v2(const char* name, void** function, int, std::uint64_t flags, int* status) {
  static void* const self = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  *function = nullptr;
  for (const char* suffix : {(flags & 2) != 0 ? "_ptsz" : "", "_v2", ""})
    if (*function == nullptr) *function = dlsym(self, (std::string(name) + suffix).c_str());
  if (status != nullptr) *status = *function == nullptr ? 1 : 0;
  return *function == nullptr ? not_found : ok;
}
