#include "tuner/capture/images.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "tuner/capture/driver.hpp"
#include "tuner/capture/folder.hpp"
#include "tuner/capture/hooks.hpp"

namespace tuner::capture {
namespace {

constexpr std::uint32_t wrapper_magic = 0x466243b1;  ///< __fatBinC_Wrapper_t
constexpr std::uint32_t fatbin_magic = 0xba55ed50;
constexpr std::size_t most_copied = std::size_t{256} << 20U;

template <typename Value>
Value value_at(const char* bytes) {
  Value value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// Up to the last byte that a header speaks of.
std::size_t elf_bytes(const char* bytes) {
  const auto header = value_at<Elf64_Ehdr>(bytes);
  std::size_t end =
      std::max<std::size_t>(sizeof header, header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize);
  end = std::max<std::size_t>(end, header.e_phoff + std::size_t{header.e_phnum} * header.e_phentsize);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto section = value_at<Elf64_Shdr>(bytes + header.e_shoff + std::size_t{i} * header.e_shentsize);
    if (section.sh_type != SHT_NOBITS) end = std::max<std::size_t>(end, section.sh_offset + section.sh_size);
  }
  return end;
}

}  // namespace

Image image_at(const void* data) {
  const char* bytes = static_cast<const char*>(data);
  if (bytes == nullptr) return {};
  if (value_at<std::uint32_t>(bytes) == wrapper_magic) bytes = value_at<const char*>(bytes + 8);
  if (value_at<std::uint32_t>(bytes) == fatbin_magic)
    return {ImageKind::fatbin, bytes,
            value_at<std::uint16_t>(bytes + 6) + value_at<std::uint64_t>(bytes + 8)};
  if (std::memcmp(bytes, ELFMAG, SELFMAG) == 0) return {ImageKind::cubin, bytes, elf_bytes(bytes)};
  return {ImageKind::ptx, bytes, std::strlen(bytes) + 1};
}

std::vector<std::string> variables_of(const Image& image) {
  std::vector<std::string> names;
  if (image.kind != ImageKind::cubin || image.bytes == nullptr) return names;
  const auto header = value_at<Elf64_Ehdr>(image.bytes);
  const auto section = [&](std::size_t place) {
    return value_at<Elf64_Shdr>(image.bytes + header.e_shoff + place * header.e_shentsize);
  };
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr symbols = section(i);
    if (symbols.sh_type != SHT_SYMTAB || symbols.sh_link >= header.e_shnum) continue;
    const char* const texts = image.bytes + section(symbols.sh_link).sh_offset;
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = value_at<Elf64_Sym>(image.bytes + symbols.sh_offset + at);
      const bool is_variable = ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size != 0 &&
                               ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL;
      if (is_variable) names.emplace_back(texts + symbol.st_name);
    }
  }
  return names;
}

/// What the linker put into the program stays where it is; anything else may be freed.
void Images::loaded(const void* owner, const void* data) {
  if (!m_are_kept || data == nullptr) return;
  Image image = image_at(data);
  if (value_at<std::uint32_t>(static_cast<const char*>(data)) != wrapper_magic) {
    image.source = CompiledSources::all().find(image);
    if (image.count <= most_copied)
      image.copy = std::make_shared<const std::string>(image.bytes, image.count);
    image.bytes = image.copy ? image.copy->data() : nullptr;
  }
  m_images[owner] = std::move(image);
}

void Images::loaded_file(const void* owner, const char* path) {
  std::FILE* const file = m_are_kept && path != nullptr ? std::fopen(path, "rb") : nullptr;
  if (file == nullptr) return;
  std::string bytes;
  char part[1 << 16];
  for (std::size_t count = 0; (count = std::fread(part, 1, sizeof part, file)) != 0;)
    bytes.append(part, count);
  std::fclose(file);
  bytes.push_back(0);
  loaded(owner, bytes.data());
}

void Images::asked_for_variable(const void* owner, const char* name) {
  if (!m_are_kept || name == nullptr) return;
  std::vector<std::string>& known = m_variables[owner];
  if (std::find(known.begin(), known.end(), name) == known.end()) known.emplace_back(name);
}

void Images::unloaded(const void* owner) {
  m_images.erase(owner);
  m_variables.erase(owner);
}

Image Images::image(const void* owner) const {
  const auto found = m_images.find(owner);
  return found == m_images.end() ? Image() : found->second;
}

