// A program to capture. It comes to the driver as the CUDA runtime does, with dlopen(), dlsym() and
// cuGetProcAddress(), or (LINKED) as one that is linked to it. Each argument is something that it does.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#ifdef LINKED
extern "C" {
int cuInit(unsigned);
int cuModuleLoadData(void**, const void*);
int cuModuleGetFunction(void**, void*, const char*);
int cuLibraryLoadData(void**, const void*, void*, void*, unsigned, void*, void*, unsigned);
int cuLibraryGetKernel(void**, void*, const char*);
int cuMemAlloc_v2(std::uintptr_t*, std::size_t);
int cuMemcpyHtoD_v2(std::uintptr_t, const void*, std::size_t);
int cuMemcpyDtoH_v2(void*, std::uintptr_t, std::size_t);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                   void**);
int cuStreamBeginCapture_v2(void*, int);
int cuStreamEndCapture(void*, void**);
int cuGraphLaunch(void*, void*);
int cuModuleGetGlobal_v2(std::uintptr_t*, std::size_t*, void*, const char*);
int cuDevicePrimaryCtxRetain(void**, int);
int cuCtxSetCurrent(void*);
}
#define FUNCTION(type, name, symbol) (&symbol)
#else
namespace {
void* proc_address(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return nullptr;
  using Get = int (*)(const char*, void**, int, std::uint64_t, int*);
  static const auto get = reinterpret_cast<Get>(dlsym(library, "cuGetProcAddress_v2"));
  void* function = nullptr;
  int status = 0;
  const std::uint64_t flags = std::getenv("PER_THREAD") == nullptr ? 0 : 2;
  get(name, &function, 12000, flags, &status);
  return function;
}
}  // namespace
#define FUNCTION(type, name, symbol) (reinterpret_cast<type>(proc_address(name)))
#endif

namespace {

using Init = int (*)(unsigned);
using Load = int (*)(void**, const void*);
using LoadLibrary = int (*)(void**, const void*, void*, void*, unsigned, void*, void*, unsigned);
using Find = int (*)(void**, void*, const char*);
using Alloc = int (*)(std::uintptr_t*, std::size_t);
using ToDevice = int (*)(std::uintptr_t, const void*, std::size_t);
using ToHost = int (*)(void*, std::uintptr_t, std::size_t);
using LaunchKernel = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                             void*, void**, void**);
using Begin = int (*)(void*, int);
using End = int (*)(void*, void**);
using Global = int (*)(std::uintptr_t*, std::size_t*, void*, const char*);
using Retain = int (*)(void**, int);
using SetCurrent = int (*)(void*);
using GraphLaunch = int (*)(void*, void*);

const char* const image =
    "image sm_90\n_Z5scalePfPKfif 8 8 4 4\n_Z3addPfPKfi 8 8 4\n_Z4fillPPfi 8 4\npacked 32 4\n_Z5timesPfi 8 "
    "4\n"
    "variable factor 4\n";

