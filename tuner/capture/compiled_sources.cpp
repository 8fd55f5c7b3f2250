#include "tuner/capture/compiled_sources.hpp"

#include "tuner/capture/images.hpp"

namespace tuner::capture {

CompiledSources& CompiledSources::all() {
  static auto* const sources = new CompiledSources;  // also at the end of the process
  return *sources;
}

/// FNV-1a.
CompiledSources::Key CompiledSources::key_of(const Image& image) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < image.count; ++i)
    hash = (hash ^ static_cast<unsigned char>(image.bytes[i])) * 0x100000001b3;
  return {image.count, hash};
}

void CompiledSources::created(const void* program, CompiledSource source) {
  const std::lock_guard lock(m_changing);
  m_open[program] = std::move(source);
}

void CompiledSources::compiled(const void* program, std::vector<std::string> options) {
  const std::lock_guard lock(m_changing);
  if (const auto found = m_open.find(program); found != m_open.end())
    found->second.options = std::move(options);
}

void CompiledSources::made(const void* program, const void* binary) {
  const std::lock_guard lock(m_changing);
  if (const auto found = m_open.find(program); found != m_open.end())
    m_made[key_of(image_at(binary))] = std::make_shared<const CompiledSource>(found->second);
}

void CompiledSources::destroyed(const void* program) {
  const std::lock_guard lock(m_changing);
  m_open.erase(program);
}

std::shared_ptr<const CompiledSource> CompiledSources::find(const Image& image) const {
  const std::lock_guard lock(m_changing);
  if (m_made.empty() || image.bytes == nullptr) return nullptr;
  const auto found = m_made.find(key_of(image));
  return found == m_made.end() ? nullptr : found->second;
}

}  // namespace tuner::capture
