// A program to capture that compiles `scale` with NVRTC and launches it for 1000 numbers: its arguments are
// the library that compiles (nvrtc_user.cpp), a file of its source, and options. The file KEPT_BINARY keeps
// the binary for the next process.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

template <typename Function>
Function driver(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  std::ifstream in(words[2]);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  using Compile = void (*)(const std::string&, const std::vector<std::string>&, std::string&);
  void* const user = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
  if (user == nullptr) return 7;
  std::string binary;
  const char* const kept = std::getenv("KEPT_BINARY");
  if (kept != nullptr) {
    std::ifstream in_file(kept, std::ios::binary);
    binary.assign(std::istreambuf_iterator<char>(in_file), {});
  }
  if (binary.empty())
    reinterpret_cast<Compile>(dlsym(user, "compile"))(text, {words + 3, words + count}, binary);
  if (kept != nullptr) std::ofstream(kept, std::ios::binary) << binary;

  driver<int (*)(unsigned)>("cuInit")(0);
  void* module = nullptr;
  void* function = nullptr;
  driver<int (*)(void**, const void*)>("cuModuleLoadData")(&module, binary.c_str());
  driver<int (*)(void**, void*, const char*)>("cuModuleGetFunction")(&function, module, "_Z5scalePfPKfif");
  if (function == nullptr) return 6;
  std::uintptr_t x = 0;
  std::uintptr_t y = 0;
  int n = 1000;
  float a = 2;
  const auto alloc = driver<int (*)(std::uintptr_t*, std::size_t)>("cuMemAlloc_v2");
  alloc(&x, 1000 * sizeof(float));
  alloc(&y, 1000 * sizeof(float));
  const std::vector<float> ones(1000, 1.0F);
  driver<int (*)(std::uintptr_t, const void*, std::size_t)>("cuMemcpyHtoD_v2")(x, ones.data(),
                                                                               1000 * sizeof(float));
  void* arguments[] = {&y, &x, &n, &a};
  driver<int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                 void**)>("cuLaunchKernel")(function, 10, 1, 1, 100, 1, 1, 0, nullptr, arguments, nullptr);
  std::puts("done");
  return 0;
}