class Program {
 public:
  /// For more than any launch needs.
  void make_room() { m_room = 1500; }
  void init() {
    if (FUNCTION(Init, "cuInit", cuInit)(0) != 0) std::exit(9);
    FUNCTION(Load, "cuModuleLoadData", cuModuleLoadData)(&m_module, image);
    FUNCTION(LoadLibrary, "cuLibraryLoadData", cuLibraryLoadData)
    (&m_library, image, nullptr, nullptr, 0, nullptr, nullptr, 0);
    const auto alloc = FUNCTION(Alloc, "cuMemAlloc", cuMemAlloc_v2);
    alloc(&m_x, m_room * sizeof(float));
    alloc(&m_y, m_room * sizeof(float));
    const std::vector<float> ones(1000, 1.0F);
    FUNCTION(ToDevice, "cuMemcpyHtoD", cuMemcpyHtoD_v2)(m_x, ones.data(), ones.size() * sizeof(float));
  }
  void scale(int n, int times, float a = 2) {
    void* function = nullptr;
    FUNCTION(Find, "cuModuleGetFunction", cuModuleGetFunction)(&function, m_module, "_Z5scalePfPKfif");
    void* arguments[] = {&m_y, &m_x, &n, &a};
    for (int i = 0; i < times; ++i) launch(function, n, arguments);
  }
  /// Each launch with a grid of its own.
  void grids(unsigned count) {
    void* function = nullptr;
    FUNCTION(Find, "cuModuleGetFunction", cuModuleGetFunction)(&function, m_module, "_Z5scalePfPKfif");
    int n = 4;
    float a = 2;
    void* arguments[] = {&m_y, &m_x, &n, &a};
    for (unsigned i = 1; i <= count; ++i) FUNCTION(LaunchKernel, "cuLaunchKernel", cuLaunchKernel)
    (function, 1, i, 1, 100, 1, 1, 0, nullptr, arguments, nullptr);
  }
  void add(int n, int times) {
    void* kernel = nullptr;
    FUNCTION(Find, "cuLibraryGetKernel", cuLibraryGetKernel)(&kernel, m_library, "_Z3addPfPKfi");
    void* arguments[] = {&m_y, &m_x, &n};
    for (int i = 0; i < times; ++i) launch(kernel, n, arguments);
  }
  void fill(int n) {
    void* function = nullptr;
    FUNCTION(Find, "cuModuleGetFunction", cuModuleGetFunction)(&function, m_module, "_Z4fillPPfi");
    void* arguments[] = {&m_y, &n};
    launch(function, n, arguments);
  }
  /// An address in a struct, of a kernel whose name says nothing of its parameters.
  void packed(int n) {
    void* function = nullptr;
    FUNCTION(Find, "cuModuleGetFunction", cuModuleGetFunction)(&function, m_module, "packed");
    std::uintptr_t array[4] = {m_x, 1000, 1000, 4};
    void* arguments[] = {array, &n};
    launch(function, n, arguments);
  }
  void variable() {
    std::uintptr_t address = 0;
    std::size_t bytes = 0;
    FUNCTION(Global, "cuModuleGetGlobal", cuModuleGetGlobal_v2)(&address, &bytes, m_module, "factor");
  }
  /// By 3, which the variable is, and by what the kernel makes of it.
  void times(int n) {
    std::uintptr_t address = 0;
    std::size_t bytes = 0;
    FUNCTION(Global, "cuModuleGetGlobal", cuModuleGetGlobal_v2)(&address, &bytes, m_module, "factor");
    const float factor = 3;
    FUNCTION(ToDevice, "cuMemcpyHtoD", cuMemcpyHtoD_v2)(address, &factor, sizeof factor);
    void* function = nullptr;
    FUNCTION(Find, "cuModuleGetFunction", cuModuleGetFunction)(&function, m_module, "_Z5timesPfi");
    void* arguments[] = {&m_y, &n};
    for (int i = 0; i < 2; ++i) launch(function, n, arguments);
  }
  void graph(int n) {
    FUNCTION(Begin, "cuStreamBeginCapture", cuStreamBeginCapture_v2)(nullptr, 0);
    scale(n, 1);
    void* made = nullptr;
    FUNCTION(End, "cuStreamEndCapture", cuStreamEndCapture)(nullptr, &made);
    for (int i = 0; i < 4; ++i) FUNCTION(GraphLaunch, "cuGraphLaunch", cuGraphLaunch)(made, nullptr);
  }
  static void second_gpu() {
    void* context = nullptr;
    FUNCTION(Retain, "cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain)(&context, 1);
    FUNCTION(SetCurrent, "cuCtxSetCurrent", cuCtxSetCurrent)(context);
  }
  void print() {
    float y[4] = {};
    FUNCTION(ToHost, "cuMemcpyDtoH", cuMemcpyDtoH_v2)(y, m_y, sizeof y);
    std::printf("%g %g\n", static_cast<double>(y[0]), static_cast<double>(y[3]));
    std::fflush(stdout);
  }

 private:
  static void launch(void* function, int n, void** arguments) {
    const unsigned blocks = static_cast<unsigned>(n + 99) / 100;
    FUNCTION(LaunchKernel, "cuLaunchKernel", cuLaunchKernel)
    (function, blocks, 1, 1, 100, 1, 1, 0, nullptr, arguments, nullptr);
  }
  void* m_module = nullptr;
  void* m_library = nullptr;
  std::uintptr_t m_x = 0;
  std::uintptr_t m_y = 0;
  std::size_t m_room = 1000;
};

}  // namespace

int main(int count, char** words) {
  Program program;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "roomy") program.make_room();
    if (word == "init") program.init();
    if (word == "scale") program.scale(1000, 5);
    if (word == "grids") program.grids(8200);
    if (word == "lengths")
      for (int n = 1; n <= 100; ++n) program.scale(n, 1);
    if (word == "small") program.scale(300, 2);
    if (word == "by_three") program.scale(1000, 2, 3);
    if (word == "add") program.add(1000, 3);
    if (word == "fill") program.fill(1000);
    if (word == "packed") program.packed(1000);
    if (word == "variable") program.variable();
    if (word == "times") program.times(1000);
    if (word == "graph") program.graph(1000);
    if (word == "second_gpu") Program::second_gpu();
    if (word == "print") program.print();
    if (word == "crash") std::abort();
    if (word == "_exit") _exit(3);
    if (word == "exit") return 4;
    if (word == "again") {  // the rest in a new program of the same process
      words[i] = words[0];
      execv("/proc/self/exe", words + i);
    }
    if (word == "fork") {  // the rest in parent and child
      if (const pid_t child = fork(); child != 0) waitpid(child, nullptr, 0);
    }
  }
  return 0;
}
