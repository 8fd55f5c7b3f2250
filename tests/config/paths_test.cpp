#include <doctest/doctest.h>

#include <map>

#include "config/settings.hpp"
#include "tests/config/temporary_folder.hpp"
#include "tuner/model/error.hpp"

namespace {

config::EnvironmentVariables environment_of(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const std::string& name) -> std::optional<std::string> {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  };
}

}  // namespace

TEST_SUITE_BEGIN("config");

TEST_CASE("folders follow the XDG specification") {
  const auto plain = environment_of({{"HOME", "/home/ada"}});
  CHECK(config::default_database(plain) == "/home/ada/.local/share/tuner/tuner.db");
  CHECK(config::config_folder(plain) == "/home/ada/.config/tuner");
  CHECK(config::cache_folder(plain) == "/home/ada/.cache/tuner");
  const auto moved =
      environment_of({{"HOME", "/home/ada"}, {"XDG_DATA_HOME", "/data"}, {"XDG_CACHE_HOME", "rel"}});
  CHECK(config::default_database(moved) == "/data/tuner/tuner.db");
  CHECK(config::cache_folder(moved) == "/home/ada/.cache/tuner");
  CHECK_THROWS_AS(config::data_folder(environment_of({})), tuner::model::UsageError);
  CHECK(config::data_folder(environment_of({{"XDG_DATA_HOME", "/data"}})) == "/data/tuner");
}

TEST_CASE("the project file is the nearest one up to the root of the repository") {
  const TemporaryFolder folder;
  folder.write("tuner.toml", "");
  folder.write("repo/.git/HEAD", "");
  folder.write("repo/a/b/file", "");
  CHECK(!config::find_project_file(folder.path() / "repo/a/b"));
  const auto root = folder.write("repo/tuner.toml", "");
  CHECK(config::find_project_file(folder.path() / "repo/a/b") == root);
  CHECK(config::find_project_file(folder.path() / "repo") == root);
  const auto nearer = folder.write("repo/a/tuner.toml", "");
  CHECK(config::find_project_file(folder.path() / "repo/a/b") == nearer);
}

TEST_CASE("outside of a repository only the working directory is asked") {
  const TemporaryFolder folder;
  const auto file = folder.write("tuner.toml", "");
  folder.write("a/file", "");
  CHECK(config::find_project_file(folder.path()) == file);
  CHECK(!config::find_project_file(folder.path() / "a"));
}

TEST_SUITE_END();
