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

}  // namespace tuner::capture
