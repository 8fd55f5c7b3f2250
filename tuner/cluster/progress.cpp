#include "tuner/cluster/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <type_traits>

#include "db/json.hpp"
#include "tuner/model/error.hpp"

namespace tuner::cluster {
namespace {

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
  db::Json json = {{"schema_version", progress_schema}};

  template <class T>
  void operator()(const char* key, const T& value) {
    json[key] = value;
  }
  void operator()(const char* key, RunState state) { json[key] = to_string(state); }
};

/// Every key must be there, and no number is below 0.
struct ProgressReader {
  const db::Json& json;

  template <class T>
  void operator()(const char* key, T& value) const {
    db::read(at(key), {key}, value);
    if constexpr (std::is_arithmetic_v<T>) {
      constexpr double most = std::is_same_v<T, int> ? 1e6 : 0x1p53;  // of parts, and of all else
      const auto number = static_cast<double>(value);
      if (!(number >= 0 && number <= most)) db::refuse({key}, at(key), fmt::format("0 to {}", most));
    }
  }
  void operator()(const char* key, RunState& state) const {
    std::string word;
    (*this)(key, word);
    const auto found = std::ranges::find(state_words, word);
    if (found == state_words.end())
      db::refuse({key}, word, fmt::format("one of {}", fmt::join(state_words, ", ")));
    state = static_cast<RunState>(found - state_words.begin());
  }

 private:
  const db::Json& at(const char* key) const {
    static const db::Json missing;
    return json.is_object() && json.contains(key) ? json.at(key) : missing;
  }
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
  return writer.json.dump(2, ' ', false, db::Json::error_handler_t::replace) + '\n';
}

PartProgress parse_progress(std::string_view text, const std::string& origin) {
  try {
    const db::Json json = db::parse_json(text);
    const ProgressReader reader{json};
    int schema = 0;
    reader("schema_version", schema);
    if (schema > progress_schema) db::refuse({"schema_version"}, schema, "a version that is known here");
    PartProgress progress;
    describe(reader, progress);
    return progress;
  } catch (const model::Error& error) {
    throw model::Error(fmt::format("{}: no progress of a run: {}", origin, error.what()));
  }
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
