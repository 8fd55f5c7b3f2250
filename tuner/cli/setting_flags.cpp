#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "config/known_settings.hpp"
#include "tuner/cli/command.hpp"

namespace tuner::cli {

void add_setting_flags(CLI::App& command, Context& context, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const config::KnownSetting* setting = config::find_setting(name);
    if (!setting) throw std::logic_error("no setting is called " + name);
    std::string description(setting->description);
    std::string accepted = config::accepted_text(*setting);
    if (setting->kind == config::SettingKind::integer || setting->kind == config::SettingKind::number) {
      description += "; " + std::exchange(accepted, "N");
    }
    if (!setting->unset.empty()) description += fmt::format(" (unset: {})", setting->unset);
    command
        .add_option_function<std::string>(
            config::flag_name(name),
            [&context, name](const std::string& value) { context.flags[name] = value; }, description)
        ->type_name(accepted);
  }
}

}  // namespace tuner::cli
