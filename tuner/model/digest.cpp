#include "tuner/model/digest.hpp"

#include <fmt/format.h>
#include <sha2.h>
#include <sys/random.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "tuner/model/error.hpp"

namespace tuner::model {

std::string Digest::hex() const {
  std::string out;
  for (const std::uint8_t byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

Digest Digest::from_hex(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  Digest digest;
  if (text.size() != 2 * digest.bytes.size() || text.find_first_not_of(digits) != std::string_view::npos)
    throw UsageError(fmt::format("'{}' is not an identifier: expected 32 hexadecimal digits", text));
  for (std::size_t i = 0; i < digest.bytes.size(); ++i)
    digest.bytes[i] = static_cast<std::uint8_t>(digits.find(text[2 * i]) * 16 + digits.find(text[2 * i + 1]));
  return digest;
}

Digest Digest::from_bytes(std::span<const std::uint8_t> bytes) {
  Digest digest;
  if (bytes.size() != digest.bytes.size()) {
    throw Error(fmt::format("an identifier has {} bytes, expected {}", bytes.size(), digest.bytes.size()));
  }
  std::memcpy(digest.bytes.data(), bytes.data(), digest.bytes.size());
  return digest;
}

Digest Digest::random() {
  Digest digest;
  if (getrandom(digest.bytes.data(), digest.bytes.size(), 0) != static_cast<ssize_t>(digest.bytes.size())) {
    throw Error(fmt::format("no random bytes from the system: {}", std::strerror(errno)));
  }
  return digest;
}

DigestBuilder& DigestBuilder::add(std::string_view text) {
  add(static_cast<std::int64_t>(text.size()));
  m_buffer += text;
  return *this;
}

DigestBuilder& DigestBuilder::add(std::int64_t number) {
  for (int shift = 0; shift < 64; shift += 8) {
    m_buffer += static_cast<char>((static_cast<std::uint64_t>(number) >> shift) & 0xFFU);
  }
  return *this;
}

DigestBuilder& DigestBuilder::add(const Digest& digest) {
  return add(std::string_view(reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()));
}

Digest DigestBuilder::finish() const {
  SHA2_CTX context;
  SHA256Init(&context);
  SHA256Update(&context, reinterpret_cast<const std::uint8_t*>(m_buffer.data()), m_buffer.size());
  std::array<std::uint8_t, SHA256_DIGEST_LENGTH> full{};
  SHA256Final(full.data(), &context);
  return Digest::from_bytes(std::span(full).first(16));
}

Digest digest_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return {};
  constexpr std::size_t part_bytes = std::size_t{1} << 20U;
  std::string part(part_bytes, '\0');
  Digest digest;
  do {
    in.read(part.data(), static_cast<std::streamsize>(part_bytes));
    digest = DigestBuilder()
                 .add(digest)
                 .add(std::string_view(part).substr(0, static_cast<std::size_t>(in.gcount())))
                 .finish();
  } while (in);
  return in.bad() ? Digest{} : digest;
}

std::size_t DigestHash::operator()(const Digest& digest) const noexcept {
  std::size_t value = 0;
  std::memcpy(&value, digest.bytes.data(), sizeof value);
  return value;
}

}  // namespace tuner::model
