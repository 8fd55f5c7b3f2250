#include "tuner/cluster/sweep_folder.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "tuner/model/error.hpp"
#include "tuner/util/output_file.hpp"

namespace tuner::cluster {
namespace {

constexpr int description_schema = 1;
constexpr int most_shards = 1'000'000;

}  // namespace

SweepFolder::SweepFolder(std::filesystem::path path)
    : m_path(std::filesystem::weakly_canonical(std::filesystem::absolute(path))) {}

std::filesystem::path SweepFolder::published(int part) const {
  return results() / fmt::format("{}.db", part);
}

void write_description(const SweepFolder& folder, const SweepDescription& description) {
  const nlohmann::ordered_json json = {{"schema_version", description_schema},
                                       {"shards", description.shards},
                                       {"command", description.command},
                                       {"result", description.result.string()}};
  util::write_file(folder.description_file().string(),
                   json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n',
                   "give another --folder");
}

std::optional<SweepDescription> read_description(const SweepFolder& folder) {
  std::ifstream in(folder.description_file(), std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  try {
    const auto json = nlohmann::json::parse(text.str());
    SweepDescription description;
    description.shards = json.at("shards").get<int>();
    description.command = json.at("command").get<std::string>();
    description.result = json.at("result").get<std::string>();
    const bool sound = description.shards >= 1 && description.shards <= most_shards;
    if (json.at("schema_version") != description_schema || !sound)
      throw model::Error("its schema is another one");
    return description;
  } catch (const std::exception& error) {
    throw model::Error(
        fmt::format("{}: is no sweep's description: {}", folder.description_file().string(), error.what()),
        "`tuner slurm` writes one into a new folder");
  }
}

}  // namespace tuner::cluster
