#include <CLI/CLI.hpp>

#include "reports/table.hpp"
#include "tuner/cli/answer_style.hpp"
#include "tuner/cli/command.hpp"

namespace tuner::cli {
namespace {

int show_config(const Context& context) {
  const config::Settings settings = context.settings();
  reports::Table table({{"setting"},
                        {"value", reports::Align::left, true},
                        {"from", reports::Align::left, true},
                        {"variable"},
                        {"meaning", reports::Align::left, true}});
  for (const config::KnownSetting& known : config::known_settings()) {
    const config::Setting* setting = settings.find(known.name);
    std::string value = setting ? setting->value : "(" + std::string(known.unset) + ")";
    if (known.name == "db") value = settings.database().string();
    if (known.name == "cache_dir") value = settings.cache_folder().string();
    table.add_row({std::string(known.name), value, setting ? setting->origin : "unset",
                   config::variable_name(known.name), std::string(known.description)});
  }
  write_out(table.fitted(stdout_columns()));
  return 0;
}

}  // namespace

void add_config(CLI::App& app, Context& context, Action& action) {
  auto* command = app.add_subcommand("config", "Show every setting, its value and where it came from");
  std::vector<std::string> names;
  for (const config::KnownSetting& known : config::known_settings()) names.emplace_back(known.name);
  add_setting_flags(*command, context, names);
  command->footer(
      "Strongest first: flag, environment variable, tuner.toml of the project, user's tuner.toml "
      "($XDG_CONFIG_HOME/tuner/tuner.toml), shipped default.");
  command->callback([&context, &action] { action = [&context] { return show_config(context); }; });
}

}  // namespace tuner::cli
