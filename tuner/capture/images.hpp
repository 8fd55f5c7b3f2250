#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/capture/driver.hpp"

namespace tuner::capture {

struct Image;

/// A source that the program gave NVRTC, and how.
struct CompiledSource {
  std::string name;  ///< as the program called it
  std::string text;
  std::vector<std::pair<std::string, std::string>> headers;  ///< their names and texts
  std::vector<std::string> options;
};

/// What the program compiles with NVRTC, found again by the binary that comes of it. Nothing is kept where no
/// launch is to be saved. Any thread may call it.
class CompiledSources {
 public:
  static CompiledSources& all();

  void created(const void* program, CompiledSource source);
  void compiled(const void* program, std::vector<std::string> options);
  /// `binary`: its cubin, or its PTX.
  void made(const void* program, const void* binary);
  void destroyed(const void* program);

  /// Null where the image is none that NVRTC made here.
  std::shared_ptr<const CompiledSource> find(const Image& image) const;

 private:
  using Key = std::pair<std::size_t, std::uint64_t>;  ///< bytes, and a hash of them
  static Key key_of(const Image& image);

  mutable std::mutex m_changing;
  std::unordered_map<const void*, CompiledSource> m_open;
  std::map<Key, std::shared_ptr<const CompiledSource>> m_made;
};

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
  /// Without it they are forgotten at once: nothing is to be saved.
  void keep() { m_are_kept = true; }
  void loaded(const void* owner, const void* data);
  void loaded_file(const void* owner, const char* path);
  void asked_for_variable(const void* owner, const char* name);
  void unloaded(const void* owner);

  /// Without bytes where its loading was not seen.
  Image image(const void* owner) const;
  std::vector<std::string> variables(const void* owner) const;

 private:
  bool m_are_kept = false;
  std::unordered_map<const void*, Image> m_images;
  std::unordered_map<const void*, std::vector<std::string>> m_variables;
};

}  // namespace tuner::capture
