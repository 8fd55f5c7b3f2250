#include "tuner/cluster/progress.hpp"

#include <fmt/format.h>

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
constexpr std::array states = {RunState::running, RunState::interrupted, RunState::done, RunState::failed};

/// Takes values out of an object, and names the key that is not as it should be.
class ProgressReader {
 public:
  ProgressReader(const Json& json, const std::string& origin) : m_json(json), m_origin(origin) {}

  std::int64_t count(const char* key, std::int64_t most = std::int64_t{1} << 53U) const {
    const Json& value = at(key);
    if (!value.is_number_integer() || value.get<std::int64_t>() < 0 || value.get<std::int64_t>() > most)
      refuse(key);
    return value.get<std::int64_t>();
  }
  double amount(const char* key) const {
    const Json& value = at(key);
    if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0) refuse(key);
    return value.get<double>();
  }
  std::string text(const char* key) const {
    if (!at(key).is_string()) refuse(key);
    return at(key).get<std::string>();
  }
  RunState state(const char* key) const {
    const std::string word = text(key);
    for (const RunState state : states) {
      if (to_string(state) == word) return state;
    }
    refuse(key);
  }

 private:
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
  switch (state) {
    case RunState::running:
      return "running";
    case RunState::interrupted:
      return "interrupted";
    case RunState::done:
      return "done";
    case RunState::failed:
      return "failed";
  }
  return "";
}

std::filesystem::path progress_file_of(const std::filesystem::path& published) {
  return published.string() + ".progress.json";
}

std::string progress_text(const Progress& progress) {
  const Json json = {{"schema_version", progress_schema},
                     {"shard", progress.part.number},
                     {"of", progress.part.of},
                     {"state", to_string(progress.state)},
                     {"planned", progress.planned},
                     {"known", progress.known},
                     {"finished", progress.finished},
                     {"trials_per_second", progress.trials_per_second},
                     {"host", progress.host},
                     {"process", progress.process},
                     {"job", progress.job},
                     {"owner", progress.owner},
                     {"database", progress.database},
                     {"next_within_s", progress.next_within_s}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Progress parse_progress(std::string_view text, const std::string& origin) {
  const Json json = Json::parse(text, nullptr, false);
  const ProgressReader reader(json, origin);
  reader.count("schema_version", progress_schema);
  constexpr int most_parts = 1'000'000;
  Progress progress;
  progress.part = {static_cast<int>(reader.count("shard", most_parts)),
                   static_cast<int>(reader.count("of", most_parts))};
  progress.state = reader.state("state");
  progress.planned = reader.count("planned");
  progress.known = reader.count("known");
  progress.finished = reader.count("finished");
  progress.trials_per_second = reader.amount("trials_per_second");
  progress.host = reader.text("host");
  progress.process = reader.count("process");
  progress.job = reader.text("job");
  progress.owner = reader.text("owner");
  progress.database = reader.text("database");
  progress.next_within_s = reader.amount("next_within_s");
  return progress;
}

std::optional<Progress> read_progress(const std::filesystem::path& file) {
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
