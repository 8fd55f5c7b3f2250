#include "tuner/cluster/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tuner/model/error.hpp"

namespace tuner::cluster {
namespace {

using Json = nlohmann::ordered_json;

constexpr int progress_schema = 1;
constexpr std::size_t most_progress_bytes = std::size_t{1} << 16U;
constexpr std::array<std::string_view, 4> state_words = {"running", "interrupted", "done", "failed"};

/// The fields of a progress file; a name, once released, stays.
template <class Archive, class Progress>
void describe(Archive& a, Progress& v) {
  a("shard", v.part.number);
  a("of", v.part.of);
  a("state", v.state);
  a("planned", v.planned);
  a("known", v.known);
  a("finished", v.finished);
  a("trials_per_second", v.trials_per_second);
  a("host", v.host);
  a("process", v.process);
  a("job", v.job);
  a("owner", v.owner);
  a("database", v.database);
  a("next_within_s", v.next_within_s);
}

struct ProgressWriter {
  Json json = {{"schema_version", progress_schema}};

  template <class T>
  void operator()(const char* key, const T& value) {
    json[key] = value;
  }
  void operator()(const char* key, RunState state) { json[key] = to_string(state); }
};

/// Takes values out of an object, and names the key that is not as it should be.
class ProgressReader {
 public:
  ProgressReader(const Json& json, const std::string& origin) : m_json(json), m_origin(origin) {
    count("schema_version", progress_schema);
  }

  void operator()(const char* key, int& part) {
    constexpr int most_parts = 1'000'000;
    part = static_cast<int>(count(key, most_parts));
  }
  void operator()(const char* key, std::int64_t& number) { number = count(key, std::int64_t{1} << 53U); }
  void operator()(const char* key, double& amount) {
    const Json& value = at(key);
    amount = value.is_number() ? value.get<double>() : -1;
    if (!std::isfinite(amount) || amount < 0) refuse(key);
  }
  void operator()(const char* key, std::string& text) {
    if (!at(key).is_string()) refuse(key);
    text = at(key).get<std::string>();
  }
  void operator()(const char* key, RunState& state) {
    std::string word;
    (*this)(key, word);
    const auto found = std::find(state_words.begin(), state_words.end(), word);
    if (found == state_words.end()) refuse(key);
    state = static_cast<RunState>(found - state_words.begin());
  }

 private:
  std::int64_t count(const char* key, std::int64_t most) const {
    const Json& value = at(key);
    const std::int64_t number = value.is_number_integer() ? value.get<std::int64_t>() : -1;
    if (number < 0 || number > most) refuse(key);
    return number;
  }
  const Json& at(const char* key) const {
    if (!m_json.is_object() || !m_json.contains(key)) refuse(key);
    return m_json.at(key);
  }
  [[noreturn]] void refuse(const char* key) const {
    throw model::Error(
        fmt::format("{}: no progress of a run: `{}` is missing or makes no sense", m_origin, key));
  }

  const Json& m_json;
  const std::string& m_origin;
};

}  // namespace

std::string_view to_string(RunState state) {
  return state_words.at(static_cast<std::size_t>(state));
}

std::filesystem::path progress_file_of(const std::filesystem::path& published) {
  return published.string() + ".progress.json";
}

std::string progress_text(const PartProgress& progress) {
  ProgressWriter writer;
  describe(writer, progress);
  return writer.json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

PartProgress parse_progress(std::string_view text, const std::string& origin) {
  const Json json = Json::parse(text, nullptr, false);
  ProgressReader reader(json, origin);
  PartProgress progress;
  describe(reader, progress);
  return progress;
}

std::optional<PartProgress> read_progress(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text(most_progress_bytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > most_progress_bytes)
    throw model::Error(fmt::format("{}: too long for the progress of a run", file.string()));
  return parse_progress(text, file.string());
}

}  // namespace tuner::cluster
