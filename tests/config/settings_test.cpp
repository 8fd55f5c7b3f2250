#include "config/settings.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <set>
#include <string>

#include "tests/config/temporary_folder.hpp"
#include "tests/support/contains.hpp"
#include "tuner/model/error.hpp"

using config::Layer;
using config::Settings;
using tuner::model::UsageError;
using Values = std::map<std::string, std::string>;

namespace {

/// A user with a home and a project; writes files, keeps variables.
class User {
 public:
  User() {
    m_folder.write("project/.git", "");
    variables["HOME"] = (m_folder.path() / "home").string();
  }
  void user_file(std::string_view text) const { m_folder.write("home/.config/tuner/tuner.toml", text); }
  std::filesystem::path project_file(std::string_view text) const {
    return m_folder.write("project/tuner.toml", text);
  }
  Settings load(const Values& command_line = {}) const {
    return Settings::load(command_line, {[this](const std::string& name) -> std::optional<std::string> {
                                           const auto found = variables.find(name);
                                           if (found == variables.end()) return std::nullopt;
                                           return found->second;
                                         },
                                         m_folder.path() / "project"});
  }
  std::filesystem::path root() const { return m_folder.path(); }
  Values variables;

 private:
  TemporaryFolder m_folder;
};

std::string complaint(const std::function<void()>& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return std::string(error.what()) + "\n" + error.hint();
  }
  return "accepted";
}

}  // namespace

TEST_SUITE_BEGIN("config");

TEST_CASE("shipped defaults hold where nobody says anything") {
  const User user;
  const Settings settings = user.load();
  CHECK(settings.text("device") == "auto");
  CHECK(settings.find("device")->layer == Layer::defaults);
  CHECK(settings.find("device")->origin == "default");
  CHECK(settings.number("run_timeout_s") == 5);
  CHECK(settings.number("run_timeout_factor") == 20);
  CHECK(settings.number("compile_timeout_s") == 60);
  CHECK(settings.sizes().size() == 4);
  CHECK(settings.paddings() == std::vector<std::int64_t>{0});
  CHECK(!settings.type());
  CHECK(!settings.seed());
  CHECK(settings.budget().trials == 0);
  CHECK(settings.find("compile_jobs") == nullptr);
  CHECK(settings.database() == user.root() / "home/.local/share/tuner/tuner.db");
  CHECK(settings.cache_folder() == user.root() / "home/.cache/tuner");
}

TEST_CASE("every setting has a shipped default, or says what happens without") {
  const User user;
  const Settings settings = user.load();
  for (const config::KnownSetting& known : config::known_settings()) {
    CAPTURE(std::string(known.name));
    CHECK((settings.find(known.name) != nullptr) == known.unset.empty());
    CHECK(!known.description.empty());
    CHECK(!config::accepted_text(known).empty());
  }
}

TEST_CASE("the command line beats the environment, the project, the user and the defaults") {
  User user;
  CHECK(user.load().text("l2") == "warm");
  user.user_file("l2 = \"cold\"");
  CHECK(user.load().find("l2")->layer == Layer::user_file);
  const auto project = user.project_file("\n  l2 = \"warm\"");
  CHECK(user.load().text("l2") == "warm");
  CHECK(user.load().find("l2")->origin == project.string() + ":2:8");
  user.variables["TUNER_L2"] = "cold";
  CHECK(user.load().text("l2") == "cold");
  CHECK(user.load().find("l2")->origin == "TUNER_L2");
  const Settings settings = user.load({{"l2", "warm"}});
  CHECK(settings.text("l2") == "warm");
  CHECK(settings.find("l2")->origin == "--l2");
  CHECK(settings.find("l2")->layer == Layer::command_line);
}

TEST_CASE("an empty variable counts as unset") {
  User user;
  user.variables["TUNER_MEASURE"] = "";
  CHECK(user.load().find("measure")->layer == Layer::defaults);
}

TEST_CASE("values may be strings, numbers or lists in a file") {
  User user;
  user.project_file(
      "sizes = [512, \"1000..2000\", \"1x2x3\"]\npad = [0, 32]\nbudget = 500\nseed = 7\nrun_timeout_s = 2.5\n"
      "type = \"double\"\ncompile_jobs = 3\n");
  const Settings settings = user.load();
  CHECK(settings.sizes() == std::vector<std::vector<std::int64_t>>{{512}, {1000}, {2000}, {1, 2, 3}});
  CHECK(settings.paddings() == std::vector<std::int64_t>{0, 32});
  CHECK(settings.budget().trials == 500);
  CHECK(settings.seed() == 7);
  CHECK(settings.number("run_timeout_s") == 2.5);
  CHECK(settings.type() == tuner::model::ElementType::float64);
  CHECK(settings.integer("compile_jobs") == 3);
}

TEST_CASE("paths in a file are relative to it, or to the home folder; elsewhere they are as given") {
  User user;
  user.project_file("db = \"results/t.db\"\ncache_dir = \"~/cache\"");
  CHECK(user.load().database() == user.root() / "project/results/t.db");
  CHECK(user.load().cache_folder() == user.root() / "home/cache");
  user.variables["TUNER_DB"] = "here.db";
  CHECK(user.load().database() == "here.db");
}

