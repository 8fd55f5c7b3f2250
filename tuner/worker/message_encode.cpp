#include <cstring>
#include <nlohmann/json.hpp>

#include "tuner/worker/message_fields.hpp"
#include "tuner/worker/message_kinds.hpp"

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
requires std::is_class_v<T> json value_of(const T& structure);  // anything that message_fields.hpp describes

/// The archive that writes: see message_fields.hpp.
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

Bytes envelope(MessageKind kind, json body) {
  json message = json::object();
  message["kind"] = static_cast<int>(kind);
  message["body"] = std::move(body);
  return json::to_cbor(message);
}

}  // namespace

Bytes encode(const CompilerReady& ready) {
  return envelope(MessageKind::compiler_ready, value_of(ready));
}
Bytes encode(const RunnerReady& ready) {
  return envelope(MessageKind::runner_ready, value_of(ready));
}
Bytes encode(const Failure& failure) {
  return envelope(MessageKind::failure, value_of(failure));
}
Bytes encode(const model::CompileJob& job) {
  return envelope(MessageKind::compile_job, value_of(job));
}
Bytes encode(const model::Compilation& compilation) {
  return envelope(MessageKind::compilation, value_of(compilation));
}
Bytes encode(const PhaseReport& report) {
  return envelope(MessageKind::phase_report, value_of(report));
}
Bytes encode(const model::TrialOutcome& outcome) {
  return envelope(MessageKind::trial_outcome, value_of(outcome));
}

Bytes encode(const model::FinalOutcome& outcome) {
  return envelope(MessageKind::final_outcome, value_of(outcome));
}
Bytes encode(const TrialRequest& request) {
  return envelope(MessageKind::trial_request, value_of(request));
}
Bytes encode(const Proceed& request) {
  return envelope(MessageKind::proceed, value_of(request));
}
Bytes encode(const Prepare& request) {
  return envelope(MessageKind::prepare, value_of(request));
}
Bytes encode(const FinalRequest& request) {
  return envelope(MessageKind::final_request, value_of(request));
}

}  // namespace tuner::worker
