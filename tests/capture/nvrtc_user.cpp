// A library that compiles with NVRTC: one that is linked to it (LINKED), as PyTorch's are, or one that opens
// it and asks for its functions, as CuPy does.
#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

extern "C" {
int nvrtcCreateProgram(void**, const char*, const char*, int, const char* const*, const char* const*);
int nvrtcCompileProgram(void*, int, const char* const*);
int nvrtcGetPTXSize(void*, std::size_t*);
int nvrtcGetPTX(void*, char*);
int nvrtcGetCUBINSize(void*, std::size_t*);
int nvrtcGetCUBIN(void*, char*);
int nvrtcDestroyProgram(void**);
}

#ifdef LINKED
#define NVRTC(function) (&function)
#else
#define NVRTC(function) \
  (reinterpret_cast<decltype(&function)>(dlsym(dlopen(CAPTURE_NVRTC, RTLD_NOW), #function)))
#endif

extern "C" [[gnu::visibility("default")]] void compile(const std::string& text,
                                                       const std::vector<std::string>& options,
                                                       std::string& binary);
void compile(const std::string& text, const std::vector<std::string>& options, std::string& binary) {
  const char* const names[] = {"offset.h"};
  const char* const headers[] = {"#define OFFSET 0\n"};
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  void* program = nullptr;
  NVRTC(nvrtcCreateProgram)(&program, text.c_str(), "text.cu", 1, headers, names);
  if (NVRTC(nvrtcCompileProgram)(program, static_cast<int>(words.size()), words.data()) != 0) std::exit(8);
  std::size_t bytes = 0;
  if (options.front() == "--gpu-architecture=sm_90") {
    NVRTC(nvrtcGetCUBINSize)(program, &bytes);
    binary.resize(bytes);
    NVRTC(nvrtcGetCUBIN)(program, binary.data());
  } else {
    NVRTC(nvrtcGetPTXSize)(program, &bytes);
    binary.resize(bytes);
    NVRTC(nvrtcGetPTX)(program, binary.data());
  }
  NVRTC(nvrtcDestroyProgram)(&program);
}
