#include "tuner/worker/message.hpp"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace tuner::worker {
namespace {

using nlohmann::json;

json bytes_value(const void* data, std::size_t size) {
  std::vector<std::uint8_t> copy(size);
  if (size > 0) std::memcpy(copy.data(), data, size);
  return json::binary(std::move(copy));
}

json value_of(const std::string& text) {
  return bytes_value(text.data(), text.size());
}
json value_of(const std::vector<std::byte>& bytes) {
  return bytes_value(bytes.data(), bytes.size());
}
json value_of(const model::Digest& digest) {
  return bytes_value(digest.bytes.data(), digest.bytes.size());
}

template <class T>
requires std::is_arithmetic_v<T> json value_of(T number) {
  return number;
}

template <class T>
requires std::is_enum_v<T> json value_of(T enumerator) {
  return static_cast<int>(enumerator);
}

template <class T>
json value_of(const std::vector<T>& items);
template <class T>
json value_of(const std::optional<T>& maybe);
template <class T>
requires std::is_class_v<T> json value_of(const T& structure);  // anything that message.hpp describes

/// The archive that writes, see message.hpp.
class Writer {
 public:
  template <class T>
  void operator()(const char* name, const T& value) {
    m_object[name] = value_of(value);
  }
  json take() { return std::move(m_object); }

 private:
  json m_object = json::object();
};

template <class T>
json value_of(const std::vector<T>& items) {
  json array = json::array();
  for (const T& item : items) array.push_back(value_of(item));
  return array;
}

template <class T>
json value_of(const std::optional<T>& maybe) {
  return maybe ? value_of(*maybe) : json();
}

template <class T>
requires std::is_class_v<T> json value_of(const T& structure) {
  Writer writer;
  describe(writer, structure);
  return writer.take();
}

/// Leaves decode() as a ProtocolError.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

const json::binary_t& bytes_of(const json& value) {
  if (!value.is_binary()) throw Malformed("is not a byte string");
  return value.get_binary();
}

void read(const json& value, std::string& text) {
  const json::binary_t& bytes = bytes_of(value);
  text.assign(bytes.begin(), bytes.end());
}

void read(const json& value, std::vector<std::byte>& out) {
  const json::binary_t& bytes = bytes_of(value);
  out.resize(bytes.size());
  if (!bytes.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
}

void read(const json& value, model::Digest& digest) {
  const json::binary_t& bytes = bytes_of(value);
  if (bytes.size() != digest.bytes.size())
    throw Malformed(fmt::format("is a digest of {} bytes", bytes.size()));
  std::memcpy(digest.bytes.data(), bytes.data(), bytes.size());
}

void read(const json& value, bool& flag) {
  if (!value.is_boolean()) throw Malformed("is not true or false");
  flag = value.get<bool>();
}

void read(const json& value, double& number) {
  if (!value.is_number()) throw Malformed("is not a number");
  number = value.get<double>();
}

template <std::integral T>
void read(const json& value, T& number) {
  const bool fits = value.is_number_unsigned()  ? std::in_range<T>(value.get<std::uint64_t>())
                    : value.is_number_integer() ? std::in_range<T>(value.get<std::int64_t>())
                                                : false;
  if (!fits) throw Malformed("is not an integer in range");
  number = value.is_number_unsigned() ? static_cast<T>(value.get<std::uint64_t>())
                                      : static_cast<T>(value.get<std::int64_t>());
}

template <class T>
requires std::is_enum_v<T>
void read(const json& value, T& enumerator) {
  int number = 0;
  read(value, number);
  if (number < 0 || number > fields::last<T>)
    throw Malformed(fmt::format("has the unknown value {}", number));
  enumerator = static_cast<T>(number);
}

template <class T>
void read(const json& value, std::vector<T>& items);
template <class T>
void read(const json& value, std::optional<T>& maybe);
template <class T>
requires std::is_class_v<T>
void read(const json& value, T& structure);  // anything that message.hpp describes

/// The archive that reads: see message.hpp. Every field must be there.
class Reader {
 public:
  explicit Reader(const json& value) : m_object(value) {
    if (!value.is_object()) throw Malformed("is not a map");
  }
  template <class T>
  void operator()(const char* name, T& value) {
    try {
      read(at(name), value);
    } catch (const Malformed& malformed) {
      throw Malformed(fmt::format("{}: {}", name, malformed.what()));
    }
  }
  const json& at(const char* name) const {
    const auto found = m_object.find(name);
    if (found == m_object.end()) throw Malformed("is missing");
    return *found;
  }

 private:
  const json& m_object;
};

template <class T>
void read(const json& value, std::vector<T>& items) {
  if (!value.is_array()) throw Malformed("is not an array");
  items.clear();
  items.reserve(value.size());
  for (const json& item : value) read(item, items.emplace_back());
}

template <class T>
void read(const json& value, std::optional<T>& maybe) {
  maybe.reset();
  if (!value.is_null()) read(value, maybe.emplace());
}

template <class T>
requires std::is_class_v<T>
void read(const json& value, T& structure) {
  Reader reader(value);
  describe(reader, structure);
}

/// Tries each kind of message in turn.
template <std::size_t kind = 0>
Message message_of(int told, const json& body) {
  if constexpr (kind < std::variant_size_v<Message>) {
    if (told != static_cast<int>(kind)) return message_of<kind + 1>(told, body);
    Message message(std::in_place_index<kind>);
    read(body, std::get<kind>(message));
    return message;
  } else {
    throw Malformed(fmt::format("unknown kind {}", told));
  }
}

}  // namespace

Bytes encode(const Message& message) {
  json envelope = json::object();
  envelope["kind"] = message.index();
  envelope["body"] = std::visit([](const auto& body) { return value_of(body); }, message);
  return json::to_cbor(envelope);
}

std::variant<Message, ProtocolError> decode(std::span<const std::uint8_t> payload,
                                            const FrameLimits& limits) {
  if (std::string objection = cbor_objection(payload, limits); !objection.empty()) {
    return ProtocolError{fmt::format("malformed message: {}", objection)};
  }
  try {
    const json message = json::from_cbor(payload.begin(), payload.end());
    Reader envelope(message);
    int kind = -1;
    envelope("kind", kind);
    return message_of(kind, envelope.at("body"));
  } catch (const std::exception& error) {  // what the library or Malformed says
    return ProtocolError{fmt::format("malformed message: {}", error.what())};
  }
}

std::optional<std::variant<Message, ProtocolError>> MessageStream::next() {
  if (const auto payload = m_frames.next()) return decode(*payload, m_limits);
  if (!m_frames.error().empty()) return ProtocolError{m_frames.error()};
  return std::nullopt;
}

}  // namespace tuner::worker
