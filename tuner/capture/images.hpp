#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/capture/compiled_sources.hpp"
#include "tuner/capture/driver.hpp"

namespace tuner::capture {

enum class ImageKind { unknown, cubin, fatbin, ptx };

/// What a module or library was loaded from.
struct Image {
  ImageKind kind = ImageKind::unknown;
  const char* bytes = nullptr;  ///< null where they are not at hand
  std::size_t count = 0;
  std::shared_ptr<const std::string> copy = {};       ///< of bytes that the program may free
  std::shared_ptr<const CompiledSource> source = {};  ///< null: NVRTC did not make it, or that was not seen
};

/// Finds out what lies at `data`, as cuModuleLoadData() takes it; its bytes stay where they are.
Image image_at(const void* data);
/// Names of the `__device__` and `__constant__` variables of a cubin.
std::vector<std::string> variables_of(const Image& image);

/// Images of the modules and libraries of the process, and the variables that the program asked for. One
/// thread at a time calls it.
class Images {
 public:
  void loaded(const void* owner, const void* data);
  void loaded_file(const void* owner, const char* path);
  void asked_for_variable(const void* owner, const char* name);
  void unloaded(const void* owner);

  /// Without bytes where its loading was not seen.
  Image image(const void* owner) const;
  std::vector<std::string> variables(const void* owner) const;

 private:
  std::unordered_map<const void*, Image> m_images;
  std::unordered_map<const void*, std::vector<std::string>> m_variables;
};

}  // namespace tuner::capture
