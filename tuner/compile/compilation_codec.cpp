#include "tuner/compile/compilation_codec.hpp"

#include <zstd.h>

#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "tuner/model/error.hpp"

namespace tuner::compile {
namespace {

constexpr std::string_view magic = "TUNERBN1";  // the digit is the format's version
constexpr std::size_t digest_bytes = sizeof(model::Digest::bytes);
// magic, key, size before compression, digest of what follows
constexpr std::size_t header_bytes = magic.size() + digest_bytes + 8 + digest_bytes;
constexpr int compression_level = 3;

class Writer {
 public:
  void number(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) m_out += static_cast<char>((value >> shift) & 0xFFU);
  }
  void integer(int value) { number(static_cast<std::uint64_t>(static_cast<std::int64_t>(value))); }
  void text(std::string_view value) {
    number(value.size());
    m_out += value;
  }
  std::string take() { return std::move(m_out); }

 private:
  std::string m_out;
};

/// Reads what a Writer wrote. After the first read past the end, everything is zero and ok() is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : m_rest(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    const std::string_view bytes = take(8);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    return value;
  }
  int integer() {
    const auto value = static_cast<std::int64_t>(number());
    if (value != static_cast<int>(value)) m_ok = false;
    return static_cast<int>(value);
  }
  std::string_view text() { return take(number()); }
  bool ok() const { return m_ok; }
  bool at_end() const { return m_ok && m_rest.empty(); }
  std::string_view take(std::uint64_t count) {
    if (!m_ok || count > m_rest.size()) {
      m_ok = false;
      return {};
    }
    const std::string_view taken = m_rest.substr(0, count);
    m_rest.remove_prefix(count);
    return taken;
  }

 private:
  std::string_view m_rest;
  bool m_ok = true;
};

std::string_view as_text(const model::Digest& digest) {
  return {reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()};
}

model::Digest checksum(std::string_view bytes) {
  return model::DigestBuilder().add(bytes).finish();
}

constexpr std::array kernel_numbers = {&model::KernelResources::registers,
                                       &model::KernelResources::spill_store_bytes,
                                       &model::KernelResources::spill_load_bytes,
                                       &model::KernelResources::stack_bytes,
                                       &model::KernelResources::static_shared_bytes,
                                       &model::KernelResources::constant_bytes,
                                       &model::KernelResources::max_threads_per_block};

std::string serialise(const model::Compilation& compilation) {
  Writer out;
  out.text(model::to_string(compilation.status));
  out.text({reinterpret_cast<const char*>(compilation.binary.data()), compilation.binary.size()});
  out.text(compilation.log);
  out.number(std::bit_cast<std::uint64_t>(compilation.compile_ms));
  out.number(compilation.kernels.size());
  for (const model::KernelResources& kernel : compilation.kernels) {
    out.text(kernel.entry);
    out.text(kernel.symbol);
    for (const auto member : kernel_numbers) out.integer(kernel.*member);
  }
  return out.take();
}

std::optional<model::Compilation> deserialise(std::string_view bytes) {
  Reader in(bytes);
  model::Compilation compilation;
  const std::optional<model::TrialStatus> status = model::parse_trial_status(in.text());
  if (!status) return std::nullopt;
  compilation.status = *status;
  const std::string_view binary = in.text();
  compilation.binary.resize(binary.size());
  if (!binary.empty()) std::memcpy(compilation.binary.data(), binary.data(), binary.size());
  compilation.log = in.text();
  compilation.compile_ms = std::bit_cast<double>(in.number());
  const std::uint64_t kernels = in.number();
  for (std::uint64_t i = 0; i < kernels && in.ok(); ++i) {
    model::KernelResources& kernel = compilation.kernels.emplace_back();
    kernel.entry = in.text();
    kernel.symbol = in.text();
    for (const auto member : kernel_numbers) kernel.*member = in.integer();
  }
  if (!in.at_end()) return std::nullopt;
  return compilation;
}

}  // namespace

std::string encode_entry(const model::Digest& key, const model::Compilation& compilation) {
  const std::string plain = serialise(compilation);
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), compression_level);
  if (ZSTD_isError(size) != 0U) {
    throw model::Error(std::string("a cache entry could not be compressed: ") + ZSTD_getErrorName(size));
  }
  packed.resize(size);
  Writer length;
  length.number(plain.size());
  std::string out(magic);
  out += as_text(key);
  out += length.take();
  out += as_text(checksum(packed));
  return out + packed;
}

std::optional<model::Compilation> decode_entry(const model::Digest& key, std::string_view bytes,
                                               std::size_t largest_bytes) {
  if (bytes.size() < header_bytes) return std::nullopt;
  Reader header(bytes.substr(0, header_bytes));
  const std::string_view packed = bytes.substr(header_bytes);
  if (header.take(magic.size()) != magic || header.take(digest_bytes) != as_text(key)) return std::nullopt;
  const std::uint64_t plain_bytes = header.number();
  if (plain_bytes > largest_bytes || header.take(digest_bytes) != as_text(checksum(packed)))
    return std::nullopt;
  // A sound checksum does not make an entry honest: anyone can compute one. zstd writes no more than the
  // buffer holds.
  std::string plain(plain_bytes, '\0');
  const std::size_t size = ZSTD_decompress(plain.data(), plain.size(), packed.data(), packed.size());
  if (ZSTD_isError(size) != 0U || size != plain_bytes) return std::nullopt;
  return deserialise(plain);
}

}  // namespace tuner::compile