std::vector<std::string> Images::variables(const void* owner) const {
  std::vector<std::string> names = variables_of(image(owner));
  if (const auto asked = m_variables.find(owner); asked != m_variables.end())
    for (const std::string& name : asked->second)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

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

// Functions of NVRTC that the library offers under NVRTC's names: they keep what the program compiles.

namespace {

using NvrtcResult = int;
using NvrtcProgram = struct NvrtcProgramOpaque*;

constexpr NvrtcResult success = 0;
constexpr NvrtcResult internal_error = 11;

/// HOOK(exported name, parameters)
#define TUNER_CAPTURE_NVRTC(HOOK)                                                              \
  HOOK(nvrtcCreateProgram,                                                                     \
       (NvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*)) \
  HOOK(nvrtcCompileProgram, (NvrtcProgram, int, const char* const*))                           \
  HOOK(nvrtcGetCUBIN, (NvrtcProgram, char*))                                                   \
  HOOK(nvrtcGetPTX, (NvrtcProgram, char*))                                                     \
  HOOK(nvrtcDestroyProgram, (NvrtcProgram*))

}  // namespace

extern "C" {
#define TUNER_CAPTURE_DECLARE(symbol, parameters) \
  [[gnu::visibility("default")]] NvrtcResult symbol parameters;
TUNER_CAPTURE_NVRTC(TUNER_CAPTURE_DECLARE)
#undef TUNER_CAPTURE_DECLARE
}

namespace {

struct NvrtcHook {
  const char* name;
  void* ours;
  std::atomic<void*> asked_for;  ///< what dlsym() would have answered
};

NvrtcHook nvrtc_hooks[] = {
#define TUNER_CAPTURE_ENTRY(symbol, parameters) {#symbol, reinterpret_cast<void*>(&symbol), {nullptr}},
    TUNER_CAPTURE_NVRTC(TUNER_CAPTURE_ENTRY)
#undef TUNER_CAPTURE_ENTRY
};

NvrtcHook* nvrtc_hook_of(const char* name) {
  for (NvrtcHook& hook : nvrtc_hooks)
    if (std::strcmp(hook.name, name) == 0) return &hook;
  return nullptr;
}

/// What a shared object that is linked to NVRTC, itself or by its libraries, would have called.
void* linked_to(const void* caller, const char* name) {
  Dl_info info;
  link_map* object = nullptr;
  if (dladdr1(caller, &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) == 0 || object == nullptr ||
      *object->l_name == 0)
    return nullptr;
  void* const library = dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* const found = loaders_dlsym(library, name);
  dlclose(library);
  return found;
}

/// A process may have several NVRTCs, whose programs are not each other's: a caller gets its own.
void* nvrtcs(const char* name, const void* caller) {
  const NvrtcHook& hook = *nvrtc_hook_of(name);
  void* found = linked_to(caller, name);
  if (found == nullptr || found == hook.ours) found = hook.asked_for.load(std::memory_order_acquire);
  return found != nullptr ? found : loaders_dlsym(RTLD_NEXT, name);
}

#define TUNER_CAPTURE_NVRTCS(function, symbol)                                                             \
  const auto function = reinterpret_cast<decltype(&symbol)>(nvrtcs(#symbol, __builtin_return_address(0))); \
  if (function == nullptr) return internal_error

bool is_keeping() {
  static const bool is_it = [] {
    const char* const folder = secure_getenv(folder_variable);
    return folder != nullptr &&
           !read_request(text_of(std::string(folder) + '/' + request_file)).saves.empty();
  }();
  return is_it;
}

std::string text_at(const char* text) {
  return text == nullptr ? "" : text;
}

}  // namespace

/// The first NVRTC that is asked for is seen; another one of the process is left alone.
void* replaced_nvrtc(void* library, const char* name) {
  NvrtcHook* const hook = nvrtc_hook_of(name);
  if (hook == nullptr) return nullptr;
  void* const found = loaders_dlsym(library, name);
  if (found == nullptr || found == hook->ours) return nullptr;
  void* known = nullptr;
  return hook->asked_for.compare_exchange_strong(known, found) || known == found ? hook->ours : nullptr;
}

extern "C" {

NvrtcResult nvrtcCreateProgram(NvrtcProgram* program, const char* text, const char* name, int count,
                               const char* const* headers, const char* const* names) {
  TUNER_CAPTURE_NVRTCS(create, nvrtcCreateProgram);
  const NvrtcResult result = create(program, text, name, count, headers, names);
  if (result != success || !is_keeping()) return result;
  CompiledSource source{text_at(name), text_at(text), {}, {}};
  for (int i = 0; i < count; ++i) source.headers.emplace_back(text_at(names[i]), text_at(headers[i]));
  CompiledSources::all().created(*program, std::move(source));
  return result;
}

NvrtcResult nvrtcCompileProgram(NvrtcProgram program, int count, const char* const* options) {
  TUNER_CAPTURE_NVRTCS(compile, nvrtcCompileProgram);
  const NvrtcResult result = compile(program, count, options);
  if (result == success && is_keeping())
    CompiledSources::all().compiled(program, std::vector<std::string>(options, options + count));
  return result;
}

NvrtcResult nvrtcGetCUBIN(NvrtcProgram program, char* binary) {
  TUNER_CAPTURE_NVRTCS(get, nvrtcGetCUBIN);
  const NvrtcResult result = get(program, binary);
  if (result == success) CompiledSources::all().made(program, binary);
  return result;
}

NvrtcResult nvrtcGetPTX(NvrtcProgram program, char* text) {
  TUNER_CAPTURE_NVRTCS(get, nvrtcGetPTX);
  const NvrtcResult result = get(program, text);
  if (result == success) CompiledSources::all().made(program, text);
  return result;
}

NvrtcResult nvrtcDestroyProgram(NvrtcProgram* program) {
  TUNER_CAPTURE_NVRTCS(destroy, nvrtcDestroyProgram);
  if (program != nullptr) CompiledSources::all().destroyed(*program);
  return destroy(program);
}

}  // extern "C"
}  // namespace tuner::capture
