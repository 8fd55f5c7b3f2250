#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "config/known_settings.hpp"
#include "tuner/cli/command.hpp"

namespace tuner::cli {

void add_setting_flags(CLI::App& command, Context& context, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const config::KnownSetting* setting = config::find_setting(name);
    if (!setting) throw std::logic_error("no setting is called " + name);
    const std::string description = setting->unset.empty()
                                        ? std::string(setting->description)
                                        : fmt::format("{} (unset: {})", setting->description, setting->unset);
    command
        .add_option_function<std::string>(
            config::flag_name(name),
            [&context, name](const std::string& value) { context.flags[name] = value; }, description)
        ->type_name(config::accepted_text(*setting));
  }
}

}  // namespace tuner::cli