TEST_CASE("specs, captures and recordings in a file are relative to it, and names are names") {
  User user;
  const std::string project = user.root() / "project/";
  std::filesystem::create_directories(project + "app.capture");
  std::filesystem::create_directories(project + "512");
  user.project_file("kernels = \"scale.toml\"\nsizes = \"app.capture\"\ndevice = \"replay:h200.jsonl\"");
  CHECK(user.load().text("kernels") == project + "scale.toml");
  CHECK(user.load().text("sizes") == project + "app.capture");
  CHECK(user.load().text("device") == "replay:" + project + "h200.jsonl");
  user.project_file("kernels = [\"scale.toml\", \"matmul\"]");
  CHECK(user.load().kernels() == std::vector<std::string>{project + "scale.toml", "matmul"});
  user.project_file("kernels = \"matmul\"\nsizes = \"512\"\ndevice = \"cpu\"");
  CHECK(user.load().text("kernels") == "matmul");
  CHECK(user.load().text("sizes") == "512");
  CHECK(user.load().text("device") == "cpu");
}

TEST_CASE("an unknown key is placed, with the one that was meant") {
  User user;
  const auto path = user.project_file("l2 = \"cold\"\n\ndevise = \"cpu\"\n");
  const std::string said = complaint([&] { user.load(); });
  CHECK(contains(said, path.string() + ":3:1: unknown setting \"devise\""));
  CHECK(contains(said, "did you mean \"device\"?"));
}

TEST_CASE("a bad value is placed in a file, and named by variable or flag elsewhere") {
  User user;
  CHECK(contains(complaint([&] {
                   user.load({{"compile_jobs", "0"}});
                 }),
                 "--compile-jobs: compile_jobs cannot be '0'"));
  user.variables["TUNER_SIZES"] = "4096..512";
  CHECK(contains(complaint([&] { user.load(); }), "TUNER_SIZES: size '4096..512'"));
  user.variables.erase("TUNER_SIZES");
  const auto path = user.project_file("l2 = \"tepid\"\n");
  const std::string said = complaint([&] { user.load(); });
  CHECK(contains(said, path.string() + ":1:6: l2 cannot be 'tepid'"));
  CHECK(contains(said, "warm or cold"));
  // A stronger layer does not hide it.
  CHECK(contains(complaint([&] { user.load({{"l2", "warm"}}); }), ":1:6:"));
}

TEST_CASE("all mistakes of a settings file are told together") {
  User user;
  user.project_file("l2 = \"tepid\"\nwhat = 1\ndevice = true\n[table]\n");
  const std::string said = complaint([&] { user.load(); });
  CHECK(contains(said, ":1:6:"));
  CHECK(contains(said, ":2:1: unknown setting \"what\""));
  CHECK(contains(said, ":3:10: \"device\" must be a string or a number, found boolean true"));
  CHECK(contains(said, "unknown setting \"table\""));
  user.project_file("l2 = ");
  CHECK(contains(complaint([&] { user.load(); }), "syntax error"));
}

TEST_CASE("each kind of setting refuses what it is not") {
  const auto refused = [](std::string_view name, const std::string& value) {
    return complaint([&] { config::check_value(*config::find_setting(name), value); }) != "accepted";
  };
  for (const char* good : {"auto", "cpu", "cuda:0", "cuda:12", "replay:file.csv"})
    CHECK(!refused("device", good));
  for (const char* bad : {"gpu", "cuda", "cuda:", "cuda:-1", "cuda:x", "cuda:9999999", "replay:"}) {
    CAPTURE(bad);
    CHECK(refused("device", bad));
  }
  CHECK(!refused("type", "unsigned int"));
  CHECK(refused("type", "quaternion"));
  CHECK(refused("seed", "-1"));
  CHECK(refused("seed", "1.5"));
  CHECK(refused("seed", "99999999999999999999"));
  CHECK(!refused("run_timeout_s", "0.01"));
  CHECK(!refused("run_timeout_s", "86400"));
  CHECK(refused("run_timeout_s", "86401"));
  CHECK(refused("run_timeout_s", "0"));
  CHECK(refused("run_timeout_s", "nan"));
  CHECK(refused("run_timeout_s", "inf"));
  CHECK(refused("run_timeout_s", "5s"));
  CHECK(refused("budget", "soon"));
  CHECK(refused("pad", "-1"));
  CHECK(refused("db", ""));
  CHECK(refused("db", "a\nb"));
  CHECK(!refused("db", "/tmp/a b.db"));
}

TEST_CASE("flags and variables are named after their setting") {
  CHECK(config::flag_name("compile_timeout_s") == "--compile-timeout-s");
  CHECK(config::variable_name("compile_timeout_s") == "TUNER_COMPILE_TIMEOUT_S");
  std::set<std::string> names;
  for (const config::KnownSetting& known : config::known_settings()) names.emplace(known.name);
  CHECK(names.size() == config::known_settings().size());
}

TEST_CASE("without a home folder only what needs one fails") {
  User user;
  user.variables.erase("HOME");
  const Settings settings = user.load();
  CHECK(settings.text("device") == "auto");
  CHECK_THROWS_AS(settings.database(), UsageError);
  CHECK(user.load({{"db", "/tmp/x.db"}}).database() == "/tmp/x.db");
}

namespace {

config::EnvironmentVariables environment_of(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const std::string& name) -> std::optional<std::string> {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  };
}

}  // namespace

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
