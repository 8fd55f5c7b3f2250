#include "tuner/device/cuda/counters/cupti.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <type_traits>

#include "tuner/model/error.hpp"

namespace tuner::device::cuda::counters {
namespace {

/// The symbol that `library` lacks; empty: it has all.
std::string fill(Cupti& cupti, void* library) {
  std::string missing;
  const auto find = [&](auto& member, const char* symbol) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(dlsym(library, symbol));
    if (member == nullptr && missing.empty()) missing = symbol;
  };
  find(cupti.result_string, "cuptiGetResultString");
#define TUNER_FIND(member, symbol, Parameters) find(cupti.member, #symbol);
  TUNER_CUPTI_FUNCTIONS(TUNER_FIND)
#undef TUNER_FIND
  return missing;
}

}  // namespace

std::string Cupti::describe(int result) const {
  const char* text = nullptr;
  if (result_string(result, &text) != cupti_success || text == nullptr) text = "unknown error of CUPTI's";
  return fmt::format("{} ({})", text, result);
}

void Cupti::require(int result, const char* doing) const {
  if (result != cupti_success)
    throw model::Error(fmt::format("CUPTI says {}, while {}", describe(result), doing));
}

std::shared_ptr<const Cupti> load_cupti(const std::vector<std::string>& places) {
  std::string tried;
  for (const std::string& place : places) {
    void* const library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* const why = dlerror();
      tried += fmt::format("\n  {}", why == nullptr ? place : why);
      continue;
    }
    auto cupti = std::make_shared<Cupti>();
    cupti->path = place;
    const std::string missing = fill(*cupti, library);
    if (missing.empty()) return cupti;
    tried += fmt::format("\n  {}: lacks {}, which came with CUDA 12.6", place, missing);
    dlclose(library);
  }
  throw model::Error(
      fmt::format("NVIDIA's CUPTI, which reads hardware counters, was not found; looked for:{}", tried),
      "it comes with the CUDA Toolkit, or `pip install nvidia-cuda-cupti`; TUNER_LIBCUPTI names it");
}

}  // namespace tuner::device::cuda::counters
