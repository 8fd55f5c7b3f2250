#include <CLI/CLI.hpp>
#include <memory>

#include "reports/table.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/table_output.hpp"

namespace tuner::cli {
namespace {

int show_config(const Context& context, const std::string& format) {
  const config::Settings settings = context.settings();
  reports::Table table({{"setting"},
                        {"value", reports::Align::left, true},
                        {"from", reports::Align::left, true},
                        {"variable", reports::Align::left, false, 1},
                        {"meaning", reports::Align::left, true, 2}});
  for (const config::KnownSetting& known : config::known_settings()) {
    const config::Setting* setting = settings.find(known.name);
    std::string value = setting ? setting->value : "(" + std::string(known.unset) + ")";
    if (known.name == "db") value = settings.database().string();
    if (known.name == "cache_dir") value = settings.cache_folder().string();
    table.add_row({std::string(known.name), value, setting ? setting->origin : "unset",
                   config::variable_name(known.name), std::string(known.description)});
  }
  write_table(table, "settings", format);
  return 0;
}

}  // namespace

void add_config(CLI::App& app, Context& context, Action& action) {
  auto* command = app.add_subcommand("config", "Show every setting, its value and where it came from");
  std::vector<std::string> names;
  for (const config::KnownSetting& known : config::known_settings()) names.emplace_back(known.name);
  auto format = std::make_shared<std::string>();
  add_table_format(*command, *format);
  add_setting_flags(*command, context, names);
  command->footer(
      "Strongest first: flag, environment variable, tuner.toml of the project, user's tuner.toml "
      "($XDG_CONFIG_HOME/tuner/tuner.toml), shipped default.");
  command->callback(
      [&context, &action, format] { action = [&context, format] { return show_config(context, *format); }; });
}

}  // namespace tuner::cli
